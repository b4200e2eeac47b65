"""The stages that prepare a judgement: lists of facts, questions or claims, and the audit of listed facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.llm.client import Effort
from harness.llm.simulated.attention import COMFORT, REACH
from harness.llm.simulated.chance import Noise, cut_for
from harness.llm.simulated.cues import Cues
from harness.llm.simulated.evidence import fact_evidence
from harness.llm.simulated.judging import GRAVE, ORDINARY
from harness.llm.simulated.reading import Material
from harness.llm.simulated.sections import section_of
from harness.llm.simulated.statements import Statement, said, written
from harness.llm.simulated.writing import Choice, Text

TALK = 2.0  # salience below which a statement is small talk
SPAN = {"facts": 30, "questions": 16}  # statements that a list holds without effort
LEAST = 0.7  # share of the span that an instruction which names no way of working gets
UNHEARD = 0.75
GRADED = 2.5  # salience that a grader who was told how to grade adds to what treatment and safety hang on
_WEIGHTY = re.compile(
    r"\d ?(?:mg|mcg|micrograms?|ml)\b|allerg\w*|\b(?:brought on|caused|causes|gave me)\b|\burgent\w*|\b999\b|"
    r"\bfor (?:about |maybe |roughly |the last )?\w+ (?:days|weeks|months)\b|"
    r"\b(?:my (?:feeling|impression)|to my mind|dealing with|putting it together|diagnos\w+|i think (?:this|it))\b|"
    r"\bno\b[^.]{0,30}\b(?:blood|weakness|numb\w*|thoughts|breathless\w*|pain|slurr\w*|incontinence)",
    re.IGNORECASE,
)
MISSED, _MISSED = 0.03, 8  # chance that a statement of the note is left out of its claims, and the salt of that draw
ASKING = "Does the note say that "


@dataclass(frozen=True, slots=True)
class Wanted:
    """A list that is asked for: its key, the form of its entries, and what sets how well it is made."""

    name: str
    item: Mapping[str, Any]
    cues: Cues
    effort: Effort

    @property
    def kind(self) -> str:
        """``questions``, ``claims`` or ``facts``."""
        word = self.name.lower()
        return "questions" if word.startswith("quest") else "claims" if word.startswith(("claim", "state")) else "facts"


def write_list(material: Material, wanted: Wanted, noise: Noise) -> Text:
    """The wanted list: of the note's claims where there is only a note, else of what the transcript establishes."""
    if material.note and not material.transcript:
        stated = written(material.note)
        chosen: Sequence[Statement] = [s for s in stated if noise.about(s.text, _MISSED) > cut_for(MISSED)] or stated
    else:
        chosen = _salient(material.transcript, wanted, noise)
    rows = [_row(number, s, wanted) for number, s in enumerate(chosen, start=1)]
    return Text().value({wanted.name: rows})


def write_audit(material: Material, form: Mapping[str, Any], cues: Cues, noise: Noise) -> Text:
    """Audit listed facts against the transcript and grade them."""
    skill = GRADED if "severity" in cues else 0.0
    verdicts = {key: _audited(text, material.transcript, skill, noise) for key, text in material.items.items()}
    name = next(iter(form.get("properties", {})), "verdicts")
    keyed = form.get("properties", {}).get(name, {})
    item: Any = keyed.get("additionalProperties") or next(iter(keyed.get("properties", {}).values()), {})
    if isinstance(item, Mapping) and item.get("type") == "string":
        return Text().value({name: {key: _worded(both, item) for key, both in verdicts.items()}})
    full = {key: {"verdict": both[0], "severity": both[1]} for key, both in verdicts.items()}
    return Text().value({name: full})


def severity_of(statement: Statement, skill: float = 0.0) -> str:
    """How grave a statement is, by its salience; ``skill`` is added for what treatment and safety hang on."""
    salience = statement.salience + skill * bool(_WEIGHTY.search(statement.text))
    return "critical" if salience >= GRAVE else "supporting" if salience >= ORDINARY else "peripheral"


def _salient(transcript: str, wanted: Wanted, noise: Noise) -> list[Statement]:
    """The salient statements in the order in which they were said."""
    spoken = said(transcript)
    told = [s for s in spoken if s.salience + 0.5 * noise.about(s.text) >= TALK]
    kept = sorted(told, key=lambda s: -s.salience)[: _span(wanted)]
    return [s for s in spoken if s in kept]


def _span(wanted: Wanted) -> int:
    """How many statements are listed: an instruction that names a way of working gets more than a bare one."""
    named = sum(concept in wanted.cues for concept in ("enumerate", "details", "whole", "closed"))
    skill = LEAST + (1 - LEAST) * min(1.0, named / 2)
    dilution: float = min(1.0, (COMFORT / max(wanted.cues.length, 1)) ** 0.7)
    return round(SPAN.get(wanted.kind, SPAN["facts"]) * skill * dilution * REACH[wanted.effort])


def _row(number: int, statement: Statement, wanted: Wanted) -> Any:
    text = statement.text
    if wanted.kind == "questions":
        text = f"{ASKING}{text.rstrip('.!? ')}?"
    if wanted.item.get("type") == "string":
        return text
    values = {
        "id": f"{wanted.kind[0]}{number}",
        "text": text,
        "evidence": statement.text,
        "severity": severity_of(statement),
    }
    names = wanted.item.get("properties") or values
    return {name: section_of(statement) if name == "section" else values.get(name, text) for name in names}


def _audited(text: str, transcript: str, skill: float, noise: Noise) -> tuple[str, str]:
    finding = fact_evidence(text, transcript)
    heard = finding.whole + 0.1 * noise.about(text) < UNHEARD
    return ("supported" if heard else "unsupported", severity_of(finding.statement, skill))


def _worded(both: tuple[str, str], item: Mapping[str, Any]) -> Choice | str:
    options = [str(option) for option in item.get("enum", ())]
    return next((word for word in both if word in options), both[0])
