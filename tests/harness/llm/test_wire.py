from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import ModelConfig, Prices
from harness.llm.client import Message, Reply, Request
from harness.llm.wire import (
    cache_key,
    price,
    read_reply,
    reply_charge,
    reserve_tokens,
    reserved_charge,
    wire_body,
)
from harness.outcomes import Usage

ASK = Request(messages=(Message("system", "Be brief."), Message("user", "Is it complete?")))
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def config(**fields: Any) -> ModelConfig:
    return ModelConfig.model_validate({"model": "m", "base_url": "http://a/v1"} | fields)


def request(**fields: Any) -> Request:
    return Request(messages=ASK.messages, **fields)


def test_a_bare_request_sends_only_model_messages_and_the_token_cap():
    assert wire_body(config(), ASK) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it complete?"}],
        "max_tokens": 1024,
    }


def test_the_request_wins_over_the_configuration_and_zero_is_a_value():
    body = wire_body(
        config(temperature=1.0, seed=3, max_tokens=10, effort="low"),
        request(temperature=0.0, seed=0, max_tokens=20, effort="high"),
    )
    assert (body["temperature"], body["seed"], body["max_tokens"], body["reasoning_effort"]) == (0.0, 0, 20, "high")


def test_the_configuration_fills_what_the_request_leaves_open():
    body = wire_body(config(temperature=0.5, seed=3, effort="low"), ASK)
    assert (body["temperature"], body["seed"], body["reasoning_effort"]) == (0.5, 3, "low")


def test_the_token_cap_goes_under_the_configured_name():
    body = wire_body(config(token_parameter="max_completion_tokens", max_tokens=9), ASK)
    assert body["max_completion_tokens"] == 9
    assert "max_tokens" not in body


def test_the_effort_object_style_is_sent_as_an_object():
    body = wire_body(config(effort_style="reasoning"), request(effort="high"))
    assert body["reasoning"] == {"effort": "high"}
    assert "reasoning_effort" not in body


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("json_schema", {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}),
        ("json_object", {"type": "json_object"}),
        ("text", None),
    ],
)
def test_a_schema_is_asked_for_in_the_configured_way(style: str, expected: object):
    assert wire_body(config(response_format=style), request(schema=SCHEMA)).get("response_format") == expected


def test_no_schema_means_no_response_format():
    assert "response_format" not in wire_body(config(response_format="json_object"), ASK)


def test_logprobs_zero_asks_for_logprobs_without_alternatives():
    body = wire_body(config(), request(logprobs=0))
    assert body["logprobs"] is True
    assert "top_logprobs" not in body
    assert wire_body(config(), request(logprobs=5))["top_logprobs"] == 5


def test_dropped_parameters_are_never_sent_not_even_from_extra_body():
    body = wire_body(
        config(drop=("seed", "logprobs", "top_k"), extra_body={"top_k": 3, "top_p": 0.9}),
        request(seed=1, logprobs=2),
    )
    assert set(body) == {"model", "messages", "max_tokens", "top_p"}


def test_the_replicate_is_in_the_key_and_not_on_the_wire():
    one, two = request(replicate=1), request(replicate=2)
    body = wire_body(config(), one)
    assert body == wire_body(config(), two)
    assert cache_key(config(), body, 1) != cache_key(config(), body, 2)


@pytest.mark.parametrize("field", ["effort", "seed", "temperature", "max_tokens", "logprobs", "schema", "messages"])
def test_everything_that_goes_out_is_in_the_key(field: str):
    values: dict[str, Any] = {
        "effort": "high",
        "seed": 5,
        "temperature": 0.1,
        "max_tokens": 7,
        "logprobs": 1,
        "schema": SCHEMA,
        "messages": (Message("user", "other"),),
    }
    changed = Request(**({"messages": ASK.messages} | {field: values[field]}))
    plain, other = wire_body(config(), ASK), wire_body(config(), changed)
    assert cache_key(config(), plain, 0) != cache_key(config(), other, 0)


def test_address_and_headers_are_in_the_key_and_a_trailing_slash_is_not():
    body = wire_body(config(), ASK)
    key = cache_key(config(), body, 0)
    assert key != cache_key(config(base_url="http://b/v1"), body, 0)
    assert key != cache_key(config(headers={"x-route": "b"}), body, 0)
    assert key == cache_key(config(base_url="http://a/v1/"), body, 0)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_cached_tokens_cost_what_their_own_price_says(fresh: int, cached: int, completion: int):
    prices = Prices(input=2.0, cached_input=0.5, output=8.0)
    expected = (2.0 * fresh + 0.5 * cached + 8.0 * completion) / 1e6
    assert price(prices, fresh + cached, cached, completion) == pytest.approx(expected)
    assert price(None, fresh, 0, completion) is None


