"""The stage that looks every fact up in the note: it sees note and facts, never transcript, evidence or severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from harness.config import JudgeConfig
from harness.judges.base import Sample
from harness.judges.envelope import Part
from harness.judges.facts import items_of
from harness.judges.items import ROOM_PER_ITEM, ItemChecker, stage_digest
from harness.judges.keyed import Entry, EntryT, keyed_form
from harness.llm.client import Client
from harness.types import Candidate, Fact, Note

CHECK = "check"


@dataclass(frozen=True, slots=True)
class FactChecker(Generic[EntryT]):
    """Asks for one entry per fact, keyed by its id; ``room`` is how many completion tokens an entry may take."""

    config: JudgeConfig
    candidate: Candidate
    client: Client
    entry: Entry[EntryT]
    stage: str = CHECK
    room: int = ROOM_PER_ITEM

    def check(self, facts: Sequence[Fact], note: Note, replicate: int, index: int) -> Sample[Mapping[str, EntryT]]:
        """The entries of all facts; the facts stand first, so that all notes of a consultation share the prefix."""

        def parts(listed: str) -> tuple[Part, ...]:
            return (("FACTS", listed), ("NOTE", note.text))

        checker = ItemChecker(self.config, self.candidate, self.client, self.stage, "fact", self.entry, self.room)
        return checker.check(parts, items_of(facts), replicate, index)


def checking_digest(config: JudgeConfig, entry: Entry[EntryT]) -> str:
    """Digest of all fixed text of the stage."""
    return stage_digest(config, ("FACTS", "NOTE"), keyed_form("fact", ("f1",), entry))
