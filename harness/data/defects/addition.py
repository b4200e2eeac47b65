"""Add one plausible statement that neither transcript nor note supports."""

from __future__ import annotations

import re
from collections import Counter

from harness.data.defects.bank import BANK, Statement
from harness.data.defects.edit import Edit, Option, flaw
from harness.data.defects.severity import severity_of
from harness.data.sentences import Outline, Sentence, outline
from harness.data.words import content_words, overlap
from harness.types import Defect

KNOWN = 2 / 3
_CHILD = re.compile(r"\b(?:\d{1,2}[- ](?:month|week)s?|(?:\d|1[0-5])[- ]years?)[- ]old\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:[Tt]he patient|[Hh]e|[Ss]he|[Ww]e)\b")
_PROSE_WORDS = 5
_CLOSING = re.compile(r"patient agreements?", re.IGNORECASE)
_LISTS = ("past", "drugs", "allergy", "family")
_NOTHING = re.compile(
    r"(?:nil|none|no|not on any|as above|noncontributory|(?:she|he|the patient) denies needing)"
    r"(?:,? (?:of note|sig\w*|regular|reported|known|else|otherwise|drug|allerg\w+|medications?|meds))*\.?",
    re.IGNORECASE,
)


def additions(note: str, transcript: str, refused: Counter[str]) -> list[Option]:
    """Every statement of the bank that fits a section of the note; refusals are counted into ``refused``."""
    whole = outline(note)
    known = content_words(transcript) | content_words(note)
    last = {s.section: i for i, s in enumerate(whole.sentences) if not _CLOSING.match(s.label)}
    child = bool(_CHILD.search(note))
    options = []
    for statement in BANK:
        reason = None
        if statement.section not in last:
            reason = "no_such_section"
        elif child and statement.adult:
            reason = "not_for_a_child"
        elif _supported(statement, known):
            reason = "addition_supported"
        elif statement.section in _LISTS and _NOTHING.fullmatch(whole.sentences[last[statement.section]].text):
            reason = "section_says_nil"
        if reason is None:
            place = last[statement.section]
            result = _option(note, whole, place, statement)
            if isinstance(result, Option):
                options.append(result)
                continue
            reason = result
        refused[f"addition:{reason}"] += 1
    return options


def _supported(statement: Statement, known: frozenset[str]) -> bool:
    keys = content_words(" ".join(statement.keys))
    return bool(keys & known) or overlap(content_words(statement.prose), known) >= KNOWN


def _option(note: str, whole: Outline, place: int, statement: Statement) -> Option | str:
    sentence = whole.sentences[place]
    said = statement.telegraphic if _terse(note, whole, statement) else statement.prose
    edit = _insertion(note, whole, sentence, said)
    flawed = edit.apply(note)
    reason = flaw(note, flawed)
    if reason:
        return reason
    after = edit.text[edit.text.index(said.rstrip(".")) :]
    defect = Defect(
        kind="addition", fact_text=said, severity=severity_of(said, statement.section), before="", after=after
    )
    return Option(flawed, defect, place)


def _terse(note: str, whole: Outline, statement: Statement) -> bool:
    """True where the section is written in catchwords, or the note never speaks of "the patient" or "we"."""
    lengths = sorted(len(s.text.split()) for s in whole.sentences if s.section == statement.section)
    return lengths[len(lengths) // 2] < _PROSE_WORDS or not _THIRD_PERSON.search(note)


def _insertion(note: str, whole: Outline, sentence: Sentence, words: str) -> Edit:
    """Insert after the section's last sentence, in the manner of its line: as sentence, bullet or next number."""
    line = whole.lines[sentence.line]
    if not sentence.alone or (sentence.text.endswith(".") and len(sentence.text.split()) > 6 and not line.number):
        stop = "" if sentence.text.endswith((".", "?", "!")) else "."
        return Edit(sentence.end, sentence.end, f"{stop} {words.rstrip('.')}.")
    opening = note[line.start : line.end]
    bullet = re.match(r"\s*(?:[•*–-]\s*)?", opening)
    lead = bullet.group() if bullet else ""
    if line.number:
        lead = re.sub(
            r"\d+", str(int(line.number) + 1), opening[: len(opening) - len(opening.lstrip(" (0123456789.)\t"))]
        )
    body = words.rstrip(".") + ("." if sentence.text.endswith(".") else "")
    return Edit(line.end, line.end, f"\n{lead}{body}")
