"""Puts an opinion, and what the listed items came to, into the form that the output contract asks for.

The form is read from the JSON schema of the request where there is one, else from the contract text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness.llm.simulated.entries import write_entry
from harness.llm.simulated.forms import members
from harness.llm.simulated.judging import Opinion
from harness.llm.simulated.lookup import Reader
from harness.llm.simulated.ratings import fault_word, rating
from harness.llm.simulated.writing import Choice, Text, between

_KEY = re.compile(r"\"(\w+)\"")
_LOST = re.compile(r"omi|missing|left|lost|gap", re.IGNORECASE)
_WRONG = re.compile(r"unsupp|wrong|hallucin|invent|contradict|commission|error", re.IGNORECASE)
_BAD = re.compile(r"issue|problem|fault|defect|flaw|flagged", re.IGNORECASE)
PASS_MARK, WIDTH = 7.0, 0.8


@dataclass(frozen=True, slots=True)
class Asked:
    """What must be filled in: the opinion on the note, the listed items, and the eye that looks them up."""

    opinion: Opinion
    items: Mapping[str, str]
    reader: Reader
    contract: str


def write_answer(form: Mapping[str, Any], asked: Asked) -> Text:
    """The reply text."""
    if not form:
        keys = _keys(asked)
        if not keys:
            return Text().write(_closed(asked.opinion, _words(asked.contract)))
        form = {"type": "object", "properties": {key: _guess(key, asked) for key in keys}}
    if asked.reader.material.single and len(asked.items) == 1:
        return Text().value(write_entry(next(iter(asked.items.values())), form, asked.reader))
    return Text().value(_fill("", form, asked if not _lists_nothing(form, asked) else _silent(asked)))


def _lists_nothing(form: Mapping[str, Any], asked: Asked) -> bool:
    """True where a good verdict must stand beside empty lists."""
    for name, member in form.get("properties", {}).items():
        options = set(member.get("enum", ()))
        if name == "verdict" and {"PASS", "FAIL"} <= options:
            return fault_word(asked.opinion, "FAIL", "PASS").word == "PASS"
        if _BAD.search(name) and {"YES", "NO"} <= options:
            return fault_word(asked.opinion, "YES", "NO").word == "NO"
    return False


def _silent(asked: Asked) -> Asked:
    return replace(asked, opinion=replace(asked.opinion, omissions=(), unsupported=()))


def _keys(asked: Asked) -> list[str]:
    known = ("PASS", "FAIL", "YES", "NO", "present", "absent", "partial", "full", "true", "false")
    return [
        name for name in dict.fromkeys(_KEY.findall(asked.contract)) if name not in known and name not in asked.items
    ]


def _guess(name: str, asked: Asked) -> Mapping[str, Any]:
    """The form of a key known by its name alone."""
    if name in ("verdicts", "facts", "answers") and asked.items:
        words = [w for w in ("present", "full", "partial", "absent") if w in asked.contract]
        each = {"type": "string", "enum": words or ["present", "absent"]}
        return {"type": "object", "properties": dict.fromkeys(asked.items, each)}
    if _LOST.search(name) or _WRONG.search(name):
        return {"type": "array", "items": {"type": "string"}}
    if name == "verdict":
        return {"type": "string", "enum": list(_words(asked.contract))}
    if name in ("reason", "reasoning", "rationale", "explanation"):
        return {"type": "string"}
    return {"type": "integer", "minimum": 0, "maximum": 10}


def _words(contract: str) -> tuple[str, str]:
    return ("NO", "YES") if re.search(r"\bYES\b", contract) else ("FAIL", "PASS")


def _fill(name: str, form: Mapping[str, Any], asked: Asked) -> Any:
    kind = form.get("type")
    options = form.get("enum")
    if name in asked.items:
        return write_entry(asked.items[name], form, asked.reader)
    if kind == "object":
        return {key: _fill(key, member, asked) for key, member in members(form, asked.items).items()}
    if options and _BAD.search(name) and {"YES", "NO"} <= set(options):
        return fault_word(asked.opinion, "YES", "NO")
    if options:
        return _closed(asked.opinion, tuple(str(option) for option in options))
    if kind == "array":
        return _listed(name, form, asked.opinion)
    if kind in ("integer", "number"):
        return rating(name, form, asked.opinion)
    if kind == "boolean":
        return between("false", "true", asked.opinion.points, PASS_MARK, WIDTH)
    return "Read against the transcript, statement by statement."


def _listed(name: str, form: Mapping[str, Any], opinion: Opinion) -> list[str]:
    found = opinion.unsupported if _WRONG.search(name) else opinion.omissions if _LOST.search(name) else ()
    width = form.get("items", {}).get("maxLength", 200)
    return [text[:width] for text in found[: form.get("maxItems", 12)]]


def _closed(opinion: Opinion, options: tuple[str, ...]) -> Choice:
    """Good or bad in the contract's two words; a pass stands beside empty lists only."""
    good = next((o for o in options if o.upper() in ("PASS", "YES", "TRUE", "CONSISTENT", "OK")), options[-1])
    bad = next((o for o in options if o != good), good)
    return fault_word(opinion, bad, good)
