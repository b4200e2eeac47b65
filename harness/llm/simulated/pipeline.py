"""The simulated extractor and auditor: the stages of a pipeline that see the transcript only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.llm.simulated.attention import REACH
from harness.llm.simulated.chance import Noise
from harness.llm.simulated.evidence import fact_evidence
from harness.llm.simulated.judging import GRAVE, ORDINARY
from harness.llm.simulated.reading import Material
from harness.llm.simulated.statements import Statement, said
from harness.llm.simulated.writing import Choice, Text

TALK = 2.0  # salience below which a statement is small talk
SPAN = 30
UNHEARD = 0.75


def write_facts(material: Material, schema: Mapping[str, Any], effort: str, noise: Noise) -> Text:
    """Extract facts: the salient statements in the order in which they were said."""
    spoken = said(material.transcript)
    told = [s for s in spoken if s.salience + 0.5 * noise.about(s.text) >= TALK]
    kept = sorted(told, key=lambda s: -s.salience)[: round(SPAN * REACH[effort])]
    chosen = [s for s in spoken if s in kept]
    name, item = _array(schema)
    facts = [_fact(number, s, item) for number, s in enumerate(chosen, start=1)]
    return Text().value({name: facts})


def write_audit(material: Material, schema: Mapping[str, Any], noise: Noise) -> Text:
    """Audit listed facts against the transcript and grade them."""
    verdicts = {key: _audited(text, material.transcript, noise) for key, text in material.facts}
    name = next(iter(schema.get("properties", {})), "verdicts")
    keyed = schema.get("properties", {}).get(name, {})
    item: Any = keyed.get("additionalProperties") or next(iter(keyed.get("properties", {}).values()), {})
    if isinstance(item, Mapping) and item.get("type") == "string":
        return Text().value({name: {key: _worded(both, item) for key, both in verdicts.items()}})
    full = {key: {"verdict": both[0], "severity": both[1]} for key, both in verdicts.items()}
    return Text().value({name: full})


def severity_of(statement: Statement) -> str:
    """How grave a statement is, by its salience."""
    salience = statement.salience
    return "critical" if salience >= GRAVE else "supporting" if salience >= ORDINARY else "peripheral"


def _array(schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    for name, member in schema.get("properties", {}).items():
        if member.get("type") == "array":
            return name, member.get("items", {})
    return "facts", {}


def _fact(number: int, statement: Statement, item: Mapping[str, Any]) -> Any:
    if item.get("type") == "string":
        return statement.text
    values = {
        "id": f"f{number}",
        "text": statement.text,
        "evidence": statement.text,
        "severity": severity_of(statement),
    }
    names = item.get("properties") or values
    return {name: values.get(name, values["text"]) for name in names}


def _audited(text: str, transcript: str, noise: Noise) -> tuple[str, str]:
    finding = fact_evidence(text, transcript)
    heard = finding.whole + 0.1 * noise.about(text) < UNHEARD
    return ("supported" if heard else "unsupported", severity_of(finding.statement))


def _worded(both: tuple[str, str], item: Mapping[str, Any]) -> Choice | str:
    options = [str(option) for option in item.get("enum", ())]
    return next((word for word in both if word in options), both[0])
