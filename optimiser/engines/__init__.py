"""Search engines, one library per file."""
