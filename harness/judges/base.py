"""What every judge of the family is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from harness.config import JudgeConfig
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Failure, Judgement, Note, Outcome, Usage


class Judge(Protocol):
    """Scores one note of one consultation; never raises for an unreadable reply, returns a Failure.

    Budget and configuration errors do propagate: they concern the campaign, not the note.
    """

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """Return a Judgement (higher score = better note) or a Failure; thread-safe."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One member of the family, as the registry in ``build.py`` holds it.

    ``blocks`` names the evolvable blocks; ``low`` and ``high`` bound the score; ``fixed`` gives
    the digest of all prompt text around the blocks; ``make`` builds the judge from a checked candidate.
    """

    blocks: tuple[str, ...]
    low: float
    high: float
    fixed: Callable[[JudgeConfig], str]
    make: Callable[[JudgeConfig, Candidate, Client], Judge]


@dataclass(frozen=True)
class FakeJudge:
    """The shipped fake: scores come from a function of (consultation, note, replicate); None is a Failure."""

    score: Callable[[Consultation, Note, int], float | None]
    candidate_id: str = "fake"
    usage: Usage = field(default_factory=lambda: Usage(calls=1, bought=1))

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """Return the function's score as a Judgement, or a Failure for None."""
        score = self.score(consultation, note, replicate)
        if score is None:
            return Failure(note.id, self.candidate_id, replicate, "fake", usage=self.usage, simulated=True)
        return Judgement(note.id, self.candidate_id, replicate, score, usage=self.usage, simulated=True)
