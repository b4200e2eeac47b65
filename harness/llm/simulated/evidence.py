"""Looks statements up: what the transcript establishes in the note, and what the note says in the transcript.

Evidence is in [0, 1]: 0 = fully found, 1 = not found at all or contradicted. It depends on the two
texts alone, so it is computed once per pair of texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.llm.simulated.statements import Statement, said, written

CLOSE = 0.34


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement with the evidence against the note.

    ``whole`` is about the statement, ``detail`` about its numbers and other load-bearing details.
    """

    statement: Statement
    whole: float
    detail: float


@dataclass(frozen=True, slots=True)
class Findings:
    """``lost``: transcript statements, most salient first; ``wrong``: note statements in order."""

    lost: tuple[Finding, ...]
    wrong: tuple[Finding, ...]


@lru_cache(maxsize=8192)
def compare(transcript: str, note: str) -> Findings:
    """All evidence about a note."""
    spoken, noted = said(transcript), written(note)
    heard = _Index(spoken)
    seen = _Index(noted)
    order = sorted(spoken, key=lambda s: -s.salience)
    return Findings(tuple(seen.missing(s) for s in order), tuple(heard.unsupported(s) for s in noted))


@lru_cache(maxsize=20_000)
def fact_evidence(fact: str, text: str) -> Finding:
    """How far a fact is missing from a text (a note, or a transcript)."""
    statements = said(f"fact: {fact}") or written(fact)
    if not statements:
        words = frozenset(fact.lower().split())
        gone = 0.0 if words <= frozenset(text.lower().split()) else 1.0
        return Finding(Statement(fact, words, frozenset(), frozenset(), False, 0.0), gone, 0.0)
    return _Index(written(text)).missing(statements[0])


class _Index:
    """Statements by word, with words weighted down where many statements use them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.uses = Counter(word for s in statements for word in s.words)
        self.by_word: dict[str, list[int]] = {}
        for place, statement in enumerate(statements):
            for word in statement.words:
                self.by_word.setdefault(word, []).append(place)

    def missing(self, statement: Statement) -> Finding:
        """Evidence that nothing here says the statement: all words that stand anywhere count as found."""
        total = sum(_weight(word) for word in statement.words)
        found = sum(_weight(word) for word in statement.words if word in self.uses)
        near = self._near(statement)
        values = set(statement.numbers)
        held = {n for s in near for n in s.numbers}
        gone = [n for n in values if n not in held] if near else []
        sides = _lacking(statement, near) if near else 0
        return Finding(statement, 1.0 - found / total, min(1.0, 0.7 * len(gone) + 0.4 * sides))

    def unsupported(self, statement: Statement) -> Finding:
        """Evidence that nothing here supports the statement, or that it is contradicted."""
        near = self._near(statement)
        best = max((self._share(statement, s) for s in near), default=0.0)
        known = self._known(statement)
        detail = self._conflict(statement, near[:3])
        return Finding(statement, 1.0 - 0.5 * best - 0.5 * known, detail)

    def _near(self, statement: Statement) -> list[Statement]:
        shared: Counter[int] = Counter()
        for word in statement.words:
            weight = 1.0 / (self.uses.get(word, 0) or 1)
            for place in self.by_word.get(word, ()):
                shared[place] += weight  # type: ignore[assignment]  # a Counter of shares, not counts
        return [self.statements[place] for place, _ in shared.most_common(4)]

    def _share(self, statement: Statement, other: Statement) -> float:
        total = sum(_weight(word) for word in statement.words)
        return sum(_weight(word) for word in statement.words & other.words) / total

    def _known(self, statement: Statement) -> float:
        total = sum(_weight(word) for word in statement.words)
        return sum(_weight(word) for word in statement.words if word in self.uses) / total

    def _conflict(self, statement: Statement, near: Sequence[Statement]) -> float:
        if not near or self._share(statement, near[0]) < CLOSE:
            return 0.0
        held = {n for s in near for n in s.numbers}
        numbers = [0.9 if n not in self.uses else 0.5 for n in statement.numbers if n not in held]
        clash = 0.8 * _clashes(statement, near)
        turned = 0.8 if statement.denied != near[0].denied and len(statement.words & near[0].words) >= 2 else 0.0
        return min(1.0, max([*numbers, clash, turned], default=0.0))


def _lacking(statement: Statement, near: Iterable[Statement]) -> int:
    held = {detail for s in near for detail in s.details}
    return sum(1 for detail in statement.details if detail not in held)


def _clashes(statement: Statement, near: Sequence[Statement]) -> bool:
    held = {detail for s in near for detail in s.details}
    classes = {name for name, _ in held}
    return any(detail not in held and detail[0] in classes for detail in statement.details)


def _weight(word: str) -> float:
    return 1.5 if word[0].isdigit() else 1.0
