"""Rank correlations whose intervals resample clusters: rows of one consultation are not independent."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau, spearmanr

from harness.errors import MetricUndefined
from harness.stats.bootstrap import DEFAULT, Resampling, percentile_interval
from harness.stats.clusters import resample_counts
from harness.stats.intervals import Interval

Statistic = Literal["spearman", "kendall"]


def rank_correlation(
    pairs: tuple[ArrayLike, ArrayLike],
    clusters: ArrayLike,
    rng: np.random.Generator,
    statistic: Statistic = "spearman",
    plan: Resampling = DEFAULT,
) -> Interval:
    """Spearman's rho or Kendall's tau-b of two columns (n,) in [-1, 1], with a cluster-bootstrap percentile interval.

    Rows with NaN in either column are left out. Whole clusters are drawn with replacement; draws in which a column
    is constant have no value and are left out. MetricUndefined for fewer than two clusters, or a constant column.
    """
    x, y = (np.asarray(column, dtype=np.float64) for column in pairs)
    kept = ~(np.isnan(x) | np.isnan(y))
    x, y = x[kept], y[kept]
    names, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    if len(names) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        found = f"{len(names)} consultations with {len(np.unique(x))} and {len(np.unique(y))} different values"
        raise MetricUndefined(f"correlating ranks ({statistic})", found, "Ranks need two of each at least.")
    test = spearmanr if statistic == "spearman" else kendalltau
    value = float(test(x, y).statistic)
    weights_of = (counts[:, codes] for counts in resample_counts(len(names), plan.resamples, rng))
    drawn = _spearman if statistic == "spearman" else _kendall
    draws = np.concatenate([drawn(x, y, weights) for weights in weights_of])
    if np.isnan(draws).all():
        raise MetricUndefined(f"correlating ranks ({statistic})", "no resample with a value", "Score more notes.")
    return percentile_interval(value, draws, plan.level)


def _spearman(x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rho (draws,) of samples in which row i stands ``weights[draw, i]`` times: Pearson's r of the mid-ranks."""
    total = weights.sum(axis=1, keepdims=True)
    ranks = [_mid_ranks(column, weights) for column in (x, y)]
    first, second = (rank - (weights * rank).sum(axis=1, keepdims=True) / total for rank in ranks)
    return _ratio((weights * first * second).sum(1), (weights * first**2).sum(1), (weights * second**2).sum(1))


def _mid_ranks(column: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    below = (column[:, None] < column[None, :]).astype(np.float64)
    level = (column[:, None] == column[None, :]).astype(np.float64)
    return np.asarray(weights @ (below + level / 2), dtype=np.float64)


def _kendall(x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tau-b (draws,) of the same samples: concordant less discordant pairs over the geometric mean of untied ones."""
    first, second = (np.sign(column[:, None] - column[None, :]) for column in (x, y))

    def over_pairs(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(((weights @ matrix) * weights).sum(axis=1), dtype=np.float64)

    return _ratio(over_pairs(first * second), over_pairs(first**2), over_pairs(second**2))


def _ratio(both: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((first > 1e-9) & (second > 1e-9), both / np.sqrt(first * second), np.nan)
