import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from harness.errors import MetricUndefined
from harness.metrics import (
    OperatingPoint,
    Paired,
    apply_threshold,
    auc,
    by_severity,
    detection_by_class,
    measure,
    note_scores,
    pair_outcomes,
    paired_discrimination,
    run_values,
    separation,
    severity_weighted_detection,
    sweep_threshold,
)
from harness.scores import ScoreTable

LAWS = settings(max_examples=60, deadline=None)
GRADES = st.integers(0, 10).map(float)
CAPS = st.sampled_from([0.05, 0.1, 0.25, 0.5])


def table(flawed: np.ndarray, clean: np.ndarray, pair_class: str = "omission-complete") -> ScoreTable:
    """Pairs (n, Rf) against clean notes (m, Rc): pair i belongs to clean note i mod m, each its own cluster."""
    n, m = len(flawed), len(clean)
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(n)),
        pair_class=np.full(n, pair_class),
        severity=np.array(["critical", "supporting", "peripheral"])[np.arange(n) % 3],
        cluster=np.arange(n) % m,
        clean_of=np.arange(n) % m,
        clusters=tuple(f"c{i}" for i in range(m)),
        flawed=np.asarray(flawed, dtype=np.float64),
        clean_ids=tuple(f"n{i}" for i in range(m)),
        clean=np.asarray(clean, dtype=np.float64),
        clean_cluster=np.arange(m),
    )


@st.composite
def tables(draw: st.DrawFn, failures: bool = True) -> ScoreTable:
    m = draw(st.integers(1, 4))
    n = draw(st.integers(m, 8))
    grades = GRADES | st.just(math.nan) if failures else GRADES
    flawed = draw(npst.arrays(np.float64, (n, draw(st.integers(1, 3))), elements=grades))
    clean = draw(npst.arrays(np.float64, (m, draw(st.integers(1, 3))), elements=grades))
    return table(flawed, clean)


def sides(failures: bool = True) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    flawed = GRADES | st.just(math.inf) if failures else GRADES
    clean = GRADES | st.just(-math.inf) if failures else GRADES
    return st.tuples(st.lists(flawed, min_size=1, max_size=9), st.lists(clean, min_size=1, max_size=9))


@LAWS
@given(tables(failures=False))
def test_swapping_clean_and_flawed_turns_d_into_one_minus_d(scores: ScoreTable) -> None:
    paired = scores.clean[scores.clean_of]
    straight = pair_outcomes(table(scores.flawed, paired))
    swapped = pair_outcomes(table(paired, scores.flawed))
    assert swapped == pytest.approx(1 - straight)


@LAWS
@given(tables(), CAPS)
def test_every_measure_is_invariant_under_a_strictly_monotone_map(scores: ScoreTable, cap: float) -> None:
    mapped = dataclasses.replace(scores, flawed=np.exp(scores.flawed) - 3, clean=np.exp(scores.clean) - 3)
    before, after = measure(scores, cap), measure(mapped, cap)
    assert (before.operating is None) == (after.operating is None)
    if before.operating is not None and after.operating is not None:
        after = dataclasses.replace(
            after, operating=dataclasses.replace(after.operating, threshold=before.operating.threshold)
        )
    assert after == before


@LAWS
@given(tables(), st.data())
def test_a_failure_never_raises_a_worst_case_value(scores: ScoreTable, data: st.DataObject) -> None:
    side = data.draw(st.sampled_from(["flawed", "clean"]))
    broken = getattr(scores, side).copy()
    broken[data.draw(st.integers(0, broken.shape[0] - 1)), data.draw(st.integers(0, broken.shape[1] - 1))] = np.nan
    failed = dataclasses.replace(scores, **{side: broken})
    assert np.all(pair_outcomes(failed) <= pair_outcomes(scores))
    before, after = measure(scores, 0.25), measure(failed, 0.25)
    assert before.auc is not None
    assert after.auc is not None
    assert after.auc <= before.auc + 1e-12
    if after.operating is not None:
        assert before.operating is not None
        assert after.operating.detection <= before.operating.detection


def test_a_dropped_pair_leaves_the_denominator_and_a_worst_case_one_is_a_loss() -> None:
    scores = table(np.array([[1.0], [np.nan], [1.0]]), np.array([[2.0], [2.0], [np.nan]]))
    assert paired_discrimination(pair_outcomes(scores)) == Paired(1 / 3, 1, 0, 2, 3)
    assert paired_discrimination(pair_outcomes(scores, "dropped")) == Paired(1.0, 1, 0, 0, 1)


def test_a_replicated_pair_is_the_mean_over_all_combinations() -> None:
    scores = table(np.array([[1.0, 3.0, np.nan]]), np.array([[2.0, 3.0]]))
    # 1<2, 1<3, 3>2, 3=3, and two unreadable combinations
    assert pair_outcomes(scores) == pytest.approx([2.5 / 6])
    assert pair_outcomes(scores, "dropped") == pytest.approx([2.5 / 4])


def test_nothing_readable_has_no_paired_discrimination() -> None:
    scores = table(np.array([[np.nan]]), np.array([[1.0]]))
    assert np.isnan(pair_outcomes(scores, "dropped")).all()
    with pytest.raises(MetricUndefined):
        paired_discrimination(pair_outcomes(scores, "dropped"))


