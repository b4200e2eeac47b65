"""The one seam between the lab and a language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from harness.outcomes import Usage

Effort = Literal["none", "minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for, before an endpoint's own settings are applied.

    None means "as the model configuration says". ``schema`` is a JSON schema for the reply
    (sent as structured output where the endpoint supports it). ``replicate`` separates
    repeats that are otherwise equal, in the cache and nowhere on the wire; ``stage`` names the
    step of a judge that asks ("" = its judging call), for routing and accounting, and is not sent either.
    """

    messages: tuple[Message, ...]
    replicate: int = 0
    seed: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    effort: Effort | None = None
    schema: Mapping[str, Any] | None = None
    logprobs: int | None = None
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. ``finish`` is the protocol's finish reason, ``sent`` the body that really went out.

    ``logprobs`` is the protocol's ``choices[0].logprobs.content`` (empty where none was asked or given).
    """

    text: str
    finish: str
    usage: Usage
    model: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    logprobs: tuple[Mapping[str, Any], ...] = ()
    simulated: bool = False

    @property
    def truncated(self) -> bool:
        """True where the token cap cut the reply."""
        return self.finish == "length"


class Client(Protocol):
    """Anything that answers requests. Raises a ``ModelError`` or ``BudgetExhausted``."""

    def send(self, request: Request) -> Reply:
        """Return the reply to one request; safe to call from many threads."""


@dataclass(frozen=True, slots=True)
class FakeClient:
    """The shipped fake: answers from a function, records nothing, sends nothing."""

    answer: Callable[[Request], str]
    finish: str = "stop"

    def send(self, request: Request) -> Reply:
        """Return ``answer(request)`` as a reply with one call of usage."""
        text = self.answer(request)
        prompt = sum(len(m.content) for m in request.messages) // 4
        usage = Usage(calls=1, bought=1, prompt_tokens=prompt, completion_tokens=len(text) // 4)
        return Reply(text=text, finish=self.finish, usage=usage, simulated=True)


@dataclass(frozen=True, slots=True)
class StageRouter:
    """Sends each request to the client of its stage; stages without one of their own go to ``default``."""

    default: Client
    by_stage: Mapping[str, Client]

    def send(self, request: Request) -> Reply:
        """Return the reply of the stage's client."""
        return self.by_stage.get(request.stage, self.default).send(request)
