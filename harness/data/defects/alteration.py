"""Change one value of a sentence that the transcript supports."""

from __future__ import annotations

from collections import Counter

from harness.data.defects.edit import Edit, Option, flaw
from harness.data.defects.rules import RULES
from harness.data.defects.severity import severity_of
from harness.data.defects.support import evidence_for, window_of
from harness.data.sentences import Sentence, outline
from harness.data.words import content_words
from harness.types import Aspect, Defect


def alterations(note: str, transcript: str, refused: Counter[str]) -> list[Option]:
    """Every alteration that the note allows, at most one per sentence and aspect; refusals are counted."""
    options = []
    for index, sentence in enumerate(outline(note).sentences):
        changes = [(aspect, change) for aspect, rule in RULES for change in rule(sentence.text)]
        if not changes:
            refused["alteration:no_alterable_value"] += 1
            continue
        evidence = evidence_for(sentence.stated, transcript)
        if not evidence:
            refused["alteration:not_supported_by_transcript"] += 1
            continue
        seen: set[Aspect] = set()
        for aspect, (start, end, new) in changes:
            altered = sentence.text[:start] + new + sentence.text[end:]
            reason = _unsound(sentence, altered, evidence, transcript)
            edit = Edit(sentence.start, sentence.end, altered)
            reason = reason or flaw(note, edit.apply(note))
            if reason:
                refused[f"alteration:{reason}"] += 1
            elif aspect not in seen:
                seen.add(aspect)
                options.append(Option(edit.apply(note), _defect(sentence, altered, aspect, evidence), index))
    return options


def _unsound(sentence: Sentence, altered: str, evidence: str, transcript: str) -> str | None:
    """Why an alteration may not be a defect: the new wording is in the evidence, or the old one is not."""
    said = window_of(evidence, transcript)
    new = content_words(altered) - content_words(sentence.text)
    if new and new <= said:
        return "alteration_supported"
    old = {word for word in content_words(sentence.text) - content_words(altered) if word.isdigit()}
    if old and not old <= said:
        return "old_value_not_in_evidence"
    return None


def _defect(sentence: Sentence, altered: str, aspect: Aspect, evidence: str) -> Defect:
    return Defect(
        kind="alteration",
        fact_text=sentence.stated,
        aspect=aspect,
        severity=severity_of(sentence.stated, sentence.section),
        evidence=evidence,
        before=sentence.text,
        after=altered,
    )