@LAWS
@given(tables(), st.sampled_from([0.5, 3.0, 5.5, 10.5]))
def test_a_note_is_flagged_iff_a_strict_majority_of_its_replicates_is(scores: ScoreTable, threshold: float) -> None:
    flawed, clean = note_scores(scores)
    flawed_votes = (np.nan_to_num(scores.flawed, nan=np.inf) < threshold).sum(axis=1)
    clean_votes = (np.nan_to_num(scores.clean, nan=-np.inf) < threshold).sum(axis=1)
    assert np.array_equal(flawed < threshold, flawed_votes > scores.flawed.shape[1] / 2)
    assert np.array_equal(clean < threshold, clean_votes > scores.clean.shape[1] / 2)


@LAWS
@given(sides(), CAPS)
def test_the_threshold_sweep_equals_brute_force(scores: tuple[list[float], list[float]], cap: float) -> None:
    flawed, clean = scores
    expected = _brute_force(flawed, clean, cap)
    if expected is None:
        with pytest.raises(MetricUndefined):
            sweep_threshold(flawed, clean, cap)
        return
    found = sweep_threshold(flawed, clean, cap)
    assert found == expected
    assert found.false_alarm_rate <= cap
    assert found.false_alarm_rate <= found.false_alarm_upper95
    assert apply_threshold(flawed, clean, found.threshold) == found


def _brute_force(flawed: list[float], clean: list[float], cap: float) -> OperatingPoint | None:
    observed = sorted({s for s in flawed + clean if math.isfinite(s)})
    points = [
        OperatingPoint(t, sum(s < t for s in flawed), len(flawed), sum(s < t for s in clean), len(clean))
        for t in [*observed, *(math.nextafter(s, math.inf) for s in observed[-1:])]
    ]
    feasible = [p for p in points if p.false_alarms <= cap * p.n_clean]
    return min(feasible, key=lambda p: (-p.detected, p.false_alarms, p.threshold), default=None)


def test_a_note_at_the_threshold_is_not_flagged() -> None:
    assert apply_threshold([8.0, 7.9], [8.0], 8.0) == OperatingPoint(8.0, 1, 2, 0, 1)


@LAWS
@given(sides())
def test_auc_equals_the_count_over_all_combinations(scores: tuple[list[float], list[float]]) -> None:
    flawed, clean = scores
    combinations = [1.0 if f < c else 0.5 if f == c else 0.0 for f in flawed for c in clean]
    assert auc(flawed, clean) == pytest.approx(sum(combinations) / len(combinations))
    labels = [True] * len(flawed) + [False] * len(clean)
    assert separation(flawed + clean, labels) == auc(flawed, clean)


@pytest.mark.parametrize(("flawed", "clean"), [([], [1.0]), ([1.0], []), ([math.nan], [1.0])])
def test_a_missing_side_has_no_auc_and_no_operating_point(flawed: list[float], clean: list[float]) -> None:
    with pytest.raises(MetricUndefined):
        auc(flawed, clean)
    with pytest.raises(MetricUndefined):
        sweep_threshold(flawed, clean, 0.1)


def test_failures_that_exceed_the_cap_leave_no_operating_point() -> None:
    scores = table(np.array([[1.0], [1.0]]), np.array([[5.0], [np.nan]]))
    with pytest.raises(MetricUndefined, match="1 of 2 clean notes"):
        sweep_threshold(*note_scores(scores), 0.1)
    assert measure(scores, 0.1).operating is None


def test_severity_weights_are_one_a_half_and_a_quarter() -> None:
    severity = np.array(["critical", "supporting", "peripheral"])
    assert severity_weighted_detection([True, False, False], severity) == pytest.approx(1 / 1.75)
    assert severity_weighted_detection([False, True, True], severity) == pytest.approx(0.75 / 1.75)
    with pytest.raises(MetricUndefined, match="1 of 2 notes not graded"):
        severity_weighted_detection([True, True], np.array(["critical", ""]))


def test_severities_and_classes_partition_the_pairs() -> None:
    scores = table(np.arange(7.0)[:, None], np.full((2, 1), 3.0))
    outcomes = pair_outcomes(scores)
    assert {name: paired.n for name, paired in by_severity(scores, outcomes).items()} == {
        "critical": 3,
        "supporting": 2,
        "peripheral": 2,
    }
    assert detection_by_class(scores, 3.0) == {"omission-complete": (3, 7)}


def test_run_values_are_the_paired_discrimination_of_each_replicate() -> None:
    scores = table(np.array([[1.0, 3.0], [2.0, 2.0]]), np.array([[2.0, 2.0]]))
    assert run_values(scores) == (0.75, 0.25)
    with pytest.raises(MetricUndefined, match="1 flawed and 2 clean"):
        run_values(table(np.ones((1, 1)), np.ones((1, 2))))


def test_a_table_of_commissions_has_no_omission_measures() -> None:
    found = measure(table(np.array([[1.0]]), np.array([[2.0]]), "addition"), 0.1)
    assert (found.omissions, found.operating, found.auc, found.weighted_detection) == (None, None, None, None)
    assert found.commissions == Paired(1.0, 1, 0, 0, 1)


def test_failures_are_counted_on_each_side() -> None:
    found = measure(table(np.array([[1.0, np.nan], [np.nan, np.nan]]), np.array([[np.nan], [2.0]])), 0.1)
    assert (found.failed_flawed, found.failed_clean) == (3, 1)
