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
from harness.llm.simulated.vocabulary import COMMON_WORDS

CLOSE = 0.34
USUAL = 0.29  # mean evidence of a note in a plain manner
HEARD = 1.8  # salience below which a statement is small talk


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
    """``lost``: transcript statements, most salient first; ``wrong``: note statements in order.

    ``strange`` says, for each of the two, how much further the note's wording is from the
    transcript than is usual (0 = no further): a reader gets used to a manner of writing.
    """

    lost: tuple[Finding, ...]
    wrong: tuple[Finding, ...]
    strange: tuple[float, float]


@lru_cache(maxsize=8192)
def compare(transcript: str, note: str) -> Findings:
    """All evidence about a note."""
    spoken, noted = said(transcript), written(note)
    heard = _Index(spoken)
    seen = _Index(noted)
    order = sorted((s for s in spoken if s.salience >= HEARD), key=lambda s: -s.salience)
    lost = tuple(seen.missing(s) for s in order)
    wrong = tuple(heard.unsupported(s) for s in noted)
    return Findings(lost, wrong, (_strange(lost), _strange(wrong)))


def compare_listed(facts: Sequence[str], transcript: str, note: str) -> Findings:
    """All evidence about a note where a list says what it should hold; without a transcript nothing is unsupported."""
    found = sorted((fact_evidence(fact, note) for fact in facts), key=lambda f: -f.statement.salience)
    rest = compare(transcript, note) if transcript else Findings((), (), (0.0, 0.0))
    return Findings(tuple(found), rest.wrong, rest.strange)


@lru_cache(maxsize=20_000)
def fact_evidence(fact: str, text: str) -> Finding:
    """How far a fact is missing from a text (a note, or a transcript)."""
    statement = _stated(fact)
    if statement is None:
        words = frozenset(fact.lower().split())
        gone = 0.0 if words <= frozenset(text.lower().split()) else 1.0
        return Finding(Statement(fact, words, frozenset(), frozenset(), frozenset(), False, 0.0), gone, 0.0)
    return _index(text).missing(statement)


@lru_cache(maxsize=20_000)
def claim_evidence(claim: str, transcript: str) -> Finding:
    """How far a transcript fails to support a claim."""
    statements = written(claim)
    if not statements:
        return fact_evidence(claim, transcript)
    return _heard(transcript).unsupported(statements[0])


@lru_cache(maxsize=20_000)
def nearest(fact: str, text: str) -> tuple[str, float]:
    """The sentence of a text that shares most with a fact, and the share in [0, 1]; "" and 0 where none does."""
    statement = _stated(fact)
    return _index(text).nearest(statement) if statement else ("", 0.0)


@lru_cache(maxsize=20_000)
def echo(fact: str, text: str) -> float:
    """How much of a fact a second sentence says once more, in [0, 1]."""
    statement = _stated(fact)
    shares = sorted(share for share, _ in _index(text).shares(statement)) if statement else []
    return shares[-2] if len(shares) > 1 else 0.0


def _stated(fact: str) -> Statement | None:
    return next(iter(said(f"fact: {fact}") or written(fact)), None)


@lru_cache(maxsize=512)
def _index(text: str) -> _Index:
    return _Index(written(text))


@lru_cache(maxsize=512)
def _heard(transcript: str) -> _Index:
    return _Index(said(transcript))


class _Index:
    """Statements by word, with words weighted down where many statements use them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.uses = Counter(word for s in statements for word in s.words | s.asked)
        self.details = {detail for s in statements for detail in s.details}
        self.by_word: dict[str, list[int]] = {}
        for place, statement in enumerate(statements):
            for word in statement.words | statement.asked:
                self.by_word.setdefault(word, []).append(place)

    def missing(self, statement: Statement) -> Finding:
        """Evidence that nothing here says the statement: all words that stand anywhere count as found."""
        gap = 1.0 - self._known(statement.words or statement.asked)
        if statement.asked:
            gap = min(gap, 1.0 - self._known(statement.asked))
        near = self._near(statement)
        held = {n for s in near for n in s.numbers}
        gone = sum(1 for n in statement.numbers if n not in held) if near else 0
        spans = {detail for detail in statement.details if detail[0].endswith(" of")}
        gone += len(spans - self.details)
        sides = _lacking(statement, near) if near else 0
        return Finding(statement, gap, min(1.0, 0.9 * gone + min(0.5, 0.35 * sides)))

    def unsupported(self, statement: Statement) -> Finding:
        """Evidence that nothing here supports the statement, or that it is contradicted."""
        near = self._near(statement)
        best = max((self._share(statement, s) for s in near), default=0.0)
        known = self._known(statement.words)
        detail = self._conflict(statement, near[:3])
        return Finding(statement, 1.0 - 0.5 * best - 0.5 * known, detail)

    def nearest(self, statement: Statement) -> tuple[str, float]:
        """The statement here that shares most of this one's words, with the share."""
        share, text = max(self.shares(statement), key=lambda found: found[0], default=(0.0, ""))
        return text, share

    def shares(self, statement: Statement) -> list[tuple[float, str]]:
        """The share of this statement's words, and the text, of the statements here that are nearest to it."""
        return [(self._share(statement, s), s.text) for s in self._near(statement)]

    def _near(self, statement: Statement) -> list[Statement]:
        shared: Counter[int] = Counter()
        for word in statement.words:
            weight = 1.0 / (self.uses.get(word, 0) or 1)
            for place in self.by_word.get(word, ()):
                shared[place] += weight  # type: ignore[assignment]  # a Counter of shares, not counts
        return [self.statements[place] for place, _ in shared.most_common(4)]

    def _share(self, statement: Statement, other: Statement) -> float:
        if not statement.words:
            return 0.0
        total = sum(_weight(word) for word in statement.words)
        return sum(_weight(word) for word in statement.words & (other.words | other.asked)) / total

    def _known(self, words: frozenset[str]) -> float:
        total = sum(_weight(word) for word in words)
        return sum(_weight(word) for word in words if word in self.uses) / total

    def _conflict(self, statement: Statement, near: Sequence[Statement]) -> float:
        if not near or self._share(statement, near[0]) < CLOSE:
            return 0.0
        held = {n for s in near for n in s.numbers}
        numbers = [0.9 if n not in self.uses else 0.5 for n in statement.numbers if n not in held]
        clash = 0.8 * _clashes(statement, near)
        alike = [s for s in near if self._share(statement, s) >= CLOSE]
        turned = 0.0
        if all(s.denied != statement.denied for s in alike):
            turned = 0.8 if statement.denied or alike[0].asked else 0.4
        return min(1.0, max([*numbers, clash, turned], default=0.0))


def _lacking(statement: Statement, near: Iterable[Statement]) -> int:
    held = {detail for s in near for detail in s.details}
    return sum(1 for detail in statement.details if detail not in held)


def _clashes(statement: Statement, near: Sequence[Statement]) -> bool:
    held = {detail for s in near for detail in s.details}
    agreed = {name for name, value in statement.details if (name, value) in held}
    return any(name not in agreed and name in {other for other, _ in held} for name, _ in statement.details)


def _strange(findings: Sequence[Finding]) -> float:
    mean = sum(f.whole for f in findings) / len(findings) if findings else 0.0
    return max(0.0, mean - USUAL)


def _weight(word: str) -> float:
    """Words that stand in every note say little about whether one statement does."""
    return 0.5 if word[0].isdigit() or word in COMMON_WORDS else 1.5
