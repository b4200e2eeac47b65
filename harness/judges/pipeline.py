"""Extract, audit, check in three words, and look again for what was marked absent; coverage weighted by severity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.base import Kind, Sample, Scale
from harness.judges.checking import CHECK, FactChecker, checking_digest
from harness.judges.facts import FactFinder, fact_blocks, facts_digest
from harness.judges.keyed import choice_entry
from harness.judges.parse import Unreadable, Verdict
from harness.judges.second_look import SECOND_LOOK, SecondLook, looking_digest
from harness.judges.weighing import ABSENT, Tariff
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Fact, Note, digest

ENTRY = choice_entry("full", "partial", ABSENT)
BLOCKS = (*fact_blocks(audited=True), CHECK, SECOND_LOOK)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Score = sum(weight * credit) / sum(weight), in [0, 1]; flags a note iff a critical fact is finally absent.

    A partial mention does not flag. The rulings are the facts finally partial or absent.
    """

    config: JudgeConfig
    finder: FactFinder
    checker: FactChecker[str]
    looker: SecondLook

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One check of the note and, where it marks a fact absent, one second look."""
        found = self.finder.find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        ruled = self._ruled(found.reading, note, replicate, index).after(found)
        if isinstance(ruled.reading, Unreadable):
            return ruled.read_as(ruled.reading)
        tariff = Tariff({"full": 1.0, "partial": self.config.partial_credit, ABSENT: 0.0}, fatal=(ABSENT,))
        return ruled.read_as(tariff.verdict(ruled.reading, self.config.weights))

    def _ruled(self, facts: Sequence[Fact], note: Note, replicate: int, index: int) -> Sample[tuple[Ruling, ...]]:
        """One final ruling for each fact, in order."""
        checked = self.checker.check(facts, note, replicate, index)
        if isinstance(checked.reading, Unreadable):
            return checked.read_as(checked.reading)
        rulings = {fact.id: Ruling(fact, checked.reading[fact.id]) for fact in facts}
        absent = [ruling.fact for ruling in rulings.values() if ruling.verdict == ABSENT]
        if not absent or not self.config.second_look:
            return checked.read_as(tuple(rulings.values()))
        looked = self.looker.look(absent, note, replicate, index).after(checked)
        if isinstance(looked.reading, Unreadable):
            return looked
        return looked.read_as(tuple((rulings | {ruling.fact.id: ruling for ruling in looked.reading}).values()))


def make_pipeline(config: JudgeConfig, candidate: Candidate, client: Client) -> Pipeline:
    """The pipeline of a candidate that has its blocks, and maybe others."""
    return Pipeline(
        config,
        FactFinder(config, candidate, client, audited=True),
        FactChecker(config, candidate, client, ENTRY),
        SecondLook(config, candidate, client),
    )


def pipeline_digest(config: JudgeConfig) -> str:
    """Digest of all fixed text of the stages."""
    return digest([facts_digest(config, audited=True), checking_digest(config, ENTRY), looking_digest(config)])


KIND = Kind(blocks=BLOCKS, scale=Scale(0, 1, None), fixed=pipeline_digest, make=make_pipeline)
