"""Texts -> the protocol's reply: choices, finish reasons, logprobs, usage, and the shapes of errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from harness.llm.simulated.attention import THOUGHT
from harness.llm.simulated.reading import Material
from harness.llm.simulated.wire import SERVED_BY, ChatBody
from harness.llm.simulated.writing import Text, Token

CHARS_PER_TOKEN = 4
CACHE_FROM, CACHE_STEP = 1024, 128  # tokens: the shortest prefix that counts as cached, and its granularity


def completion(body: ChatBody, material: Material, texts: Sequence[Text], identity: str) -> dict[str, Any]:
    """A chat completion. Reasoning comes out of the token cap first, as it does elsewhere."""
    thought = THOUGHT[body.effort] if body.model != "sim-null" else THOUGHT["none"]
    choices, spent = [], 0
    for index, text in enumerate(texts):
        tokens = text.tokens()
        room = len(tokens) if body.cap is None else max(0, body.cap - thought)
        kept = tokens[:room]
        spent += len(kept) + (thought if body.cap is None else min(thought, body.cap))
        choices.append(_choice(index, kept, len(kept) < len(tokens), body))
    prompt = sum(len(message.text) for message in body.messages) // CHARS_PER_TOKEN + 4 * len(body.messages)
    reasoning = len(texts) * (thought if body.cap is None else min(thought, body.cap))
    return {
        "id": f"chatcmpl-sim-{identity[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": body.model,
        "system_fingerprint": SERVED_BY,
        "choices": choices,
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": spent,
            "total_tokens": prompt + spent,
            "prompt_tokens_details": {"cached_tokens": _cached(material)},
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        },
    }


def refused(error: ValidationError) -> dict[str, Any]:
    """The body of a 400 that names the offending parameter."""
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "body"
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        return unsupported(name)
    if first["type"] == "missing" and len(first["loc"]) == 1:
        return _error(f"Missing required parameter: '{name}'.", name, "missing_required_parameter")
    path = ".".join(str(part) for part in first["loc"])
    return _error(f"Invalid value for '{path}': {first['msg']}.", name, "invalid_value")


def unsupported(name: str) -> dict[str, Any]:
    """The body of a 400 for a parameter that the model does not take."""
    return _error(f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter")


def not_found(model: str) -> dict[str, Any]:
    """The body of a 404 for a model that is not served."""
    return _error(f"The model '{model}' does not exist.", "model", "model_not_found")


def failed(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """The body of any other error."""
    return _error(message, None, code, kind)


def _error(message: str, param: str | None, code: str | None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _choice(index: int, tokens: Sequence[Token], cut: bool, body: ChatBody) -> dict[str, Any]:
    logprobs = {"content": [_logprob(t, body.top_logprobs or 0) for t in tokens], "refusal": None}
    return {
        "index": index,
        "finish_reason": "length" if cut else "stop",
        "message": {"role": "assistant", "content": "".join(t.text for t in tokens), "refusal": None},
        "logprobs": logprobs if body.logprobs else None,
    }


def _logprob(token: Token, top: int) -> dict[str, Any]:
    ranked = (token.others or ((token.text, token.logprob),))[:top]
    return _entry(token.text, token.logprob) | {"top_logprobs": [_entry(text, value) for text, value in ranked]}


def _entry(text: str, logprob: float) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(text.encode())}


def _cached(material: Material) -> int:
    """Tokens of the fenced prefix, counted as if it had been sent before: a reply must not depend on history."""
    tokens = sum(len(text) for _, text in material.fenced) // CHARS_PER_TOKEN
    return tokens // CACHE_STEP * CACHE_STEP if tokens >= CACHE_FROM else 0
