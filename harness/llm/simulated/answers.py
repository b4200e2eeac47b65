"""Puts an opinion into the form that the output contract asks for.

The form is read from the JSON schema of the request where there is one, else from the key names
that the contract text quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness.llm.simulated.judging import ABSENT, FULL, Opinion
from harness.llm.simulated.writing import Choice, Text, between

_KEY = re.compile(r"\"(\w+)\"")
_LOST = re.compile(r"omi|missing|left|lost|gap", re.IGNORECASE)
_WRONG = re.compile(r"unsupp|wrong|hallucin|invent|contradict|commission|error", re.IGNORECASE)
PASS_MARK, WIDTH = 7.0, 0.8
Verdict = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """What must be filled in: the opinion, the listed facts, and how a fact is looked up (evidence of absence)."""

    opinion: Opinion
    facts: Mapping[str, str]
    verdict: Verdict
    contract: str


def write_answer(schema: Mapping[str, Any], asked: Asked) -> Text:
    """The reply text."""
    if not schema:
        keys = _keys(asked)
        if not keys:
            return Text().write(_closed(asked.opinion, _words(asked.contract)))
        schema = {"type": "object", "properties": {key: _guess(key, asked) for key in keys}}
    passed = {"PASS", "FAIL"} <= set(schema.get("properties", {}).get("verdict", {}).get("enum", ()))
    if passed and asked.opinion.points >= PASS_MARK:
        asked = replace(asked, opinion=replace(asked.opinion, omissions=(), unsupported=()))
    return Text().value(_fill("", schema, asked))


def _keys(asked: Asked) -> list[str]:
    known = ("PASS", "FAIL", "YES", "NO", "present", "absent", "partial", "full", "true", "false")
    return [
        name for name in dict.fromkeys(_KEY.findall(asked.contract)) if name not in known and name not in asked.facts
    ]


def _guess(name: str, asked: Asked) -> Mapping[str, Any]:
    """A schema for a key known by its name alone."""
    if name in ("verdicts", "facts", "answers") and asked.facts:
        words = [w for w in ("present", "full", "partial", "absent") if w in asked.contract]
        each = {"type": "string", "enum": words or ["present", "absent"]}
        return {"type": "object", "properties": dict.fromkeys(asked.facts, each)}
    if _LOST.search(name) or _WRONG.search(name):
        return {"type": "array", "items": {"type": "string"}}
    if name == "verdict":
        return {"type": "string", "enum": list(_words(asked.contract))}
    if name in ("reason", "reasoning", "rationale", "explanation"):
        return {"type": "string"}
    return {"type": "integer", "minimum": 0, "maximum": 10}


def _words(contract: str) -> tuple[str, str]:
    return ("NO", "YES") if re.search(r"\bYES\b", contract) else ("FAIL", "PASS")


def _fill(name: str, schema: Mapping[str, Any], asked: Asked) -> Any:
    kind = schema.get("type")
    options = schema.get("enum")
    if name in asked.facts:
        return _on_fact(asked.facts[name], schema, asked)
    if kind == "object":
        members: Mapping[str, Any] = schema.get("properties") or _open_members(schema, asked)
        return {key: _fill(key, member, asked) for key, member in members.items()}
    if options:
        return _closed(asked.opinion, tuple(str(option) for option in options))
    if kind == "array":
        return _listed(name, schema, asked.opinion)
    if kind in ("integer", "number"):
        return _scaled(name, schema, asked.opinion)
    if kind == "boolean":
        return between("false", "true", asked.opinion.points, PASS_MARK, WIDTH)
    return "Read against the transcript, statement by statement."


def _open_members(schema: Mapping[str, Any], asked: Asked) -> Mapping[str, Any]:
    """The members of an object whose keys are left open: one for each listed fact."""
    each = schema.get("additionalProperties")
    return dict.fromkeys(asked.facts, each) if isinstance(each, Mapping) else {}


def _listed(name: str, schema: Mapping[str, Any], opinion: Opinion) -> list[str]:
    found = opinion.unsupported if _WRONG.search(name) else opinion.omissions if _LOST.search(name) else ()
    width = schema.get("items", {}).get("maxLength", 200)
    return [text[:width] for text in found[: schema.get("maxItems", 12)]]


def _scaled(name: str, schema: Mapping[str, Any], opinion: Opinion) -> int:
    low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 10))
    return round(low + (high - low) * opinion.points / 10)


def _closed(opinion: Opinion, options: tuple[str, ...]) -> Choice:
    """Good or bad in the contract's two words; a pass stands beside empty lists only."""
    good = next((o for o in options if o.upper() in ("PASS", "YES", "TRUE", "CONSISTENT", "OK")), options[-1])
    bad = next((o for o in options if o != good), good)
    return between(bad, good, opinion.points, PASS_MARK, WIDTH)


def _on_fact(fact: str, schema: Mapping[str, Any], asked: Asked) -> Any:
    """The verdict on one fact: in words, as a boolean, or inside an object."""
    if schema.get("type") == "object":
        members: Mapping[str, Any] = schema.get("properties", {})
        return {key: _on_fact(fact, member, asked) for key, member in members.items()}
    absence = asked.verdict(fact)
    if schema.get("type") == "boolean":
        return between("false", "true", 1 - absence, 1 - ABSENT, 0.1)
    options = [str(option) for option in schema.get("enum", ())]
    if not options:
        return ""
    gone = next((o for o in options if o.lower() in ("absent", "missing", "no", "unsupported", "false")), options[-1])
    part = next((o for o in options if o.lower().startswith("part")), "")
    held = next((o for o in options if o not in (gone, part)), options[0])
    if part and FULL < absence < ABSENT:
        two = between(held, gone, absence, (FULL + ABSENT) / 2, 0.1).options
        return Choice(part, {part: 0.6, held: 0.4 * two[held], gone: 0.4 * two[gone]})
    return between(held, gone, absence, ABSENT, 0.1)
