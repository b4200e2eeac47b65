"""Judges of clinical notes, one file per member of the family."""
