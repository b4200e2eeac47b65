from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from harness.config import ModelConfig
from harness.errors import (
    CallFailed,
    ConfigError,
    EndpointUnreachable,
    LabError,
    MissingKey,
    ModelError,
    ParameterRejected,
    TemporaryFailure,
)
from harness.llm.client import Message, Reply, Request
from harness.llm.openai import OpenAIClient
from harness.llm.wire import wire_body

ASK = Request(messages=(Message("user", "Is it complete?"),), seed=4, temperature=0.5)
Make = Callable[..., ModelConfig]
KEY = "JUDGELAB_TEST_KEY"


@contextmanager
def opened(config: ModelConfig) -> Iterator[OpenAIClient]:
    client = OpenAIClient(config)
    try:
        yield client
    finally:
        client.close()


def send(config: ModelConfig, request: Request = ASK) -> Reply:
    with opened(config) as client:
        return client.send(request)


def failure(config: ModelConfig, kind: type[LabError] = ModelError) -> Any:
    with pytest.raises(kind) as caught:
        send(config)
    return caught.value


def test_a_reply_carries_text_usage_and_the_body_that_was_received(serve, scripted, completed, model: Make):
    endpoint = serve(lambda body, n: scripted(body=completed()))
    config = model(endpoint.url, extra_body={"cache_prompt": False})
    reply = send(config)
    assert (reply.text, reply.finish, reply.model) == ("fine", "stop", "served")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 3)
    assert reply.usage.latency > 0
    assert endpoint.bodies == [dict(reply.sent)] == [wire_body(config, ASK)]


def test_many_calls_use_one_connection_and_the_configured_headers(serve, scripted, completed, model: Make):
    endpoint = serve(lambda body, n: scripted(body=completed()))
    with opened(model(endpoint.url, headers={"X-Title": "lab"})) as client:
        for _ in range(3):
            client.send(ASK)
    assert [headers["x-title"] for headers in endpoint.headers] == ["lab"] * 3
    assert len(endpoint.connections) == 1


def test_the_key_comes_from_the_named_variable(serve, scripted, completed, model: Make, monkeypatch):
    monkeypatch.setenv(KEY, "s3cret")
    endpoint = serve(lambda body, n: scripted(body=completed()))
    send(model(endpoint.url, key_env=KEY))
    assert endpoint.headers[0]["authorization"] == "Bearer s3cret"


def test_a_missing_key_names_the_variable_and_how_to_set_it(model: Make, monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    assert f"export {KEY}=" in str(failure(model(key_env=KEY), MissingKey))


def test_an_address_without_a_scheme_is_a_configuration_error(model: Make):
    assert "http(s)://" in str(failure(model("localhost:8000/v1"), ConfigError))


def test_a_refused_connection_is_unreachable(model: Make):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = failure(model(f"http://127.0.0.1:{port}/v1"), EndpointUnreachable)
    assert str(port) in str(error)


def test_a_name_that_does_not_resolve_is_unreachable(model: Make):
    failure(model("http://no-such-host.invalid/v1"), EndpointUnreachable)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_overload_and_server_faults_are_temporary(serve, scripted, model: Make, status: int):
    endpoint = serve(lambda body, n: scripted(status, {"error": {"message": "busy"}}, {"Retry-After": "3"}))
    error = failure(model(endpoint.url), TemporaryFailure)
    assert (error.status, error.retry_after) == (status, 3.0)
    assert len(endpoint.bodies) == 1


def test_an_account_without_credit_is_not_temporary(serve, scripted, model: Make):
    endpoint = serve(lambda body, n: scripted(429, {"error": {"code": "insufficient_quota", "message": "pay"}}))
    error = failure(model(endpoint.url), CallFailed)
    assert not isinstance(error, TemporaryFailure)
    assert "credit" in str(error)


@pytest.mark.parametrize(
    ("refused", "name", "setting"),
    [
        (
            (400, {"error": {"code": "unsupported_value", "param": "temperature", "message": "only 1 is supported"}}),
            "temperature",
            "drop: [temperature]",
        ),
        (
            (400, {"error": {"code": "unsupported_parameter", "param": "max_tokens", "message": "No 'max_tokens'."}}),
            "max_tokens",
            "token_parameter: max_completion_tokens",
        ),
        ((400, {"error": {"message": "Unrecognized request argument supplied: seed"}}), "seed", "drop: [seed]"),
        ((400, {"object": "error", "message": "seed is not supported by this server"}), "seed", "drop: [seed]"),
        (
            (422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}),
            "seed",
            "drop: [seed]",
        ),
        ((400, {"error": {"message": "unknown field: top_k"}}), "top_k", "extra_body"),
    ],
)
def test_a_rejected_parameter_is_named_with_the_setting_that_helps(
    serve, scripted, model: Make, refused: tuple[int, dict[str, Any]], name: str, setting: str
):
    endpoint = serve(lambda body, n: scripted(*refused))
    found = failure(model(endpoint.url, extra_body={"top_k": 3}), ParameterRejected)
    assert repr(name) in found.found
    assert setting in found.todo


