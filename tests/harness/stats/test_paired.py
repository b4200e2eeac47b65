import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError, MetricUndefined
from harness.stats.paired import EXACT_UP_TO, mcnemar, sign_flip, sign_test

LAWS = settings(max_examples=50, deadline=None)
OUTCOMES = st.sampled_from([-1.0, -2 / 3, -0.5, -1 / 3, 0.0, 1 / 3, 0.5, 2 / 3, 1.0])


@LAWS
@given(st.lists(st.tuples(OUTCOMES, st.integers(0, 6)), min_size=1, max_size=14))
def test_the_exact_sign_flip_equals_enumeration(pairs: list[tuple[float, int]]) -> None:
    differences, clusters = (np.array(column) for column in zip(*pairs, strict=True))
    sums = [float(differences[clusters == c].sum()) for c in np.unique(clusters)]
    informative = [s for s in sums if abs(s) > 1e-9]
    two = one = 0
    patterns = list(itertools.product([-1, 1], repeat=len(informative)))
    for pattern in patterns:
        flipped = sum(sign * s for sign, s in zip(pattern, informative, strict=True))
        two += abs(flipped) >= abs(sum(informative)) - 1e-9
        one += flipped >= sum(informative) - 1e-9
    rng = np.random.default_rng(0)
    found = sign_flip(differences, clusters, rng)
    assert found.exact
    assert found.n_informative == len(informative)
    assert found.p == pytest.approx(two / len(patterns))
    if informative:
        assert sign_flip(differences, clusters, rng, "greater").p == pytest.approx(one / len(patterns))


def test_drawn_sign_patterns_agree_with_the_exact_binomial() -> None:
    n = EXACT_UP_TO + 5
    differences = np.where(np.arange(n) < 14, 1.0, -1.0)
    found = sign_flip(differences, np.arange(n), np.random.default_rng(0))
    assert not found.exact
    assert found.p == pytest.approx(sign_test(differences, np.zeros(n)).p, abs=0.006)


def test_a_drawn_p_value_is_never_zero() -> None:
    found = sign_flip(np.ones(60), np.arange(60), np.random.default_rng(0), draws=999)
    assert found.p == pytest.approx(1 / 1000)


@LAWS
@given(st.lists(st.tuples(OUTCOMES, st.integers(0, 6)), min_size=1, max_size=14))
def test_swapping_the_candidates_leaves_two_sided_p_values_unchanged(pairs: list[tuple[float, int]]) -> None:
    differences, clusters = (np.array(column) for column in zip(*pairs, strict=True))
    rng, zero = np.random.default_rng(0), np.zeros(len(pairs))
    assert sign_flip(differences, clusters, rng) == sign_flip(-differences, clusters, rng)
    there, back = sign_test(differences, zero), sign_test(zero, differences)
    assert (there.wins, there.losses, there.p) == (back.losses, back.wins, back.p)


def test_pairs_of_one_consultation_count_as_one_observation_for_the_sign_flip() -> None:
    differences = np.ones(12)
    assert sign_flip(differences, np.arange(12) // 6, np.random.default_rng(0)).p == 0.5
    assert sign_test(differences, np.zeros(12)).p == pytest.approx(2 / 2**12)


def test_nothing_differs_means_p_is_one() -> None:
    same = np.array([0.5, 1.0])
    assert sign_test(same, same).p == 1
    assert mcnemar([True, False], [True, False]).p == 1
    assert sign_flip(same - same, [0, 1], np.random.default_rng(0)).p == 1


def test_unreadable_pairs_take_no_side() -> None:
    found = sign_test([1.0, np.nan, 0.0], [0.0, 0.0, np.nan])
    assert (found.wins, found.losses) == (1, 0)
    with pytest.raises(MetricUndefined):
        sign_flip([np.nan], [0], np.random.default_rng(0))


def test_mcnemar_counts_notes_flagged_by_one_only() -> None:
    found = mcnemar([True, True, False, True], [True, False, True, False])
    assert (found.candidate_only, found.baseline_only) == (2, 1)


def test_different_numbers_of_notes_cannot_be_paired() -> None:
    with pytest.raises(DataError):
        mcnemar([True], [True, False])
