"""Interval: a value between two bounds; and the intervals of a single rate."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

from harness.errors import MetricUndefined


@dataclass(frozen=True, slots=True)
class Interval:
    """A point value with a lower and an upper bound, all in the unit of the value."""

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """True where ``value`` lies strictly outside the bounds."""
        return value < self.low or value > self.high


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson score interval of an unpaired rate; it ignores clustering, so it is for independent trials only.

    >>> interval = wilson(16, 48)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2168, 0.4746)
    """
    _require_trials(successes, n)
    bounds = binomtest(successes, n).proportion_ci(level, method="wilson")
    return Interval(successes / n, float(bounds.low), float(bounds.high))


def clopper_pearson_upper(successes: int, n: int, level: float = 0.95) -> float:
    """One-sided exact upper bound of a rate: the true rate exceeds it in at most 1 - level of experiments.

    >>> round(clopper_pearson_upper(0, 20), 4)
    0.1391
    """
    _require_trials(successes, n)
    return float(binomtest(successes, n, alternative="less").proportion_ci(level, method="exact").high)


def _require_trials(successes: int, n: int) -> None:
    if n < 1 or not 0 <= successes <= n:
        raise MetricUndefined("bounding a rate", f"{successes} of {n}", "A rate needs at least one trial.")
