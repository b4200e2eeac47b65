"""A client that keeps to rates and to a number of calls in flight."""

from __future__ import annotations

import threading
from collections.abc import Callable

from harness.config import ModelConfig
from harness.llm.client import Client, Reply, Request
from harness.llm.wire import reserve_tokens, wire_body


class Bucket:
    """A token bucket as deep as its last draw: draws are spaced so that any minute stays within the rate.

    ``per_minute`` is in the unit of the amounts drawn; None = no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_per_unit = 0.0 if per_minute is None else 60.0 / per_minute
        self._free_at = float("-inf")

    def draw(self, amount: float, now: float) -> float:
        """Take ``amount`` and return the seconds to wait before using it."""
        start = max(now, self._free_at)
        self._free_at = start + amount * self._seconds_per_unit
        return start - now


class PacedClient:
    """At most ``concurrency`` calls in flight, started at most at the configured rates.

    Tokens are counted as reserved (prompt estimate and completion cap), as providers do.
    """

    def __init__(
        self, inner: Client, config: ModelConfig, sleep: Callable[[float], object], clock: Callable[[], float]
    ) -> None:
        self._inner = inner
        self._config = config
        self._sleep = sleep
        self._clock = clock
        self._slots = threading.BoundedSemaphore(config.concurrency)
        self._lock = threading.Lock()
        self._requests = Bucket(config.requests_per_minute)
        self._tokens = Bucket(config.tokens_per_minute)

    def send(self, request: Request) -> Reply:
        """Return the inner client's reply, once a slot is free and the rates allow a start."""
        tokens = 0
        if self._config.tokens_per_minute is not None:
            tokens = reserve_tokens(wire_body(self._config, request))
        with self._slots:
            with self._lock:
                now = self._clock()
                wait = max(self._requests.draw(1, now), self._tokens.draw(tokens, now))
            if wait > 0:
                self._sleep(wait)
            return self._inner.send(request)
