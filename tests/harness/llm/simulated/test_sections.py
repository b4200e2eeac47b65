from __future__ import annotations

import pytest

from harness.data.synthetic import build_synthetic
from harness.llm.simulated.sections import accepted, placed, section_of
from harness.llm.simulated.statements import said

HEADED = """Hx: L knee pain for 3/52.
PMH/DH: On ramipril 5 mg OD.
O/E: BP 120/80 mmHg.
Imp: Osteoarthritis.
Plan: Naproxen 500 mg BD. Of note, lives alone."""
LETTER = """She reported left knee pain for 3 weeks. She denied any injury.

There is a past history of asthma. She takes ramipril 5 mg once daily.

Blood pressure measured 120/80 mmHg.

My impression is of likely osteoarthritis. In brief: takes ramipril 5 mg once daily.

I have prescribed naproxen 500 mg twice daily. She will be reviewed in 4 weeks."""


@pytest.mark.parametrize(
    ("turn", "section"),
    [
        ("patient: I've had a cough for three weeks.", "complaint"),
        ("patient: I take ramipril, 5 mg once a day.", "medication"),
        ("doctor: Do you smoke?\npatient: Yes, twenty a day.", "history"),
        ("doctor: Your blood pressure is 120 over 80.", "findings"),
        ("doctor: My feeling is this is most likely a chest infection.", "assessment"),
        ("doctor: I'll give you amoxicillin, 500 mg three times a day.", "plan"),
        ("doctor: So, to recap, there's a cough for three weeks.", "complaint"),
    ],
)
def test_what_was_said_belongs_where_a_reader_would_look_for_it(turn: str, section: str) -> None:
    assert section_of(said(turn)[-1]) == section


def where(note: str) -> dict[str, str]:
    """Sentence -> the first of its sections, the story as one."""
    return {part.text: "story" if "history" in part.sections else min(part.sections) for part in placed(note)}


def test_headings_say_where_a_sentence_stands_and_a_summary_is_part_of_the_assessment() -> None:
    assert list(where(HEADED).values()) == ["story", "story", "findings", "assessment", "plan", "assessment"]


def test_without_headings_a_paragraph_says_it() -> None:
    found = where(LETTER)
    assert found["She denied any injury."] == "story"
    assert found["Blood pressure measured 120/80 mmHg."] == "findings"
    assert [section for text, section in found.items() if "ramipril" in text] == ["story", "assessment"]
    assert found["She will be reviewed in 4 weeks."] == "plan"


def test_complaint_history_and_medication_are_one_story() -> None:
    assert accepted("medication") == accepted("complaint") == {"complaint", "history", "medication"}
    assert accepted("plan") == {"plan"}


def test_every_sentence_of_every_style_of_note_stands_somewhere() -> None:
    for pair in build_synthetic(consultations=8, pairs_per_consultation=1, seed=2).pairs:
        parts = placed(pair.clean.text)
        assert parts
        assert all(part.sections for part in parts)
        assert {"findings", "assessment", "plan"} & {section for part in parts for section in part.sections}
