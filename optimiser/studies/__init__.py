"""Studies: many small campaigns on simulated judges, to measure how often the lab itself is wrong."""
