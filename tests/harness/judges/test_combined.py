"""The pipeline's rule and a scoring call as one judge."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.joint import joint_flags
from harness.judges.build import KINDS
from harness.judges.combined import OWN
from harness.outcomes import Failure
from support.replying import judged, stages

CALL = {"score": 9, "omissions": ["the dose"], "unsupported": ["a rash"]}
POINTS = st.integers(0, 10)
WORDS = st.sampled_from(["full", "partial", "absent"])


def run(points, words, thresholds=None, **options):
    """The outcome for the call's points and a verdict on a critical and a supporting fact."""
    verdicts = dict(zip(("f1", "f2"), words, strict=True))
    looks = {key: {"found": "no", "quote": ""} for key, word in verdicts.items() if word == "absent"}
    replies = {
        "check": {"verdicts": verdicts},
        "second_look": {"verdicts": looks},
        "instruction": CALL | {"score": points},
    }
    return judged("combined", replies, facts="given", thresholds=thresholds, **options)


@pytest.mark.parametrize(
    ("points", "words", "flagged"),
    [
        (8, ("full", "full"), False),
        (7, ("full", "full"), True),  # what the call flags alone
        (10, ("absent", "full"), True),  # what the predicate flags alone
        (10, ("partial", "absent"), False),
        (0, ("absent", "absent"), True),
    ],
)
def test_without_thresholds_a_note_is_flagged_by_the_predicate_or_by_the_scored_judges_mark(points, words, flagged):
    outcome, _ = run(points, words)
    assert outcome.flagged is flagged
    assert (0.0, KINDS["score"].scale.pass_mark) == OWN


def test_the_parts_are_the_capture_below_zero_for_a_lost_critical_fact_and_the_calls_points():
    assert run(9, ("full", "partial"))[0].parts == (5 / 6, 9.0)
    assert run(9, ("absent", "full"))[0].parts == (2 / 6 - 1, 9.0)
    both, _ = run(9, ("full", "partial"), samples=2)
    assert both.parts == (5 / 6, 9.0)


def test_thresholds_move_either_mark_to_either_side():
    assert run(10, ("full", "partial"), (0.9, 8))[0].flagged is True
    assert run(10, ("absent", "full"), (-0.7, 8))[0].flagged is False
    assert run(7, ("full", "full"), (0, 5))[0].flagged is False


@given(POINTS, st.tuples(WORDS, WORDS), st.one_of(st.none(), st.tuples(st.floats(-1, 1), st.floats(0, 10))))
@settings(max_examples=60, deadline=None)
def test_the_flag_is_the_or_of_both_parts_and_the_sign_of_the_score(points, words, thresholds):
    outcome, _ = run(points, words, thresholds)
    flag = bool(joint_flags([outcome.parts], thresholds or OWN)[0])
    assert outcome.flagged is flag
    assert (outcome.score < 0) is flag
    assert -1 <= outcome.score <= 1


def test_the_score_ranks_by_either_part_on_both_sides_of_its_sign():
    best, call, capture = (
        run(*a)[0].score for a in ((9, ("full", "full")), (8, ("full", "full")), (9, ("full", "absent")))
    )
    assert best > max(call, capture)
    assert min(call, capture) >= 0
    worse = [run(*a)[0].score for a in ((9, ("absent", "full")), (8, ("absent", "full")), (8, ("absent", "absent")))]
    assert 0 > worse[0] > worse[1] > worse[2]


def test_what_either_part_names_is_named_once():
    outcome, model = run(9, ("full", "absent"))
    assert outcome.missing == ("No fever", "the dose")
    assert outcome.wrong == ("a rash",)
    assert [ruling.verdict for ruling in outcome.rulings] == ["absent"]
    assert stages(model) == ["check", "second_look", "instruction"]


def test_the_call_has_settings_of_its_own():
    _, model = run(9, ("full", "full"), stages={"instruction": {"effort": "high"}})
    assert {request.stage: request.effort for request in model.asked} == {"check": None, "instruction": "high"}


def test_a_part_that_cannot_be_read_fails_the_whole():
    replies = {"check": {"verdicts": {"f1": "full", "f2": "full"}}, "instruction": ["hm", "hm"]}
    outcome, _ = judged("combined", replies, facts="given")
    assert (type(outcome), outcome.reason, outcome.usage.calls) == (Failure, "not-json", 3)
    assert not math.isnan(run(9, ("full", "full"))[0].score)
