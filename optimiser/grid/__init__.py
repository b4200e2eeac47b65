"""Any set of judges side by side on the same notes, under one budget."""
