"""One call of a stage: a request, its reply, and the one retry that an unreadable reply gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from harness.config import JudgeConfig, StageConfig
from harness.errors import CallFailed
from harness.judges.base import Form, ReadingT, Sample
from harness.judges.parse import Unreadable
from harness.llm.client import Client, Effort, Message, Reply, Request
from harness.outcomes import Usage
from harness.types import digest

TRIES = 2
# Repeats of one prompt differ in the cache by number: samples count from 0, retries from RETRY.
STRIDE = 1000
RETRY = 500
CAP_NAMES = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, slots=True)
class Terms:
    """How a stage asks. ``stage`` is "" for the one call of a single-call judge."""

    seed: int
    structured: bool
    temperature: float | None = None
    max_tokens: int | None = None
    effort: Effort | None = None
    stage: str = ""
    logprobs: int | None = None


def judging_terms(config: JudgeConfig, stage: str = "", room: int | None = None) -> Terms:
    """Terms of a stage that sees a note: the stage's settings, else the judge's.

    ``room`` is the token cap that the stage's answer needs where neither sets one.
    """
    own = config.stages.get(stage, StageConfig())
    return Terms(
        seed=config.seed,
        structured=config.structured,
        temperature=config.temperature if own.temperature is None else own.temperature,
        max_tokens=own.max_tokens or config.max_tokens or room,
        effort=own.effort or config.effort,
        stage=stage,
    )


def preparing_terms(config: JudgeConfig, stage: str, room: int) -> Terms:
    """Terms of a stage that sees a transcript only: the stage's settings, else the model's.

    The judge's effort and temperature leave it alone, so a ladder of efforts finds it in the cache.
    """
    own = config.stages.get(stage, StageConfig())
    return Terms(
        seed=config.seed,
        structured=config.structured,
        temperature=own.temperature,
        max_tokens=own.max_tokens or room,
        effort=own.effort,
        stage=stage,
    )


@dataclass(frozen=True, slots=True)
class Asker(Generic[ReadingT]):
    """Asks for one form of answer. ``read_reply`` reads more of a reply than its text, e.g. logprobs."""

    terms: Terms
    form: Form[ReadingT]
    client: Client
    read_reply: Callable[[Reply], ReadingT | Unreadable] | None = None

    def ask(self, messages: tuple[Message, ...], replicate: int, sample: int) -> Sample[ReadingT]:
        """Buy one sample. An unreadable reply is asked for once more with a new seed, a truncated one
        also with twice the token cap; a call that failed for good is not repeated, the client did that.

        Raises what concerns more than this sample: ``BudgetExhausted`` and every ``ModelError``
        but ``CallFailed``.
        """
        request = self._request(messages)
        sofar: Sample[ReadingT] = Sample(Unreadable("empty"))
        for attempt in range(TRIES):
            try:
                reply = self.client.send(self._numbered(request, replicate, sample, attempt))
            except CallFailed:
                lost = Usage(calls=1, bought=1)
                return replace(sofar, reading=Unreadable("call-failed"), usage=sofar.usage + lost)
            reading = self._read(reply)
            sofar = Sample(reading, reply.text, sofar.usage + reply.usage, reply.simulated)
            if not isinstance(reading, Unreadable):
                break
            if reading.reason == "truncated":
                request = replace(request, max_tokens=_doubled_cap(request, reply))
        return sofar

    def _request(self, messages: tuple[Message, ...]) -> Request:
        terms = self.terms
        return Request(
            messages=messages,
            temperature=terms.temperature,
            max_tokens=terms.max_tokens,
            effort=terms.effort,
            schema=self.form.schema if terms.structured else None,
            logprobs=terms.logprobs,
            stage=terms.stage,
        )

    def _numbered(self, request: Request, replicate: int, sample: int, attempt: int) -> Request:
        number = replicate * STRIDE + sample + attempt * RETRY
        return replace(request, replicate=number, seed=call_seed(self.terms.seed, replicate, sample, attempt))

    def _read(self, reply: Reply) -> ReadingT | Unreadable:
        if reply.truncated:  # even where an object is complete: what followed it is unknown
            return Unreadable("truncated")
        if reply.finish == "content_filter":
            return Unreadable("refusal")
        return self.form.read(reply.text) if self.read_reply is None else self.read_reply(reply)


def call_seed(base: int, replicate: int, sample: int, attempt: int) -> int:
    """The seed of one call, 0 <= seed < 2**31 (the range that every server takes).

    It depends on neither candidate nor note: a child and its parent get the same seeds, so that
    luck which they share cancels in the comparison.
    """
    return int(digest([base, replicate, sample, attempt])[:8], 16) % 2**31


def _doubled_cap(request: Request, reply: Reply) -> int:
    """Twice the cap that was in force: asked for, else sent by the model's settings, else what was used."""
    sent = next((reply.sent[name] for name in CAP_NAMES if reply.sent.get(name)), None)
    return 2 * int(request.max_tokens or sent or max(1, reply.usage.completion_tokens))
