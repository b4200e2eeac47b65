"""Clusters: what a set of values is to statistics that resample consultations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import MetricUndefined

CHUNK_CELLS = 2_000_000  # resample counts held at once: 16 MB
MANY = 1_000  # clusters; beyond, draws are made in ways that are faster there and have the same distribution


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Per-cluster sums and sizes, both (clusters,); clusters without a value are not in it."""

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def n(self) -> int:
        """How many clusters hold a value."""
        return len(self.sizes)

    @property
    def mean(self) -> float:
        """The mean over values (not over clusters): a large cluster weighs more."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def error(self) -> float:
        """Standard error of the mean: linearised ratio of sums, with the n / (n - 1) correction for few clusters.

        Cochran, Sampling Techniques, 3rd edition, section 6.3.
        """
        residuals = self.sums - self.mean * self.sizes
        return math.sqrt(float(residuals @ residuals) * self.n / (self.n - 1)) / float(self.sizes.sum())


def group(values: ArrayLike, clusters: ArrayLike) -> Clusters:
    """Sum values (n,) by cluster codes (n,); NaN values are dropped. MetricUndefined for fewer than two clusters.

    One consultation shows nothing of how much consultations differ, so no interval and no test exists for it.
    """
    array = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(array)
    _, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    n = int(codes.max()) + 1 if codes.size else 0
    if n < 2:
        raise MetricUndefined("grouping by consultation", f"{n} consultations with a value", "At least two are needed.")
    sums = np.bincount(codes, array[kept]).astype(np.float64)
    return Clusters(sums, np.bincount(codes).astype(np.float64))


def resample_counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield blocks (block, n) of how often each of n clusters is drawn; the blocks have ``resamples`` rows together.

    The stream of counts depends on the generator alone, not on the block size.
    """
    rows = max(1, CHUNK_CELLS // n)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        yield (_tallied(n, size, rng) if n > MANY else rng.multinomial(n, np.full(n, 1 / n), size)).astype(np.float64)


def resample_sums(grouped: Clusters, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield blocks (block, 2) of the drawn sum and the drawn size when clusters are drawn with replacement.

    Clusters of equal sum and size are interchangeable: among many clusters, it is drawn how often each kind comes.
    """
    values = np.column_stack([grouped.sums, grouped.sizes])
    if grouped.n <= MANY:
        yield from (counts @ values for counts in resample_counts(grouped.n, resamples, rng))
        return
    kinds, members = np.unique(values, axis=0, return_counts=True)
    rows = max(1, CHUNK_CELLS // len(kinds))
    for start in range(0, resamples, rows):
        yield rng.multinomial(grouped.n, members / grouped.n, min(rows, resamples - start)) @ kinds


def signed_sums(sums: NDArray[np.float64], draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield blocks (block,) of the total of ``sums`` (clusters,) under independent fair signs.

    Among many clusters, those with sums of one size share a binomial draw of how many are positive.
    """
    if sums.size <= MANY:
        yield from (signs @ sums for signs in random_signs(sums.size, draws, rng))
        return
    sizes, members = np.unique(np.round(np.abs(sums), 9), return_counts=True)  # thirds summed in any order are equal
    rows = max(1, CHUNK_CELLS // sizes.size)
    for start in range(0, draws, rows):
        positive = rng.binomial(members, 0.5, (min(rows, draws - start), sizes.size))
        yield (2.0 * positive - members) @ sizes


def random_signs(n: int, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield blocks (block, n) of independent fair signs, -1 or 1; the blocks have ``draws`` rows together."""
    rows = max(1, CHUNK_CELLS // n)
    for start in range(0, draws, rows):
        yield 2.0 * rng.integers(0, 2, size=(min(rows, draws - start), n), dtype=np.int8).astype(np.float64) - 1.0


def _tallied(n: int, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    drawn = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
