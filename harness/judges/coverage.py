"""Both ways round: what share of the facts the note covers, and what share of its claims the transcript supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Kind, Sample, Scale
from harness.judges.checking import FactChecker, checking_digest
from harness.judges.envelope import Part, compose
from harness.judges.facts import FactFinder, fact_blocks, facts_digest
from harness.judges.items import ItemChecker, Items, list_form, stage_digest
from harness.judges.keyed import flag_entry, keyed_form
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Fact, Note, digest

COVER, CLAIMS, SUPPORT = "cover", "claims", "support"
MAX_CLAIMS = 60
ROOM = 4000  # completion tokens for a full list
STATED = list_form("claim", "one statement of the note that can be checked by itself", MAX_CLAIMS)
COVERED = flag_entry("true if the note has the fact, else false")
SUPPORTED = flag_entry("true if the transcript supports the claim, else false")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Score = min(facts covered / facts, claims supported / claims), in [0, 1]."""

    config: JudgeConfig
    candidate: Candidate
    client: Client

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One pass of each direction; the first stage that has no answer ends it."""
        covering = self._uncovered(consultation, note, replicate, index)
        if isinstance(covering.reading, Unreadable):
            return covering.read_as(covering.reading)
        supporting = self._unsupported(consultation, note, replicate, index).after(covering)
        if isinstance(supporting.reading, Unreadable):
            return supporting.read_as(supporting.reading)
        (covered, absent), (supported, wrong) = covering.reading, supporting.reading
        rulings = tuple(Ruling(fact, "absent") for fact in absent)
        missing = tuple(fact.text for fact in absent)
        return supporting.read_as(Verdict(min(covered, supported), missing, wrong, rulings))

    def _uncovered(
        self, consultation: Consultation, note: Note, replicate: int, index: int
    ) -> Sample[tuple[float, tuple[Fact, ...]]]:
        """The share of facts covered, and the facts that are not."""
        found = FactFinder(self.config, self.candidate, self.client, audited=False).find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        checker = FactChecker(self.config, self.candidate, self.client, COVERED, COVER)
        checked = checker.check(found.reading, note, replicate, index).after(found)
        if isinstance(checked.reading, Unreadable):
            return checked.read_as(checked.reading)
        flags = checked.reading
        absent = tuple(fact for fact in found.reading if not flags[fact.id])
        return checked.read_as((_share(absent, found.reading), absent))

    def _unsupported(
        self, consultation: Consultation, note: Note, replicate: int, index: int
    ) -> Sample[tuple[float, tuple[str, ...]]]:
        """The share of claims supported, and the claims that are not; the transcript is asked about claims alone."""
        stated = self._claims(note, replicate, index)
        if isinstance(stated.reading, Unreadable):
            return stated.read_as(stated.reading)

        def parts(listed: str) -> tuple[Part, ...]:
            return (("TRANSCRIPT", consultation.transcript), ("CLAIMS", listed))

        checker = ItemChecker(self.config, self.candidate, self.client, SUPPORT, "claim", SUPPORTED)
        checked = checker.check(parts, stated.reading, replicate, index).after(stated)
        if isinstance(checked.reading, Unreadable):
            return checked.read_as(checked.reading)
        flags = checked.reading
        wrong = tuple(text for key, text in stated.reading if not flags[key])
        return checked.read_as((_share(wrong, stated.reading), wrong))

    def _claims(self, note: Note, replicate: int, index: int) -> Sample[Items]:
        messages = compose((("NOTE", note.text),), self.candidate.block(CLAIMS), STATED.text)
        terms = judging_terms(self.config, CLAIMS, ROOM)
        return Asker(terms, STATED, self.client).ask(messages, replicate, index)


def _share(lacking: Sequence[object], of: Sequence[object]) -> float:
    return 1 - len(lacking) / len(of)


def _fixed(config: JudgeConfig) -> str:
    supporting = keyed_form("claim", ("c1",), SUPPORTED)
    return digest(
        [
            facts_digest(config, audited=False),
            checking_digest(config, COVERED),
            stage_digest(config, ("NOTE",), STATED),
            stage_digest(config, ("TRANSCRIPT", "CLAIMS"), supporting),
        ]
    )


KIND = Kind(
    blocks=(*fact_blocks(audited=False), COVER, CLAIMS, SUPPORT),
    scale=Scale(0, 1, pass_mark=1),
    fixed=_fixed,
    make=Coverage,
)
