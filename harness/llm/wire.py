"""What goes over the wire and what comes back: pure functions between our nouns and chat completions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.config import ModelConfig, Prices
from harness.llm.client import Reply, Request
from harness.outcomes import Usage
from harness.types import digest

PATH = "/chat/completions"
# Part of every cache key: raise it when the meaning of a stored reply changes.
CODE_VERSION = 1
SIMULATED_MARK = "judgelab-simulated"
SCHEMA_NAME = "reply"

_BYTES_PER_TOKEN = 3  # English text has about 4 bytes a token: dividing by 3 errs upwards
_TOKENS_PER_MESSAGE = 16  # role markers and the chat template
_LENGTH_WORDS = {"max_tokens", "MAX_TOKENS", "model_length"}  # what some endpoints say for "length"


@dataclass(frozen=True, slots=True)
class Charge:
    """What counts against caps: tokens (prompt + completion) and US dollars (None = no price known)."""

    tokens: int
    dollars: float | None


def wire_body(config: ModelConfig, request: Request) -> dict[str, Any]:
    """The JSON body of one request: the request's values, else the configuration's, None left out.

    ``extra_body`` is merged over it, and nothing named in ``drop`` is ever in it. Dropping
    ``logprobs`` drops ``top_logprobs`` too, which no endpoint takes alone.
    """
    effort = _either(request.effort, config.effort)
    values: dict[str, Any] = {
        "model": config.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "temperature": _either(request.temperature, config.temperature),
        "seed": _either(request.seed, config.seed),
        config.token_parameter: _either(request.max_tokens, config.max_tokens),
        config.effort_style: {"effort": effort} if effort and config.effort_style == "reasoning" else effort,
        "response_format": _response_format(config, request.schema),
        "logprobs": None if request.logprobs is None else True,
        "top_logprobs": request.logprobs or None,
        **config.extra_body,
    }
    dropped = {*config.drop, *(("top_logprobs",) if "logprobs" in config.drop else ())}
    return {name: value for name, value in values.items() if value is not None and name not in dropped}


def cache_key(config: ModelConfig, body: Mapping[str, Any], replicate: int) -> str:
    """The digest under which a reply is stored.

    Everything that can change the answer is in it: address, headers, the whole body (and so
    model, effort, seed and sampling), the replicate, and the version of this code.
    """
    address = config.base_url.rstrip("/") + PATH
    return digest([CODE_VERSION, address, dict(config.headers), body, replicate])


def price(prices: Prices | None, prompt: int, cached: int, completion: int) -> float | None:
    """US dollars for token counts; ``cached`` is the cached part of ``prompt``. None without prices.

    >>> price(Prices(input=2.0, cached_input=1.0, output=8.0), 1_000_000, 500_000, 250_000)
    3.5
    """
    if prices is None:
        return None
    cached_rate = prices.input if prices.cached_input is None else prices.cached_input
    dollars = (prompt - cached) * prices.input + cached * cached_rate + completion * prices.output
    return dollars / 1_000_000


def reserve_tokens(body: Mapping[str, Any]) -> int:
    """An upper estimate of the tokens of one call: a third of the bytes of its text
    and schema, overhead, and the token cap."""
    prompt, completion = _reserve(body)
    return prompt + completion


def reserved_charge(config: ModelConfig, body: Mapping[str, Any]) -> Charge:
    """The most that one attempt is expected to cost, all prompt tokens at the uncached price."""
    prompt, completion = _reserve(body)
    return Charge(prompt + completion, price(config.prices, prompt, 0, completion))


def reply_charge(config: ModelConfig, reply: Reply) -> Charge:
    """What an answered attempt counts against the caps.

    A reply that reports no usage counts as much as was reserved: a silent endpoint must not make a cap void.
    """
    usage = reply.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    return Charge(tokens, usage.cost) if tokens else reserved_charge(config, reply.sent)


def read_reply(payload: Mapping[str, Any], config: ModelConfig, body: Mapping[str, Any], latency: float) -> Reply:
    """A decoded chat completion as a Reply.

    Missing content is "", a list of parts is joined, a refusal stands in for absent content.
    Missing usage leaves the token counts zero and the cost None. Raises ValueError where
    there is no message to read.
    """
    choices = payload.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ValueError("no choices[0].message in the reply")
    finish = choice.get("finish_reason") or ""
    content = _mapping(choice.get("logprobs")).get("content")
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        finish="length" if finish in _LENGTH_WORDS else str(finish),
        usage=_usage(payload.get("usage"), config.prices, latency),
        model=str(payload.get("model") or ""),
        sent=body,
        logprobs=tuple(item for item in content if isinstance(item, Mapping)) if isinstance(content, list) else (),
        simulated=str(payload.get("system_fingerprint") or "").startswith(SIMULATED_MARK),
    )


def _either(first: Any, second: Any) -> Any:
    return second if first is None else first


def _response_format(config: ModelConfig, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None or config.response_format == "text":
        return None
    if config.response_format == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": SCHEMA_NAME, "strict": True, "schema": dict(schema)}}


def _reserve(body: Mapping[str, Any]) -> tuple[int, int]:
    messages = body.get("messages", [])
    size = sum(len(str(message["content"]).encode()) for message in messages)
    size += len(str(body.get("response_format", "")))  # endpoints put the schema into the prompt
    cap = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    return math.ceil(size / _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE * (len(messages) + 1), int(cap)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(content: Any) -> str:
    """The text of a content field; half an emoji (a lone surrogate, which no file can hold) becomes "?"."""
    if isinstance(content, str):
        return content.encode("utf-8", "replace").decode()
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, str) else _mapping(part).get("text") for part in content]
    return _text("".join(part for part in parts if isinstance(part, str)))


def _usage(raw: Any, prices: Prices | None, latency: float) -> Usage:
    usage = _mapping(raw)
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cached = min(prompt, _count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")))
    return Usage(
        calls=1,
        bought=1,
        prompt_tokens=prompt,
        cached_tokens=cached,
        completion_tokens=completion,
        reasoning_tokens=_count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        cost=price(prices, prompt, cached, completion) if prompt + completion else None,
        latency=latency,
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0
