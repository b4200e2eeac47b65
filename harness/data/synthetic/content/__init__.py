"""Content tables: presenting problems, background, talk."""
