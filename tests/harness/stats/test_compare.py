import dataclasses

import numpy as np
import pytest

from harness.errors import DataError, MetricUndefined
from harness.metrics import apply_threshold, measure, note_scores
from harness.scores import ScoreTable, is_omission, select
from harness.stats.compare import compare


def table(seed: int, consultations: int = 12) -> ScoreTable:
    """One clean note, two omissions and one addition per consultation, scored 0 to 10."""
    rng = np.random.default_rng(seed)
    n = 3 * consultations
    cluster = np.arange(n) // 3
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(n)),
        pair_class=np.tile(["omission-complete", "omission-restated", "addition"], consultations),
        severity=np.full(n, ""),
        cluster=cluster,
        clean_of=cluster,
        clusters=tuple(f"c{i}" for i in range(consultations)),
        flawed=rng.integers(0, 10, (n, 2)).astype(float),
        clean_ids=tuple(f"n{i}" for i in range(consultations)),
        clean=rng.integers(3, 11, (consultations, 3)).astype(float),
        clean_cluster=np.arange(consultations),
    )


def test_every_value_is_the_candidates_own_measure_minus_the_baselines() -> None:
    a, b = table(1), table(2)
    found = compare(a, b, 0.1, np.random.default_rng(0), 500)
    left, right = measure(a, 0.1), measure(b, 0.1)
    assert left.omissions is not None
    assert right.omissions is not None
    assert found.omissions.value == pytest.approx(left.omissions.value - right.omissions.value)
    assert found.commissions is not None
    assert left.commissions is not None
    assert right.commissions is not None
    assert found.commissions.value == pytest.approx(left.commissions.value - right.commissions.value)
    assert (found.candidate_point, found.baseline_point) == (left.operating, right.operating)
    assert left.operating is not None
    assert right.operating is not None
    assert found.detection is not None
    assert found.detection.value == pytest.approx(left.operating.detection - right.operating.detection)
    assert found.swept
    assert (found.pairs, found.consultations) == (24, 12)


def test_frozen_thresholds_are_used_as_they_are() -> None:
    a, b = table(1), table(2)
    found = compare(a, b, 0.1, np.random.default_rng(0), 200, thresholds=(4.0, 6.0))
    assert not found.swept
    assert found.candidate_point == apply_threshold(*note_scores(select(a, is_omission(a))), 4.0)
    assert found.baseline_point == apply_threshold(*note_scores(select(b, is_omission(b))), 6.0)


def test_a_candidate_compared_with_itself_differs_in_nothing() -> None:
    scores = table(1)
    found = compare(scores, scores, 0.1, np.random.default_rng(0), 200)
    assert (found.omissions.low, found.omissions.high) == (0, 0)
    assert (found.flip.p, found.sign.p) == (1, 1)
    assert found.minimum_detectable is None


def test_a_candidate_that_fails_more_gains_nothing() -> None:
    scores, flawed = table(1), table(1).flawed
    flawed[::4] = np.nan
    found = compare(dataclasses.replace(scores, flawed=flawed), scores, 0.1, np.random.default_rng(0), 200)
    assert found.omissions.value <= 0
    assert found.sign.wins == 0


def test_failures_beyond_the_cap_leave_no_detection_to_compare() -> None:
    scores, clean = table(1), table(1).clean
    clean[:6] = np.nan
    found = compare(dataclasses.replace(scores, clean=clean), scores, 0.1, np.random.default_rng(0), 200)
    assert (found.candidate_point, found.flags, found.detection) == (None, None, None)


def test_a_set_without_omissions_or_with_other_notes_cannot_be_compared() -> None:
    scores = table(1)
    additions = select(scores, ~is_omission(scores))
    with pytest.raises(MetricUndefined):
        compare(additions, additions, 0.1, np.random.default_rng(0))
    with pytest.raises(DataError):
        compare(scores, additions, 0.1, np.random.default_rng(0))
