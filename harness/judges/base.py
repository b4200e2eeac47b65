"""What every judge of the family is, and what a member has to bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from harness.config import JudgeConfig
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client
from harness.outcomes import Failure, Judgement, Outcome, Usage
from harness.types import Candidate, Consultation, Note

ReadingT = TypeVar("ReadingT")
OtherT = TypeVar("OtherT")


class Judge(Protocol):
    """Scores one note of one consultation; never raises for an unreadable reply, returns a Failure.

    Budget and configuration errors do propagate: they concern the campaign, not the note.
    """

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """Return a Judgement (higher score = better note) or a Failure; thread-safe."""


@dataclass(frozen=True, slots=True)
class Form(Generic[ReadingT]):
    """One form of answer: in words (they stand in the prompt), as a JSON schema, and how it is read."""

    name: str
    text: str
    schema: Mapping[str, Any]
    read: Callable[[str], ReadingT | Unreadable]


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a judge's scores, higher = better note.

    A sample is flagged iff its score is below ``pass_mark`` (None: the judge has no rule of its
    own); where ``votes`` is true the samples are votes, and half of them flagged flags the note.
    """

    low: float
    high: float
    pass_mark: float | None
    votes: bool = False


@dataclass(frozen=True, slots=True)
class Sample(Generic[ReadingT]):
    """What one sample, or one stage of it, came to.

    ``usage`` is the sum over all calls, ``text`` the last reply, or the one that could not be read.
    """

    reading: ReadingT | Unreadable
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    simulated: bool = False

    def after(self, *earlier: Sample[Any]) -> Sample[ReadingT]:
        """This sample with the usage of the stages before it."""
        usage, simulated = self.usage, self.simulated
        for stage in earlier:
            usage, simulated = stage.usage + usage, stage.simulated or simulated
        return Sample(self.reading, self.text, usage, simulated)

    def read_as(self, reading: OtherT | Unreadable) -> Sample[OtherT]:
        """The same calls with another reading."""
        return Sample(reading, self.text, self.usage, self.simulated)


class Sampler(Protocol):
    """One member of the family: how a note is judged once."""

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """Sample number ``index`` of a judgement; thread-safe, and the same requests for the same arguments."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One member of the family, as the registry in ``build.py`` holds it.

    ``blocks`` names the evolvable blocks, which are also the names of its stages; ``fixed`` gives
    the digest of all prompt text around the blocks; ``make`` builds the member from a checked candidate.
    """

    blocks: tuple[str, ...]
    scale: Scale
    fixed: Callable[[JudgeConfig], str]
    make: Callable[[JudgeConfig, Candidate, Client], Sampler]


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
