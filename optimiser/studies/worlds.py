"""Score tables drawn from the statistical model, with their true values: data for the coverage study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.scores import ScoreTable
from optimiser.studies.latent import Floats, Perception, clustered, flag_rates, perceive, points

MOST_PAIRS = 5


def draw_tables(
    consultations: int, skills: Sequence[float], perception: Perception, rng: np.random.Generator
) -> tuple[ScoreTable, ...]:
    """One table for each candidate on the same notes: one to five omission pairs a consultation, one clean twin."""
    sizes = rng.integers(1, MOST_PAIRS + 1, consultations)
    cluster = np.repeat(np.arange(consultations), sizes)
    level = rng.standard_normal(consultations)
    shared = _traits(cluster, consultations, perception, rng)
    return tuple(_table(cluster, level, shared, (skill, perception), rng) for skill in skills)


def true_detection(skill: float, threshold: float, perception: Perception) -> float:
    """True share of flawed notes that a threshold flags."""
    unseen, seen = flag_rates(threshold, perception)
    return skill * seen + (1 - skill) * unseen


def true_threshold(cap: float, perception: Perception) -> float:
    """The highest whole threshold whose true false-alarm rate is at most ``cap``."""
    return float(max(t for t in range(11) if flag_rates(t, perception)[0] <= cap))


def _table(
    cluster: NDArray[np.intp],
    level: Floats,
    shared: Floats,
    candidate: tuple[float, Perception],
    rng: np.random.Generator,
) -> ScoreTable:
    skill, perception = candidate
    consultations, pairs = len(level), len(cluster)
    parts = (shared, _traits(cluster, consultations, perception, rng), rng.standard_normal(pairs))
    flawed = points(level[cluster], rng.standard_normal(pairs), perceive(parts, skill, perception), perception)
    clean = points(level, rng.standard_normal(consultations), np.zeros(consultations, dtype=np.bool_), perception)
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(pairs)),
        pair_class=np.full(pairs, "omission-complete"),
        severity=np.full(pairs, "critical"),
        cluster=cluster,
        clean_of=cluster,
        clusters=tuple(f"c{i}" for i in range(consultations)),
        flawed=flawed[:, None],
        clean_ids=tuple(f"n{i}" for i in range(consultations)),
        clean=clean[:, None],
        clean_cluster=np.arange(consultations),
    )


def _traits(cluster: NDArray[np.intp], consultations: int, perception: Perception, rng: np.random.Generator) -> Floats:
    return clustered(rng.standard_normal(consultations)[cluster], rng.standard_normal(len(cluster)), perception)
