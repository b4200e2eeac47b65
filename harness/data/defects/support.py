"""Which part of a transcript supports a sentence of the note."""

from __future__ import annotations

from functools import lru_cache

from harness.data.words import content_words, overlap

SUPPORTED = 0.5
WINDOW = 3


def evidence_for(statement: str, transcript: str) -> str:
    """The transcript turn that supports a statement best, or "" where it is not supported.

    Supported: at least half of its content words stand within three turns in a row (a question, its
    answer and what follows). The turn returned is the one of them that shares most words.
    """
    wanted = content_words(statement)
    shares = [overlap(wanted, words) for words in _windows(transcript)]
    best = max(shares, default=0.0)
    if best < SUPPORTED:
        return ""
    turns, found = _turns(transcript), shares.index(best)
    return max(turns[found : found + WINDOW], key=lambda turn: len(wanted & turn[1]))[0]


def window_of(evidence: str, transcript: str) -> frozenset[str]:
    """Content words of the turn ``evidence`` with its neighbours on both sides."""
    turns = _turns(transcript)
    place = next((i for i, (turn, _) in enumerate(turns) if turn == evidence), 0)
    return frozenset().union(*(words for _, words in turns[max(0, place - 1) : place + WINDOW - 1]))


@lru_cache(maxsize=64)
def _turns(transcript: str) -> tuple[tuple[str, frozenset[str]], ...]:
    lines = [line for line in transcript.split("\n") if line.strip()]
    return tuple((line, content_words(line.partition(":")[2] or line)) for line in lines)


@lru_cache(maxsize=64)
def _windows(transcript: str) -> tuple[frozenset[str], ...]:
    turns = _turns(transcript)
    return tuple(
        frozenset().union(*(words for _, words in turns[start : start + WINDOW])) for start in range(len(turns))
    )
