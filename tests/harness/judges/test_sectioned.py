"""What sectioned coverage makes of its stages' answers."""

import pytest

from harness.errors import ConfigError
from harness.judges.sectioned import SECTIONS
from harness.outcomes import Failure
from support.replying import judged, prompt, stages

PLACED = (("Left ear pain", "complaint"), ("No fever", "complaint"), ("Takes ramipril", "medication"))
GRADES = ("critical", "supporting", "critical")
EXTRACT = {"facts": [{"text": text, "section": place, "evidence": text.lower()} for text, place in PLACED]}
AUDIT = {"verdicts": {f"f{n}": {"verdict": "supported", "severity": grade} for n, grade in enumerate(GRADES, start=1)}}


def run(*entries, extract=EXTRACT, **options):
    """The outcome for one (verdict, section) a fact."""
    check = {"verdicts": {f"f{n}": {"verdict": v, "section": s} for n, (v, s) in enumerate(entries, start=1)}}
    return judged("sectioned", {"extract": extract, "audit": AUDIT, "check": check}, **options)


def test_a_displaced_fact_counts_as_a_partial_mention_and_is_ruled_so():
    outcome, _ = run(("present", "complaint"), ("displaced", "plan"), ("absent", "medication"))
    assert outcome.score == (4 + 2 * 0.5) / 10
    assert [(ruling.fact.text, ruling.verdict) for ruling in outcome.rulings] == [
        ("No fever", "displaced"),
        ("Takes ramipril", "absent"),
    ]
    assert outcome.missing == ("Takes ramipril",)
    other, _ = run(("present", "complaint"), ("displaced", "plan"), ("present", "medication"), partial_credit=0)
    assert other.score == 8 / 10


@pytest.mark.parametrize(
    ("critical", "flagged"),
    [(("present", "medication"), False), (("displaced", "plan"), True), (("absent", "medication"), True)],
)
def test_a_critical_fact_flags_the_note_whether_absent_or_displaced(critical, flagged):
    outcome, _ = run(("present", "complaint"), ("absent", "complaint"), critical)
    assert outcome.flagged is flagged


def test_a_fact_may_be_present_under_another_heading_but_not_displaced_in_its_own():
    outcome, _ = run(("present", "history"), ("present", "assessment"), ("present", "medication"))
    assert (outcome.score, outcome.flagged, outcome.rulings) == (1.0, False, ())
    wrong, _ = run(("present", "complaint"), ("displaced", "complaint"), ("present", "medication"))
    assert (type(wrong), wrong.reason) == (Failure, "contradiction")


def test_the_check_sees_each_fact_with_its_section_and_the_audit_without():
    _, model = run(*[("present", place) for _, place in PLACED])
    assert stages(model) == ["extract", "audit", "check"]
    assert "f1: [complaint] Left ear pain\nf2: [complaint] No fever\nf3: [medication] Takes ramipril\n" in prompt(
        model, "check"
    )
    assert "f1: Left ear pain\nf2: No fever\nf3: Takes ramipril\n" in prompt(model, "audit")
    assert not [grade for grade in (*GRADES, "transcript") if grade in prompt(model, "check").lower()]


def test_the_extraction_asks_for_one_of_six_sections_and_takes_no_other():
    _, model = run(*[("present", place) for _, place in PLACED])
    assert all(f'"{section}"' in prompt(model, "extract") for section in SECTIONS)
    for entry, reason in (({"section": "appendix"}, "out-of-range"), ({}, "missing-key")):
        extract = {"facts": [{"text": "No fever", "evidence": "no fever"} | entry]}
        outcome, _ = judged("sectioned", {"extract": [extract, extract]})
        assert outcome.reason == reason


def test_given_facts_name_no_section_and_are_refused():
    with pytest.raises(ConfigError, match="extracted"):
        run(("present", "complaint"), facts="given")
