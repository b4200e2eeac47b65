"""JudgeConfig + Candidate + Client -> Judge. A new judge is one new file and one line in ``KINDS``."""

from __future__ import annotations

import difflib

from harness.config import JudgeConfig
from harness.errors import ConfigError
from harness.judges.base import Judge, Kind
from harness.judges.contracts import BINARY, SCORE
from harness.judges.ensemble import asked_kind
from harness.llm.client import Client
from harness.types import Candidate

KINDS: dict[str, Kind] = {
    "score": asked_kind(SCORE),
    "binary": asked_kind(BINARY),
}


def build_judge(config: JudgeConfig, candidate: Candidate, client: Client) -> Judge:
    """The judge that a configuration and a candidate describe.

    Raises ConfigError for an unknown kind, a candidate of another judge, and a candidate whose
    blocks are not exactly those of the kind.
    """
    kind = _kind(config.kind)
    where = f"building judge {config.kind!r}"
    if candidate.judge != config.kind:
        raise ConfigError(where, f"a candidate for judge {candidate.judge!r}", "Use a seed written for this judge.")
    given = {name for name, _ in candidate.blocks}
    lacking, unknown = sorted(set(kind.blocks) - given), sorted(given - set(kind.blocks))
    if lacking:
        raise ConfigError(where, f"a candidate without block {lacking[0]!r}", f"Give the blocks {list(kind.blocks)}.")
    if unknown:
        raise ConfigError(where, f"an unknown block {unknown[0]!r}", f"Keep to the blocks {list(kind.blocks)}.")
    return kind.make(config, candidate, client)


def blocks_of(kind: str) -> tuple[str, ...]:
    """Names of the evolvable blocks of a kind; ConfigError for an unknown one."""
    return _kind(kind).blocks


def score_range(kind: str) -> tuple[float, float]:
    """Lowest and highest score of a kind, both possible; ConfigError for an unknown one.

    >>> score_range("score")
    (0, 10)
    """
    return (_kind(kind).low, _kind(kind).high)


def envelope_of(config: JudgeConfig) -> str:
    """Digest of all fixed prompt text, and of the schema where one is sent: what a winner is frozen with."""
    return _kind(config.kind).fixed(config)


def _kind(name: str) -> Kind:
    try:
        return KINDS[name]
    except KeyError:
        near = difflib.get_close_matches(name, KINDS, n=1, cutoff=0.5)
        todo = f"Did you mean {near[0]!r}?" if near else f"Use one of {sorted(KINDS)}."
        raise ConfigError("choosing a judge", f"unknown kind {name!r}", todo) from None
