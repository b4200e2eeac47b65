from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from harness.config import ModelConfig
from harness.llm.client import FakeClient, Message, Request
from harness.llm.pace import Bucket, PacedClient
from harness.llm.wire import reserve_tokens, wire_body

ASK = Request(messages=(Message("user", "Is it complete?"),))
Make = Callable[..., ModelConfig]


@given(st.integers(1, 50), st.lists(st.floats(0, 20), min_size=1, max_size=120))
def test_no_minute_holds_more_starts_than_the_rate(rate: int, gaps: list[float]):
    bucket, now, starts = Bucket(rate), 0.0, []
    for gap in gaps:
        now += gap
        starts.append(now + bucket.draw(1, now))
    for first in starts:
        assert sum(first <= start < first + 60 - 1e-6 for start in starts) <= rate


def test_no_rate_means_no_wait():
    bucket = Bucket(None)
    assert [bucket.draw(1000, 0.0) for _ in range(3)] == [0.0, 0.0, 0.0]


def test_large_calls_wait_longer_under_a_token_rate(model: Make):
    slept: list[float] = []
    config = model(tokens_per_minute=60_000, max_tokens=1000)
    client = PacedClient(FakeClient(lambda _: "fine"), config, slept.append, lambda: 0.0)
    client.send(ASK)
    client.send(ASK)
    assert slept == [reserve_tokens(wire_body(config, ASK)) / 1000]


def test_no_more_calls_are_in_flight_than_the_configured_number(model: Make):
    lock, flying, most = threading.Lock(), 0, 0
    together = threading.Barrier(3)

    def answer(_: Request) -> str:
        nonlocal flying, most
        with lock:
            flying += 1
            most = max(most, flying)
        together.wait(10)
        with lock:
            flying -= 1
        return "fine"

    client = PacedClient(FakeClient(answer), model(concurrency=3), lambda _: None, lambda: 0.0)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(client.send, [ASK] * 12))
    assert most == 3
