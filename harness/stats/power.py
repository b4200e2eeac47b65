"""Power: which difference a paired, clustered comparison can see, and how many consultations a difference needs."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy.stats import t

from harness.errors import MetricUndefined
from harness.stats.clusters import Clusters, group


def minimum_detectable(differences: ArrayLike, clusters: ArrayLike, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true difference that a two-sided test at ``alpha`` finds with probability ``power``.

    ``differences`` (pairs,) are candidate - baseline, NaN left out; the answer is in their unit.
    It is the clustered standard error times the sum of two t quantiles with clusters - 1 degrees of freedom
    (Bloom 1995, "Minimum detectable effects"). MetricUndefined for fewer than two
    consultations, or where all differ equally: no spread was observed, so none can be projected.
    """
    grouped = _varied(group(differences, clusters))
    return grouped.error * _quantiles(grouped.n, alpha, power)


def detectable_at(
    differences: ArrayLike, clusters: ArrayLike, consultations: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """`minimum_detectable` if there were ``consultations`` (at least 2) of the observed spread and size."""
    if consultations < 2:
        raise MetricUndefined("planning a comparison", f"{consultations} consultations", "Plan at least two.")
    grouped = _varied(group(differences, clusters))
    return grouped.error * math.sqrt(grouped.n / consultations) * _quantiles(consultations, alpha, power)


def required_clusters(
    differences: ArrayLike, clusters: ArrayLike, gain: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Fewest consultations, of the observed spread and size, with which ``gain`` (> 0) is detectable."""
    if not gain > 0:
        raise MetricUndefined("planning a comparison", f"a gain of {gain:g}", "Ask for a gain above zero.")
    grouped = _varied(group(differences, clusters))
    spread = grouped.error * math.sqrt(grouped.n)
    low, high = 1, 2
    while not _detects(high, spread, gain, alpha, power):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _detects(middle, spread, gain, alpha, power) else (middle, high)
    return high


def _detects(n: int, spread: float, gain: float, alpha: float, power: float) -> bool:
    return spread / math.sqrt(n) * _quantiles(n, alpha, power) <= gain


def _quantiles(n: int, alpha: float, power: float) -> float:
    return float(t.ppf(1 - alpha / 2, n - 1) + t.ppf(power, n - 1))


def _varied(grouped: Clusters) -> Clusters:
    if grouped.error < 1e-12:
        raise MetricUndefined(
            "a minimum detectable difference", "the same difference in every consultation", "Observe some spread first."
        )
    return grouped
