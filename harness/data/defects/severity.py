"""How much a statement matters, by its words and its place: rules, not a clinical opinion.

critical    red flags, medicines and doses, allergies, diagnoses, safety advice and treatment
supporting  findings, durations, past and family history: all that is not one of the other two
peripheral  home, work and habits, pleasantries and administration
"""

from __future__ import annotations

import re

from harness.data.sentences import Section
from harness.types import Severity

_CRITICAL = re.compile(
    r"\ballerg|\bnkda\b|anaphyla|\b\d+(?:\.\d+)?\s?(?:mg|mcg|micrograms?|ml|units?|puffs?|tablets?)\b|"
    r"\b(?:bd|od|tds|qds|prn)\b|suicid|self.?harm|homicid|chest pain|short(?:ness)? of breath|\bsob\b|haematuria|"
    r"h?a?emorrhage|bleeding|blood in|melaena|faint(?:ed|ing)|felt faint|syncop|collapse|seizure|stroke|"
    r"weakness|numbness|weight loss|neck stiffness|pregnan|cancer|\bca\b|sepsis|septic|infarct|heart attack|"
    r"\bmi\b|embol|fracture|tumou?r|emergency|a&e|\b999\b|\b911\b|urgent|red flag|safety.?net|worsen|"
    r"prescri|antibiotic|\babx\b|insulin|warfarin|steroid|surgery|"
    r"admit(?:ted)? (?:him|her|to (?:the )?hospital)|refer(?:red|ral)\b",
    re.IGNORECASE,
)
_PERIPHERAL = re.compile(
    r"\blives\b|\bworks?\b|\bjob\b|hobb|enjoy|travel|holiday|vacation|married|retired|student|pleasant|"
    r"confirmed name|\bdob\b|agrees|understands|happy with|questions|consent|thank",
    re.IGNORECASE,
)


def severity_of(statement: str, section: Section) -> Severity:
    """The severity of one statement of a note.

    >>> severity_of("Allergic to clindamycin", "past"), severity_of("Lives alone", "social")
    ('critical', 'peripheral')
    """
    if _CRITICAL.search(statement) or section in ("allergy", "drugs", "assessment"):
        return "critical"
    if _PERIPHERAL.search(statement) or section in ("social", "concerns"):
        return "peripheral"
    return "supporting"
