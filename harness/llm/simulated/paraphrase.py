"""Reads more kindly than a first look: framing falls away, and lay wording meets its clinical term."""

from __future__ import annotations

import re
from functools import lru_cache

from harness.data.sentences import outline
from harness.llm.simulated.statements import Statement, said, written
from harness.llm.simulated.vocabulary import COMMON_WORDS

SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), wording)
    for pattern, wording in (
        (r"\b(?:remember|listen|now|so|well|right|hmm|um|uh|er|let me think|to be honest|i mean)\b,?", " "),
        (r"\bmy kids need me\b|\byou need\b|\b(?:it )?should happen\b|\bthat is\b|\bwithout trying\b", " "),
        (r"\bwhat (?:is|was) called\b|\bany\b|\bunable to\b|\bworking on\b|\bwe've got\b", " "),
        (r"\d+ (?:days|weeks|months|years), no, (?:hang on|sorry|more like),", " "),
        (r"\bloose crystals in the ear\b", "benign paroxysmal"),
        (r"\bvomit\w*,? (?:or |and |no |any )?blood\b|\bbring(?:s|ing)? up blood\b", "haematemesis"),
        (r"\b(?:los(?:e|es|ing|t) weight|weight (?:loss|falling|lost))\b", "weight loss"),
        (r"\bstop passing (?:water|urine)\b|\burinary retention\b|\bcannot pass urine\b", "anuria"),
        (r"\b(?:bad|severe) (?:tummy |abdominal )?cramps\b", "cramps"),
        (r"\b(?:pass )?(?:black|tarry) stools?\b", "melaena"),
        (r"\b(?:feel faint|faintness)\b", "faint"),
        (r"\b(?:arms? (?:and|or) legs?(?: are fine)?|limbs?)\b", "limb"),
        (r"\b(?:washing powder|fabric softener)\b", "detergent"),
        (r"\b(?:switched|changed)\b", "changed"),
        (r"\bbeforehand\b", "before"),
        (r"\blower back went\b|\blumbar pain\b", "lumbar pain"),
        (r"\b(?:tummy|stomach) bug, an?\b", " "),
        (r"\bheart monitor, the\b", " "),
        (r"\b(?:request|sort out|arrange)\b", "arrange"),
        (r"\b(?:feel(?:ing)? )?(?:keep yourself safe|unsafe)\b", "unsafe"),
        (r"\btight band across my chest\b", "chest tightness"),
        (r"\b(?:exert myself|push myself|exertional|exertion)\b", "exertion"),
        (r"\blasts? longer than (?:a quarter of an hour|\d+ minutes)\b", "prolonged"),
        (r"\brotator cuff problem, the tendon\b", "rotator cuff tendinopathy"),
        (r"\bskin reaction\b|\bharmless extra beats,|\bwear and tear,|\binner lining of the eye\b", " "),
        (r"\bswitch(?:ed)?\b", "changed"),
    )
)


def widen(text: str) -> str:
    """A text in the wording in which both sides are compared.

    >>> widen("Remember, if you lose weight").split()
    ['if', 'you', 'weight', 'loss']
    """
    for pattern, wording in SAME:
        text = pattern.sub(wording, text)
    return text


@lru_cache(maxsize=20_000)
def best_sentence(fact: str, note: str) -> tuple[str, float]:
    """The sentence of a note that says most of a fact in whatever words, and the share of it, in [0, 1]."""
    statement = next(iter(said(f"fact: {widen(fact)}") or written(widen(fact))), None)
    if statement is None:
        return "", 0.0
    shares = [(_share(statement, other), text) for text, other in _sentences(note)]
    share, text = max(shares, key=lambda found: found[0], default=(0.0, ""))
    return (text, share) if share else ("", 0.0)


@lru_cache(maxsize=1024)
def _sentences(note: str) -> tuple[tuple[str, Statement], ...]:
    stated = ((s.stated, next(iter(written(widen(s.stated))), None)) for s in outline(note).sentences)
    return tuple((text, statement) for text, statement in stated if statement)


def _share(statement: Statement, other: Statement) -> float:
    total = sum(map(_weight, statement.words))
    return sum(map(_weight, statement.words & other.words)) / total if total else 0.0


def _weight(word: str) -> float:
    return 0.5 if word[0].isdigit() or word in COMMON_WORDS else 1.5
