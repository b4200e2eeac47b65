from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import ModelConfig
from harness.errors import BudgetExhausted, CallFailed, ConfigError, EndpointUnreachable, ModelError
from harness.llm.budget import Budget, BudgetedClient, Caps, check_caps
from harness.llm.client import FakeClient, Message, Reply, Request
from harness.llm.refusal import temporary
from harness.llm.store import Spent
from harness.llm.wire import Charge, reserve_tokens, wire_body

ASK = Request(messages=(Message("user", "Is it complete?"),))
PRICES = {"input": 1.0, "output": 2.0}
Make = Callable[..., ModelConfig]


@given(st.integers(1, 60), st.integers(1, 5000), st.lists(st.tuples(st.integers(0, 200), st.booleans()), max_size=80))
def test_spent_and_reserved_never_pass_a_cap(calls: int, tokens: int, wants: list[tuple[int, bool]]):
    budget = Budget(Caps(calls=calls, tokens=tokens))
    open_tokens = 0
    for want, settle in wants:
        try:
            reservation = budget.reserve(want, None)
        except BudgetExhausted:
            continue
        if settle:
            budget.settle(reservation, Charge(want, None))
        else:
            open_tokens += want
        assert budget.spent.calls <= calls
        assert budget.spent.tokens + open_tokens <= tokens


@pytest.mark.parametrize("caps", [Caps(calls=40), Caps(tokens=400), Caps(dollars=5.0), Caps(50, 400, 9.0)])
def test_sixty_four_threads_buy_exactly_what_the_cap_allows(caps: Caps):
    budget = Budget(caps)
    start = threading.Barrier(64)

    def buy(_: int) -> bool:
        start.wait(10)
        try:
            reservation = budget.reserve(10, 0.125)
        except BudgetExhausted:
            return False
        budget.settle(reservation, Charge(10, 0.125))
        return True

    with ThreadPoolExecutor(64) as pool:
        assert sum(pool.map(buy, range(64))) == 40
    assert budget.spent == Spent(40, 400, 5.0)


def test_a_refused_reservation_changes_nothing_and_says_which_cap():
    budget = Budget(Caps(tokens=100), Spent(calls=3, tokens=95))
    with pytest.raises(BudgetExhausted, match="cap of 100 tokens would be passed: 95 spent, 0 set aside, 10 needed"):
        budget.reserve(10, None)
    assert budget.spent == Spent(3, 95, None)
    budget.settle(budget.reserve(5, None), Charge(5, None))
    assert budget.spent == Spent(4, 100, None)


def test_what_earlier_processes_spent_counts():
    with pytest.raises(BudgetExhausted, match="cap of 5 calls"):
        Budget(Caps(calls=5), Spent(calls=5)).reserve(1, None)


def test_a_released_reservation_is_as_if_it_never_was():
    budget = Budget(Caps(calls=1))
    budget.release(budget.reserve(10, None))
    assert budget.spent == Spent()
    budget.reserve(10, None)


def test_a_call_waits_for_reservations_that_turn_out_smaller():
    budget = Budget(Caps(tokens=100))
    held = budget.reserve(90, None)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(budget.reserve, 50, None, True)
        assert not waiting.done()
        budget.settle(held, Charge(20, None))
        assert waiting.result(10).charge.tokens == 50


def test_no_waiting_helps_where_the_cap_is_spent():
    budget = Budget(Caps(tokens=100), Spent(tokens=80))
    budget.reserve(10, None)
    with pytest.raises(BudgetExhausted):
        budget.reserve(50, None, wait=True)


def test_an_answered_call_costs_what_it_used(model: Make):
    budget = Budget(Caps(tokens=5000))
    reply = BudgetedClient(FakeClient(lambda _: "a reply of some length"), budget, model()).send(ASK)
    assert budget.spent == Spent(1, reply.usage.prompt_tokens + reply.usage.completion_tokens, None)


def failing(failure: ModelError) -> FakeClient:
    def answer(_: Request) -> str:
        raise failure

    return FakeClient(answer)


@pytest.mark.parametrize(
    ("failure", "calls", "whole"),
    [
        (EndpointUnreachable("calling", "nothing answers", "start it"), 0, False),
        (CallFailed("calling", "status 400", "mend it"), 1, False),
        (temporary("calling", "status 500", "wait", status=500, retry_after=None), 1, False),
        (temporary("calling", "cut", "wait", status=None, retry_after=None), 1, True),
    ],
)
def test_failures_count_as_far_as_they_may_be_billed(model: Make, failure: ModelError, calls: int, whole: bool):
    config = model(prices=PRICES)
    budget = Budget(Caps(calls=10))
    with pytest.raises(type(failure)):
        BudgetedClient(failing(failure), budget, config).send(ASK)
    assert budget.spent.calls == calls
    assert budget.spent.tokens == (reserve_tokens(wire_body(config, ASK)) if whole else 0)


def test_nothing_is_sent_past_a_cap(model: Make):
    seen: list[Request] = []

    def answer(request: Request) -> str:
        seen.append(request)
        return "fine"

    client = BudgetedClient(FakeClient(answer), Budget(Caps(calls=2)), model())
    replies: list[Reply] = [client.send(ASK), client.send(ASK)]
    with pytest.raises(BudgetExhausted):
        client.send(ASK)
    assert len(seen) == len(replies) == client.spent.calls == 2


@pytest.mark.parametrize(
    ("caps", "fields", "word"),
    [
        (Caps(dollars=1.0), {}, "prices"),
        (Caps(dollars=1.0), {"prices": PRICES, "max_tokens": None}, "max_tokens"),
        (Caps(tokens=9), {"max_tokens": None}, "max_tokens"),
        (Caps(tokens=9), {"drop": ("max_tokens",)}, "max_tokens"),
    ],
)
def test_a_cap_that_could_not_be_kept_is_a_configuration_error(
    model: Make, caps: Caps, fields: dict[str, Any], word: str
):
    with pytest.raises(ConfigError, match=word):
        check_caps(caps, model(**fields))


def test_a_cap_in_calls_needs_neither_prices_nor_a_token_cap(model: Make):
    check_caps(Caps(calls=3), model(max_tokens=None))
    with pytest.raises(ConfigError, match="price"):
        Budget(Caps(dollars=1.0)).reserve(1, None)
