"""Tables, plots and HTML for people."""
