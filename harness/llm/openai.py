"""One attempt at a chat-completions endpoint: the only file that imports openai."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai

from harness.config import ModelConfig
from harness.errors import ConfigError, EndpointUnreachable, MissingKey, ModelError, TemporaryFailure
from harness.llm.client import Reply, Request
from harness.llm.refusal import Answer, read_refusal, temporary
from harness.llm.retry import read_retry_after
from harness.llm.wire import PATH, read_reply, wire_body

BaseTransport = httpx2.BaseTransport
IN_PROCESS_URL = "http://simulated.invalid/v1"
_NO_KEY = "none"  # the SDK insists on some key; endpoints without keys ignore it
_STARTED = "judgelab.started"
_SHOWN = 200


class OpenAIClient:
    """Sends single attempts; no retries, no cache, no pacing of its own.

    ``transport`` replaces the network, for the simulated model. Raises MissingKey,
    EndpointUnreachable, ParameterRejected, ModelError, CallFailed, or TemporaryFailure where
    another attempt may succeed.
    """

    def __init__(self, config: ModelConfig, transport: BaseTransport | None = None) -> None:
        self._config = config
        self._where = f"calling {config.model!r} at {config.base_url}"
        self._key = _read_key(config)
        limits = httpx2.Limits(max_connections=config.concurrency, max_keepalive_connections=config.concurrency)
        timeout = httpx2.Timeout(config.timeouts.call, connect=config.timeouts.connect, pool=None)
        # Hooks, not a transport: a transport of our own would switch off the proxies of the environment.
        hooks: dict[str, list[Any]] = {"request": [_stamp], "response": [self._bound]}
        http = httpx2.Client(
            transport=transport, limits=limits, timeout=timeout, event_hooks=hooks, follow_redirects=True
        )
        self._sdk = openai.OpenAI(
            api_key=self._key,
            base_url=_address(config),
            max_retries=0,
            timeout=timeout,
            default_headers=dict(config.headers),
            http_client=http,
        )

    def send(self, request: Request) -> Reply:
        """Return the endpoint's reply; ``reply.sent`` is the body that went out."""
        body = wire_body(self._config, request)
        start = time.perf_counter()
        try:
            # The low-level call skips the typed transforms of request and reply, most of the SDK's CPU time.
            response = self._sdk.post(PATH, body=body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            raise read_refusal(self._config, body, self._answer(error.response)) from None
        except openai.APIConnectionError as error:
            raise self._broken(error.__cause__ or error) from None
        return self._read(response, body, time.perf_counter() - start)

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def _read(self, response: httpx2.Response, body: dict[str, Any], latency: float) -> Reply:
        answer = self._answer(response)
        payload = answer.payload
        if not isinstance(payload, dict):
            raise self._temporary(f"a reply that is not a JSON object: {answer.text[:_SHOWN]!r}", response.status_code)
        if payload.get("error") and not payload.get("choices"):
            raise read_refusal(self._config, body, answer)
        try:
            return read_reply(payload, self._config, body, latency)
        except ValueError as error:
            raise self._temporary(f"{error}: {answer.text[:_SHOWN]!r}", response.status_code) from None

    def _answer(self, response: httpx2.Response) -> Answer:
        data = response.content
        if self._config.key_env is not None:
            # Some endpoints repeat the key in their message, and messages end up in logs.
            data = data.replace(self._key.encode(), b"***")
        try:
            payload = json.loads(data)
        except ValueError:
            payload = None
        retry_after = read_retry_after(response.headers.get("retry-after"), datetime.now(UTC))
        return Answer(response.status_code, payload, data.decode(errors="replace"), retry_after)

    def _broken(self, cause: BaseException) -> ModelError:
        if isinstance(cause, httpx2.ConnectError):
            todo = "Check `base_url` and that the server runs."
            return EndpointUnreachable(self._where, f"nothing answers ({cause})", todo)
        if isinstance(cause, httpx2.ConnectTimeout):
            failure = self._temporary(f"no connection within {self._config.timeouts.connect:g} s", None)
            failure.sent = False
            return failure
        if isinstance(cause, httpx2.TimeoutException):
            return self._temporary(f"no whole reply within {self._config.timeouts.call:g} s (timeout)", None)
        return self._temporary(f"the connection was cut ({cause})", None)

    def _temporary(self, found: str, status: int | None) -> TemporaryFailure:
        todo = "Check the endpoint, or raise `retries` or `timeouts`."
        return temporary(self._where, found, todo, status=status, retry_after=None)

    def _bound(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            deadline = response.request.extensions[_STARTED] + self._config.timeouts.call
            response.stream = _BoundedStream(response.stream, deadline)


class _BoundedStream(httpx2.SyncByteStream):
    """A body that must be complete by a deadline; httpx alone bounds each read, so a dripping body never ends."""

    def __init__(self, inner: httpx2.SyncByteStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            if time.perf_counter() > self._deadline:
                raise httpx2.ReadTimeout("the body did not end in time")
            yield chunk

    def close(self) -> None:
        self._inner.close()


def _stamp(request: httpx2.Request) -> None:
    request.extensions[_STARTED] = time.perf_counter()


def _address(config: ModelConfig) -> str:
    if config.in_process:
        return IN_PROCESS_URL
    if config.base_url.startswith(("http://", "https://")):
        return config.base_url
    found = f"base_url {config.base_url!r}"
    raise ConfigError(
        f"building the client of {config.model!r}", found, "Give it as http(s)://host/v1, or 'simulated:'."
    )


def _read_key(config: ModelConfig) -> str:
    if config.key_env is None:
        return _NO_KEY
    key = os.environ.get(config.key_env, "").strip()
    if key:
        return key
    tried = f"reading the key of {config.model!r}"
    raise MissingKey(tried, f"${config.key_env} is not set", f"Run: export {config.key_env}=<your key>")
