"""The Pareto frontier over the consultations of the frontier fold, and who parents next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from harness.types import Candidate

Scores = Mapping[str, float]
CLOSE = 1e-9


def undominated(pool: Sequence[Candidate], scores: Mapping[str, Scores]) -> tuple[Candidate, ...]:
    """Candidates that no other beats: at least as good on every consultation, better on one.

    Where two are equal everywhere, the shorter and then the older one stays.
    ``scores``: candidate id -> consultation -> value, higher is better.
    """
    kept: list[Candidate] = []
    for position, one in enumerate(pool):
        if not any(
            _beats(other, one, other_position < position, scores)
            for other_position, other in enumerate(pool)
            if other.id != one.id
        ):
            kept.append(one)
    return tuple(kept)


def leads(front: Sequence[Candidate], scores: Mapping[str, Scores]) -> dict[str, float]:
    """Candidate id -> consultations it leads on; a lead that n candidates share counts 1/n for each."""
    totals = {candidate.id: 0.0 for candidate in front}
    consultations = sorted(scores[front[0].id]) if front else []
    for consultation in consultations:
        best = max(scores[c.id][consultation] for c in front)
        leaders = [c.id for c in front if scores[c.id][consultation] >= best - CLOSE]
        for leader in leaders:
            totals[leader] += 1 / len(leaders)
    return totals


def pick_parent(pool: Sequence[Candidate], scores: Mapping[str, Scores], rng: np.random.Generator) -> Candidate:
    """Draw a parent from the frontier with probability proportional to its leads."""
    front = undominated(pool, scores)
    weights = np.array([leads(front, scores)[c.id] for c in front])
    return front[int(rng.choice(len(front), p=weights / weights.sum()))]


def pick_partner(pool: Sequence[Candidate], scores: Mapping[str, Scores], parent: Candidate) -> Candidate | None:
    """The frontier candidate that beats the parent on most consultations while the parent beats it on some; or None."""
    best: tuple[int, Candidate] | None = None
    for other in undominated(pool, scores):
        ahead = _ahead(scores[other.id], scores[parent.id])
        behind = _ahead(scores[parent.id], scores[other.id])
        if other.id != parent.id and ahead and behind and (best is None or ahead > best[0]):
            best = (ahead, other)
    return best[1] if best else None


def _ahead(one: Scores, other: Scores) -> int:
    return sum(one[key] > other[key] + CLOSE for key in one)


def _beats(one: Candidate, other: Candidate, older: bool, scores: Mapping[str, Scores]) -> bool:
    mine, theirs = scores[one.id], scores[other.id]
    if _ahead(theirs, mine):
        return False
    if _ahead(mine, theirs):
        return True
    return (one.length, not older) < (other.length, older)
