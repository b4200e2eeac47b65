import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judges.dimensions import read_dimensions
from support.replying import judged

EMPTY = {"omissions": [], "unsupported": []}
RATING = st.integers(1, 5)


def outcome_of(consistency, completeness, **more):
    return judged("dimensions", {"": {"consistency": consistency, "completeness": completeness, **EMPTY, **more}})[0]


@given(RATING, RATING)
def test_the_score_is_the_lower_rating_and_only_two_fives_pass(consistency, completeness):
    outcome = outcome_of(consistency, completeness)
    assert outcome.score == min(consistency, completeness)
    assert outcome.flagged == (outcome.score < 5)


@given(RATING, RATING)
def test_neither_dimension_can_make_up_for_the_other(one, other):
    assert outcome_of(one, other).score == outcome_of(other, one).score <= one


def test_things_listed_beside_two_fives_are_no_contradiction():
    outcome = outcome_of(5, 5, omissions=["a joke"])
    assert (outcome.score, outcome.flagged, outcome.missing) == (5, False, ("a joke",))


@pytest.mark.parametrize(
    ("rating", "reason"),
    [(0, "out-of-range"), (6, "out-of-range"), (4.5, "wrong-type"), ("4", "wrong-type"), (True, "wrong-type")],
)
@pytest.mark.parametrize("key", ["consistency", "completeness"])
def test_a_rating_off_the_scale_is_no_rating(key, rating, reason):
    assert outcome_of(**{"consistency": 3, "completeness": 3, key: rating}).reason == reason


@pytest.mark.parametrize("key", ["consistency", "completeness", "omissions", "unsupported"])
def test_a_reply_that_lacks_a_key_is_no_verdict(key):
    reply = {"consistency": 3, "completeness": 3, **EMPTY}
    del reply[key]
    assert judged("dimensions", {"": reply})[0].reason == "missing-key"


def test_a_bare_list_or_word_is_no_verdict():
    assert read_dimensions("[5, 5]").reason == "not-json"
    assert read_dimensions("5 and 5").reason == "not-json"
