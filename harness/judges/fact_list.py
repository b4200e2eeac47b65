"""One call that has the consultation's audited facts before it, and scores the note from 0 to 10."""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Kind, Sample
from harness.judges.contracts import SCORE
from harness.judges.envelope import compose, listing
from harness.judges.facts import FactFinder, fact_blocks, facts_digest, items_of
from harness.judges.items import stage_digest
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Note, digest

INSTRUCTION = "instruction"
FORM = SCORE.form
LABELS = ("TRANSCRIPT", "FACTS", "NOTE")  # the note last, so that all notes of a consultation share the rest


@dataclass(frozen=True, slots=True)
class FactListJudge:
    """Shows the texts of the facts, without severity or evidence."""

    config: JudgeConfig
    candidate: Candidate
    client: Client
    finder: FactFinder

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One call, score in [0, 10]; a Failure's reason where the facts could not be found."""
        found = self.finder.find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        material = (consultation.transcript, listing(items_of(found.reading)), note.text)
        parts = tuple(zip(LABELS, material, strict=True))
        messages = compose(parts, self.candidate.block(INSTRUCTION), FORM.text)
        asker = Asker(judging_terms(self.config, INSTRUCTION), FORM, self.client)
        return asker.ask(messages, replicate, index).after(found)


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> FactListJudge:
    return FactListJudge(config, candidate, client, FactFinder(config, candidate, client, audited=True))


def _fixed(config: JudgeConfig) -> str:
    return digest([facts_digest(config, audited=True), stage_digest(config, LABELS, FORM)])


# No mark of its own: with the facts in view scores lie lower, so its threshold is swept.
KIND = Kind(
    blocks=(*fact_blocks(audited=True), INSTRUCTION),
    scale=replace(SCORE.scale, pass_mark=None),
    fixed=_fixed,
    make=_make,
)
