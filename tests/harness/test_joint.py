"""Two marks chosen together, against the choice by trying everything."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import MetricUndefined
from harness.joint import joint_flags, joint_point
from harness.metrics import sweep_threshold

VALUES = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 3.0])
FLAWED = st.lists(st.tuples(st.one_of(VALUES, st.just(math.inf)), VALUES), min_size=1, max_size=8)
CLEAN = st.lists(st.tuples(VALUES, st.one_of(VALUES, st.just(-math.inf))), min_size=1, max_size=8)
READABLE = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=20)
CAPS = st.sampled_from([0.0, 0.1, 0.25, 0.5])


def tried_all(flawed, clean, cap):
    """(marks, detected, false alarms) of the best of all combinations; None where none keeps the cap."""
    marks = []
    for part in (0, 1):
        seen = sorted({note[part] for note in flawed + clean if math.isfinite(note[part])})
        marks.append([*seen, math.nextafter(seen[-1], math.inf)] if seen else [])
    found = []
    for a, b in product(*marks):
        detected = sum(x < a or y < b for x, y in flawed)
        alarms = sum(x < a or y < b for x, y in clean)
        if alarms <= cap * len(clean) + 1e-9:
            found.append((-detected, alarms, a, b))
    return min(found) if found else None


@given(FLAWED, CLEAN, CAPS)
@settings(max_examples=300)
def test_the_marks_are_those_that_trying_everything_finds(flawed, clean, cap):
    best = tried_all(flawed, clean, cap)
    if best is None:
        with pytest.raises(MetricUndefined):
            joint_point(flawed, clean, cap)
        return
    thresholds = joint_point(flawed, clean, cap)
    assert thresholds == best[2:]
    assert (joint_flags(flawed, thresholds).sum(), joint_flags(clean, thresholds).sum()) == (-best[0], best[1])


@given(READABLE, READABLE, CAPS)
@settings(max_examples=100)
def test_two_marks_never_detect_less_than_the_better_part_alone_at_the_same_cap(flawed, clean, cap):
    marks = joint_point(flawed, clean, cap)
    for part in (0, 1):
        low, high = [note[part] for note in flawed], [note[part] for note in clean]
        assert joint_flags(flawed, marks).sum() >= sweep_threshold(low, high, cap).detected


def test_a_note_that_only_one_part_flags_is_flagged():
    assert joint_flags([[0.1, 9], [0.9, 2], [0.1, 2], [0.5, 5]], (0.5, 5)).tolist() == [True, True, True, False]


def test_both_marks_share_one_allowance_of_false_alarms():
    clean = [(0.2, 9), (0.9, 2)] + [(0.9, 9)] * 18
    flawed = [(0.1, 9)] * 3 + [(0.9, 1)] * 2 + [(0.3, 9)]
    marks = joint_point(flawed, clean, 0.05)
    assert joint_flags(clean, marks).sum() == 1
    assert joint_flags(flawed, marks).sum() == 6


@pytest.mark.parametrize(
    ("flawed", "clean", "found"),
    [
        ([], [[1, 1]], "no notes"),
        ([[1, 1]], np.empty((0, 2)), "no notes"),
        ([[1, 2, 3]], [[1, 2, 3]], r"shape \(1, 3\)"),
        ([[1, math.nan]], [[1, 1]], "NaN"),
        ([[math.inf, 1]], [[-math.inf, 1]], "no readable part"),
        ([[1, 1]], [[-math.inf, -math.inf], [1, 1]], "1 of 2 clean notes"),
    ],
)
def test_what_cannot_be_chosen_is_undefined_and_says_why(flawed, clean, found):
    with pytest.raises(MetricUndefined, match=found):
        joint_point(flawed, clean, 0.1)


def test_a_thousand_notes_with_distinct_parts_are_counted_exactly():
    rng = np.random.default_rng(3)
    flawed, clean = rng.normal(0, 1, (600, 2)), rng.normal(1, 1, (400, 2))
    marks = joint_point(flawed, clean, 0.1)
    assert joint_flags(clean, marks).mean() <= 0.1
    alone = max(sweep_threshold(flawed[:, part], clean[:, part], 0.1).detected for part in (0, 1))
    assert joint_flags(flawed, marks).sum() > alone
