"""What a reflection model is told of the judge whose block it rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.judges.build import blocks_of
from optimiser.engines.base import Turn

SCORED = """
How the block is scored: for many consultations the judge scores a clean note and copies of it with one planted defect \
(something left out, something unsupported added, a detail altered). Only the order counts: a flawed note must score \
below its clean twin. Being harsher or milder on every note gains nothing, and the threshold is chosen afterwards.
"""
SYSTEM = (
    """You improve the instruction block of a judge that scores clinical notes.

How the judge works: it is shown a consultation transcript and a note, then your block, then a fixed answer format \
that you cannot change. It returns a score from 0 (worst) to 10 (best) or a verdict."""
    + SCORED
)
# Step -> what it is shown and what it decides. A step that is not listed is named without more.
STEPS = {
    "extract": "is shown the transcript alone and lists the facts that a note of it should carry",
    "audit": "is shown the transcript and the listed facts, drops what has no support and grades the rest by severity",
    "check": "is shown the facts and one note, never the transcript, and decides for each fact whether the note has it",
    "second_look": "is shown the facts marked absent and the note, and looks for the words that show one after all",
    "cover": "is shown the facts and one note, never the transcript, and decides for each fact whether the note has it",
    "claims": "is shown one note alone and lists what it states",
    "support": "is shown the transcript and the listed claims, and decides for each whether the transcript supports it",
    "questions": "is shown the transcript alone and writes questions that a good note of it answers with yes",
    "answers": "is shown the questions and one note, never the transcript, and answers each with yes or no",
    "instruction": "is shown transcript, facts and one note, and rates the note",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """The block under change as a prompt names it: no ``name`` where the judge has one block only.

    ``others`` are the (name, text) of the other blocks under search, as they are in the parent.
    """

    name: str = ""
    others: tuple[tuple[str, str], ...] = ()


ONLY = Subject()


def subject_of(turn: Turn, targets: Sequence[str]) -> Subject:
    """The subject of a turn's prompt."""
    if len(turn.parent.blocks) == 1:
        return ONLY
    return Subject(turn.block, tuple((name, turn.parent.block(name)) for name in targets if name != turn.block))


def system_for(kind: str) -> str:
    """The system message for a judge of a kind; ConfigError for an unknown kind."""
    blocks = blocks_of(kind)
    return SYSTEM if len(blocks) < 2 else _staged(blocks)


def _staged(blocks: Sequence[str]) -> str:
    steps = "".join(f"- {name}: {STEPS.get(name, 'a step of its own')}\n" for name in blocks)
    return (
        "You improve one block of a judge that scores clinical notes in steps.\n\n"
        "How the judge works: every step has a block of instructions and a fixed answer format that you cannot "
        f"change. Its steps, by the names of their blocks:\n{steps}"
        "The score of a note comes out of the last step. You rewrite the one block that you are asked for; it must do "
        "its own step's work and no other's. "
        "A fact that no case lists among the absent ones was found in the note, or no step ever listed it." + SCORED
    )
