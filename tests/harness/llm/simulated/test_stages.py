"""Every stage of every judge, asked with and without a schema, of any of the models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from harness.judges import checklist, coverage, facts, log_odds, pipeline, second_look, sectioned, two_stage
from harness.judges.base import Form
from harness.judges.contracts import SCORE
from harness.judges.dimensions import DIMENSIONS
from harness.judges.envelope import compose
from harness.judges.faithfulness import ISSUE
from harness.judges.keyed import keyed_form
from harness.judges.logprobs import read_log_odds
from harness.llm.simulated.model import answer

TRANSCRIPT = """doctor: What brings you in?
patient: I've had a dry cough for 3 weeks.
doctor: Any fever?
patient: No, no fever.
doctor: Any allergies?
patient: Yes, penicillin, it gave me hives.
doctor: Your heart rate is 75.
doctor: I'll give you prednisolone, 30 mg once a day for 5 days.
doctor: I'd like to see you again in 2 weeks."""
NOTE = """History: Dry cough for 3 weeks. No fever. Penicillin allergy (urticaria).
Plan: Prednisolone 30 mg once daily, 5 days. Key point: heart rate 75."""
WORSE = NOTE.replace(" Penicillin allergy (urticaria).", "").replace("30 mg", "60 mg")
ASKED = "Go through the list and decide for each item. Check dose, side, negation and timing."
MODELS = ("sim-judge", "sim-extractor", "sim-auditor", "sim-null")
LISTED = "f1: penicillin allergy\nf2: heart rate 75\nf3: travelled to Peru last month"
IDS = ("f1", "f2", "f3")
Parts = Sequence[tuple[str, str]]


def ask(form: Form[Any], parts: Parts, model: str = "sim-judge", structured: bool = True, **more: Any) -> Any:
    """The reading of a reply, by the form's own reader."""
    return form.read(payload(form, parts, model, structured, **more)["message"]["content"])


def payload(form: Form[Any], parts: Parts, model: str, structured: bool, **more: Any) -> Any:
    content = compose(parts, more.pop("block", ASKED), form.text)[0].content
    body = {"model": model, "messages": [{"role": "user", "content": content}], "seed": 4, **more}
    if structured:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "a", "schema": form.schema}}
    return answer(body, {}).payload["choices"][0]


def keyed(entry: Any, noun: str = "fact", ids: Sequence[str] = IDS) -> Form[Mapping[str, Any]]:
    return keyed_form(noun, ids, entry)


STAGES: Mapping[str, tuple[Form[Any], Parts]] = {
    "extract": (facts.EXTRACTION, (("TRANSCRIPT", TRANSCRIPT),)),
    "extract by section": (sectioned.EXTRACTION, (("TRANSCRIPT", TRANSCRIPT),)),
    "audit": (keyed(facts.AUDITING), (("TRANSCRIPT", TRANSCRIPT), ("FACTS", LISTED))),
    "check": (keyed(two_stage.ENTRY), (("FACTS", LISTED), ("NOTE", NOTE))),
    "check in three words": (keyed(pipeline.ENTRY), (("FACTS", LISTED), ("NOTE", NOTE))),
    "second look": (keyed(second_look.ENTRY), (("FACTS", LISTED), ("NOTE", NOTE))),
    "check by section": (keyed(sectioned.ENTRY), (("FACTS", LISTED), ("NOTE", NOTE))),
    "odds": (log_odds.FORM, (("NOTE", NOTE), ("FACT", "penicillin allergy"))),
    "cover": (keyed(coverage.COVERED), (("FACTS", LISTED), ("NOTE", NOTE))),
    "claims": (coverage.STATED, (("NOTE", NOTE),)),
    "support": (keyed(coverage.SUPPORTED, "claim"), (("TRANSCRIPT", TRANSCRIPT), ("CLAIMS", LISTED))),
    "questions": (checklist.ASKED, (("TRANSCRIPT", TRANSCRIPT),)),
    "answers": (keyed(checklist.ENTRY, "question"), (("QUESTIONS", LISTED), ("NOTE", NOTE))),
    "dimensions": (DIMENSIONS.form, (("TRANSCRIPT", TRANSCRIPT), ("NOTE", NOTE))),
    "issue": (ISSUE.form, (("TRANSCRIPT", TRANSCRIPT), ("NOTE", NOTE))),
    "fact list": (SCORE.form, (("TRANSCRIPT", TRANSCRIPT), ("FACTS", LISTED), ("NOTE", NOTE))),
    "fact list alone": (SCORE.form, (("FACTS", LISTED), ("NOTE", NOTE))),
}


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stage", list(STAGES))
def test_every_stage_is_answered_in_its_form(stage: str, model: str, structured: bool) -> None:
    form, parts = STAGES[stage]
    reading = ask(form, parts, model, structured)
    assert not hasattr(reading, "reason"), reading
    if isinstance(reading, Mapping):
        assert set(reading) == set(IDS)


