"""Boschloo's test: two rates of different, independent notes."""

from __future__ import annotations

from scipy.stats import boschloo_exact

from harness.errors import MetricUndefined


def boschloo(successes_a: int, n_a: int, successes_b: int, n_b: int) -> float:
    """Exact two-sided p-value that two rates are equal, for small unpaired comparisons.

    Use the paired tests where both candidates judged the same notes. MetricUndefined for an empty side.
    """
    for successes, n in ((successes_a, n_a), (successes_b, n_b)):
        if n < 1 or not 0 <= successes <= n:
            raise MetricUndefined("comparing two rates", f"{successes} of {n}", "Both rates need a trial.")
    counts = [[successes_a, successes_b], [n_a - successes_a, n_b - successes_b]]
    if successes_a + successes_b in (0, n_a + n_b):
        return 1.0  # equal rates at the border: the statistic is 0 / 0 there
    return float(boschloo_exact(counts, alternative="two-sided").pvalue)