def test_without_a_cached_price_cached_tokens_cost_the_full_price():
    assert price(Prices(input=1.0, output=0.0), 1_000_000, 600_000, 0) == pytest.approx(1.0)


@given(st.text(max_size=200), st.integers(1, 4096))
def test_more_text_and_a_larger_cap_never_reserve_less(text: str, cap: int):
    small = {"messages": [{"content": text}], "max_tokens": cap}
    large = {"messages": [{"content": text + "more words"}], "max_tokens": cap + 1}
    assert cap < reserve_tokens(small) < reserve_tokens(large)
    assert reserve_tokens(small) < reserve_tokens(small | {"response_format": SCHEMA})


def payload(message: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}]} | extra


def test_a_whole_reply_is_read_with_all_its_counts():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    raw = payload({"content": "ok"}, usage=usage, system_fingerprint="fp")
    raw["choices"][0]["logprobs"] = {"content": [{"token": "ok", "logprob": -0.1}]}
    reply = read_reply(raw, config(prices={"input": 1, "cached_input": 0, "output": 10}), {"model": "m"}, 1.5)
    assert reply == Reply(
        text="ok",
        finish="stop",
        usage=Usage(1, 1, 100, 60, 30, 20, pytest.approx(340 / 1e6), 1.5),
        model="m-1",
        sent={"model": "m"},
        logprobs=({"token": "ok", "logprob": -0.1},),
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "thinking"}, {"type": "text", "text": "b"}, "c", 4], "bc"),
        (17, ""),
    ],
)
def test_content_of_any_shape_becomes_text(content: object, text: str):
    assert read_reply(payload({"content": content}), config(), {}, 0.0).text == text


def test_a_refusal_stands_in_for_absent_content():
    assert read_reply(payload({"content": None, "refusal": "I cannot."}), config(), {}, 0.0).text == "I cannot."


@pytest.mark.parametrize("usage", [None, "none", {"prompt_tokens": None, "prompt_tokens_details": None}])
def test_absent_usage_is_zero_tokens_at_no_known_cost(usage: object):
    reply = read_reply(payload({"content": "x"}, usage=usage), config(prices={"input": 1, "output": 1}), {}, 0.0)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost) == (0, 0, None)


def test_a_reply_without_usage_counts_what_was_reserved():
    priced = config(prices={"input": 1, "output": 1})
    body = wire_body(priced, ASK)
    silent = read_reply(payload({"content": "x"}), priced, body, 0.0)
    assert reply_charge(priced, silent) == reserved_charge(priced, body)


@pytest.mark.parametrize("raw", [{}, {"choices": []}, {"choices": [{}]}, {"choices": "x"}, {"choices": [None]}])
def test_a_payload_without_a_message_is_refused(raw: dict[str, Any]):
    with pytest.raises(ValueError, match="no choices"):
        read_reply(raw, config(), {}, 0.0)


@pytest.mark.parametrize(
    ("finish", "expected"), [("length", True), ("max_tokens", True), ("stop", False), (None, False)]
)
def test_every_word_for_the_token_cap_reads_as_truncated(finish: object, expected: bool):
    raw = payload({"content": "x"})
    raw["choices"][0]["finish_reason"] = finish
    assert read_reply(raw, config(), {}, 0.0).truncated is expected


def test_the_fingerprint_marks_simulated_replies():
    assert read_reply(payload({"content": "x"}, system_fingerprint="judgelab-simulated-1"), config(), {}, 0.0).simulated
    assert not read_reply(payload({"content": "x"}, system_fingerprint=None), config(), {}, 0.0).simulated


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values, json_values)
def test_any_json_inside_a_message_reads_without_a_crash(content: object, usage: object, logprobs: object):
    raw = payload({"content": content}, usage=usage)
    raw["choices"][0]["logprobs"] = logprobs
    reply = read_reply(json.loads(json.dumps(raw)), config(), {}, 0.0)
    assert isinstance(reply.text, str)
    assert reply.usage.calls == 1


def test_half_an_emoji_becomes_a_character_that_files_can_hold() -> None:
    reply = read_reply(payload({"content": "ok \ud83d"}), config(), {}, 0.0)
    assert reply.text == "ok ?"