@pytest.mark.parametrize("stage", ["check", "check in three words", "cover", "answers"])
def test_a_check_finds_what_the_note_has_and_misses_what_it_has_not(stage: str) -> None:
    form, parts = STAGES[stage]
    found = ask(form, parts)
    good = {"check": "present", "check in three words": "full", "cover": True, "answers": "yes"}[stage]
    assert found["f1"] == good
    assert found["f3"] in ("absent", False, "no")


def test_a_claim_is_supported_where_the_transcript_says_it() -> None:
    claims = "c1: Dry cough for 3 weeks.\nc2: Prednisolone 60 mg once daily.\nc3: Father had glaucoma at 43."
    form = keyed(coverage.SUPPORTED, "claim", ("c1", "c2", "c3"))
    assert ask(form, (("TRANSCRIPT", TRANSCRIPT), ("CLAIMS", claims))) == {"c1": True, "c2": False, "c3": False}


def test_the_claims_are_the_statements_of_the_note() -> None:
    claims = [text for _, text in ask(*STAGES["claims"])]
    assert claims
    assert all(claim.rstrip(".") in NOTE for claim in claims)


def test_a_question_is_looked_up_by_the_fact_inside_it() -> None:
    questions = (
        "q1: Does the note say that the patient has a penicillin allergy?\n"
        "q2: Is a trip to Peru recorded?\nq3: Does the note mention prednisolone 30 mg?"
    )
    form = keyed(checklist.ENTRY, "question", ("q1", "q2", "q3"))
    assert ask(form, (("QUESTIONS", questions), ("NOTE", NOTE))) == {"q1": "yes", "q2": "no", "q3": "yes"}


def test_the_models_own_questions_are_answered_better_of_the_better_note() -> None:
    asked = ask(*STAGES["questions"])
    listing = "\n".join(f"{key}: {text}" for key, text in asked)
    form = keyed(checklist.ENTRY, "question", [key for key, _ in asked])
    good, bad = (ask(form, (("QUESTIONS", listing), ("NOTE", note))) for note in (NOTE, WORSE))
    assert all(text.endswith("?") for _, text in asked)
    assert list(good.values()).count("yes") > list(bad.values()).count("yes")


def test_a_second_look_quotes_the_note_for_what_it_finds_and_nothing_for_the_rest() -> None:
    listed = "f1: Remember, the patient is allergic to penicillin\nf2: travelled to Peru last month"
    found = ask(keyed(second_look.ENTRY, ids=("f1", "f2")), (("FACTS", listed), ("NOTE", NOTE)))
    assert found["f1"].found in ("full", "partial")
    assert second_look.quoted(found["f1"].quote, NOTE)
    assert (found["f2"].found, found["f2"].quote) == ("no", "")


def test_a_second_look_sometimes_imagines_a_quote_which_the_note_does_not_have() -> None:
    ids = [f"f{number}" for number in range(1, 201)]
    listed = "\n".join(f"{key}: paragliding accident number {key[1:]} in Morocco" for key in ids)
    found = ask(keyed(second_look.ENTRY, ids=ids), (("FACTS", listed), ("NOTE", NOTE)))
    imagined = [look for look in found.values() if look.found != "no"]
    assert 0 < len(imagined) < 30
    assert not any(second_look.quoted(look.quote, NOTE) for look in imagined)


def test_a_fact_that_stands_only_elsewhere_is_displaced() -> None:
    listed = "f1: [findings] heart rate 75\nf2: [history] penicillin allergy\nf3: [findings] travelled to Peru"
    found = ask(keyed(sectioned.ENTRY), (("FACTS", listed), ("NOTE", NOTE)))
    assert [found[key].verdict for key in IDS] == ["displaced", "present", "absent"]
    assert found["f1"].section != "findings"
    assert found["f2"].section == "history"


