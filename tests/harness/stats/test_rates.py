"""Laws of single rates, unpaired rates, Holm's adjustment and power."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from harness.errors import DataError, MetricUndefined
from harness.stats.holm import holm
from harness.stats.intervals import Interval, clopper_pearson_upper, wilson
from harness.stats.power import minimum_detectable, required_clusters
from harness.stats.unpaired import boschloo

LAWS = settings(max_examples=60, deadline=None)
COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@LAWS
@given(COUNTS)
def test_wilson_encloses_the_rate_and_mirrors_when_successes_and_failures_swap(counts: tuple[int, int]) -> None:
    k, n = counts
    found, mirrored = wilson(k, n), wilson(n - k, n)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))


@LAWS
@given(COUNTS)
def test_at_the_exact_upper_bound_so_few_successes_have_a_chance_of_five_percent(counts: tuple[int, int]) -> None:
    k, n = counts
    bound = clopper_pearson_upper(k, n)
    assert bound == 1 if k == n else binom.cdf(k, n, bound) == pytest.approx(0.05)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_a_rate_of_nothing_has_no_bounds(k: int, n: int) -> None:
    for bound in (wilson, clopper_pearson_upper):
        with pytest.raises(MetricUndefined):
            bound(k, n)
    with pytest.raises(MetricUndefined):
        boschloo(k, n, 1, 2)


def test_an_interval_excludes_what_lies_outside() -> None:
    interval = Interval(0.5, 0.25, 0.75)
    assert [interval.excludes(x) for x in (0.2, 0.25, 0.5, 0.75, 0.8)] == [True, False, False, False, True]


def test_boschloo_is_symmetric_and_one_for_equal_borders() -> None:
    assert boschloo(1, 10, 6, 9) == pytest.approx(boschloo(6, 9, 1, 10))
    assert boschloo(0, 5, 0, 7) == boschloo(5, 5, 7, 7) == 1
    assert boschloo(0, 12, 9, 12) < 0.001


@LAWS
@given(P_VALUES)
def test_holm_keeps_the_order_never_lowers_and_stays_below_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(adjusted >= p_values)
    assert np.all(adjusted <= np.minimum(np.array(p_values) * len(p_values), 1) + 1e-12)


@LAWS
@given(P_VALUES, st.floats(0, 1))
def test_lowering_one_p_value_raises_no_adjusted_one(p_values: list[float], factor: float) -> None:
    lowered = [p_values[0] * factor, *p_values[1:]]
    assert np.all(holm(lowered) <= holm(p_values) + 1e-12)


@LAWS
@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float], alpha: float) -> None:
    rejected = np.zeros(len(p_values), dtype=bool)
    for step, index in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[index] * (len(p_values) - step) > alpha:
            break
        rejected[index] = True
    assert np.array_equal(holm(p_values) <= alpha, rejected)


@pytest.mark.parametrize("p_values", [[1.2], [float("nan")], [[0.1]]])
def test_holm_refuses_what_is_no_p_value(p_values: list[float]) -> None:
    with pytest.raises(DataError):
        holm(p_values)


def test_a_test_finds_the_minimum_detectable_difference_four_times_in_five() -> None:
    rng = np.random.default_rng(0)
    n, clusters = 24, np.repeat(np.arange(24), 3)

    def noise() -> np.ndarray:
        return np.repeat(rng.normal(0, 0.3, n), 3) + rng.normal(0, 0.2, 3 * n)

    gain = float(np.mean([minimum_detectable(noise(), clusters) for _ in range(50)]))
    found = 0
    for _ in range(600):
        means = (noise() + gain).reshape(n, 3).mean(axis=1)
        found += abs(means.mean()) / (means.std(ddof=1) / np.sqrt(n)) > 2.0687  # t, 23 degrees of freedom
    assert found / 600 == pytest.approx(0.8, abs=0.05)


@LAWS
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.1, 0.3]))
def test_the_required_consultations_are_the_fewest_that_detect_the_gain(seed: int, gain: float) -> None:
    values, clusters = np.random.default_rng(seed).normal(0, 0.4, 20), np.arange(20)
    needed = required_clusters(values, clusters, gain)
    assert needed >= 2
    here = minimum_detectable(values, clusters)
    assert (needed <= 20) == (here <= gain)


def test_correlated_pairs_of_one_consultation_raise_the_minimum_detectable_difference() -> None:
    values = np.repeat(np.random.default_rng(0).normal(0, 0.4, 20), 3)
    together = minimum_detectable(values, np.repeat(np.arange(20), 3))
    apart = minimum_detectable(values, np.arange(60))
    assert together > 1.5 * apart


def test_power_is_undefined_without_spread_or_gain() -> None:
    with pytest.raises(MetricUndefined):
        minimum_detectable(np.zeros(5), np.arange(5))
    with pytest.raises(MetricUndefined):
        required_clusters(np.arange(5.0), np.arange(5), 0.0)
