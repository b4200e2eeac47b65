"""Extract the facts of the transcript, then decide for each whether the note has it; the score is the share present."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.base import Kind, Sample, Scale
from harness.judges.checking import CHECK, FactChecker, checking_digest
from harness.judges.facts import FactFinder, fact_blocks, facts_digest
from harness.judges.keyed import choice_entry
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Note, digest

ENTRY = choice_entry("present", "absent")


@dataclass(frozen=True, slots=True)
class TwoStage:
    """Score = present / facts, in [0, 1], every fact alike whatever its severity."""

    finder: FactFinder
    checker: FactChecker[str]

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One check of the note against the consultation's facts."""
        found = self.finder.find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        checked = self.checker.check(found.reading, note, replicate, index).after(found)
        if isinstance(checked.reading, Unreadable):
            return checked.read_as(checked.reading)
        verdicts = checked.reading
        absent = tuple(Ruling(fact, "absent") for fact in found.reading if verdicts[fact.id] == "absent")
        score = 1 - len(absent) / len(found.reading)
        return checked.read_as(Verdict(score, tuple(ruling.fact.text for ruling in absent), rulings=absent))


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> TwoStage:
    return TwoStage(FactFinder(config, candidate, client, audited=False), FactChecker(config, candidate, client, ENTRY))


def _fixed(config: JudgeConfig) -> str:
    return digest([facts_digest(config, audited=False), checking_digest(config, ENTRY)])


KIND = Kind(blocks=(*fact_blocks(audited=False), CHECK), scale=Scale(0, 1, None), fixed=_fixed, make=_make)
