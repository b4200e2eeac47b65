import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from harness.errors import DataError, MetricUndefined
from harness.stats.calibration import (
    calibrate,
    check_drift,
    guaranteed_rank,
    lowest_by_cluster,
    smallest_sample,
)

CAPS = st.sampled_from([0.01, 0.05, 0.07, 0.1, 0.29, 0.5])
TRIALS = 2_000


def flag_rates(n: int, cap: float, confidence: float | None, grid: int, seed: int) -> np.ndarray:
    """The true false-alarm rate of each of many calibrations on uniform scores rounded up to ``grid`` steps."""
    rng = np.random.default_rng(seed)
    found = [calibrate(np.ceil(rng.random(n) * grid), cap, confidence).threshold for _ in range(TRIALS)]
    return (np.array(found) - 1) / grid  # P(score < t) for a score uniform on 1 .. grid


@pytest.mark.parametrize(("n", "cap"), [(19, 0.05), (47, 0.05), (30, 0.1), (99, 0.29)])
@pytest.mark.parametrize("grid", [10**9, 40, 10], ids=["no ties", "some ties", "many ties"])
def test_a_new_clean_note_is_flagged_at_most_as_often_as_the_cap_says(n: int, cap: float, grid: int) -> None:
    rates = flag_rates(n, cap, None, grid, seed=n)
    margin = 4 * rates.std() / np.sqrt(TRIALS)
    assert rates.mean() <= cap + margin
    if grid == 10**9:
        assert rates.mean() == pytest.approx(guaranteed_rank(n, cap) / (n + 1), abs=margin)


@pytest.mark.parametrize("grid", [10**9, 40, 10], ids=["no ties", "some ties", "many ties"])
def test_with_confidence_the_rate_of_one_calibration_exceeds_the_cap_no_more_often_than_said(grid: int) -> None:
    exceeding = int((flag_rates(100, 0.1, 0.9, grid, seed=1) > 0.1).sum())
    assert binom.sf(exceeding - 1, TRIALS, 0.1) > 1e-4
    assert int((flag_rates(100, 0.1, None, 10**9, seed=1) > 0.1).sum()) > 0.2 * TRIALS


@given(CAPS, st.sampled_from([None, 0.8, 0.95]))
def test_the_refusal_names_the_smallest_number_that_would_do(cap: float, confidence: float | None) -> None:
    needed = smallest_sample(cap, confidence)
    assert guaranteed_rank(needed, cap, confidence) == 1
    assert calibrate(np.arange(needed), cap, confidence).rank == 1
    if needed > 1:
        with pytest.raises(MetricUndefined, match=f"at least {needed} "):
            calibrate(np.arange(needed - 1), cap, confidence)


@given(st.lists(st.integers(0, 10), min_size=20, max_size=60), CAPS)
def test_no_more_calibration_notes_are_flagged_than_the_cap_allows(scores: list[int], cap: float) -> None:
    if len(scores) < smallest_sample(cap):
        return
    found = calibrate(scores, cap)
    assert found.threshold in scores
    assert np.sum(np.array(scores) < found.threshold) < found.rank
    assert found.rank <= cap * (len(scores) + 1) + 1e-6
    assert found.expected_rate <= cap + 1e-9
    assert found.expected_rate < found.rate_upper95


@given(st.lists(st.integers(0, 10), min_size=60, max_size=90))
def test_confidence_never_raises_the_threshold(scores: list[int]) -> None:
    assert calibrate(scores, 0.05, 0.95).threshold <= calibrate(scores, 0.05).threshold


def test_a_rank_that_binary_rounding_would_lose_is_kept() -> None:
    assert guaranteed_rank(99, 0.29) == 29


def test_failures_use_up_the_cap_and_are_refused_where_they_reach_it() -> None:
    scores = np.arange(1.0, 60)
    two = np.concatenate([[-np.inf, -np.inf], scores[:57]])
    assert calibrate(two, 0.05).threshold == 1.0
    assert calibrate(two, 0.05).failures == 2
    with pytest.raises(MetricUndefined, match="failed judgement"):
        calibrate(np.concatenate([two[:2], [-np.inf], scores[:56]]), 0.05)


@pytest.mark.parametrize(("scores", "cap"), [([], 0.05), ([1.0], 0.0), ([1.0], 1.0)])
def test_nothing_is_calibrated_without_scores_or_with_a_cap_that_is_none(scores: list[float], cap: float) -> None:
    with pytest.raises(MetricUndefined):
        calibrate(scores, cap)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(DataError):
        calibrate([1.0, np.nan], 0.5)


def test_a_consultation_counts_once_with_its_lowest_score_and_a_failure_is_lower_still() -> None:
    found = lowest_by_cluster([3.0, 1.0, np.nan, 2.0, 5.0], ["b", "b", "a", "a", "c"])
    assert found.tolist() == [-np.inf, 1.0, 5.0]


def test_several_notes_of_a_consultation_do_not_break_the_guarantee() -> None:
    rng = np.random.default_rng(5)
    rates = []
    for _ in range(1_000):
        base = rng.normal(size=40)
        notes = base[:, None] + 0.3 * rng.normal(size=(40, 3))
        threshold = calibrate(lowest_by_cluster(notes.ravel(), np.repeat(np.arange(40), 3)), 0.1).threshold
        rates.append(np.mean(rng.normal(size=500) + 0.3 * rng.normal(size=500) < threshold))
    assert np.mean(rates) <= 0.1 + 4 * np.std(rates) / np.sqrt(1_000)


@pytest.mark.parametrize("decimals", [9, 1, 0])
def test_a_calibration_without_drift_is_doubted_at_most_as_often_as_alpha_says(decimals: int) -> None:
    rng = np.random.default_rng(7)
    low = np.round(-1.6448536, decimals)  # 5% of scores at most lie strictly below it, rounded or not
    threshold = low if decimals == 9 else low - 10.0**-decimals
    doubted = sum(
        check_drift(*np.round(rng.normal(size=(2, 60)), decimals), threshold, 0.05).verdict != "holds"
        for _ in range(400)
    )
    assert binom.sf(doubted - 1, 400, 0.05) > 1e-3


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        (np.linspace(-2, 0, 60), "above the cap"),
        (np.linspace(0.5, 1, 60), "scores moved"),
        (np.linspace(0.45, 0.55, 60), "scores moved"),
        (np.linspace(0, 1, 60), "holds"),
        (np.full(60, -np.inf), "above the cap"),
    ],
    ids=["lower", "higher", "narrower", "same", "failed"],
)
def test_the_verdict_says_what_became_of_the_scores(new: np.ndarray, verdict: str) -> None:
    old = np.linspace(0, 1, 60)
    assert check_drift(old, new, calibrate(old, 0.05).threshold, 0.05).verdict == verdict


def test_equal_scores_everywhere_are_no_drift() -> None:
    found = check_drift(np.ones(30), np.ones(20), 1.0, 0.05)
    assert (found.shift, found.shape, found.verdict, found.flagged) == (1.0, 1.0, "holds", 0)
    assert found.flag_rate == 0 < found.flag_rate_upper95
