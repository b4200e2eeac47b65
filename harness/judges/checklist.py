"""Questions made for the consultation from its transcript, answered yes or no from the note alone."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.asking import Asker, preparing_terms
from harness.judges.base import Kind, Sample, Scale
from harness.judges.envelope import Part, compose
from harness.judges.facts import require_blind
from harness.judges.items import ItemChecker, Items, list_form, stage_digest
from harness.judges.keyed import choice_entry, keyed_form
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Note, digest

QUESTIONS, ANSWERS = "questions", "answers"
MAX_QUESTIONS = 40
ROOM = 4000  # completion tokens for a full list
ASKED = list_form("question", "one question that a good note answers with yes", MAX_QUESTIONS)
ENTRY = choice_entry("yes", "no")


@dataclass(frozen=True, slots=True)
class Checklist:
    """Score = questions answered yes / questions, in [0, 1]. What a note says beyond them weighs nothing."""

    config: JudgeConfig
    candidate: Candidate
    client: Client
    checker: ItemChecker[str]

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One round of answers; the questions are the same for every note of a consultation."""
        asked = self._questions(consultation, note)
        if isinstance(asked.reading, Unreadable):
            return asked.read_as(asked.reading)

        def parts(listed: str) -> tuple[Part, ...]:
            return (("QUESTIONS", listed), ("NOTE", note.text))

        answered = self.checker.check(parts, asked.reading, replicate, index).after(asked)
        if isinstance(answered.reading, Unreadable):
            return answered.read_as(answered.reading)
        answers = answered.reading
        unmet = tuple(text for key, text in asked.reading if answers[key] == "no")
        return answered.read_as(Verdict(1 - len(unmet) / len(asked.reading), unmet))

    def _questions(self, consultation: Consultation, note: Note) -> Sample[Items]:
        parts = (("TRANSCRIPT", consultation.transcript),)
        messages = compose(parts, self.candidate.block(QUESTIONS), ASKED.text)
        require_blind(messages, consultation, note)
        return Asker(preparing_terms(self.config, QUESTIONS, ROOM), ASKED, self.client).ask(messages, 0, 0)


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> Checklist:
    checker = ItemChecker(config, candidate, client, ANSWERS, "question", ENTRY)
    return Checklist(config, candidate, client, checker)


def _fixed(config: JudgeConfig) -> str:
    answering = keyed_form("question", ("q1",), ENTRY)
    return digest(
        [
            stage_digest(config, ("TRANSCRIPT",), ASKED),
            stage_digest(config, ("QUESTIONS", "NOTE"), answering),
        ]
    )


KIND = Kind(blocks=(QUESTIONS, ANSWERS), scale=Scale(0, 1, pass_mark=1), fixed=_fixed, make=_make)
