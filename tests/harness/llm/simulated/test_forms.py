"""What a contract says in words is read as the schema that it says beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.judges import checklist, coverage, facts, log_odds, pipeline, second_look, sectioned
from harness.judges.contracts import BINARY, SCORE
from harness.judges.dimensions import DIMENSIONS
from harness.judges.faithfulness import ISSUE
from harness.judges.keyed import keyed_form
from harness.llm.simulated.forms import listed, members, wanted_form

IDS = ("f1", "f2")
FORMS = {
    "score": SCORE.form,
    "binary": BINARY.form,
    "dimensions": DIMENSIONS.form,
    "issue": ISSUE.form,
    "extraction": facts.EXTRACTION,
    "extraction by section": sectioned.EXTRACTION,
    "questions": checklist.ASKED,
    "claims": coverage.STATED,
    "odds": log_odds.FORM,
    "audit": keyed_form("fact", IDS, facts.AUDITING),
    "check": keyed_form("fact", IDS, pipeline.ENTRY),
    "second look": keyed_form("fact", IDS, second_look.ENTRY),
    "check by section": keyed_form("fact", IDS, sectioned.ENTRY),
    "cover": keyed_form("fact", IDS, coverage.COVERED),
    "support": keyed_form("claim", IDS, coverage.SUPPORTED),
    "answers": keyed_form("question", IDS, checklist.ENTRY),
}


def shape(form: Mapping[str, Any]) -> Any:
    """Keys, types, words and bounds of a form, whatever else its schema says; an object with open keys has the ids."""
    kind = form["type"]
    if kind == "object":
        return {key: shape(member) for key, member in members(form, IDS).items()}
    if kind == "array":
        return [shape(form["items"])]
    return kind, frozenset(form.get("enum", ())), form.get("minimum"), form.get("maximum")


@pytest.mark.parametrize("name", list(FORMS))
def test_the_words_of_a_contract_say_what_its_schema_says(name: str) -> None:
    form = FORMS[name]
    assert shape(wanted_form({}, form.text)) == shape(wanted_form(form.schema, form.text))


def test_a_contract_without_a_line_for_each_key_says_nothing() -> None:
    assert wanted_form({}, "Reply with one word, PASS or FAIL.") == {}


@pytest.mark.parametrize("name", ["extraction", "questions", "claims"])
def test_a_reply_that_is_one_list_is_told_from_others(name: str) -> None:
    assert listed(wanted_form({}, FORMS[name].text)) is not None
    assert listed(wanted_form({}, SCORE.form.text)) is None
