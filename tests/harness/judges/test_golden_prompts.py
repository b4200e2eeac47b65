"""The exact bytes of every kind's prompt. See ``tests/golden/prompts/README.md`` for how to change them."""

import os
from pathlib import Path

import pytest

from harness.config import JudgeConfig
from harness.judges.build import KINDS, blocks_of, build_judge
from harness.types import Candidate, Consultation, Note
from support.answering import Answering

GOLDEN = Path(__file__).parents[2] / "golden" / "prompts"
CONSULTATION = Consultation("c", "golden", "doctor: Any pain?\npatient: My left ear, since Monday. No fever.")
NOTE = Note("n", "c", "Left ear pain – since Monday.\nAfebrile.")


def prompt(kind):
    model = Answering()
    candidate = Candidate(kind, tuple((name, f"The block named {name}.") for name in blocks_of(kind)))
    build_judge(JudgeConfig(kind=kind), candidate, model).judge(CONSULTATION, NOTE, 0)
    return "".join(f"[{r.stage or m.role}]\n{m.content}" for r in model.asked for m in r.messages).encode()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_prompt_is_the_committed_one_byte_for_byte(kind):
    path = GOLDEN / f"{kind}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(prompt(kind))
    assert prompt(kind) == path.read_bytes(), "see tests/golden/prompts/README.md"


def test_there_is_no_golden_file_without_a_kind():
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(KINDS)
