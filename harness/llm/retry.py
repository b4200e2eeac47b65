"""A client that tries again, for a bounded number of times and a bounded time."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from harness.errors import CallFailed, TemporaryFailure
from harness.llm.client import Client, Reply, Request

_FIRST_WAIT = 0.5  # seconds; doubled at every attempt
_LONGEST_WAIT = 60.0
RETRYABLE = frozenset({408, 409, 425, 429})


def retryable(status: int) -> bool:
    """True for an HTTP status that another attempt may not meet.

    >>> [status for status in (400, 404, 429, 500, 503) if retryable(status)]
    [429, 500, 503]
    """
    return status in RETRYABLE or 500 <= status < 600


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait from a ``Retry-After`` header: a number of seconds or an HTTP date; None where unreadable.

    >>> read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", datetime(1994, 11, 6, 8, 49, 30, tzinfo=UTC))
    7.0
    """
    if value is None:
        return None
    try:
        return max(0.0, float(value)) if float(value) < float("inf") else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


@dataclass(frozen=True, slots=True)
class Waiting:
    """How to wait: at most ``retries`` attempts after the first, all within ``total_seconds``."""

    retries: int
    total_seconds: float
    sleep: Callable[[float], object]
    clock: Callable[[], float]


class RetryingClient:
    """Repeats attempts that failed with a TemporaryFailure; everything else passes through at once.

    The wait doubles from half a second, with a seeded jitter of up to half of it taken off; an
    endpoint's ``Retry-After`` replaces it. No attempt starts, and no wait ends, after ``total_seconds``.
    """

    def __init__(self, inner: Client, waiting: Waiting, seed: int) -> None:
        self._inner = inner
        self._waiting = waiting
        self._random = random.Random(seed)

    def send(self, request: Request) -> Reply:
        """Return the first reply; raises CallFailed with the last status and the number of attempts."""
        start = self._waiting.clock()
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._inner.send(request)
            except TemporaryFailure as failure:
                if attempt > self._waiting.retries:
                    raise _gave_up(failure, attempt, "no retries are left") from failure
                wait = self._wait(attempt, failure)
                left = self._waiting.total_seconds - (self._waiting.clock() - start)
                if wait > left:
                    why = f"the next would start in {wait:.1f} s and {max(left, 0):.1f} s are left"
                    raise _gave_up(failure, attempt, why) from failure
            self._waiting.sleep(wait)

    def _wait(self, attempt: int, failure: TemporaryFailure) -> float:
        if failure.retry_after is not None:
            return failure.retry_after
        longest = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1))
        return longest * self._random.uniform(0.5, 1.0)


def _gave_up(failure: TemporaryFailure, attempts: int, why: str) -> CallFailed:
    status = "no status" if failure.status is None else f"status {failure.status}"
    found = f"{failure.found} ({status}, {attempts} attempt{'s' if attempts > 1 else ''}, {why})"
    return CallFailed(failure.tried, found, failure.todo)
