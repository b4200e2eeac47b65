"""The command line: parse, call, print."""

from optimiser.cli.app import main

__all__ = ["main"]
