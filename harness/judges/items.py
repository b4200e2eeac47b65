"""Lists that a stage writes (questions, claims), and the stages that answer one entry for each listed item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import BaseModel, ConfigDict, StrictStr

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Form, Sample
from harness.judges.envelope import Part, compose, layout_digest, listing
from harness.judges.keyed import Entry, EntryT, Item, ask_keyed, keyed_form
from harness.judges.parse import Unreadable, parse_object, validate
from harness.llm.client import Client
from harness.types import Candidate, digest

MAX_CHARS = 400
BASE_ROOM, ROOM_PER_ITEM = 512, 24  # completion tokens
Items = tuple[Item, ...]


class _Listed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    text: StrictStr


def list_form(noun: str, meaning: str, limit: int) -> Form[Items]:
    """The form ``{"<noun>s": [{"text": ...}, ...]}``, read as (id, text): the noun's first letter and a number.

    What is beyond ``limit`` and what is blank is left away; nothing left is ``no-facts``.

    >>> list_form("claim", "one statement", 60).read('{"claims": [{"text": "No fever."}]}')
    (('c1', 'No fever.'),)
    """
    key = f"{noun}s"

    def read(text: str) -> Items | Unreadable:
        raw = parse_object(text)
        if isinstance(raw, Unreadable):
            return raw
        if key not in raw:
            return Unreadable("missing-key")
        if not isinstance(raw[key], list):
            return Unreadable("wrong-type")
        texts: list[str] = []
        for member in raw[key]:
            listed = validate(_Listed, member) if isinstance(member, Mapping) else Unreadable("wrong-type")
            if isinstance(listed, Unreadable):
                return listed
            texts.append(listed.text.strip())
        named = [text for text in texts if text][:limit]
        return tuple((f"{noun[0]}{n}", text) for n, text in enumerate(named, start=1)) or Unreadable("no-facts")

    words = (
        "Reply with one JSON object and nothing else. It has exactly one key:\n"
        f'- "{key}": a list of objects, each with "text" ({meaning})\n'
        f"Give at most {limit} {key}.\n"
    )
    return Form(key, words, _list_schema(key, limit), read)


def _list_schema(key: str, limit: int) -> Mapping[str, object]:
    one = {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": MAX_CHARS}},
        "required": ["text"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {key: {"type": "array", "minItems": 1, "maxItems": limit, "items": one}},
        "required": [key],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class ItemChecker(Generic[EntryT]):
    """Asks for one entry per item, keyed by its id.

    ``noun`` is how the contract calls an item, ``room`` how many completion tokens an entry may take.
    """

    config: JudgeConfig
    candidate: Candidate
    client: Client
    stage: str
    noun: str
    entry: Entry[EntryT]
    room: int = ROOM_PER_ITEM

    def check(
        self, parts: Callable[[str], Sequence[Part]], items: Sequence[Item], replicate: int, index: int
    ) -> Sample[Mapping[str, EntryT]]:
        """The entries of all items. ``parts`` puts the list's text into the material, in the order of the prompt."""

        def ask(asked: Sequence[Item], added: int) -> Sample[Mapping[str, EntryT]]:
            form = keyed_form(self.noun, [key for key, _ in asked], self.entry)
            messages = compose(parts(listing(asked)), self.candidate.block(self.stage), form.text)
            terms = judging_terms(self.config, self.stage, BASE_ROOM + self.room * len(asked))
            return Asker(terms, form, self.client).ask(messages, replicate, index + added)

        return ask_keyed(ask, items)


def stage_digest(config: JudgeConfig, labels: Sequence[str], form: Form[Any]) -> str:
    """Digest of all fixed text of a stage with these parts and this form."""
    return digest([layout_digest(labels, form.text), form.schema if config.structured else None])
