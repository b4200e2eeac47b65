"""A client that never buys the same reply twice."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace

from harness.config import ModelConfig
from harness.llm.client import Client, Reply, Request
from harness.llm.store import CallStore
from harness.llm.wire import cache_key, wire_body


class CachedClient:
    """Answers from the store where it can; equal requests in flight together become one call.

    Failures, replies cut at the token cap and empty replies are never stored: asked again,
    the endpoint is asked again.
    """

    def __init__(self, inner: Client, store: CallStore, config: ModelConfig) -> None:
        self._inner = inner
        self._store = store
        self._config = config
        self._lock = threading.Lock()
        self._flights: dict[str, Future[Reply]] = {}

    def send(self, request: Request) -> Reply:
        """Return a stored reply (``usage.bought`` 0, tokens and cost as when it was bought), or a new one."""
        body = wire_body(self._config, request)
        key = cache_key(self._config, body, request.replicate)
        mine: Future[Reply] = Future()
        with self._lock:
            flight = self._flights.setdefault(key, mine)
        if flight is not mine:
            return _second_hand(flight.result())
        try:
            stored = self._store.get(key)
            reply = self._buy(key, request) if stored is None else _second_hand(replace(stored, sent=body))
        except BaseException as error:
            self._land(key)
            mine.set_exception(error)
            raise
        self._land(key)
        mine.set_result(reply)
        return reply

    def _buy(self, key: str, request: Request) -> Reply:
        reply = self._inner.send(request)
        if reply.text.strip() and not reply.truncated:
            self._store.put(key, reply)
        return reply

    def _land(self, key: str) -> None:
        with self._lock:
            del self._flights[key]


def _second_hand(reply: Reply) -> Reply:
    return replace(reply, usage=replace(reply.usage, calls=1, bought=0))
