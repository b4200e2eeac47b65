"""Which lever does what: cells that differ in one label alone, side by side on the same pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from harness.errors import MetricUndefined
from harness.llm.client import Effort
from harness.stats.bootstrap import Resampling, bootstrap_mean
from optimiser.confirmation import Difference
from optimiser.grid.records import LeverReading

EFFORTS: tuple[str, ...] = get_args(Effort)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One value a unit, (units,), NaN = none, with the cluster code of each unit."""

    values: Floats
    clusters: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A cell as lever attribution sees it: labels, and measures on the same units for all cells.

    ``omissions`` and ``commissions`` are pair outcomes; ``clean_score`` is a share of the scale;
    ``false_alarms`` and ``detection`` are flags by the judge's own rule, None where it has none.
    """

    name: str
    levers: Mapping[str, str]
    omissions: Measure
    commissions: Measure
    clean_score: Measure
    false_alarms: Measure | None
    detection: Measure | None


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The pairs of cells that differ in ``lever`` alone, from level ``before`` to level ``after``."""

    lever: str
    before: str
    after: str
    cells: tuple[tuple[Profile, Profile], ...]


def match_cells(profiles: Sequence[Profile]) -> list[Match]:
    """Every lever and pair of its levels that some two cells show in isolation.

    Levels go up: sample counts and efforts by size, other labels in the order in which cells first bear them.
    """
    found = []
    for lever in dict.fromkeys(name for profile in profiles for name in profile.levers):
        levels = _ordered([p.levers[lever] for p in profiles if lever in p.levers])
        for before, after in combinations(levels, 2):
            pairs = tuple(
                (first, second)
                for first in profiles
                for second in profiles
                if first.levers.get(lever) == before
                and second.levers.get(lever) == after
                and _others(first, lever) == _others(second, lever)
            )
            if pairs:
                found.append(Match(lever, before, after, pairs))
    return found


def read_lever(match: Match, rng: np.random.Generator, plan: Resampling) -> LeverReading:
    """The differences of a match, pooled over its pairs of cells; whole consultations are resampled.

    A consultation brings along what all pairs of cells say about it, so many pairs of cells do not count
    as many consultations.
    """

    def shift(name: str) -> Difference | None:
        sides = [(getattr(a, name), getattr(b, name)) for a, b in match.cells]
        known = [(a, b) for a, b in sides if a is not None and b is not None]
        return _pooled(known, rng, plan) if known else None

    return LeverReading(
        lever=match.lever,
        before=match.before,
        after=match.after,
        cells=tuple((first.name, second.name) for first, second in match.cells),
        omissions=shift("omissions"),
        commissions=shift("commissions"),
        clean_score=shift("clean_score"),
        false_alarms=shift("false_alarms"),
        detection=shift("detection"),
    )


def _pooled(sides: Sequence[tuple[Measure, Measure]], rng: np.random.Generator, plan: Resampling) -> Difference | None:
    differences = np.concatenate([after.values - before.values for before, after in sides])
    clusters = np.concatenate([after.clusters for _, after in sides])
    try:
        interval = bootstrap_mean(differences, clusters, rng, plan)
    except MetricUndefined:
        return None
    return Difference(value=interval.value, low=interval.low, high=interval.high)


def _others(profile: Profile, lever: str) -> dict[str, str]:
    return {name: level for name, level in profile.levers.items() if name != lever}


def _ordered(levels: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(levels))
    if all(level.isdecimal() for level in unique):
        return sorted(unique, key=int)
    if all(level in EFFORTS for level in unique):
        return sorted(unique, key=EFFORTS.index)
    return unique
