from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.config import ModelConfig
from harness.errors import CallFailed
from harness.llm.cache import CachedClient
from harness.llm.client import FakeClient, Message, Reply, Request
from harness.llm.store import CallStore
from harness.outcomes import Usage

ASK = Request(messages=(Message("user", "Is it complete?"),))
Make = Callable[..., ModelConfig]


class Upstream:
    """Counts requests; answers with their number so that two purchases can be told apart."""

    def __init__(self, gate: threading.Event | None = None) -> None:
        self.seen: list[Request] = []
        self.gate = gate
        self._lock = threading.Lock()

    def send(self, request: Request) -> Reply:
        with self._lock:
            self.seen.append(request)
            number = len(self.seen)
        if self.gate is not None:
            self.gate.wait(10)
        return Reply(f"reply {number}", "stop", Usage(1, 1, 10, 0, 5, 0, 0.5, 0.2))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CallStore]:
    opened = CallStore(tmp_path / "calls.sqlite")
    yield opened
    opened.close()


def test_the_second_time_is_free_and_says_what_it_once_cost(store: CallStore, model: Make):
    upstream = Upstream()
    client = CachedClient(upstream, store, model())
    first, second = client.send(ASK), client.send(ASK)
    assert len(upstream.seen) == 1
    assert second.text == first.text
    assert (first.usage.calls, first.usage.bought) == (1, 1)
    assert second.usage == replace(first.usage, bought=0)
    assert second.sent["model"] == "tiny"


def test_the_same_model_at_two_addresses_shares_nothing(store: CallStore, model: Make):
    upstream = Upstream()
    texts = {CachedClient(upstream, store, model(url)).send(ASK).text for url in ("http://a/v1", "http://b/v1")}
    assert texts == {"reply 1", "reply 2"}


@pytest.mark.parametrize("field", ["effort", "replicate", "seed"])
def test_another_effort_replicate_or_seed_is_another_purchase(store: CallStore, model: Make, field: str):
    values: dict[str, list[Any]] = {"effort": ["low", "high"], "replicate": [1, 2], "seed": [1, 2]}
    upstream = Upstream()
    client = CachedClient(upstream, store, model())
    texts = {client.send(replace(ASK, **{field: value})).text for value in values[field] * 2}
    assert texts == {"reply 1", "reply 2"}


@pytest.mark.parametrize(("text", "finish"), [("half a rep", "length"), ("", "stop"), ("  \n", "stop")])
def test_cut_and_empty_replies_are_bought_again(store: CallStore, model: Make, text: str, finish: str):
    client = CachedClient(FakeClient(lambda _: text, finish), store, model())
    assert [client.send(ASK).usage.bought for _ in range(2)] == [1, 1]


def test_a_failure_is_not_kept(store: CallStore, model: Make):
    answers = iter([CallFailed("calling", "status 500", "wait"), "now it works"])

    def answer(_: Request) -> str:
        value = next(answers)
        if isinstance(value, CallFailed):
            raise value
        return value

    client = CachedClient(FakeClient(answer), store, model())
    with pytest.raises(CallFailed):
        client.send(ASK)
    assert client.send(ASK).text == "now it works"


def test_equal_requests_in_flight_together_become_one_call(store: CallStore, model: Make):
    gate = threading.Event()
    upstream = Upstream(gate)
    client = CachedClient(upstream, store, model())
    with ThreadPoolExecutor(16) as pool:
        replies = [pool.submit(client.send, ASK) for _ in range(16)]
        gate.set()
        results = [reply.result() for reply in replies]
    assert len(upstream.seen) == 1
    assert {r.text for r in results} == {"reply 1"}
    assert sum(r.usage.bought for r in results) == 1


def test_a_failing_flight_fails_for_all_on_board_and_frees_the_key(store: CallStore, model: Make):
    boarding = threading.Barrier(2)

    def fail(_: Request) -> str:
        boarding.wait(10)
        raise CallFailed("calling", "status 400", "mend the request")

    client = CachedClient(FakeClient(fail), store, model())
    with ThreadPoolExecutor(4) as pool:
        flights = [pool.submit(client.send, ASK) for _ in range(4)]
        while not all(flight.done() for flight in flights):
            if boarding.n_waiting:
                boarding.wait(10)
    assert all(isinstance(flight.exception(), CallFailed) for flight in flights)


def test_a_new_process_finds_what_an_older_one_bought(tmp_path: Path, model: Make):
    upstream = Upstream()
    for _ in range(2):
        store = CallStore(tmp_path / "calls.sqlite")
        assert CachedClient(upstream, store, model()).send(ASK).text == "reply 1"
        store.close()
