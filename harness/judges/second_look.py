"""A second look for facts that a check marked absent: one is found only where a quote proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import StrictStr

from harness.config import JudgeConfig
from harness.judges.base import Sample
from harness.judges.checking import FactChecker, checking_digest
from harness.judges.keyed import Answered, object_entry
from harness.judges.parse import Unreadable
from harness.judges.weighing import ABSENT
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Fact, Note

SECOND_LOOK = "second_look"
MIN_QUOTE = 8  # characters: a shorter quote stands in every note
MAX_QUOTE = 200
ROOM = 90  # completion tokens an entry


class Look(Answered):
    """The answer about one fact."""

    found: Literal["full", "partial", "no"]
    quote: StrictStr


ENTRY = object_entry(
    Look,
    'an object with "found" ("full", "partial" or "no") and "quote" (the words of the note that carry the fact, '
    "copied letter by letter; empty where there are none)",
    {
        "found": {"type": "string", "enum": ["full", "partial", "no"]},
        "quote": {"type": "string", "maxLength": MAX_QUOTE},
    },
)


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Asks once about all facts marked absent, and about nothing else."""

    config: JudgeConfig
    candidate: Candidate
    client: Client

    def look(self, facts: Sequence[Fact], note: Note, replicate: int, index: int) -> Sample[tuple[Ruling, ...]]:
        """One ruling for each fact, in order: "full" or "partial" with its quote, or "absent".

        An answer that cannot be read is no answer: to let the absences stand then would lower a
        note's score because a call failed.
        """
        checker = FactChecker(self.config, self.candidate, self.client, ENTRY, SECOND_LOOK, ROOM)
        looked = checker.check(facts, note, replicate, index)
        if isinstance(looked.reading, Unreadable):
            return looked.read_as(looked.reading)
        entries = looked.reading
        return looked.read_as(tuple(_ruling(fact, entries[fact.id], note) for fact in facts))


def _ruling(fact: Fact, look: Look, note: Note) -> Ruling:
    if look.found == "no" or not quoted(look.quote, note.text):
        return Ruling(fact, ABSENT)
    return Ruling(fact, look.found, look.quote)


def quoted(quote: str, text: str) -> bool:
    """True where a quote of at least 8 characters stands in a text as it is, but for case and white space.

    >>> quoted("No  fever.", "Cough, no\\nfever. Well.")
    True
    >>> quoted("cough", "Cough, no fever.")
    False
    """
    plain = _plain(quote)
    return len(plain) >= MIN_QUOTE and plain in _plain(text)


def looking_digest(config: JudgeConfig) -> str:
    """Digest of all fixed text of the stage."""
    return checking_digest(config, ENTRY)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
