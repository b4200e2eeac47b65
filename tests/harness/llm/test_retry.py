from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CallFailed, EndpointUnreachable, ModelError, ParameterRejected, TemporaryFailure
from harness.llm.client import FakeClient, Message, Request
from harness.llm.refusal import temporary
from harness.llm.retry import RetryingClient, Waiting, read_retry_after, retryable

ASK = Request(messages=(Message("user", "Is it complete?"),))
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """Time that passes only while sleeping or calling."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def failing(failures: list[ModelError], clock: Clock, call_seconds: float = 0.0) -> FakeClient:
    rest = iter(failures)

    def answer(_: Request) -> str:
        clock.now += call_seconds
        failure = next(rest, None)
        if failure is not None:
            raise failure
        return "fine"

    return FakeClient(answer)


def failure(status: int | None = 500, retry_after: float | None = None) -> TemporaryFailure:
    return temporary("calling m", "it failed", "Wait.", status=status, retry_after=retry_after)


def client(inner: FakeClient, clock: Clock, retries: int = 4, total: float = 600.0, seed: int = 1) -> RetryingClient:
    return RetryingClient(inner, Waiting(retries, total, clock.sleep, lambda: clock.now), seed)


def test_temporary_failures_are_survived_with_growing_waits():
    clock = Clock()
    assert client(failing([failure(), failure(None), failure(429)], clock), clock).send(ASK).text == "fine"
    assert len(clock.slept) == 3
    assert [0.25 * 2**i <= wait <= 0.5 * 2**i for i, wait in enumerate(clock.slept)] == [True] * 3


def test_the_endpoints_own_wait_replaces_ours():
    clock = Clock()
    client(failing([failure(429, retry_after=7.0)], clock), clock).send(ASK)
    assert clock.slept == [7.0]


def test_retries_are_bounded_and_the_error_says_status_and_attempts():
    clock = Clock()
    with pytest.raises(CallFailed, match=r"status 429, 3 attempts") as caught:
        client(failing([failure(429)] * 9, clock), clock, retries=2).send(ASK)
    assert not isinstance(caught.value, TemporaryFailure)
    assert len(clock.slept) == 2


@given(st.floats(1, 200), st.floats(0, 50))
def test_waiting_never_passes_the_total(total: float, call_seconds: float):
    clock = Clock()
    with pytest.raises(CallFailed):
        client(failing([failure()] * 30, clock, call_seconds), clock, retries=20, total=total).send(ASK)
    assert clock.now <= total + call_seconds


def test_a_wait_that_would_pass_the_total_is_not_begun():
    clock = Clock()
    with pytest.raises(CallFailed, match=r"3600\.0 s"):
        client(failing([failure(429, retry_after=3600.0)], clock), clock).send(ASK)
    assert clock.slept == []


@pytest.mark.parametrize("kind", [CallFailed, EndpointUnreachable, ParameterRejected, ModelError])
def test_lasting_errors_pass_through_at_once(kind: Callable[..., ModelError]):
    clock = Clock()
    lasting = kind("calling", "refused", "mend it")
    with pytest.raises(ModelError) as caught:
        client(failing([lasting], clock), clock).send(ASK)
    assert caught.value is lasting
    assert clock.slept == []


def test_one_seed_waits_alike_and_another_does_not():
    waits = []
    for seed in (1, 1, 2):
        clock = Clock()
        client(failing([failure()] * 4, clock), clock, seed=seed).send(ASK)
        waits.append(clock.slept)
    assert waits[0] == waits[1] != waits[2]


@given(st.integers(0, 10**6))
def test_a_retry_after_date_means_the_seconds_until_then(seconds: int):
    assert read_retry_after(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == seconds
    assert read_retry_after(str(seconds), NOW) == seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), ("soon", None), ("-3", 0.0), ("1.5", 1.5), ("inf", None), ("nan", None), ("", None)],
)
def test_unreadable_waits_are_none_and_none_is_negative(value: str | None, expected: float | None):
    assert read_retry_after(value, NOW) == expected


def test_a_past_date_means_now():
    assert read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", NOW) == 0.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_refusals_are_not_retryable(status: int):
    assert not retryable(status)
