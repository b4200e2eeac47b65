"""Simultaneous bounds: the gains of m candidates over one baseline, honest about choosing the best of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import DataError, MetricUndefined
from harness.stats.clusters import random_signs

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Gains (candidates,) over the baseline, in [-1, 1], with bounds that hold for all candidates together.

    ``lower`` is one-sided at 1 - alpha; ``low`` and ``high`` are two-sided. ``winner`` is the row
    with the highest ``lower`` (the first of equals) and ``shrunken`` its gain less the optimism of picking it.
    """

    estimates: Floats
    lower: Floats
    low: Floats
    high: Floats
    winner: int
    shrunken: float


def simultaneous_bounds(
    differences: ArrayLike,
    clusters: ArrayLike,
    rng: np.random.Generator,
    alpha: float = 0.05,
    resamples: int = 10_000,
) -> Simultaneous:
    """Max-statistic bootstrap over ``differences`` (candidates, pairs), candidate - baseline, each in [-1, 1].

    Each resample flips the signs of whole consultations' residuals, the same for all candidates
    (wild cluster bootstrap: Cameron, Gelbach and Miller 2008, "Bootstrap-based improvements for inference
    with clustered errors"), re-estimates every candidate's deviation and standard error, and
    keeps the largest ratio over candidates; its 1 - alpha quantile replaces the normal quantile
    (Romano and Wolf 2005, "Exact and approximate stepdown methods for multiple hypothesis testing").
    With 20 consultations and 30 candidates, drawing consultations with replacement would let equal
    candidates pass two to three times as often as alpha allows.

    A candidate whose gain is the same in every consultation has no error: its bounds are its gain.
    Where 0.5 ** consultations exceeds alpha all bounds are -1 and 1, which say nothing. The optimism
    is the mean over resamples of how much better the resample's choice looks there than it is.
    """
    sums, sizes = _sums(np.atleast_2d(np.asarray(differences, dtype=np.float64)), np.asarray(clusters))
    estimates = sums.sum(axis=1) / sizes.sum()
    residuals = sums - estimates[:, None] * sizes
    errors = _errors((residuals**2).sum(axis=1), sizes)
    varied = errors > 1e-12  # anything smaller is rounding: outcomes are multiples of 1 / (2 x replicates)
    residuals[~varied] = 0.0
    errors[~varied] = 0.0
    deviations, ratios = _resample(residuals, sizes, rng, resamples)
    one_sided = max(float(np.quantile(ratios.max(axis=1), 1 - alpha, method="higher")), 0.0)
    two_sided = float(np.quantile(np.abs(ratios).max(axis=1), 1 - alpha, method="higher"))
    if 0.5 ** len(sizes) > alpha:  # not even the same sign in every consultation is evidence at this level
        errors, one_sided, two_sided = np.ones_like(errors), np.inf, np.inf
    lower = _bounded(estimates, -one_sided, errors)
    winner = int(np.argmax(lower))
    handicap = lower - estimates
    return Simultaneous(
        estimates=estimates,
        lower=lower,
        low=_bounded(estimates, -two_sided, errors),
        high=_bounded(estimates, two_sided, errors),
        winner=winner,
        shrunken=float(estimates[winner]) - _optimism(estimates, handicap, deviations),
    )


def _sums(differences: Floats, clusters: NDArray[np.intp]) -> tuple[Floats, Floats]:
    names, codes = np.unique(clusters, return_inverse=True)
    if len(names) < 2 or not len(differences):
        raise MetricUndefined(
            "bounding the gains of candidates",
            f"{len(differences)} candidates on {len(names)} consultations",
            "Give at least one candidate on two consultations.",
        )
    if not np.all(np.abs(differences) <= 1):
        raise DataError(
            "bounding the gains of candidates",
            "a difference that is not in [-1, 1]",
            "Give differences of pair outcomes, with failures read as the worst case.",
        )
    member = (codes[:, None] == np.arange(len(names))).astype(np.float64)
    return differences @ member, member.sum(axis=0)


def _errors(squares: Floats, sizes: Floats) -> Floats:
    correction = len(sizes) / (len(sizes) - 1)
    errors: Floats = np.sqrt(np.maximum(squares, 0.0) * correction) / sizes.sum()
    return errors


def _resample(residuals: Floats, sizes: Floats, rng: np.random.Generator, resamples: int) -> tuple[Floats, Floats]:
    deviations, ratios = [], []
    total, squares = sizes.sum(), (residuals**2).sum(axis=1)
    for signs in random_signs(len(sizes), resamples, rng):
        shift = signs @ residuals.T / total
        cross = (signs * sizes) @ residuals.T
        errors = _errors(squares - 2 * shift * cross + shift**2 * (sizes**2).sum(), sizes)
        errors[errors < 1e-9] = 0.0  # cancellation leaves dust where a pattern has no spread
        with np.errstate(divide="ignore"):
            ratios.append(np.divide(shift, errors, out=np.zeros_like(shift), where=np.abs(shift) > 1e-12))
        deviations.append(shift)
    return np.concatenate(deviations), np.concatenate(ratios)


def _optimism(estimates: Floats, handicap: Floats, deviations: Floats) -> float:
    # Observed gains are spread by noise as well as by truth. Choosing around them would take the noise for
    # truth and find too little optimism, so they are first drawn together by the share that noise explains.
    spread, noise = float(estimates.var()), float(deviations.var(axis=1).mean())
    truth = max(0.0, 1.0 - noise / spread) if spread > 0 else 0.0
    centres = estimates.mean() + truth * (estimates - estimates.mean())
    chosen = np.argmax(centres + handicap + deviations, axis=1)
    return float(np.take_along_axis(deviations, chosen[:, None], axis=1).mean())


def _bounded(estimates: Floats, quantile: float, errors: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        steps = np.where(errors == 0, 0.0, quantile * errors)  # inf x 0 is 0 here
    return np.clip(estimates + steps, -1.0, 1.0)