@pytest.mark.parametrize("structured", [True, False])
def test_the_odds_of_a_closed_question_order_facts_by_how_much_of_them_the_note_has(structured: bool) -> None:
    texts = ("prednisolone 30 mg once daily for 5 days", "prednisolone in the morning with food", "trip to Peru")
    odds = []
    for text in texts:
        choice = payload(
            log_odds.FORM, (("NOTE", NOTE), ("FACT", text)), "sim-judge", structured, logprobs=True, top_logprobs=5
        )
        odds.append(read_log_odds(choice["logprobs"]["content"], "verdict", "present", "absent"))
    assert None not in odds
    assert odds == sorted(odds, reverse=True)
    assert len(set(odds)) == 3


def test_a_second_mention_leans_the_odds_a_little_further_and_changes_no_verdict() -> None:
    fact, once = "penicillin allergy, hives", NOTE
    twice = NOTE + " In summary, penicillin allergy (hives)."
    choices = [
        payload(log_odds.FORM, (("NOTE", note), ("FACT", fact)), "sim-judge", True, logprobs=True, top_logprobs=5)
        for note in (once, twice)
    ]
    first, second = (read_log_odds(c["logprobs"]["content"], "verdict", "present", "absent") for c in choices)
    assert first is not None
    assert second is not None
    assert 0 < second - first < 1
    assert choices[0]["message"]["content"] == choices[1]["message"]["content"]


def test_an_issue_is_yes_for_the_note_that_has_one() -> None:
    block = "Is anything in the note unsupported or contradicted by the transcript?"
    good, bad = (ask(ISSUE.form, (("TRANSCRIPT", TRANSCRIPT), ("NOTE", note)), block=block) for note in (NOTE, WORSE))
    assert (good.score, bad.score) == (1.0, 0.0)
    assert bad.wrong


def test_each_dimension_falls_by_its_own_kind_of_fault() -> None:
    invented = NOTE + " Father had glaucoma at 43. Started warfarin 3 mg nightly."
    emptied = NOTE.replace(" Penicillin allergy (urticaria).", "").replace(
        "Prednisolone 30 mg once daily, 5 days. ", ""
    )
    block = "Rate how faithful the note is and how complete; look for everything that has been left out."

    def rated(note: str) -> Mapping[str, int]:
        parts = (("TRANSCRIPT", TRANSCRIPT), ("NOTE", note))
        found = json.loads(payload(DIMENSIONS.form, parts, "sim-judge", True, block=block)["message"]["content"])
        return {key: found[key] for key in ("consistency", "completeness")}

    assert rated(invented)["consistency"] < rated(NOTE)["consistency"]
    assert rated(emptied)["completeness"] < rated(NOTE)["completeness"]
    assert rated(emptied)["consistency"] == rated(NOTE)["consistency"]


def test_listed_facts_guide_what_is_looked_up() -> None:
    block = "Score how complete the note is. Name every listed fact that is left out."
    listed = "f1: travelled to Peru last month\nf2: father had glaucoma at 43\nf3: paragliding accident in Morocco"
    without, along = (
        ask(SCORE.form, (("TRANSCRIPT", TRANSCRIPT), *more, ("NOTE", NOTE)), block=block)
        for more in ((), (("FACTS", listed),))
    )
    assert along.missing
    assert all(text in listed for text in along.missing)
    assert not any(text in listed for text in without.missing)


def test_an_audit_told_how_to_grade_grades_by_what_hangs_on_a_fact() -> None:
    listed = "f1: penicillin, it gave me hives\nf2: dry cough\nf3: paragliding accident in Morocco"
    parts = (("TRANSCRIPT", TRANSCRIPT), ("FACTS", listed))
    told = ask(keyed(facts.AUDITING), parts, "sim-auditor", block="Grade the severity of each.")
    plain = ask(keyed(facts.AUDITING), parts, "sim-auditor", block="Sort them.")
    assert (told["f1"].severity, plain["f1"].severity) == ("critical", "supporting")
    assert told["f3"].verdict == "unsupported"


def test_a_null_judge_checks_alike_whatever_the_block() -> None:
    form, parts = STAGES["check"]
    blocks = (ASKED, "Be generous.", "Reward brevity.")
    assert len({str(ask(form, parts, "sim-null", block=block)) for block in blocks}) == 1
