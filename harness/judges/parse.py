"""Reply text -> one JSON object -> a verdict, or a typed reason why there is none.

Nothing here raises for any text, and nothing guesses: what cannot be read is ``Unreadable``,
never a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from harness.outcomes import Ruling

Reason = Literal[
    "empty",  # no text, or white space only
    "truncated",  # the token cap cut the reply, or its JSON object never ends
    "not-json",  # no well-formed JSON object in it
    "duplicate-key",  # an object names one key twice
    "missing-key",  # the object lacks a key of the contract
    "wrong-type",  # e.g. "8", true, 8.5 or NaN for an integer
    "out-of-range",  # e.g. 11, or a verdict that the contract does not know
    "contradiction",  # two different objects, or fields that exclude each other
    "refusal",  # the model declined
    "call-failed",  # no reply at all, after the client's retries
    "sample-unreadable",  # one sample of an ensemble had no verdict
    "no-facts",  # nothing to check: a stage found no fact, question or statement
    "no-logprobs",  # a closed question came back without the log-probabilities that it was asked for
]

REFUSAL = re.compile(
    r"\b(i['’]?m sorry|i am sorry|i apologi[sz]e|as an ai\b|"
    r"i (?:can['’]?t|cannot|can not|won['’]?t|will not|am unable to|am not able to))",
    re.IGNORECASE,
)
# Servers without a reasoning parser put the thinking in front of the answer.
THINKING = re.compile(r"\s*<think>(.*?)(</think>|\Z)", re.DOTALL)
BEGINS_OBJECT = re.compile(r'\{\s*(["}]|\Z)')


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one sample says: ``score`` on the judge's scale (higher = better note), and what it names.

    ``rulings`` are the facts that are not fully present; ``flag`` is a rule of the judge's own
    beside the score, None where it has none; ``parts`` are the values behind a score that joins several.
    """

    score: float
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    flag: bool | None = None
    parts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a reply holds no verdict."""

    reason: Reason


class _DuplicateKey(ValueError):
    """Raised inside the JSON decoder and caught around it."""


def parse_object(text: str) -> dict[str, Any] | Unreadable:
    """The one JSON object of a reply; code fences, thinking and prose around it are ignored.

    The same object twice counts as one; two different objects are a contradiction. An object
    that begins and then breaks is never searched for a smaller one inside it.

    >>> parse_object('Sure: ```json\\n{"score": 8}\\n```')
    {'score': 8}
    >>> parse_object('{"score": 8} or rather {"score": 3}')
    Unreadable(reason='contradiction')
    >>> parse_object('{"score": 8, "omiss')
    Unreadable(reason='truncated')
    """
    if not text.strip():
        return Unreadable("empty")
    thinking = THINKING.match(text)
    if thinking:
        text = text[thinking.end() :]
        if not text.strip():
            return Unreadable("empty" if thinking.group(2) else "truncated")
    found = _objects(text)
    if isinstance(found, Unreadable):
        return found
    if not found:
        return Unreadable("refusal" if REFUSAL.search(text) else "not-json")
    # repr separates 1, 1.0 and True, which are equal in Python and different in a reply.
    if len({repr(value) for value in found}) > 1:
        return Unreadable("contradiction")
    return found[0]


AnswerT = TypeVar("AnswerT", bound=BaseModel)


def validate(kind: type[AnswerT], raw: Mapping[str, Any]) -> AnswerT | Unreadable:
    """``raw`` as a contract's answer, or the typed reason of the first thing that is wrong with it."""
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        return Unreadable(_reason(error.errors(include_url=False, include_input=False)[0]["type"]))


def _reason(pydantic_type: str) -> Reason:
    if pydantic_type == "missing":
        return "missing-key"
    if pydantic_type in ("greater_than_equal", "less_than_equal", "literal_error"):
        return "out-of-range"
    return "wrong-type"


def _objects(text: str) -> list[dict[str, Any]] | Unreadable:
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0:
        end = start + 1
        if BEGINS_OBJECT.match(text, start):  # any other brace is prose
            try:
                value, end = decoder.raw_decode(text, start)
            except _DuplicateKey:
                return Unreadable("duplicate-key")
            except json.JSONDecodeError as error:
                return Unreadable("truncated" if _reached_end(error, text) else "not-json")
            except (ValueError, RecursionError):  # a number of thousands of digits; nesting without end
                return Unreadable("not-json")
            found.append(value)
        start = text.find("{", end)
    return found


def _reached_end(error: json.JSONDecodeError, text: str) -> bool:
    return error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKey
    return value
