"""Check a planted defect from the texts alone.

Reads the two notes and the strings of the defect, and nothing that the generator knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from harness.data.synthetic.terms import numbers, sentences, terms
from harness.types import Aspect, Defect, Pair

HEADING_WORDS = 4  # a heading may leave with the only sentence under it
SURVIVING_SHARE = 1 / 3  # of a fact's terms, in other sentences, before the fact counts as present
_SPAN = re.compile(
    r"\d+(?:/\d+|-? ?(?:hour|day|week|month|year)s?)|\b\d+\b|\b(?:sun|mon|tues|wednes|thurs|fri|satur)day\b", re.I
)
_NEGATION = re.compile(r"\b(?:no|nil|not|denie[sd]|negative|without|absent|normal|clear|never)\b", re.I)
_HEDGE = re.compile(
    r"\b(?:likely|probabl[ey]|possibl[ey]|suspected|query|confirmed|definite|established|certain(?:ly)?|proven)\b", re.I
)
_SIDE = re.compile(r"\b(?:left|right|l|r|bilateral)\b", re.I)


def verify_pair(pair: Pair) -> tuple[str, ...]:
    """Complaints about a pair; empty where the planted defect is what it claims to be."""
    defect = pair.defect
    clean, flawed = pair.clean.text, pair.flawed.text
    complaints = [*_reads(clean, "clean note"), *_reads(flawed, "flawed note"), *_one_edit(clean, flawed, defect)]
    if defect.kind == "omission":
        complaints += _omission(clean, flawed, defect)
    elif defect.kind == "addition":
        complaints += _addition(clean, defect)
    else:
        complaints += _alteration(clean, defect)
    return tuple(complaints)


def _reads(text: str, name: str) -> list[str]:
    """Marks of a note that an edit has left in pieces."""
    faults = {
        "a double blank": r"  ",
        "an outer or trailing blank": r"\A\s|[ \t]$|\s\Z",
        "blank lines in a row": r"\n\n\n",
        "a heading without text": r":[ \t]*(?:\n\n|\Z)",
        "an empty list item": r"^-[ \t]*$",
        "a blank before punctuation": r" [.,;]",
        "doubled punctuation": r"[.,;][.,;]",
        "an unfilled template": r"[\[\]{}<>|]",
    }
    return [f"the {name} has {fault}" for fault, pattern in faults.items() if re.search(pattern, text, re.M)]


def _one_edit(clean: str, flawed: str, defect: Defect) -> list[str]:
    """The notes differ in one stretch, and that stretch is the defect's before and after."""
    a, b = clean.split(), flawed.split()
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    gone, new = len(a) - start - end, len(b) - start - end
    complaints = []
    if defect.before not in clean or (defect.after and defect.after not in flawed):
        complaints.append("before or after is not in its note")
    if gone > len(defect.before.split()) + HEADING_WORDS or new > len(defect.after.split()) + HEADING_WORDS:
        complaints.append("the notes differ in more than the edit")
    return complaints


def _omission(clean: str, flawed: str, defect: Defect) -> list[str]:
    missing = [text for text in defect.surviving if text not in flawed]
    if missing:
        return [f"surviving text is not in the flawed note: {missing[0]!r}"]
    wanted = terms(defect.before) | terms(defect.fact_text)
    if not terms(defect.before):
        return ["the omitted wording has no content"]
    if defect.trace == "complete":
        return _complete(flawed, wanted, defect)
    if not defect.surviving:
        return [f"a {defect.trace} without surviving text"]
    if defect.trace == "fragment":
        return _fragment(flawed, defect)
    return _restated(clean, defect)


def _complete(flawed: str, wanted: frozenset[str], defect: Defect) -> list[str]:
    """Nothing of the fact is left: no number, and few of its words, never two in one sentence."""
    left = wanted & terms(flawed)
    complaints = ["text survives a complete omission"] if defect.surviving or defect.after else []
    if numbers(left):
        complaints.append(f"numbers survive a complete omission: {sorted(numbers(left))}")
    if len(left) > SURVIVING_SHARE * len(wanted):
        complaints.append(f"words survive a complete omission: {sorted(left)}")
    if any(len(wanted & terms(text)) > 1 for text in sentences(flawed)):
        complaints.append("two words of a complete omission share a sentence")
    return complaints


def _fragment(flawed: str, defect: Defect) -> list[str]:
    """Part of the fact is left where it stood, and the rest is nowhere."""
    kept, lost = terms(defect.after), terms(defect.before) - terms(defect.after)
    complaints = [] if kept & terms(defect.before) else ["a fragment that keeps nothing"]
    if not lost:
        complaints.append("a fragment that loses nothing")
    if lost & terms(flawed):
        complaints.append(f"the lost detail survives elsewhere: {sorted(lost & terms(flawed))}")
    return complaints


def _restated(clean: str, defect: Defect) -> list[str]:
    """The fact is gone from its place and still stated elsewhere, numbers included."""
    elsewhere = frozenset[str]().union(*(terms(text) for text in defect.surviving))
    complaints = (
        [] if all(text in clean for text in defect.surviving) else ["the second mention is not in the clean note"]
    )
    fact = terms(defect.fact_text)
    if 2 * len(fact & elsewhere) < len(fact):
        complaints.append("the second mention does not state the fact")
    if numbers(fact) - elsewhere:
        complaints.append("the second mention lacks the fact's numbers")
    return complaints


def _addition(clean: str, defect: Defect) -> list[str]:
    new = terms(defect.after) - terms(clean)
    complaints = [] if not defect.before and defect.after else ["an addition needs new text and nothing else"]
    if defect.fact_text in clean or 2 * len(new) < len(terms(defect.after)) or not new:
        complaints.append("the added statement is in the clean note already")
    return complaints


def _alteration(clean: str, defect: Defect) -> list[str]:
    if not defect.before or not defect.after or defect.aspect is None:
        return ["an alteration needs a before, an after and an aspect"]
    if defect.after in clean:
        return ["the altered statement is in the clean note already"]
    old, new = terms(defect.before), terms(defect.after)
    if not _DIFFERS[defect.aspect](defect.before, defect.after):
        return [f"the edit does not change the {defect.aspect}"]
    if defect.aspect not in ("certainty", "negation") and not old & new:
        return ["nothing of the statement is left beside the alteration"]
    return []


def _by(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda before, after: pattern.findall(before.lower()) != pattern.findall(after.lower())


_DIFFERS: dict[Aspect, Callable[[str, str], bool]] = {
    "dose": lambda before, after: numbers(terms(before)) != numbers(terms(after)),
    "laterality": _by(_SIDE),
    "negation": lambda before, after: bool(_NEGATION.search(before)) != bool(_NEGATION.search(after)),
    "timing": _by(_SPAN),
    "certainty": _by(_HEDGE),
    "subject": lambda before, after: terms(before) != terms(after),
    "value": lambda before, after: numbers(terms(before)) != numbers(terms(after)),
}
