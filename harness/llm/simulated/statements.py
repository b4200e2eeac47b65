"""Transcript and note -> statements: content words, polarity, details and clinical salience, from the text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from harness.data.words import content_words
from harness.llm.simulated.vocabulary import ALIASES, CLASS_OF, GRAVE_WORDS, SHORTHAND, TALK

_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?")
_NEGATED = re.compile(
    r"\b(?:no|nil|not|never|none|neither|nor|without|den(?:y|ies|ied|ying)|negative|absent|nothing|"
    r"haven't|hasn't|don't|doesn't|didn't|isn't|aren't|wasn't|can't|nope|nkda)\b",
    re.IGNORECASE,
)
_SHORT_ANSWER = re.compile(r"\s*(?:no|nope|yes|yeah|yep|never|not|none|nothing|sometimes|a bit|occasionally)\b", re.I)
_TURN = re.compile(r"^\s*([A-Za-z][A-Za-z _.-]{0,24}?)\s*:\s*(.+)$")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+|(?<=\s)[-•*]\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said or written.

    ``words`` are content words and numbers, ``numbers`` the numbers among them, ``details`` are
    (class, value) of the exclusive details, ``denied`` is True where it is negated;
    ``salience`` >= 0 says how much a clinician would care.
    """

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    details: frozenset[tuple[str, str]]
    denied: bool
    salience: float


@lru_cache(maxsize=1024)
def said(transcript: str) -> tuple[Statement, ...]:
    """The statements of a transcript; a short answer takes over the words of its question."""
    found: list[Statement] = []
    question = ""
    for line in transcript.splitlines():
        turn = _TURN.match(line)
        speaker, text = (turn[1].lower(), turn[2]) if turn else ("patient", line)
        clinician = speaker != "patient"
        for part in _SENTENCE.split(text):
            if part.rstrip().endswith("?"):
                question = part
                continue
            statement = _statement(part, _context(part, question, clinician))
            if len(statement.words) >= 2:
                found.append(statement)
        if not clinician:
            question = ""
    return tuple(found)


@lru_cache(maxsize=8192)
def written(note: str) -> tuple[Statement, ...]:
    """The statements of a note: its lines cut at sentence ends, headings and single words left out."""
    parts = (part for line in note.splitlines() for part in _SENTENCE.split(line))
    return tuple(s for s in (_statement(part, "") for part in parts) if len(s.words) >= 2)


@lru_cache(maxsize=20_000)
def _statement(text: str, context: str) -> Statement:
    plain = _plain(text)
    words = content_words(f"{_plain(context)} {plain}") - TALK
    numbers = frozenset(word for word in words if word[0].isdigit())
    details = frozenset(
        (CLASS_OF[name], name) for raw in _WORDS.findall(plain.lower()) if (name := _known(raw)) in CLASS_OF
    )
    salience = (
        sum(2.0 for word in words if word in GRAVE_WORDS) + 1.0 * len(numbers) + 0.7 * len(details) + 0.3 * len(words)
    )
    return Statement(text.strip(), words, numbers, details, bool(_NEGATED.search(plain)), salience)


def _known(word: str) -> str:
    name = ALIASES.get(word, word)
    return name if name in CLASS_OF else name.removesuffix("s")


def _context(part: str, question: str, clinician: bool) -> str:
    if clinician or not question:
        return ""
    brief = len(part.split()) <= 4 or _SHORT_ANSWER.match(part)
    return question if brief else ""


def _plain(text: str) -> str:
    for pattern, wording in SHORTHAND:
        text = pattern.sub(wording, text)
    return text
