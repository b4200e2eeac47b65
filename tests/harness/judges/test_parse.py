import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.judges.contracts import BINARY, SCORE
from harness.judges.parse import Unreadable, Verdict, parse_object

READERS = pytest.mark.parametrize("read", [SCORE.form.read, BINARY.form.read], ids=["score", "binary"])
GOOD = '{"score": 8, "omissions": ["the allergy"], "unsupported": []}'
EIGHT = Verdict(8.0, ("the allergy",), ())
FRAGMENTS = [
    "{",
    "}",
    '"',
    '{"score": 8',
    '"omissions": []',
    ",",
    ":",
    "[",
    "]",
    "NaN",
    "```json\n",
    "<think>",
    "\\",
    "\u2028",
]


@READERS
@given(st.text() | st.lists(st.sampled_from(FRAGMENTS)).map("".join))
@example("{" * 5000)
@example('{"a":' * 50000)
@example('{"score": ' + "9" * 5000 + "}")
@example("\ud800{")
def test_any_text_gives_a_verdict_or_a_reason_and_never_an_error(read, text):
    assert isinstance(read(text), Verdict | Unreadable)


@READERS
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_json_value_in_any_field_gives_a_verdict_or_a_reason(read, value):
    for key in ("score", "verdict", "omissions", "unsupported"):
        whole = {"score": 8, "verdict": "FAIL", "omissions": [], "unsupported": []} | {key: value}
        assert isinstance(read(json.dumps(whole)), Verdict | Unreadable)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here is my assessment (see {{below}}):\n{GOOD}\nI hope that this helps.",
        f'<think>perhaps {{"score": 3}}, or rather more</think>\n{GOOD}',
        f"{GOOD}\n{GOOD}",
        "\ufeff" + GOOD,
        GOOD.replace('"score": 8,', '"reasoning": "brief {note}", "score": 8,'),
        GOOD.replace('"the allergy"', '"the allergy", "  "'),
    ],
    ids=["bare", "fence", "plain fence", "prose", "thinking", "twice", "byte order mark", "extra key", "blank item"],
)
def test_one_object_is_read_whatever_stands_around_it(text):
    assert SCORE.form.read(text) == EIGHT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("<think>nothing to add</think>  ", "empty"),
        ("<think>let me see whether the", "truncated"),
        ('{"score": 8, "omissions": ["the al', "truncated"),
        ('{"score": 8, "omissions": [', "truncated"),
        ("{", "truncated"),
        ('{"reason": {"score": 3, "omissions": [], "unsupported": []}, "sco', "truncated"),
        ("GRADE: C", "not-json"),
        ("8", "not-json"),
        ("[8, 9]", "not-json"),
        ("The score is 8 {out of 10}.", "not-json"),
        ("{'score': 8, 'omissions': [], 'unsupported': []}", "not-json"),
        ('{"reason": {"score": 3, "omissions": [], "unsupported": []}, oops}', "not-json"),
        ('{"score": 8, "score": 3, "omissions": [], "unsupported": []}', "duplicate-key"),
        ('{"score": 8, "score": 8, "omissions": [], "unsupported": []}', "duplicate-key"),
        ("{}", "missing-key"),
        ('{"omissions": [], "unsupported": []}', "missing-key"),
        ('{"score": 8, "unsupported": []}', "missing-key"),
        ('{"Score": 8, "omissions": [], "unsupported": []}', "missing-key"),
        ('{"score": 8, "omissions": "none", "unsupported": []}', "wrong-type"),
        ('{"score": 8, "omissions": [3], "unsupported": []}', "wrong-type"),
        ('{"score": 8, "omissions": null, "unsupported": []}', "wrong-type"),
        (f"{GOOD} and then again {GOOD.replace('8', '3')}", "contradiction"),
        (f"{GOOD} and then again {GOOD.replace('8', '8.0')}", "contradiction"),
        ("I'm sorry, but I can't help with medical records.", "refusal"),
        ("I cannot assess this note.", "refusal"),
    ],
)
def test_what_cannot_be_read_has_a_typed_reason(text, reason):
    assert SCORE.form.read(text) == Unreadable(reason)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('"8"', "wrong-type"),
        ("true", "wrong-type"),
        ("null", "wrong-type"),
        ("8.5", "wrong-type"),
        ("8.0", "wrong-type"),
        ("NaN", "wrong-type"),
        ("Infinity", "wrong-type"),
        ("[8]", "wrong-type"),
        ("11", "out-of-range"),
        ("-1", "out-of-range"),
        ("9" * 400, "out-of-range"),
    ],
)
def test_a_score_that_is_no_integer_from_0_to_10_is_no_score(value, reason):
    assert SCORE.form.read(f'{{"score": {value}, "omissions": [], "unsupported": []}}') == Unreadable(reason)


@given(st.integers(0, 10), st.lists(st.text()), st.lists(st.text()))
def test_every_answer_that_keeps_the_score_contract_is_read_as_it_is(score, omissions, unsupported):
    text = json.dumps({"score": score, "omissions": omissions, "unsupported": unsupported})
    named = tuple(tuple(item.strip() for item in items if item.strip()) for items in (omissions, unsupported))
    assert SCORE.form.read(text) == Verdict(score, *named)


@pytest.mark.parametrize(
    ("verdict", "omissions", "expected"),
    [
        ('"PASS"', "[]", Verdict(1.0)),
        ('"pass "', "[]", Verdict(1.0)),
        ('"PASS"', '[" "]', Verdict(1.0)),
        ('"FAIL"', '["the dose"]', Verdict(0.0, ("the dose",))),
        ('"FAIL"', "[]", Verdict(0.0)),
        ('"PASS"', '["the dose"]', Unreadable("contradiction")),
        ('"MAYBE"', "[]", Unreadable("out-of-range")),
        ('""', "[]", Unreadable("out-of-range")),
        ("true", "[]", Unreadable("wrong-type")),
        ("1", "[]", Unreadable("wrong-type")),
    ],
)
def test_a_binary_verdict_is_pass_or_fail_and_never_both(verdict, omissions, expected):
    assert BINARY.form.read(f'{{"verdict": {verdict}, "omissions": {omissions}, "unsupported": []}}') == expected


def test_a_pass_beside_an_unsupported_statement_is_a_contradiction():
    text = '{"verdict": "PASS", "omissions": [], "unsupported": ["a fever"]}'
    assert BINARY.form.read(text) == Unreadable("contradiction")


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_an_object_survives_a_fence_and_prose_unchanged(value):
    assert parse_object(f"Answer:\n```json\n{json.dumps(value)}\n```\nDone.") == value
