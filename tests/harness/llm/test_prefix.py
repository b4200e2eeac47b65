from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import CallFailed
from harness.llm.client import FakeClient, Message, Reply, Request
from harness.llm.prefix import HOSTED, LOCAL, HashedPrefixes, PrefixMeter, Rule, Shares, prompt_text, shares_of
from support.prefix import ExactPrefixes

ANSWERS = FakeClient(lambda _request: "{}")


def ask(text: str, stage: str = "") -> Request:
    return Request((Message("user", text),), stage=stage)


pieces = st.sampled_from(["ab", "cd", "e", "\U0001f642", "\ud83d", "zzzzzzzz"])
prompts = st.lists(st.lists(pieces, max_size=12).map("".join), min_size=1, max_size=12)


@given(prompts, st.sampled_from([1, 2, 3]))
@settings(max_examples=100, deadline=None)
def test_hashed_prefixes_are_the_exact_ones_cut_to_whole_blocks(texts: list[str], block: int) -> None:
    exact, hashed = ExactPrefixes(), HashedPrefixes(block)
    for text in texts:
        assert hashed.shared(text) == exact.shared(text) // (4 * block) * (4 * block)
        exact.add(text)
        hashed.add(text)


def in_common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


@given(st.lists(st.text(max_size=30), max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_memory_of_every_prompt_finds_the_longest_common_prefix(texts: list[str]) -> None:
    exact = ExactPrefixes()
    for number, text in enumerate(texts):
        best = max((in_common(text, other) for other in texts[:number]), default=0)
        assert exact.shared(text) == best
        exact.add(text)


@given(st.integers(0, 40_000), st.integers(0, 40_000))
@settings(max_examples=100, deadline=None)
def test_a_finer_rule_never_serves_less_and_no_rule_serves_more_than_is_shared(one: int, other: int) -> None:
    for rule in (HOSTED, LOCAL, Rule(1)):
        assert rule.served(one) <= one / 4
        assert rule.served(min(one, other)) <= rule.served(max(one, other))
    assert HOSTED.served(one) <= LOCAL.served(one) <= Rule(1).served(one)


def test_the_second_of_two_prompts_on_one_note_is_served_up_to_where_they_part() -> None:
    meter = PrefixMeter(Rule(2))
    client = meter.around(ANSWERS, "a", "judge")
    opening = len("<user>")
    client.send(ask("x" * (80 - opening) + "first block"))
    client.send(ask("x" * (80 - opening) + "second block"))
    assert meter.of("judge") == Shares(2, (91 // 4) + (92 // 4), 20)
    assert meter.of("judge").share == 20 / 45


def test_endpoints_have_caches_of_their_own_and_roles_share_that_of_their_endpoint() -> None:
    meter = PrefixMeter(Rule(1))
    judge, reflect, other = (
        meter.around(ANSWERS, "a", "judge"),
        meter.around(ANSWERS, "a", "reflect"),
        (meter.around(ANSWERS, "b", "judge")),
    )
    text = "word " * 100
    other.send(ask(text))
    assert meter.of("judge").served == 0
    judge.send(ask(text, "check"))
    reflect.send(ask(text))
    assert meter.of("reflect").served == len(prompt_text(ask(text))) // 4
    assert set(meter.counted) == {"judge", "judge:check", "reflect"}
    assert shares_of(meter.counted, "judge").calls == 2


def test_a_prompt_is_known_once_its_reply_is_there_and_a_failed_call_teaches_nothing() -> None:
    class Failing:
        def send(self, _request: Request) -> Reply:
            raise CallFailed("asking", "status 500", "wait")

    meter = PrefixMeter(Rule(1))
    with pytest.raises(CallFailed):
        meter.around(Failing(), "a", "judge").send(ask("word " * 50))
    meter.around(ANSWERS, "a", "judge").send(ask("word " * 50))
    assert (meter.of("judge").calls, meter.of("judge").served) == (2, 0)


def test_without_a_prompt_there_is_no_share() -> None:
    assert Shares().share is None
    assert (Shares(3, 30, 6) - Shares(1, 10, 2)).share == 0.2


def test_the_metered_client_changes_neither_request_nor_reply() -> None:
    request = replace(ask("Judge."), seed=3, replicate=2)
    assert PrefixMeter().around(ANSWERS, "a", "judge").send(request) == ANSWERS.send(request)
