from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from harness.errors import MetricUndefined
from harness.stats.bootstrap import Resampling
from harness.stats.correlation import Statistic, rank_correlation

BOTH: tuple[Statistic, ...] = ("spearman", "kendall")
SCIPY = {"spearman": spearmanr, "kendall": kendalltau}
PLAN = Resampling(resamples=400)


def columns(seed: int, clusters: int = 20, rows: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = np.repeat(rng.normal(size=clusters), rows)
    x = np.round(shared + rng.normal(size=clusters * rows))
    return x, np.round(x + 2 * rng.normal(size=x.size)), np.repeat(np.arange(clusters), rows)


@pytest.mark.parametrize("statistic", BOTH)
def test_the_value_is_scipys_and_the_bounds_are_the_quantiles_of_scipys_values_on_the_drawn_rows(
    statistic: Statistic,
) -> None:
    x, y, clusters = columns(1, clusters=8)
    found = rank_correlation((x, y), clusters, np.random.default_rng(5), statistic, Resampling(resamples=50))
    counts = np.random.default_rng(5).multinomial(8, np.full(8, 1 / 8), 50)
    drawn = [np.repeat(np.arange(x.size), row[clusters]) for row in counts]
    values = [SCIPY[statistic](x[rows], y[rows]).statistic for rows in drawn]
    assert found.value == pytest.approx(SCIPY[statistic](x, y).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, (0.025, 0.975))))


@given(st.integers(0, 99), st.sampled_from(BOTH))
@settings(max_examples=10, deadline=None)
def test_turning_one_column_round_turns_the_interval_round(seed: int, statistic: Statistic) -> None:
    x, y, clusters = columns(seed)
    found = rank_correlation((x, y), clusters, np.random.default_rng(seed), statistic, PLAN)
    other = rank_correlation((x, -y), clusters, np.random.default_rng(seed), statistic, PLAN)
    assert (other.value, other.low, other.high) == pytest.approx((-found.value, -found.high, -found.low))


@given(st.integers(0, 99), st.sampled_from(BOTH))
@settings(max_examples=10, deadline=None)
def test_ranks_alone_count(seed: int, statistic: Statistic) -> None:
    x, y, clusters = columns(seed)
    found = rank_correlation((x, y), clusters, np.random.default_rng(seed), statistic, PLAN)
    assert rank_correlation((np.exp(x), 3 * y), clusters, np.random.default_rng(seed), statistic, PLAN) == found


def test_rows_that_repeat_within_clusters_make_no_interval_narrower() -> None:
    x, y, clusters = columns(3, clusters=30, rows=1)
    once = rank_correlation((x, y), clusters, np.random.default_rng(1), plan=PLAN)
    four = rank_correlation((np.tile(x, 4), np.tile(y, 4)), np.tile(clusters, 4), np.random.default_rng(1), plan=PLAN)
    assert (four.low, four.high) == pytest.approx((once.low, once.high))


def test_rows_without_a_score_are_left_out() -> None:
    x, y, clusters = columns(4)
    more = rank_correlation(
        (np.append(x, np.nan), np.append(y, 0.5)), np.append(clusters, 99), np.random.default_rng(1), plan=PLAN
    )
    assert more == rank_correlation((x, y), clusters, np.random.default_rng(1), plan=PLAN)


@pytest.mark.parametrize("statistic", BOTH)
@pytest.mark.parametrize(
    ("x", "clusters"), [([1, 1, 1, 1], [0, 0, 1, 1]), ([1, 2, 3, 4], [0, 0, 0, 0]), ([np.nan] * 4, [0, 0, 1, 1])]
)
def test_a_constant_column_or_one_cluster_has_no_correlation(
    x: list[float], clusters: list[int], statistic: Statistic
) -> None:
    with pytest.raises(MetricUndefined):
        rank_correlation((x, [1, 2, 3, 4]), clusters, np.random.default_rng(1), statistic, PLAN)
