from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.data.turns import MID_LINE, MISSPELT, NO_LABEL, ROLES, read_turns

WORDS = st.text(alphabet="ab ,'", min_size=1, max_size=12).filter(lambda text: any(c.isalpha() for c in text))


@given(st.lists(st.tuples(st.sampled_from(sorted(ROLES)), WORDS), min_size=1, max_size=6), st.sampled_from("\n\r"))
def test_every_turn_keeps_its_speaker_and_its_words_whatever_the_line_ends(
    turns: list[tuple[str, str]], end: str
) -> None:
    dialogue = (end if end == "\n" else "\r\n").join(f"{who.capitalize()}: {words}" for who, words in turns)
    found = read_turns(dialogue)
    assert found.transcript.split("\n") == [f"{ROLES[who]}: {' '.join(words.split())}" for who, words in turns]
    assert not found.mended


@pytest.mark.parametrize(
    ("line", "role", "mended"),
    [
        ("Gest_family: well", "guest", MISSPELT),
        ("Guest_clinican: well", "clinician", MISSPELT),
        ("Docotr_2: well", "doctor", MISSPELT),
        ("Guest_family. well", "guest", MISSPELT),
        ("Guest_family_2: well", "guest", None),
        ("Guest_family2: well", "guest", None),
        ("Doctor_2: well", "doctor", None),
        ("  Patient : well ", "patient", None),
        ('"Doctor: well', "doctor", None),
    ],
)
def test_a_label_near_a_known_one_is_that_one(line: str, role: str, mended: str | None) -> None:
    found = read_turns(f"Doctor: hello\n{line}")
    assert found.transcript.split("\n")[1] == f"{role}: well"
    assert set(found.mended) == ({mended} if mended else set())


@pytest.mark.parametrize("line", [".", "Sp 3", "Plan: rest and fluids", "Doctor. Smith said so"])
def test_a_line_without_a_speaker_continues_the_turn_before(line: str) -> None:
    if line.startswith("Doctor."):
        line = f"Dr{line[6:]}"
    found = read_turns(f"Doctor: hello\n{line}")
    assert found.transcript == f"doctor: hello {line}"
    assert found.mended == {NO_LABEL: 1}


def test_a_speaker_after_the_end_of_a_sentence_starts_a_turn_and_one_that_is_spoken_to_does_not() -> None:
    found = read_turns("Patient: No. Doctor: Any falls?\nPatient: Yes, I am, Doctor: \nDoctor: Go on")
    assert found.transcript.split("\n") == [
        "patient: No.",
        "doctor: Any falls?",
        "patient: Yes, I am, Doctor:",
        "doctor: Go on",
    ]
    assert found.mended == {MID_LINE: 1}


def test_turns_without_words_are_dropped_and_a_first_line_without_a_speaker_is_the_doctors() -> None:
    assert read_turns("Hello there\nPatient: \nDoctor: Hi").transcript == "doctor: Hello there\ndoctor: Hi"


def test_a_text_in_which_nobody_is_named_is_no_dialogue() -> None:
    assert read_turns("No known drug allergies.\nNone.").transcript == ""
