"""Keyed answers: one entry for each listed item, by id; who left one out is asked once more for just that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from harness.judges.base import Form, Sample
from harness.judges.parse import Unreadable, parse_object, validate

EntryT = TypeVar("EntryT")
# Added to the sample's number when missing items are asked for again.
MENDING = 250
Item = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Entry(Generic[EntryT]):
    """What stands beside an id: ``words`` describe it in the prompt, ``schema`` to the server, ``read`` takes it."""

    words: str
    schema: Mapping[str, Any]
    read: Callable[[object], EntryT | Unreadable]


class Answered(BaseModel):
    """Base of entries that are objects; keys beyond the contract are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


AnsweredT = TypeVar("AnsweredT", bound=Answered)


def choice_entry(*options: str) -> Entry[str]:
    """An entry that is one of a few words, in any case.

    >>> choice_entry("present", "absent").read(" Absent")
    'absent'
    """
    known = {option.lower(): option for option in options}

    def read(value: object) -> str | Unreadable:
        if not isinstance(value, str):
            return Unreadable("wrong-type")
        return known.get(value.strip().lower(), Unreadable("out-of-range"))

    quoted = [f'"{option}"' for option in options]
    words = ", ".join(quoted[:-1]) + f" or {quoted[-1]}"
    return Entry(words, {"type": "string", "enum": list(options)}, read)


def flag_entry(words: str) -> Entry[bool]:
    """An entry that is true or false; ``words`` say what true means. A word or a number is no flag.

    >>> flag_entry("true if it holds, else false").read("true")
    Unreadable(reason='wrong-type')
    """

    def read(value: object) -> bool | Unreadable:
        return value if isinstance(value, bool) else Unreadable("wrong-type")

    return Entry(words, {"type": "boolean"}, read)


def object_entry(kind: type[AnsweredT], words: str, properties: Mapping[str, Any]) -> Entry[AnsweredT]:
    """An entry that is an object with these properties, all required."""

    def read(value: object) -> AnsweredT | Unreadable:
        return validate(kind, value) if isinstance(value, Mapping) else Unreadable("wrong-type")

    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return Entry(words, schema, read)


def keyed_form(noun: str, ids: Iterable[str], entry: Entry[EntryT]) -> Form[Mapping[str, EntryT]]:
    """The form ``{"verdicts": {id: entry, ...}}`` with one entry for each id.

    Its reading holds the entries of known ids only: an unknown id is ignored, a known one that is
    left out is simply absent. An entry that breaks the contract makes the whole reply unreadable.
    """
    wanted = tuple(ids)

    def read(text: str) -> Mapping[str, EntryT] | Unreadable:
        raw = parse_object(text)
        if isinstance(raw, Unreadable):
            return raw
        if "verdicts" not in raw:
            return Unreadable("missing-key")
        if not isinstance(raw["verdicts"], Mapping):
            return Unreadable("wrong-type")
        found: dict[str, EntryT] = {}
        for key in wanted:
            if key in raw["verdicts"]:
                value = entry.read(raw["verdicts"][key])
                if isinstance(value, Unreadable):
                    return value
                found[key] = value
        return found

    text = (
        "Reply with one JSON object and nothing else. It has exactly one key:\n"
        f'- "verdicts": an object with one entry for each {noun} in the list above, under the id of the {noun}; '
        f"every entry is {entry.words}\n"
    )
    schema = {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "object",
                "properties": dict.fromkeys(wanted, entry.schema),
                "required": list(wanted),
                "additionalProperties": False,
            }
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }
    return Form("verdicts", text, schema, read)


def ask_keyed(
    ask: Callable[[Sequence[Item], int], Sample[Mapping[str, EntryT]]], items: Sequence[Item]
) -> Sample[Mapping[str, EntryT]]:
    """Ask about all items, then once more about those that were left out; then it is a ``missing-key``.

    ``ask`` takes the items and what to add to the sample's number.
    """
    first = ask(items, 0)
    if isinstance(first.reading, Unreadable):
        return first
    left = [item for item in items if item[0] not in first.reading]
    if not left:
        return first
    second = ask(left, MENDING)
    if isinstance(second.reading, Unreadable):
        return second.after(first)
    both = {**first.reading, **second.reading}
    complete = all(key in both for key, _ in items)
    return second.after(first).read_as(both if complete else Unreadable("missing-key"))
