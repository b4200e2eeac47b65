"""Faults on demand: what goes wrong between a model and its caller, by header or seeded by configuration.

A fault is written ``kind`` or ``kind:argument``, in the header ``x-judgelab-fault`` or as a key of
``Faults.rates``. Kinds and arguments are listed in ``KINDS``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.errors import ConfigError
from harness.llm.simulated.chance import stream
from harness.llm.simulated.replies import failed, unsupported

HEADER = "x-judgelab-fault"
KINDS: Mapping[str, str] = {
    "rate_limit": "status 429 with Retry-After; argument: its seconds, default 0",
    "server_error": "status 500",
    "timeout": "status 504, as from a gateway that gave up",
    "reject": "status 400; argument: the parameter that is refused, default temperature",
    "cut": "the connection ends in the middle of the body",
    "hang": "the request is accepted and never answered",
    "slow": "the answer comes late; argument: by how many seconds, default 0.2",
    "truncate": "half of the text, finish reason length",
    "prose": "sentences before and after the text",
    "invalid_json": "the text with its punctuation broken",
    "wrong_types": "JSON whose values have other types",
    "duplicate_keys": "the first key of the JSON object twice, with another value",
    "empty": "no text",
    "refusal": "a refusal instead of a text",
    "parts": "the text as a list of parts",
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """How the bytes of an answer travel; ``seconds`` is the delay of a slow one."""

    kind: Literal["whole", "cut", "hang", "slow"] = "whole"
    seconds: float = 0.0


Injected = tuple[int, Mapping[str, str], Mapping[str, Any], Delivery]


@dataclass
class Faults:
    """Draws a fault for some arrivals, seeded by (seed, request, how often that request has arrived).

    ``rates``: fault -> share of requests in [0, 1] that meet it; ``burst``: how many arrivals in
    a row of one request a status fault lasts. The same requests in any order get the same faults.
    """

    rates: Mapping[str, float]
    seed: int = 0
    burst: int = 1
    _arrivals: dict[str, int] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        for spec in self.rates:
            _parse(spec)
        if not 0 <= sum(self.rates.values()) <= 1 or min(self.rates.values(), default=0.0) < 0:
            raise ConfigError("planning faults", f"rates {dict(self.rates)}", "Keep each >= 0 and their sum <= 1.")

    def draw(self, identity: str) -> str:
        """The fault that this arrival of a request meets; empty for none. Thread-safe."""
        with self._lock:
            arrival = self._arrivals.get(identity, 0)
            self._arrivals[identity] = arrival + 1
        point = stream(f"{self.seed}/{identity}/{arrival // self.burst}").random()
        for spec, rate in self.rates.items():
            point -= rate
            if point < 0:
                return spec
        return ""


def inject(spec: str, payload: Mapping[str, Any]) -> Injected:
    """The answer as a fault leaves it; a good answer where ``spec`` is empty, a 400 where it is unknown."""
    if not spec:
        return 200, {}, payload, Delivery()
    try:
        kind, argument = _parse(spec)
    except ConfigError as error:
        return 400, {}, failed(str(error), "invalid_request_error", "unknown_fault"), Delivery()
    if kind in _STATUS:
        return _STATUS[kind](argument)
    if kind in ("cut", "hang"):
        return 200, {}, payload, Delivery("cut" if kind == "cut" else "hang")
    if kind == "slow":
        return 200, {}, payload, Delivery("slow", float(argument or 0.2))
    choices = [_SPOIL[kind](choice) for choice in payload["choices"]]
    return 200, {}, {**payload, "choices": choices}, Delivery()


def _parse(spec: str) -> tuple[str, str]:
    kind, _, argument = spec.partition(":")
    timed = kind in ("slow", "rate_limit") and argument
    if kind not in KINDS or (timed and not argument.replace(".", "", 1).isdigit()):
        raise ConfigError("reading a fault", f"{spec!r}", f"Use one of {', '.join(KINDS)}, with an argument it takes.")
    return kind, argument


def _status(status: int, headers: Mapping[str, str], payload: Mapping[str, Any]) -> Injected:
    return status, headers, payload, Delivery()


_STATUS: Mapping[str, Callable[[str], Injected]] = {
    "rate_limit": lambda argument: _status(
        429, {"retry-after": argument or "0"}, failed("Rate limit reached.", "requests", "rate_limit_exceeded")
    ),
    "server_error": lambda _: _status(500, {}, failed("The server had an error.", "server_error")),
    "timeout": lambda _: _status(504, {}, failed("The upstream model timed out.", "server_error")),
    "reject": lambda argument: _status(400, {}, unsupported(argument or "temperature")),
}


def _text(spoil: Callable[[str], str], finish: str = "") -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def spoiled(choice: Mapping[str, Any]) -> dict[str, Any]:
        message = {**choice["message"], "content": spoil(choice["message"]["content"])}
        return {**choice, "message": message, "finish_reason": finish or choice["finish_reason"], "logprobs": None}

    return spoiled


def _other_types(text: str) -> str:
    return json.dumps({key: _other_type(value) for key, value in _object(text).items()})


def _other_type(value: object) -> object:
    return "several" if isinstance(value, int | float | list | dict) else [value]


def _doubled(text: str) -> str:
    first, value = next(iter(_object(text).items()), ("score", 0))
    other = 10 - value if isinstance(value, int) else "FAIL" if value == "PASS" else "PASS"
    return "{" + f"{json.dumps(first)}: {json.dumps(other)}, " + text.lstrip().removeprefix("{")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _refuse(choice: Mapping[str, Any]) -> dict[str, Any]:
    message = {**choice["message"], "content": None, "refusal": "I'm sorry, I can't help with that."}
    return {**choice, "message": message, "logprobs": None}


def _in_parts(choice: Mapping[str, Any]) -> dict[str, Any]:
    text = choice["message"]["content"]
    half = len(text) // 2
    parts = [{"type": "text", "text": text[:half]}, {"type": "text", "text": text[half:]}]
    return {**choice, "message": {**choice["message"], "content": parts}}


_SPOIL: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "truncate": _text(lambda text: text[: len(text) // 2], "length"),
    "prose": _text(lambda text: f"Here is my assessment of the note.\n\n{text}\n\nLet me know if more is needed."),
    "invalid_json": _text(lambda text: text.replace('"', "'").replace(",", ";")),
    "wrong_types": _text(_other_types),
    "duplicate_keys": _text(_doubled),
    "empty": _text(lambda _: ""),
    "refusal": _refuse,
    "parts": _in_parts,
}
