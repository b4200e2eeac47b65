from __future__ import annotations

import doctest
from dataclasses import replace
from types import ModuleType

import pytest

from harness.data.synthetic import terms, verify_pair, wording
from harness.types import Defect, Note, Pair

CLEAN = "HPC: Dry cough for 3 days. Denies haemoptysis.\nDH: Ramipril 5 mg once daily.\nPlan: Review in 2 weeks."


def pair(flawed: str, defect: Defect, clean: str = CLEAN) -> Pair:
    return Pair("p", "c", Note("n", "c", clean), Note("f", "c", flawed, defect))


GONE = Defect("omission", "no haemoptysis", trace="complete", before="Denies haemoptysis.")
PART = Defect(
    "omission",
    "dry cough for 3 days",
    trace="fragment",
    before="Dry cough for 3 days.",
    after="Dry cough.",
    surviving=("Dry cough.",),
)
DOSE = Defect(
    "alteration",
    "ramipril 5 mg",
    aspect="dose",
    before="Ramipril 5 mg once daily.",
    after="Ramipril 10 mg once daily.",
)
NEW = Defect("addition", "Smokes, 20 cigarettes/day.", after="Smokes, 20 cigarettes/day.")


@pytest.mark.parametrize(
    ("flawed", "defect"),
    [
        (CLEAN.replace(" Denies haemoptysis.", ""), GONE),
        (CLEAN.replace(" for 3 days", ""), PART),
        (CLEAN.replace("5 mg", "10 mg"), DOSE),
        (CLEAN.replace("haemoptysis.", "haemoptysis. Smokes, 20 cigarettes/day."), NEW),
    ],
)
def test_a_defect_that_is_what_it_claims_has_no_complaints(flawed: str, defect: Defect) -> None:
    assert verify_pair(pair(flawed, defect)) == ()


def test_a_complete_omission_may_leave_no_word_of_the_fact() -> None:
    clean = CLEAN + " Return if haemoptysis."
    found = verify_pair(pair(clean.replace(" Denies haemoptysis.", ""), GONE, clean))
    assert any("survive" in complaint for complaint in found)


def test_a_complete_omission_may_leave_no_number_of_the_fact() -> None:
    defect = replace(GONE, fact_text="Ramipril 5 mg", before="Ramipril 5 mg once daily.")
    clean = CLEAN + " Bisoprolol 5 mg."
    flawed = clean.replace("\nDH: Ramipril 5 mg once daily.", "")
    assert any("numbers survive" in complaint for complaint in verify_pair(pair(flawed, defect, clean)))


def test_the_lost_detail_of_a_fragment_may_not_stand_elsewhere_even_in_shorthand() -> None:
    clean = CLEAN + " Cough 3/7."
    found = verify_pair(pair(clean.replace(" for 3 days", ""), PART, clean))
    assert any("lost detail survives" in complaint for complaint in found)


def test_a_restated_fact_needs_a_second_mention_with_its_numbers() -> None:
    clean = CLEAN + " In summary, dry cough."
    flawed = clean.replace(" Dry cough for 3 days.", "")
    defect = replace(PART, trace="restated", after="", surviving=("In summary, dry cough.",))
    assert any("numbers" in complaint for complaint in verify_pair(pair(flawed, defect, clean)))


def test_an_alteration_must_change_its_own_aspect() -> None:
    flawed = CLEAN.replace("5 mg", "10 mg")
    assert verify_pair(pair(flawed, replace(DOSE, aspect="laterality"))) == ("the edit does not change the laterality",)


def test_an_addition_must_be_new() -> None:
    defect = replace(NEW, fact_text="Review in 2 weeks.", after="Review in 2 weeks.")
    assert any("already" in complaint for complaint in verify_pair(pair(CLEAN + " Review in 2 weeks.", defect)))


def test_a_second_edit_is_noticed() -> None:
    flawed = CLEAN.replace(" Denies haemoptysis.", "").replace("2 weeks", "6 weeks")
    assert "the notes differ in more than the edit" in verify_pair(pair(flawed, GONE))


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ("DH: \n\nPlan: Review.", "heading"),
        ("Plan:  Review.", "double blank"),
        ("- \n- Review.", "list item"),
        ("Plan: {drug}.", "template"),
        ("Plan: Review..", "punctuation"),
    ],
)
def test_a_note_in_pieces_is_noticed(broken: str, fault: str) -> None:
    assert any(fault in complaint for complaint in verify_pair(pair(broken, GONE)))


@pytest.mark.parametrize("module", [terms, wording])
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
