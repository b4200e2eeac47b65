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
_SECOND_PERSON = re.compile(r"\b[Yy]ou\b")


def additions(note: str, transcript: str, refused: Counter[str]) -> list[Option]:
    """Every statement of the bank that fits a section of the note; refusals are counted into ``refused``."""
    whole = outline(note)
    known = content_words(transcript) | content_words(note)
    last = {sentence.section: i for i, sentence in enumerate(whole.sentences)}
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
    # A note written to the patient ("You have ...") cannot say "The patient ...".
    short = whole.telegraphic or len(_SECOND_PERSON.findall(note)) > 1
    said = statement.telegraphic if short else statement.prose
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
