"""Texts as signed content words: stems and numbers, each with a minus sign where it is denied.

A fact, an answer and a sentence of a note then compare as sets: "No fever" and "denies any fever"
share a word, "fever" and "no fever" share none. Words are compared, not meanings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from harness.data.sentences import outline
from harness.data.words import content_words

_CLAUSE = re.compile(r"[.;!?\n]+(?!\d)|\b(?:but|though|however)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|nil|not|nor|never|none|nothing|nope|neither|without|den(?:y|ies|ied|ying)|negative|absent|nkda|"
    r"\w+n['’]t)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"\s*(?P<speaker>[A-Za-z]+)\s*:\s*(?P<said>.*)")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+")
SHORT, LEAST = 3, 2  # words of an answer that leans on its question at most, and of a statement at least


@dataclass(frozen=True, slots=True)
class Statement:
    """Something said in a consultation, with the question where it answers one, and its signed words."""

    text: str
    words: frozenset[str]


@lru_cache(maxsize=50_000)
def signed_words(text: str) -> frozenset[str]:
    """The content words of a text. In each clause those after a denial are signed, or those before one that ends it.

    >>> sorted(signed_words("Cough for 3/7, no fever. Rash: denied."))
    ['-fever', '-rash', '3', 'cough', 'day']
    """
    found: set[str] = set()
    for clause in _CLAUSE.split(text):
        denial = _DENIES.search(clause)
        cut = denial.start() if denial else len(clause)
        before, after = content_words(clause[:cut]), content_words(_DENIES.sub(" ", clause[cut:]))
        found |= before if after or not denial else _denied(before)
        found |= _denied(after)
    return frozenset(found)


@lru_cache(maxsize=1024)
def statements(transcript: str) -> tuple[Statement, ...]:
    """What is said in a transcript, taken by rule: every sentence that is no question and has two content words.

    A patient's answer of at most three content words takes over those of the question before it, all
    of them signed where the answer denies.
    """
    found: list[Statement] = []
    question = ""
    for line in transcript.splitlines():
        turn = _TURN.fullmatch(line)
        patient = turn is None or turn["speaker"].lower() == "patient"
        for said in _SENTENCE.split(turn["said"] if turn else line):
            if said.rstrip().endswith("?"):
                question = question if patient else said
                continue
            statement = _statement(said, question if patient else "")
            if len(statement.words) >= LEAST:
                found.append(statement)
        question = "" if patient else question
    return tuple(found)


@lru_cache(maxsize=4096)
def sentences(note: str) -> tuple[frozenset[str], ...]:
    """The signed words of each sentence of a note."""
    return tuple(signed_words(sentence.stated) for sentence in outline(note).sentences)


def _statement(said: str, question: str) -> Statement:
    words = signed_words(said)
    if not question or len(words) > SHORT:
        return Statement(said, words)
    asked = content_words(question)
    return Statement(f"{question} {said}", words | (_denied(asked) if _DENIES.search(said) else asked))


def _denied(words: frozenset[str]) -> frozenset[str]:
    return frozenset(f"-{word}" for word in words)
