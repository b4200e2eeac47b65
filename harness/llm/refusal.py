"""From an endpoint's refusal to an error that says what to do. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.config import ModelConfig
from harness.errors import CallFailed, ModelError, ParameterRejected, TemporaryFailure
from harness.llm.retry import retryable

_CODES = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
_WORDS = re.compile(
    r"unsupported|not supported|does ?n[o']t support|unknown|unrecogni[sz]ed|not permitted|not allowed|extra inputs",
    re.IGNORECASE,
)
_OUT_OF_CREDIT = "insufficient_quota"
_NEVER_DROPPED = {"model", "messages"}
_OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Answer:
    """An error as it came back: HTTP status, decoded body (None where not JSON), text, seconds to wait."""

    status: int
    payload: Any
    text: str
    retry_after: float | None = None


def read_refusal(config: ModelConfig, body: Mapping[str, Any], answer: Answer) -> ModelError:
    """The error for one refused call; a TemporaryFailure where another attempt may succeed.

    ``body`` is what was sent: only a parameter that is in it can have been rejected.
    """
    where = f"calling {config.model!r} at {config.base_url}"
    error = _error_of(answer.payload)
    status = _status(answer.status, error)
    message = str(error.get("message") or answer.text)[:_SHOWN]
    found = f"status {status}: {message}"
    if error.get("code") != _OUT_OF_CREDIT and retryable(status):
        todo = "Wait, lower `concurrency` or the rates per minute, or raise `retries`."
        return temporary(where, found, todo, status=status, retry_after=answer.retry_after)
    name = _rejected(error, message, body) if status in (400, 422) else None
    if name is not None:
        return ParameterRejected(where, f"the endpoint rejects {name!r} ({found})", _remedy(name, config))
    return _refused(config, status, where, found)


def temporary(where: str, found: str, todo: str, status: int | None, retry_after: float | None) -> TemporaryFailure:
    """A TemporaryFailure with its status and the seconds that the endpoint asks to wait."""
    failure = TemporaryFailure(where, found, todo)
    failure.status, failure.retry_after = status, retry_after
    return failure


def _refused(config: ModelConfig, status: int, where: str, found: str) -> ModelError:
    if status in (401, 403):
        key = f"the key in ${config.key_env}" if config.key_env else "`key_env`: no key was sent"
        return ModelError(where, found, f"Check {key}, and that it may use this model.")
    if status == 404:
        return ModelError(where, found, f"Check the model name {config.model!r} and that `base_url` ends in /v1.")
    if status in (402, 429):
        return CallFailed(where, found, "Add credit to the account; waiting does not help.")
    return CallFailed(where, found, "The endpoint does not take this request; see its message.")


def _error_of(payload: Any) -> Mapping[str, Any]:
    """The error object: under "error" (OpenAI), at the top (vLLM), or pydantic's list under "detail"."""
    if not isinstance(payload, Mapping):
        return {}
    inner = payload.get("error")
    if isinstance(inner, Mapping):
        return inner
    if isinstance(inner, str):
        return {"message": inner}
    detail = payload.get("detail")
    if isinstance(detail, list) and detail and isinstance(detail[0], Mapping):
        place = detail[0].get("loc") or [""]
        return {"message": f"{detail[0].get('msg')}: {place[-1]!r}", "param": str(place[-1])}
    return payload


def _status(status: int, error: Mapping[str, Any]) -> int:
    """The HTTP status, or the one inside the error where a gateway answered 200 around it."""
    code = error.get("code")
    return code if status < 400 and isinstance(code, int) and not isinstance(code, bool) else status


def _rejected(error: Mapping[str, Any], message: str, body: Mapping[str, Any]) -> str | None:
    sent = set(body) - _NEVER_DROPPED
    if error.get("code") not in _CODES and not _WORDS.search(message):
        return None
    param = re.split(r"[.\[]", str(error.get("param") or ""))[0]
    named = re.findall(r"[A-Za-z_]+", message)
    return next((name for name in (param, *named) if name in sent), None)


def _remedy(name: str, config: ModelConfig) -> str:
    if name in _OTHER_NAME:
        return f"Set `token_parameter: {_OTHER_NAME[name]}` for this model."
    if name == "response_format":
        return "Set `response_format: json_object` or `response_format: text` for this model."
    if name in config.extra_body:
        return f"Remove {name!r} from `extra_body` of this model."
    return f"Set `drop: [{name}]` for this model, so that it is not sent."
