"""The stage that looks every fact up in the note: it sees note and facts, never transcript, evidence or severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Sample
from harness.judges.envelope import compose, layout_digest, listing
from harness.judges.facts import items_of
from harness.judges.keyed import Entry, EntryT, Item, ask_keyed, keyed_form
from harness.llm.client import Client
from harness.types import Candidate, Fact, Note, digest

CHECK = "check"
BASE_ROOM, ROOM_PER_FACT = 512, 24  # completion tokens


@dataclass(frozen=True, slots=True)
class FactChecker(Generic[EntryT]):
    """Asks for one entry per fact, keyed by its id; ``room`` is how many completion tokens an entry may take."""

    config: JudgeConfig
    candidate: Candidate
    client: Client
    entry: Entry[EntryT]
    stage: str = CHECK
    room: int = ROOM_PER_FACT

    def check(self, facts: Sequence[Fact], note: Note, replicate: int, index: int) -> Sample[Mapping[str, EntryT]]:
        """The entries of all facts; the facts stand first, so that all notes of a consultation share the prefix."""

        def ask(items: Sequence[Item], added: int) -> Sample[Mapping[str, EntryT]]:
            form = keyed_form("fact", [key for key, _ in items], self.entry)
            parts = (("FACTS", listing(items)), ("NOTE", note.text))
            messages = compose(parts, self.candidate.block(self.stage), form.text)
            terms = judging_terms(self.config, self.stage, BASE_ROOM + self.room * len(items))
            return Asker(terms, form, self.client).ask(messages, replicate, index + added)

        return ask_keyed(ask, items_of(facts))


def checking_digest(config: JudgeConfig, entry: Entry[EntryT]) -> str:
    """Digest of all fixed text of the stage."""
    form = keyed_form("fact", ("f1",), entry)
    return digest([layout_digest(("FACTS", "NOTE"), form.text), form.schema if config.structured else None])
