"""Every audited fact as one closed question, read as the log-odds of present against absent.

One call for each fact of each note: that is the design. A verdict on a list says which word won,
a closed question about one fact also says by how much, so notes seldom tie and the operating
point moves freely. The note stands before the fact, so that all questions about one note share
the longest prefix, which a server or provider with a prefix cache then reads once.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from harness.config import JudgeConfig
from harness.judges.asking import Asker, judging_terms
from harness.judges.base import Form, Kind, Sample, Scale
from harness.judges.checking import CHECK
from harness.judges.envelope import compose, layout_digest
from harness.judges.facts import FactFinder, fact_blocks, facts_digest
from harness.judges.keyed import choice_entry
from harness.judges.logprobs import LIMIT, TOP, read_log_odds
from harness.judges.parse import Unreadable, Verdict, parse_object
from harness.judges.weighing import ABSENT, weighted_mean
from harness.llm.client import Client, Reply
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Fact, Note, digest

KEY, PRESENT = "verdict", "present"
LABELS = ("NOTE", "FACT")
ROOM = 256  # completion tokens; the answer takes about ten
REPEATS = 5
APART = 100  # added to the sample's number for each repeat; samples count below it, retries from 500
NOTICE = f"No logprobs from the endpoint: the odds are shares of {REPEATS} repeated verdicts, coarser and dearer."
WORDS = choice_entry(PRESENT, ABSENT)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lean:
    """One answer: the word, and by how many nats it leans to present where the endpoint says so."""

    present: bool
    odds: float | None = None


def read_word(text: str) -> Lean | Unreadable:
    """Read ``{"verdict": "present" | "absent"}``."""
    raw = parse_object(text)
    if isinstance(raw, Unreadable):
        return raw
    word = WORDS.read(raw[KEY]) if KEY in raw else Unreadable("missing-key")
    return word if isinstance(word, Unreadable) else Lean(word == PRESENT)


def read_lean(reply: Reply) -> Lean | Unreadable:
    """The word of a reply, with its log-odds where the reply has logprobs; unusable ones are ``no-logprobs``."""
    lean = FORM.read(reply.text)
    if isinstance(lean, Unreadable) or not reply.logprobs:
        return lean
    odds = read_log_odds(reply.logprobs, KEY, PRESENT, ABSENT)
    return Unreadable("no-logprobs") if odds is None else replace(lean, odds=odds)


FORM = Form(
    name="closed",
    text=f'Reply with one JSON object and nothing else. It has exactly one key:\n- "{KEY}": {WORDS.words}\n',
    schema={"type": "object", "properties": {KEY: WORDS.schema}, "required": [KEY], "additionalProperties": False},
    read=read_word,
)


@dataclass(slots=True)
class Notice:
    """Something that is logged once, however many threads come upon it."""

    given: bool = False
    lock: Lock = field(default_factory=Lock)

    def give(self) -> None:
        """Log it, the first time."""
        with self.lock:
            if not self.given:
                log.warning(NOTICE)
            self.given = True


@dataclass(frozen=True, slots=True)
class LogOdds:
    """Score = sum(weight * log-odds) / sum(weight), in [-10, 10] nats; above 0 leans to present.

    Flags a note iff the log-odds of a critical fact are below 0. The rulings are the facts below 0.
    Without logprobs every question is asked 5 times in all: the odds are then (present + 1/2) / (absent + 1/2).
    """

    config: JudgeConfig
    candidate: Candidate
    client: Client
    finder: FactFinder
    notice: Notice = field(default_factory=Notice)

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One question for each fact, in turn, so that all but the first meet a warm prefix."""
        found = self.finder.find(consultation, note)
        if isinstance(found.reading, Unreadable):
            return found.read_as(found.reading)
        sofar: Sample[float] = found.read_as(0.0)
        odds: list[float] = []
        for fact in found.reading:
            sofar = self._odds(fact, note, replicate, index).after(sofar)
            if isinstance(sofar.reading, Unreadable):
                return sofar.read_as(sofar.reading)
            odds.append(sofar.reading)
        return sofar.read_as(_verdict(found.reading, odds, self.config))

    def _odds(self, fact: Fact, note: Note, replicate: int, index: int) -> Sample[float]:
        parts = tuple(zip(LABELS, (note.text, fact.text), strict=True))
        messages = compose(parts, self.candidate.block(CHECK), FORM.text)
        terms = replace(judging_terms(self.config, CHECK, ROOM), logprobs=TOP)
        asker = Asker(terms, FORM, self.client, read_lean)
        first = asker.ask(messages, replicate, index)
        if isinstance(first.reading, Unreadable):
            return first.read_as(first.reading)
        if first.reading.odds is not None:
            return first.read_as(first.reading.odds)
        self.notice.give()
        last, present = first, int(first.reading.present)
        for repeat in range(1, REPEATS):
            last = asker.ask(messages, replicate, index + repeat * APART).after(last)
            if isinstance(last.reading, Unreadable):
                return last.read_as(last.reading)
            present += last.reading.present
        smoothed = math.log((present + 0.5) / (REPEATS - present + 0.5))
        return replace(last.read_as(smoothed), text=f"{NOTICE}\n{last.text}")


def _verdict(facts: Sequence[Fact], odds: Sequence[float], config: JudgeConfig) -> Verdict | Unreadable:
    score = weighted_mean(facts, odds, config.weights)
    if isinstance(score, Unreadable):
        return score
    below = [fact for fact, value in zip(facts, odds, strict=True) if value < 0]
    return Verdict(
        score,
        missing=tuple(fact.text for fact in below),
        rulings=tuple(Ruling(fact, ABSENT) for fact in below),
        flag=any(fact.severity == "critical" for fact in below),
    )


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> LogOdds:
    return LogOdds(config, candidate, client, FactFinder(config, candidate, client, audited=True))


def _fixed(config: JudgeConfig) -> str:
    own = [layout_digest(LABELS, FORM.text), FORM.schema if config.structured else None]
    return digest([facts_digest(config, audited=True), own])


KIND = Kind(blocks=(*fact_blocks(audited=True), CHECK), scale=Scale(-LIMIT, LIMIT, None), fixed=_fixed, make=_make)
