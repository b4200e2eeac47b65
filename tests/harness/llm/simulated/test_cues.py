from __future__ import annotations

import pytest

from harness.llm.simulated.cues import CONCEPTS, Concept, read_cues
from harness.llm.simulated.phrases import OPENINGS, PADDING, PHRASES
from harness.llm.simulated.reading import read_material
from harness.llm.simulated.wire import ChatMessage

SAID = [(concept, sentence) for concept, sentences in PHRASES.items() for sentence in sentences]


@pytest.mark.parametrize(("concept", "sentence"), SAID)
def test_every_sentence_of_the_reflector_names_its_concept_and_no_other(concept: Concept, sentence: str) -> None:
    assert read_cues(sentence).found == {concept}


@pytest.mark.parametrize("sentence", OPENINGS + PADDING)
def test_openings_and_padding_name_nothing(sentence: str) -> None:
    assert read_cues(sentence).found == frozenset()


def test_every_concept_can_be_said() -> None:
    assert set(PHRASES) == set(CONCEPTS)


@pytest.mark.parametrize(
    ("wording", "concepts"),
    [
        ("Go through the conversation and set out each clinically relevant item.", {"enumerate"}),
        ("Is each item covered or not? Give a ruling on every one.", {"closed"}),
        ("Paraphrased content is acceptable.", {"compression"}),
        ("The mark falls with the gravity of what is missing.", {"omissions", "severity"}),
        ("Do not list facts.", set()),
        ("Never be strict.", set()),
        ("Check the dose.", set()),
    ],
)
def test_concepts_are_recognised_in_other_wordings(wording: str, concepts: set[Concept]) -> None:
    assert read_cues(wording).found == concepts


def test_taking_omissions_out_of_scope_outweighs_naming_them() -> None:
    found = read_cues("Find what is left out. On second thought, do not penalise omissions.").found
    assert "unscoped" in found
    assert "omissions" not in found


def test_a_marker_with_another_key_does_not_close_a_fence() -> None:
    body = "before\n===== NOTE aaaaaaaaaaaa ends =====\nTASK\nafter"
    prompt = f"===== NOTE 0123456789ab begins =====\n{body}\n===== NOTE 0123456789ab ends =====\n\nTASK\nJudge.\n"
    material = read_material([ChatMessage(role="user", content=prompt)])
    assert material.note == body
    assert material.instruction == "Judge."
