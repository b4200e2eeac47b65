"""A statistical judge: integer scores from hidden draws, clustered by consultation, with a true gain that is known.

Every flawed note has a hidden difficulty, part of it shared by its consultation. A candidate of skill p perceives
the omission in a share p of all flawed notes: where its perception of the note lies below the normal quantile of p.
A perceived omission costs points; the rest of a score is the consultation's own level and the haze of one run, and
is rounded to whole points, which makes ties. What is not perceived is a coin flip, so that paired discrimination is
p * seen_value + (1 - p) / 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]
LOW, HIGH = 0, 10


@dataclass(frozen=True, slots=True)
class Perception:
    """Spreads of the hidden draws.

    ``shared``, ``own`` and ``run`` are the shares of a perception's variance that all candidates share, that is a
    candidate's own on a note, and that changes from run to run; they sum to 1. ``cluster`` is the share of the first
    two that is the consultation's. In points: ``haze`` of one run, ``level`` of consultations, ``drop`` for an
    omission.
    """

    shared: float
    own: float
    run: float
    haze: float
    cluster: float = 0.15
    level: float = 0.7
    centre: float = 8.0
    drop: float = 2.0


# With one reading of each note, the difference of two candidates spreads over consultations by 0.23 and by 0.38:
# as between two fact-checking judges and between two single-call judges in OmissionBench's published scores.
STEADY = Perception(shared=0.85, own=0.10, run=0.05, haze=0.25)
NOISY = Perception(shared=0.20, own=0.60, run=0.20, haze=0.55)


@lru_cache(maxsize=16)
def seen_value(perception: Perception) -> float:
    """Expected paired outcome of a perceived omission, in [0.5, 1]; by quadrature over the consultation's level."""
    levels = _levels(perception)
    edges = np.append(np.arange(LOW, HIGH) + 0.5, math.inf)

    def shares(means: Floats) -> Floats:
        below = norm.cdf((edges - means[:, None]) / perception.haze)
        return np.diff(below, axis=1, prepend=0.0)

    clean, flawed = shares(levels), shares(levels - perception.drop)
    lower = np.cumsum(flawed, axis=1) - flawed / 2
    return float((clean * lower).sum(axis=1).mean())


def paired_value(skill: float, perception: Perception) -> float:
    """True paired discrimination of a candidate that perceives a share ``skill`` of omissions."""
    return skill * seen_value(perception) + (1 - skill) / 2


@lru_cache(maxsize=64)
def flag_rates(threshold: float, perception: Perception) -> tuple[float, float]:
    """True share of notes that score below a threshold, where nothing is perceived and where an omission is."""
    edge = math.ceil(threshold) - 0.5  # whole points below the threshold come from latent values below this
    levels = _levels(perception)
    shifts = (0.0, perception.drop)
    unseen, seen = (norm.cdf((edge - levels + shift) / perception.haze).mean() for shift in shifts)
    return float(unseen), float(seen)


def skill_after(skill: float, gain: float, perception: Perception) -> float:
    """The skill whose true paired discrimination is ``gain`` above that of ``skill``.

    >>> raised = skill_after(0.4, 0.1, STEADY)
    >>> round(paired_value(raised, STEADY) - paired_value(0.4, STEADY), 6)
    0.1
    """
    return skill + gain / (seen_value(perception) - 0.5)


def perceive(parts: tuple[Floats, Floats, Floats], skill: float, perception: Perception) -> NDArray[np.bool_]:
    """Whether an omission is seen; ``parts`` are unit draws: shared, the candidate's own, this run's."""
    shared, own, run = parts
    value = math.sqrt(perception.shared) * shared + math.sqrt(perception.own) * own + math.sqrt(perception.run) * run
    return np.asarray(value < norm.ppf(skill), dtype=np.bool_)


def points(level: Floats, haze: Floats, seen: NDArray[np.bool_], perception: Perception) -> Floats:
    """Whole points in [0, 10]; ``level`` and ``haze`` are unit draws."""
    latent = perception.centre + perception.level * level + perception.haze * haze - perception.drop * seen
    return np.asarray(np.clip(np.rint(latent), LOW, HIGH), dtype=np.float64)


def clustered(of_cluster: Floats, of_note: Floats, perception: Perception) -> Floats:
    """Unit draws that hang together within a consultation."""
    value = math.sqrt(perception.cluster) * of_cluster + math.sqrt(1 - perception.cluster) * of_note
    return np.asarray(value, dtype=np.float64)


def _levels(perception: Perception) -> Floats:
    return np.asarray(perception.centre + perception.level * norm.ppf((np.arange(400) + 0.5) / 400), dtype=np.float64)
