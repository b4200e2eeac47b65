"""A model that answers any judge in the form it asks for, so that one suite serves the whole family."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.llm.client import Message, Reply, Request
from harness.outcomes import Usage

Messages = tuple[Message, ...]


def fill(schema: Mapping[str, Any]) -> Any:
    """The smallest value of a schema that finds fault: the last word of a choice, a list of one, a middling number."""
    kind = schema.get("type")
    if "enum" in schema:
        words = [word for word in schema["enum"] if word != "unsupported"]
        return words[-1]
    if kind == "object":
        return {key: fill(member) for key, member in schema["properties"].items()}
    if kind == "array":
        return [fill(schema["items"])]
    if kind == "integer":
        return (schema["minimum"] + schema["maximum"]) // 2
    return False if kind == "boolean" else "the dose"


@dataclass
class Answering:
    """Answers by the schema of the request, and keeps what it was asked.

    A request without a schema is answered as the same messages were with one: ``known`` holds those
    answers. ``spoil`` may replace an answer: it gets the request and how many came before it, and
    returns a text, a Reply, an exception to raise, or None for the good answer.
    """

    spoil: Callable[[Request, int], str | Reply | Exception | None] = lambda _request, _count: None
    known: dict[Messages, str] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)
    given: list[Reply] = field(default_factory=list)

    def send(self, request: Request) -> Reply:
        """The answer, or what ``spoil`` makes of it."""
        self.asked.append(request)
        other = self.spoil(request, len(self.asked) - 1)
        if isinstance(other, Exception):
            raise other
        reply = other if isinstance(other, Reply) else reply_of(request, self.good(request) if other is None else other)
        self.given.append(reply)
        return reply

    def good(self, request: Request) -> str:
        """A readable answer."""
        if request.schema is not None:
            self.known[request.messages] = json.dumps(fill(request.schema))
        return self.known[request.messages]


def reply_of(request: Request, text: str, finish: str = "stop") -> Reply:
    """A reply with a little usage, and with logprobs where they were asked for."""
    prompt = sum(len(message.content) for message in request.messages) // 4
    usage = Usage(calls=1, bought=1, prompt_tokens=prompt, completion_tokens=len(text) // 4)
    tokens = () if request.logprobs is None else logprobs_of(text)
    return Reply(text=text, finish=finish, usage=usage, logprobs=tokens, simulated=True)


def logprobs_of(text: str) -> tuple[Mapping[str, Any], ...]:
    """Words and what stands between them as tokens, each rather certain, with one alternative that says nothing."""

    def ranked(word: str) -> list[dict[str, Any]]:
        return [{"token": word, "logprob": -0.1}, {"token": "~", "logprob": -2.4}]

    return tuple(ranked(word)[0] | {"top_logprobs": ranked(word)} for word in re.findall(r"\w+|\W+", text))
