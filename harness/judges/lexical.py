"""Coverage by words alone, without a model: the free floor that every paid judge must beat.

It cannot read: a fact in other words counts as lost, and one that is only named in passing counts as found.
Words that are taken out of a note can only lower its score, so paired discrimination flatters it; over different
notes its scores hardly compare, as the AUC beside it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.data.words import overlap
from harness.judges.base import Kind, Sample, Scale
from harness.judges.facts import given_facts
from harness.judges.parse import Unreadable, Verdict
from harness.judges.weighing import ABSENT, weighted_mean
from harness.judges.wording import Statement, sentences, signed_words, statements
from harness.llm.client import Client
from harness.outcomes import Ruling
from harness.types import Candidate, Consultation, Fact, Note, digest

FOUND = 0.5  # share of a fact's words below which it is called absent


@dataclass(frozen=True, slots=True)
class Lexical:
    """Score = mean over the facts, weighted by severity, of the share of a fact's words in the note; in [0, 1].

    The words of a fact (content words and numbers, each denied or not) are looked for in one sentence
    of the note at a time, and the best sentence counts. Facts are the given ones, or else all that is said in the
    transcript, every statement alike (graded "supporting"). The rulings are facts with less than half of their words.
    """

    config: JudgeConfig

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """The same for every replicate and index; no call is made."""
        facts, wanted = self._facts(consultation)
        written = sentences(note.text)
        shares = [max((overlap(words, sentence) for sentence in written), default=0.0) for words in wanted]
        score = weighted_mean(facts, shares, self.config.weights)
        if isinstance(score, Unreadable):
            return Sample(score)
        absent = [fact for fact, share in zip(facts, shares, strict=True) if share < FOUND]
        rulings = tuple(Ruling(fact, ABSENT) for fact in absent)
        return Sample(Verdict(score, tuple(fact.text for fact in absent), rulings=rulings))

    def _facts(self, consultation: Consultation) -> tuple[Sequence[Fact], Sequence[frozenset[str]]]:
        """The facts and the words of each; a fact without content words cannot be looked up and is left out."""
        if self.config.facts == "given":
            known = [(fact, signed_words(fact.text)) for fact in given_facts(consultation)]
        else:
            said = statements(consultation.transcript)
            known = [(_fact(number, one), one.words) for number, one in enumerate(said, start=1)]
        kept = [(fact, words) for fact, words in known if words]
        return [fact for fact, _ in kept], [words for _, words in kept]


def _fact(number: int, statement: Statement) -> Fact:
    return Fact(f"f{number}", statement.text, statement.text, "supporting")


def _make(config: JudgeConfig, _candidate: Candidate, _client: Client) -> Lexical:
    return Lexical(config)


def _fixed(_config: JudgeConfig) -> str:
    return digest("no prompt")


KIND = Kind(blocks=(), scale=Scale(0, 1, None), fixed=_fixed, make=_make)
