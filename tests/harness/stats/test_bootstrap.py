from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from harness.errors import MetricUndefined
from harness.stats.bootstrap import Resampling, bootstrap_difference, bootstrap_mean, false_alarm_upper, mean_draws
from harness.stats.clusters import CHUNK_CELLS, group, resample_counts
from harness.stats.intervals import Interval, clopper_pearson_upper

LAWS = settings(max_examples=40, deadline=None)


@st.composite
def clustered(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    clusters = draw(st.lists(st.integers(0, 4), min_size=2, max_size=12).filter(lambda c: len(set(c)) > 1))
    values = draw(
        st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=len(clusters), max_size=len(clusters))
    )
    return np.array(values), np.array(clusters)


@LAWS
@given(clustered(), st.integers(0, 2**32 - 1))
def test_resampled_means_equal_a_plain_loop_over_the_same_counts(
    data: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    values, clusters = data
    names = np.unique(clusters)
    counts = np.concatenate(list(resample_counts(len(names), 20, np.random.default_rng(seed))))
    expected = []
    for row in counts:
        drawn = [v for name, times in zip(names, row, strict=True) for v in list(values[clusters == name]) * int(times)]
        expected.append(sum(drawn) / len(drawn))
    assert mean_draws(group(values, clusters), np.random.default_rng(seed), 20) == pytest.approx(expected)


def test_every_resample_draws_as_many_consultations_as_there_are() -> None:
    blocks = list(resample_counts(CHUNK_CELLS // 2, 5, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [2, 2, 1]
    assert {int(total) for block in blocks for total in block.sum(axis=1)} == {CHUNK_CELLS // 2}


@LAWS
@given(st.sampled_from([-1.0, 0.0, 0.1, 0.5]), st.integers(2, 6), st.sampled_from(["expanded", "percentile", "bca"]))
def test_the_bootstrap_of_a_constant_is_a_point(
    value: float, n: int, method: Literal["expanded", "percentile", "bca"]
) -> None:
    plan = Resampling(100, method=method)
    found = bootstrap_mean(np.full(2 * n, value), np.arange(2 * n) % n, np.random.default_rng(0), plan)
    assert (found.low, found.value, found.high) == pytest.approx((value, value, value))


def test_a_difference_is_the_bootstrap_of_the_paired_differences() -> None:
    rng = np.random.default_rng(0)
    a, b, clusters = rng.random(30), rng.random(30), np.arange(30) % 7
    assert bootstrap_difference(a, b, clusters, np.random.default_rng(1)) == bootstrap_mean(
        a - b, clusters, np.random.default_rng(1)
    )


def test_a_candidate_does_not_differ_from_itself() -> None:
    values = np.random.default_rng(0).random(20)
    found = bootstrap_difference(values, values, np.arange(20) % 5, np.random.default_rng(1))
    assert found == Interval(0.0, 0.0, 0.0)


def test_unreadable_pairs_are_left_out() -> None:
    values = np.array([1.0, np.nan, 0.0, 0.5])
    found = bootstrap_mean(values, [0, 1, 2, 3], np.random.default_rng(1))
    assert found == bootstrap_mean(values[[0, 2, 3]], [0, 2, 3], np.random.default_rng(1))


def test_repeating_every_pair_within_its_consultation_adds_no_certainty() -> None:
    rng = np.random.default_rng(0)
    values, clusters = rng.random(12), np.arange(12)
    once = bootstrap_mean(values, clusters, np.random.default_rng(1))
    thrice = bootstrap_mean(np.repeat(values, 3), np.repeat(clusters, 3), np.random.default_rng(1))
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


@pytest.mark.parametrize(("n", "factor"), [(10, 1.217), (20, 1.096), (150, 1.012)])
def test_expanded_bounds_are_as_wide_as_students_t_makes_them_for_a_normal_sample(n: int, factor: float) -> None:
    values = np.random.default_rng(3).standard_normal(n)
    plain, wide = (
        bootstrap_mean(values, np.arange(n), np.random.default_rng(1), Resampling(40_000, method=method))
        for method in ("percentile", "expanded")
    )
    assert wide.low < plain.low
    assert wide.high > plain.high
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(factor, abs=0.03)


def test_bca_moves_the_bounds_of_a_skewed_mean_towards_its_long_tail() -> None:
    values = np.array([0.0] * 17 + [0.5, 1.0, 1.0])
    percentile, bca = (
        bootstrap_mean(values, np.arange(20), np.random.default_rng(1), Resampling(method=method))
        for method in ("percentile", "bca")
    )
    assert bca.low > percentile.low
    assert bca.high > percentile.high


def test_bca_agrees_with_scipy_where_every_cluster_is_one_value() -> None:
    values = np.random.default_rng(5).exponential(size=40)
    reference = bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1))
    found = bootstrap_mean(values, np.arange(40), np.random.default_rng(2), Resampling(20_000, method="bca"))
    assert found.low == pytest.approx(reference.confidence_interval.low, abs=0.02)
    assert found.high == pytest.approx(reference.confidence_interval.high, abs=0.02)


@pytest.mark.parametrize("clusters", [[], [3], [3, 3]])
def test_one_consultation_has_no_interval(clusters: list[int]) -> None:
    with pytest.raises(MetricUndefined):
        bootstrap_mean(np.ones(len(clusters)), clusters, np.random.default_rng(0))


@pytest.mark.parametrize(("resamples", "level"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_a_plan_without_resamples_or_level_is_refused(resamples: int, level: float) -> None:
    with pytest.raises(MetricUndefined):
        Resampling(resamples, level)


def test_the_false_alarm_bound_is_never_below_the_exact_one_and_grows_with_clustering() -> None:
    flags = np.zeros(40, dtype=bool)
    assert false_alarm_upper(flags, np.arange(40), np.random.default_rng(0)) == clopper_pearson_upper(0, 40)
    flags[:4] = True
    apart = false_alarm_upper(flags, np.arange(40), np.random.default_rng(0))
    together = false_alarm_upper(flags, np.arange(40) // 8, np.random.default_rng(0))
    assert clopper_pearson_upper(4, 40) <= apart < together
