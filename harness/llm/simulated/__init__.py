"""The simulated model."""
