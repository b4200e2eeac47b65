"""Coverage by section: a fact that stands only where nobody would look for it is displaced, not present.

A fact that is left out of its place is often named once more in passing, under the plan or the
assessment, and a check that takes any mention for presence finds nothing missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from harness.config import JudgeConfig
from harness.errors import ConfigError
from harness.judges.base import Kind, Sample, Scale
from harness.judges.checking import CHECK, FactChecker, checking_digest
from harness.judges.facts import Extracted, Extraction, FactFinder, extraction_form, fact_blocks, facts_digest
from harness.judges.keyed import Answered, object_entry
from harness.judges.parse import Unreadable, Verdict
from harness.judges.weighing import ABSENT, Tariff
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Fact, Note, digest

Section = Literal["complaint", "history", "medication", "findings", "assessment", "plan"]
SECTIONS: tuple[Section, ...] = get_args(Section)
DISPLACED = "displaced"
ROOM = 40  # completion tokens an entry
_QUOTED = [f'"{section}"' for section in SECTIONS]
_ONE_OF = ", ".join(_QUOTED[:-1]) + f" or {_QUOTED[-1]}"
_SCHEMA = {"type": "string", "enum": list(SECTIONS)}


@dataclass(frozen=True, slots=True)
class PlacedFact(Fact):
    """A fact with the section of a note in which a reader would look for it."""

    section: Section = "history"


class _Placed(Extracted):
    section: Section

    def fact(self, key: str) -> Fact:
        plain = super().fact(key)
        return PlacedFact(plain.id, plain.text, plain.evidence, plain.severity, self.section)


class _PlacedExtraction(Extraction):
    facts: Sequence[_Placed]


class _Place(Answered):
    verdict: Literal["present", "displaced", "absent"]
    section: Section


EXTRACTION = extraction_form(_PlacedExtraction, {"section": (f"where a note would carry it: {_ONE_OF}", _SCHEMA)})
ENTRY = object_entry(
    _Place,
    'an object with "verdict" ("present", "displaced" or "absent") and "section" (where in the note the fact stands: '
    f"{_ONE_OF}; where it stands nowhere, the section named beside it)",
    {"verdict": {"type": "string", "enum": ["present", DISPLACED, ABSENT]}, "section": _SCHEMA},
)


@dataclass(frozen=True, slots=True)
class Sectioned:
    """Score = sum(weight * credit) / sum(weight), in [0, 1], a displaced fact credited as a partial mention.

    Flags a note iff a critical fact is absent or displaced: whoever reads the section where such a fact
    belongs is misled by either, and a rule that overlooks displaced facts would overlook what this judge is for.
    """

    config: JudgeConfig
    finder: FactFinder
    checker: FactChecker[_Place]

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One check of the note against the consultation's facts, each marked with its section."""
        found = self.finder.find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        checked = self.checker.check([_marked(fact) for fact in found.reading], note, replicate, index).after(found)
        if isinstance(checked.reading, Unreadable):
            return checked.read_as(checked.reading)
        places = checked.reading
        if any(_contradicts(fact, places[fact.id]) for fact in found.reading):
            return checked.read_as(Unreadable("contradiction"))
        rulings = [Ruling(_plain(fact), places[fact.id].verdict) for fact in found.reading]
        credit = {"present": 1.0, DISPLACED: self.config.partial_credit, ABSENT: 0.0}
        return checked.read_as(Tariff(credit, fatal=(ABSENT, DISPLACED)).verdict(rulings, self.config.weights))


def _marked(fact: Fact) -> Fact:
    assert isinstance(fact, PlacedFact)
    return replace(fact, text=f"[{fact.section}] {fact.text}")


def _plain(fact: Fact) -> Fact:
    """Without its section: records hold facts of one shape."""
    return Fact(fact.id, fact.text, fact.evidence, fact.severity)


def _contradicts(fact: Fact, place: _Place) -> bool:
    """Displaced, and yet in its own section: two things that exclude each other are no verdict."""
    return place.verdict == DISPLACED and isinstance(fact, PlacedFact) and place.section == fact.section


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> Sectioned:
    if config.facts == "given":
        todo = "Set `facts: extracted`, so that each fact comes with the section where it belongs."
        raise ConfigError("building judge 'sectioned'", "given facts, which name no section", todo)
    finder = FactFinder(config, candidate, client, audited=True, form=EXTRACTION)
    return Sectioned(config, finder, FactChecker(config, candidate, client, ENTRY, room=ROOM))


def _fixed(config: JudgeConfig) -> str:
    return digest([facts_digest(config, audited=True, extraction=EXTRACTION), checking_digest(config, ENTRY)])


KIND = Kind(blocks=(*fact_blocks(audited=True), CHECK), scale=Scale(0, 1, None), fixed=_fixed, make=_make)
