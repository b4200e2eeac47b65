"""Who wins: the highest simultaneous lower bound on the acceptance split, or the seed.

Every finalist is compared with the baseline seed on the same pairs; the bounds hold for all of them at once
(max-statistic bootstrap over consultations), so that choosing the largest does not fool anybody. The seed is kept
unless the winner's bound excludes zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from harness.metrics import pair_outcomes
from harness.scores import ScoreTable
from harness.stats.simultaneous import simultaneous_bounds
from harness.types import Candidate
from optimiser.records import FreezeRow, Spend, Standing

RESAMPLES = 10_000


def freeze(
    pool: Sequence[Candidate], tables: Mapping[str, ScoreTable], alpha: float, seed: int, spend: Spend
) -> FreezeRow:
    """Choose from the pool, whose first member is the baseline.

    ``tables``: candidate id -> scores of the objective's pairs on the acceptance split.

    ``alpha`` is the one-sided error rate of all bounds together. Ties go to the shorter, then the older candidate.
    """
    outcomes = {c.id: pair_outcomes(tables[c.id], failures="worst") for c in pool}
    baseline, rivals = pool[0], pool[1:]
    base = outcomes[baseline.id]
    lowers: dict[str, float] = {}
    expected: float | None = None
    if rivals:
        differences = np.stack([outcomes[c.id] - base for c in rivals])
        rng = np.random.default_rng([seed, 3])
        bounds = simultaneous_bounds(differences, tables[baseline.id].cluster, rng, alpha, RESAMPLES)
        lowers = {c.id: float(low) for c, low in zip(rivals, bounds.lower, strict=True)}
        expected = _round(bounds.shrunken)
    standings = tuple(
        Standing(
            candidate=c.id,
            value=_round(outcomes[c.id].mean()),
            difference=_round((outcomes[c.id] - base).mean()),
            lower=_round(lowers.get(c.id, 0.0)),
        )
        for c in pool
    )
    winner = min(rivals, key=lambda c: (-lowers[c.id], c.length, pool.index(c)), default=baseline)
    if winner is baseline or lowers[winner.id] <= 0:
        winner = baseline
    return FreezeRow(
        winner=winner.id,
        baseline=baseline.id,
        seed_kept=winner.id == baseline.id,
        standings=standings,
        expected_gain=None if winner is baseline else expected,
        runner_up_reading=_plain_reading(standings, winner.id),
        spend=spend,
    )


def winners_curse(row: FreezeRow) -> str:
    """What the winner's gain looked like and what is left of it without the luck of the draw; empty for a kept seed."""
    looked = next((s.difference for s in row.standings if s.candidate == row.winner), None)
    if row.seed_kept or row.expected_gain is None or looked is None:
        return ""
    return f"looked {looked:+.3f}, expect {row.expected_gain:+.3f}"


def _plain_reading(standings: Sequence[Standing], winner: str) -> str:
    best = max(standings, key=lambda s: (s.value, s.candidate == winner))
    if best.candidate == winner:
        return f"the plain maximum on acceptance would have chosen the same candidate ({best.value:.3f})"
    why = "not shown to be better than the seed" if best.lower <= 0 else "less surely better than the seed"
    return (
        f"the plain maximum on acceptance would have chosen {best.candidate} ({best.difference:+.3f} over the seed, "
        f"simultaneous lower bound {best.lower:+.3f}): {why}"
    )


def _round(value: float) -> float:
    return round(float(value), 6)
