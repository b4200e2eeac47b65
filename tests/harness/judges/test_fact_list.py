import pytest

from support.answering import fill
from support.replying import CONSULTATION, NOTE, judged, prompt, stages

FACTS = {"facts": [{"text": t, "evidence": f"evidence of {t}"} for t in ("ear pain", "ramipril", "a cat")]}
AUDIT = {
    "verdicts": {
        "f1": {"verdict": "supported", "severity": "critical"},
        "f2": {"verdict": "supported", "severity": "peripheral"},
        "f3": {"verdict": "unsupported", "severity": "critical"},
    }
}
SCORED = {"score": 6, "omissions": ["ramipril"], "unsupported": []}
GOOD = {"extract": FACTS, "audit": AUDIT, "instruction": SCORED}


def test_the_score_is_that_of_the_one_reply_and_no_rule_of_its_own_flags_the_note():
    outcome, model = judged("fact-list", GOOD)
    assert (outcome.score, outcome.flagged, outcome.missing) == (6, None, ("ramipril",))
    assert stages(model) == ["extract", "audit", "instruction"]


def test_a_mark_of_the_users_flags():
    assert judged("fact-list", GOOD, flag_below=7)[0].flagged is True


def test_the_judge_sees_the_texts_of_the_supported_facts_without_grade_or_evidence():
    shown = prompt(judged("fact-list", GOOD)[1], "instruction")
    assert "f1: ear pain\nf2: ramipril\n=====" in shown
    assert not [word for word in ("a cat", "evidence of", "critical", "peripheral") if word in shown]


def test_transcript_and_facts_stand_before_the_note_so_that_notes_share_them():
    shown = prompt(judged("fact-list", GOOD)[1], "instruction")
    assert shown.index(CONSULTATION.transcript) < shown.index("f1: ear pain") < shown.index(NOTE.text)


def test_where_the_audit_leaves_no_fact_there_is_nothing_to_judge_by():
    none = {"verdicts": {key: {"verdict": "unsupported", "severity": "critical"} for key in ("f1", "f2", "f3")}}
    outcome, model = judged("fact-list", {**GOOD, "audit": none})
    assert outcome.reason == "no-facts"
    assert "instruction" not in stages(model)


def test_an_empty_extraction_is_asked_for_once_more():
    outcome, model = judged("fact-list", {**GOOD, "extract": [{"facts": []}, FACTS]})
    assert outcome.score == 6
    assert stages(model) == ["extract", "extract", "audit", "instruction"]


def test_given_facts_need_no_stage():
    outcome, model = judged("fact-list", {"instruction": SCORED}, facts="given")
    assert (outcome.score, stages(model)) == (6, ["instruction"])
    assert "f1: Left ear pain\nf2: No fever\n" in prompt(model, "instruction")


@pytest.mark.parametrize("structured", [True, False])
def test_structured_output_is_the_configurations_choice_in_every_stage(structured):
    model = judged("fact-list", GOOD, structured=structured)[1]
    assert [request.schema is not None for request in model.asked] == [structured] * 3


def test_the_answer_is_that_of_the_scored_judge():
    model = judged("fact-list", GOOD)[1]
    assert set(fill(model.asked[-1].schema)) == {"score", "omissions", "unsupported"}
