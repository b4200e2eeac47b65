"""JudgeConfig + Candidate + Client -> Judge. A new judge is one new file and one line in ``MEMBERS``."""

from __future__ import annotations

import difflib
from importlib import import_module

from harness.config import JudgeConfig
from harness.errors import ConfigError
from harness.judges.base import Judge, Kind
from harness.judges.sampled import SampledJudge
from harness.llm.client import Client
from harness.types import Candidate

# Modules of this package that hold a ``KIND``; the kind has the module's name, with hyphens.
MEMBERS = (
    "score",
    "binary",
    "two_stage",
    "faithfulness",
    "dimensions",
    "fact_list",
    "checklist",
    "coverage",
    "pipeline",
    "sectioned",
    "log_odds",
    "combined",
    "lexical",
)


def _load(member: str) -> Kind:
    kind = import_module(f"harness.judges.{member}").KIND
    assert isinstance(kind, Kind)
    return kind


KINDS: dict[str, Kind] = {member.replace("_", "-"): _load(member) for member in MEMBERS}


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
    strange = sorted(set(config.stages) - set(kind.blocks))
    if strange:
        raise ConfigError(where, f"settings for a stage {strange[0]!r}", f"Its stages are {list(kind.blocks)}.")
    return SampledJudge(config, kind.scale, candidate.id, kind.make(config, candidate, client))


def blocks_of(kind: str) -> tuple[str, ...]:
    """Names of the evolvable blocks of a kind; ConfigError for an unknown one."""
    return _kind(kind).blocks


def score_range(kind: str) -> tuple[float, float]:
    """Lowest and highest score of a kind, both possible; ConfigError for an unknown one.

    >>> score_range("score")
    (0, 10)
    """
    scale = _kind(kind).scale
    return (scale.low, scale.high)


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
