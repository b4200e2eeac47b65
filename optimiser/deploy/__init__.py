"""Deployment: a frozen judge on notes that nobody has labelled."""
