"""Engine kind -> engine. A new engine is one file and one line."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from harness.errors import ConfigError
from optimiser.engines.base import Engine


def _gepa() -> Engine:
    from optimiser.engines.gepa import GepaEngine  # imports gepa, which takes a second

    return GepaEngine()


ENGINES: dict[str, Callable[[], Engine]] = {"gepa": _gepa}


def build_engine(kind: str) -> Engine:
    """The engine of a kind; ConfigError names the nearest known kind."""
    if kind not in ENGINES:
        near = difflib.get_close_matches(kind, ENGINES, n=1, cutoff=0.3)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known engines: {', '.join(ENGINES)}."
        raise ConfigError("choosing the search engine", f"no engine {kind!r}", hint)
    return ENGINES[kind]()
