"""Simultaneous bounds: the gains of m candidates over one baseline, honest about choosing the best of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import MetricUndefined
from harness.stats.clusters import resample_counts


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Gains (candidates,) over the baseline with bounds that hold for all candidates together.

    ``lower`` is one-sided at 1 - alpha; ``low`` and ``high`` are two-sided. ``winner`` is the row
    with the highest ``lower`` and ``shrunken`` its gain less the optimism of picking it.
    """

    estimates: NDArray[np.float64]
    lower: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    winner: int
    shrunken: float


def simultaneous_bounds(
    differences: ArrayLike,
    clusters: ArrayLike,
    rng: np.random.Generator,
    alpha: float = 0.05,
    resamples: int = 10_000,
) -> Simultaneous:
    """Max-statistic cluster bootstrap over ``differences`` (candidates, pairs), candidate - baseline, no NaN.

    In each resample of consultations every candidate's deviation from its own gain is divided by
    its standard error, and the largest over candidates is kept; the 1 - alpha quantile of that
    replaces the normal quantile (Romano and Wolf 2005, "Exact and approximate stepdown methods for
    multiple hypothesis testing"). A candidate whose gain is the same in every consultation has no error:
    its bounds are its gain. The shrinkage is the mean over resamples of how much the resample's
    best candidate looks better there than on the whole set.
    """
    sums, sizes = _sums(np.atleast_2d(np.asarray(differences, dtype=np.float64)), np.asarray(clusters))
    n = len(sizes)
    estimates = sums.sum(axis=1) / sizes.sum()
    residuals = sums - estimates[:, None] * sizes
    errors = np.sqrt((residuals**2).sum(axis=1) * n / (n - 1)) / sizes.sum()
    varied = errors > 1e-12 * (1 + np.abs(estimates))
    deviations = _deviations(sums, sizes, estimates, rng, resamples)
    winner_optimism = _optimism(deviations, estimates)
    one_sided = two_sided = 0.0
    if varied.any():
        # The plug-in spread of a resample is sqrt((n - 1) / n) short of the corrected error.
        scaled = deviations[:, varied] / (errors[varied] * np.sqrt((n - 1) / n))
        one_sided = float(np.quantile(scaled.max(axis=1), 1 - alpha))
        two_sided = float(np.quantile(np.abs(scaled).max(axis=1), 1 - alpha))
    errors = np.where(varied, errors, 0.0)
    lower = estimates - max(one_sided, 0.0) * errors
    winner = int(np.argmax(lower))
    return Simultaneous(
        estimates=estimates,
        lower=lower,
        low=estimates - two_sided * errors,
        high=estimates + two_sided * errors,
        winner=winner,
        shrunken=float(estimates[winner] - winner_optimism),
    )


def _sums(
    differences: NDArray[np.float64], clusters: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    names, codes = np.unique(clusters, return_inverse=True)
    if len(names) < 2 or not len(differences) or np.isnan(differences).any():
        raise MetricUndefined(
            "bounding the gains of candidates",
            f"{len(differences)} candidates on {len(names)} consultations",
            "Give at least one candidate on two consultations, failures read as the worst case.",
        )
    member = (codes[:, None] == np.arange(len(names))).astype(np.float64)
    return differences @ member, member.sum(axis=0)


def _deviations(
    sums: NDArray[np.float64],
    sizes: NDArray[np.float64],
    estimates: NDArray[np.float64],
    rng: np.random.Generator,
    resamples: int,
) -> NDArray[np.float64]:
    blocks = resample_counts(len(sizes), resamples, rng)
    return np.concatenate([(c @ sums.T) / (c @ sizes)[:, None] - estimates for c in blocks])


def _optimism(deviations: NDArray[np.float64], estimates: NDArray[np.float64]) -> float:
    best = np.argmax(deviations + estimates, axis=1)
    return float(np.take_along_axis(deviations, best[:, None], axis=1).mean())
