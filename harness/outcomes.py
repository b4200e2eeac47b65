"""What judging one note comes to: a scored judgement or a failure, with what it used."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.errors import DataError
from harness.types import Fact


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls consumed, in tokens, US dollars (None where no price is known) and seconds.

    ``calls`` counts logical requests; ``bought`` those that were really sent (a cached
    reply has calls 1, bought 0). ``cost`` is the price of the tokens whether bought now or before.
    """

    calls: int = 0
    bought: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    latency: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            calls=self.calls + other.calls,
            bought=self.bought + other.bought,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost=sum(costs) if costs else None,
            latency=self.latency + other.latency,
        )


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge that checks facts decided about one of them.

    ``verdict`` is a word of the judge's contract ("absent", "partial", "displaced", ...);
    ``quote`` is the note's wording that speaks for it ("" where the judge gives none).
    """

    fact: Fact
    verdict: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One scored result. ``score`` is on the judge's native scale, higher = better note.

    ``missing`` and ``wrong`` are what the judge named as left out or unsupported; ``rulings`` are
    the facts that a fact-checking judge did not find fully present (the first sample's);
    ``flagged`` is the judge's own rule (None where it has none); ``samples`` are the
    single scores behind an ensemble; ``parts`` are the values that a judge of several parts joins by a
    threshold of each (empty for other judges); ``text`` is the reply that was read (the first sample's).
    """

    note_id: str
    candidate_id: str
    replicate: int
    score: float
    flagged: bool | None = None
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    samples: tuple[float, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    parts: tuple[float, ...] = ()
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """An outcome without a score. ``reason`` is a short typed word, e.g. ``truncated``."""

    note_id: str
    candidate_id: str
    replicate: int
    reason: str
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    simulated: bool = False


Outcome = Judgement | Failure


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All outcomes of one candidate on one split; metrics are computed from it, never stored in it."""

    candidate_id: str
    split: str
    outcomes: tuple[Outcome, ...]

    def __post_init__(self) -> None:
        strangers = {o.candidate_id for o in self.outcomes} - {self.candidate_id}
        if strangers:
            tried = f"building the evaluation of {self.candidate_id}"
            raise DataError(tried, f"outcomes of {sorted(strangers)}", "Keep one candidate per evaluation.")
