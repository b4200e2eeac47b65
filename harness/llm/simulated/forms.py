"""The form of answer that is wanted: the request's JSON schema, else what the contract text says in words.

A contract names one key a line (``- "key": what stands there``). What stands there is read for the
words it quotes (a choice), for "a list of", for numbers "from .. to ..", for "true or false", and
for "an object with" keys of its own; "one entry for each" makes an object keyed by the listed ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

_LINE = re.compile(r"^[-*] \"(\w+)\":[ \t]*((?:.+\n?)(?:(?![-*] \").+\n?)*)", re.MULTILINE)
_QUOTED = re.compile(r"\"(\w+)\"")
_ENTRY = re.compile(r"\b(?:every|each) entry is\b(.*)", re.DOTALL | re.IGNORECASE)
_LIST = re.compile(r"\s*(?:an? |the )?(?:list|array)\b", re.IGNORECASE)
_OBJECTS = re.compile(r"\bobjects?\b[^\"]*\bwith\b(.*)", re.DOTALL | re.IGNORECASE)
_RANGE = re.compile(r"\bfrom (\d+)\D*? to (\d+)", re.IGNORECASE)
_FLAG = re.compile(r"\btrue\b[^\"]*\bfalse\b|\bboolean\b", re.IGNORECASE)
WORDS = frozenset([
    "present", "absent", "displaced", "full", "partial", "no", "yes", "missing", "supported", "unsupported",
    "critical", "supporting", "peripheral", "pass", "fail", "true", "false", "none",
    "complaint", "history", "medication", "findings", "assessment", "plan",
])  # fmt: skip


def wanted_form(schema: Mapping[str, Any], contract: str) -> Mapping[str, Any]:
    """The schema of the reply; empty where neither the request nor the contract says what it is.

    >>> wanted_form({}, '- "verdict": "PASS" or "FAIL"')["properties"]
    {'verdict': {'type': 'string', 'enum': ['PASS', 'FAIL']}}
    """
    return schema or _in_words(contract)


def members(form: Mapping[str, Any], keys: Iterable[str]) -> Mapping[str, Any]:
    """The named members of an object; where its keys are left open, one for each of ``keys``."""
    named: Mapping[str, Any] = form.get("properties") or {}
    each = form.get("additionalProperties")
    return named or (dict.fromkeys(keys, each) if isinstance(each, Mapping) else {})


def listed(form: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """Name and members' form of the list that a reply consists of; None where it is something else."""
    named: Mapping[str, Any] = form.get("properties") or {}
    only = next(iter(named.items())) if len(named) == 1 else None
    return (only[0], only[1].get("items", {})) if only and only[1].get("type") == "array" else None


@lru_cache(maxsize=256)
def _in_words(contract: str) -> Mapping[str, Any]:
    named = {key: _described(text) for key, text in _LINE.findall(contract)}
    return {"type": "object", "properties": named} if named else {}


def _described(text: str) -> Mapping[str, Any]:
    keyed = _ENTRY.search(text)
    if keyed:
        return {"type": "object", "additionalProperties": _described(keyed[1])}
    inner = _OBJECTS.search(text)
    whole: Mapping[str, Any] = {"type": "object", "properties": _keys(inner[1])} if inner else {}
    if _LIST.match(text):
        return {"type": "array", "items": whole or {"type": "string"}}
    return whole or _single(text, _QUOTED.findall(text))


def _keys(text: str) -> dict[str, Mapping[str, Any]]:
    """The keys that a description of an object quotes, each with what follows it; quoted ``WORDS`` are choices."""
    quoted = [m for m in _QUOTED.finditer(text) if m[1].lower() not in WORDS]
    ends = [*(m.start() for m in quoted[1:]), len(text)]
    parts = ((m[1], text[m.end() : end]) for m, end in zip(quoted, ends, strict=True))
    return {key: _single(part, _QUOTED.findall(part)) for key, part in parts}


def _single(text: str, quoted: list[str]) -> Mapping[str, Any]:
    bounds = _RANGE.search(text)
    if quoted:
        return {"type": "string", "enum": list(dict.fromkeys(quoted))}
    if bounds:
        return {"type": "integer", "minimum": int(bounds[1]), "maximum": int(bounds[2])}
    return {"type": "boolean"} if _FLAG.search(text) else {"type": "string"}
