"""One sample: a request, its reply, and the one retry that an unreadable reply gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.config import JudgeConfig
from harness.errors import CallFailed
from harness.judges.contracts import Contract
from harness.judges.parse import Unreadable, Verdict
from harness.llm.client import Client, Message, Reply, Request
from harness.types import Usage, digest

TRIES = 2
# Repeats of one prompt differ in the cache by number: samples count from 0, retries from RETRY.
STRIDE = 1000
RETRY = 500
CAP_NAMES = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one sample came to; ``usage`` is the sum over its tries, ``text`` the last reply."""

    reading: Verdict | Unreadable
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks under one contract with one judge configuration."""

    config: JudgeConfig
    contract: Contract
    client: Client

    def ask(self, messages: tuple[Message, ...], replicate: int, sample: int) -> Sample:
        """Buy one sample. An unreadable reply is asked for once more with a new seed, a truncated one
        also with twice the token cap; a call that failed for good is not repeated, the client did that.

        Raises what concerns more than this sample: ``BudgetExhausted`` and every ``ModelError``
        but ``CallFailed``.
        """
        request = self._request(messages)
        sofar = Sample(Unreadable("empty"))
        for attempt in range(TRIES):
            try:
                reply = self.client.send(self._numbered(request, replicate, sample, attempt))
            except CallFailed:
                lost = Usage(calls=1, bought=1)
                return replace(sofar, reading=Unreadable("call-failed"), usage=sofar.usage + lost)
            reading = self._read(reply)
            sofar = Sample(reading, reply.text, sofar.usage + reply.usage, reply.simulated)
            if isinstance(reading, Verdict):
                break
            if reading.reason == "truncated":
                request = replace(request, max_tokens=_doubled_cap(request, reply))
        return sofar

    def _request(self, messages: tuple[Message, ...]) -> Request:
        config = self.config
        schema: Mapping[str, Any] | None = self.contract.schema if config.structured else None
        return Request(
            messages=messages,
            temperature=config.temperature,
            max_tokens=config.max_tokens,
            effort=config.effort,
            schema=schema,
        )

    def _numbered(self, request: Request, replicate: int, sample: int, attempt: int) -> Request:
        number = replicate * STRIDE + sample + attempt * RETRY
        return replace(request, replicate=number, seed=call_seed(self.config.seed, replicate, sample, attempt))

    def _read(self, reply: Reply) -> Verdict | Unreadable:
        if reply.truncated:  # even where an object is complete: what followed it is unknown
            return Unreadable("truncated")
        if reply.finish == "content_filter":
            return Unreadable("refusal")
        return self.contract.read(reply.text)


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
