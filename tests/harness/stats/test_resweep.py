import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError, MetricUndefined
from harness.metrics import note_scores, sweep_threshold
from harness.scores import ScoreTable
from harness.stats.bootstrap import Resampling
from harness.stats.clusters import resample_counts
from harness.stats.intervals import Interval
from harness.stats.resweep import count_flags, detection_difference, detection_interval, swept_detection


def table(rng: np.random.Generator, consultations: int, grades: int, failures: float = 0.0) -> ScoreTable:
    """Consultations with one clean note and one to four omission notes each."""
    sizes = rng.integers(1, 5, consultations)
    cluster = np.repeat(np.arange(consultations), sizes)
    n = len(cluster)
    flawed = rng.integers(0, grades, (n, 1)).astype(float)
    clean = rng.integers(0, grades, (consultations, 1)).astype(float)
    flawed[rng.random((n, 1)) < failures] = np.nan
    clean[rng.random((consultations, 1)) < failures] = np.nan
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(n)),
        pair_class=np.full(n, "omission-complete"),
        severity=np.full(n, ""),
        cluster=cluster,
        clean_of=cluster,
        clusters=tuple(f"c{i}" for i in range(consultations)),
        flawed=flawed,
        clean_ids=tuple(f"n{i}" for i in range(consultations)),
        clean=clean,
        clean_cluster=np.arange(consultations),
    )


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 6),
    st.sampled_from([2, 4, 50]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.1, 0.34, 0.5]),
)
def test_detection_in_each_resample_equals_a_sweep_over_the_notes_drawn(
    seed: int, consultations: int, grades: int, failures: float, cap: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = table(rng, consultations, grades, failures)
    counts = np.concatenate(list(resample_counts(consultations, 10, rng)))
    flawed, clean = note_scores(scores)
    for row, found in zip(counts.astype(int), swept_detection(count_flags(scores), counts, cap), strict=True):
        low = np.repeat(flawed, row[scores.cluster])
        high = np.repeat(clean, row[scores.clean_cluster])
        try:
            expected = sweep_threshold(low, high, cap).detection
        except MetricUndefined:
            expected = 0.0  # failures alone exceed the cap, or nothing is readable
        assert found == pytest.approx(expected)


def test_a_candidate_detects_no_more_than_itself() -> None:
    scores = table(np.random.default_rng(0), 8, 11)
    found = detection_difference(scores, scores, 0.1, np.random.default_rng(1), Resampling(200))
    assert found == Interval(0.0, 0.0, 0.0)


def test_a_difference_changes_sign_when_the_candidates_swap() -> None:
    first = table(np.random.default_rng(0), 8, 11)
    second = dataclasses.replace(first, flawed=first.flawed[::-1])
    there = detection_difference(first, second, 0.2, np.random.default_rng(1), Resampling(1001))
    back = detection_difference(second, first, 0.2, np.random.default_rng(1), Resampling(1001))
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))


def test_the_interval_stands_around_the_swept_detection() -> None:
    scores = table(np.random.default_rng(0), 20, 50)
    found = detection_interval(scores, 0.1, np.random.default_rng(1), Resampling(500))
    assert found.value == sweep_threshold(*note_scores(scores), 0.1).detection
    assert 0 <= found.low <= found.high <= 1


def test_a_resample_without_flawed_notes_says_nothing() -> None:
    scores = table(np.random.default_rng(0), 3, 5)
    only_first = dataclasses.replace(scores, cluster=np.zeros_like(scores.cluster))
    counts = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])
    assert np.isnan(swept_detection(count_flags(only_first), counts, 0.5)).tolist() == [True, False]


def test_candidates_on_different_notes_cannot_be_compared() -> None:
    first = table(np.random.default_rng(0), 8, 11)
    other = dataclasses.replace(first, pair_ids=tuple(reversed(first.pair_ids)))
    with pytest.raises(DataError, match="not the same"):
        detection_difference(first, other, 0.1, np.random.default_rng(1))
