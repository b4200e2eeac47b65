"""Intervals and tests, always clustered by consultation."""
