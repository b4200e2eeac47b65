"""Paired tests of two candidates on the same notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from harness.errors import DataError, MetricUndefined
from harness.stats.clusters import signed_sums

EXACT_UP_TO = 15  # informative clusters; 2 ** 15 sign patterns are enumerated
_BLOCK = 4096

Alternative = Literal["two-sided", "greater"]


@dataclass(frozen=True, slots=True)
class SignTest:
    """Pairs that the candidate reads better (wins) and worse (losses), and the exact two-sided p-value."""

    wins: int
    losses: int
    p: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """Notes flagged by one of the two only, and the exact two-sided p-value."""

    candidate_only: int
    baseline_only: int
    p: float


@dataclass(frozen=True, slots=True)
class SignFlip:
    """p-value, how many clusters have a difference other than zero, and whether all patterns were enumerated."""

    p: float
    n_informative: int
    exact: bool


def sign_test(candidate: ArrayLike, baseline: ArrayLike) -> SignTest:
    """Exact sign test on the pairs whose outcome differs; pairs with NaN on either side are left out.

    It treats pairs as independent, which pairs of one consultation are not: read it beside `sign_flip`.
    """
    a, b = _same_shape(candidate, baseline)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    return SignTest(wins, losses, _binomial(wins, losses))


def mcnemar(candidate: ArrayLike, baseline: ArrayLike) -> McNemar:
    """Exact McNemar test on flag decisions (n,) about the same notes, each at its own threshold."""
    a, b = _same_shape(candidate, baseline)
    candidate_only, baseline_only = int((a > b).sum()), int((a < b).sum())
    return McNemar(candidate_only, baseline_only, _binomial(candidate_only, baseline_only))


def sign_flip(
    differences: ArrayLike,
    clusters: ArrayLike,
    rng: np.random.Generator,
    alternative: Alternative = "two-sided",
    draws: int = 100_000,
) -> SignFlip:
    """Permutation test that flips the sign of each cluster's summed difference.

    ``differences`` (pairs,) are candidate - baseline, NaN left out. Under the null of
    exchangeable candidates every sign pattern over consultations is equally likely, however
    the pairs of one consultation hang together. All patterns are enumerated for up to 15
    informative clusters; else ``draws`` random ones plus the observed one, so that p > 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    kept = ~np.isnan(values)
    if not kept.any():
        raise MetricUndefined("a sign-flip test", "no differences", "At least one pair must be readable for both.")
    _, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    sums = np.bincount(codes, values[kept]).astype(np.float64)
    tiny = 1e-9 * float(np.abs(values[kept]).sum())  # sums of thirds are not exact; equal must stay equal
    sums = sums[np.abs(sums) > tiny]
    if not sums.size:
        return SignFlip(1.0, 0, True)
    observed = float(sums.sum()) if alternative == "greater" else abs(float(sums.sum()))
    exact = sums.size <= EXACT_UP_TO
    totals = (signs @ sums for signs in _all_signs(sums.size)) if exact else signed_sums(sums, draws, rng)
    extreme = total = 0
    for flipped in totals:
        extreme += int(((flipped if alternative == "greater" else np.abs(flipped)) >= observed - tiny).sum())
        total += len(flipped)
    p = extreme / total if exact else (extreme + 1) / (total + 1)
    return SignFlip(p, int(sums.size), exact)


def _all_signs(n: int) -> Iterator[NDArray[np.float64]]:
    for start in range(0, 2**n, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, 2**n))
        yield 2.0 * ((rows[:, None] >> np.arange(n)) & 1).astype(np.float64) - 1.0


def _binomial(first: int, second: int) -> float:
    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _same_shape(candidate: ArrayLike, baseline: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = np.asarray(candidate, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if a.shape != b.shape:
        raise DataError("a paired test", f"shapes {a.shape} and {b.shape}", "Compare the same notes in the same order.")
    return a, b