def test_a_rejected_schema_names_the_response_format_setting(serve, scripted, model: Make):
    endpoint = serve(lambda body, n: scripted(400, {"error": {"message": "response_format is not supported"}}))
    with opened(model(endpoint.url)) as client, pytest.raises(ParameterRejected, match="response_format: json_object"):
        client.send(Request(ASK.messages, schema={"type": "object"}))


@pytest.mark.parametrize(
    "message", ["This model's maximum context length is 2048 tokens", "temperature must be at most 2", "bad image"]
)
def test_other_bad_requests_fail_for_good_without_blaming_a_parameter(serve, scripted, model: Make, message: str):
    endpoint = serve(lambda body, n: scripted(400, {"error": {"message": message, "param": "messages"}}))
    error = failure(model(endpoint.url), CallFailed)
    assert not isinstance(error, TemporaryFailure)
    assert message in str(error)


def test_a_refused_key_names_its_variable_and_never_shows_the_key(serve, scripted, model: Make, monkeypatch):
    monkeypatch.setenv(KEY, "s3cret-value")
    for payload in ({"error": {"message": "bad key s3cret-value"}}, b"bad key s3cret-value"):
        endpoint = serve(lambda body, n, payload=payload: scripted(401, payload))
        text = str(failure(model(endpoint.url, key_env=KEY)))
        assert KEY in text
        assert "s3cret-value" not in text


def test_an_unknown_model_is_named(serve, scripted, model: Make):
    endpoint = serve(lambda body, n: scripted(404, {"error": {"message": "no such model"}}))
    assert "'tiny'" in failure(model(endpoint.url)).todo


@pytest.mark.parametrize(
    "body", [b"<html>gateway</html>", b"", b'{"choices": [', b"[]", b'"text"', b"\xff\xfe", b'{"choices": []}']
)
def test_a_body_that_is_no_completion_is_temporary(serve, scripted, model: Make, body: bytes):
    endpoint = serve(lambda _, n: scripted(200, body))
    assert failure(model(endpoint.url), TemporaryFailure).status == 200


def test_an_error_inside_a_successful_answer_counts_as_its_own_status(serve, scripted, model: Make):
    endpoint = serve(lambda body, n: scripted(200, {"error": {"code": 502, "message": "provider down"}}))
    assert failure(model(endpoint.url), TemporaryFailure).status == 502


def test_a_connection_cut_inside_the_body_is_temporary(serve, scripted, completed, model: Make):
    endpoint = serve(lambda body, n: scripted(body=completed(), cut=20))
    error = failure(model(endpoint.url), TemporaryFailure)
    assert (error.status, error.sent) == (None, True)


def test_an_endpoint_that_never_answers_is_given_up_in_time(serve, scripted, completed, model: Make):
    endpoint = serve(lambda body, n: scripted(body=completed(), hold=30.0))
    start = time.monotonic()
    error = failure(model(endpoint.url, timeouts={"call": 0.3}), TemporaryFailure)
    assert "0.3 s" in str(error)
    assert time.monotonic() - start < 15  # far under the hold, far over any scheduling delay


def test_a_body_that_drips_for_ever_is_given_up_in_time(serve, scripted, completed, model: Make):
    endpoint = serve(lambda body, n: scripted(body=completed("x" * 4000), drip=0.05))
    assert "0.4 s" in str(failure(model(endpoint.url, timeouts={"call": 0.4}), TemporaryFailure))


def test_thinking_that_ate_the_cap_is_visible_in_the_reply(serve, scripted, completed, model: Make):
    usage = {"prompt_tokens": 9, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 50}}
    endpoint = serve(lambda body, n: scripted(body=completed(None, "length", usage=usage)))
    reply = send(model(endpoint.url))
    assert (reply.text, reply.truncated, reply.usage.reasoning_tokens) == ("", True, 50)
