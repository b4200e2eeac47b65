"""The same function over loopback HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import httpx2
import openai
import pytest

from harness.llm.simulated.faults import HEADER
from harness.llm.simulated.model import answer
from harness.llm.simulated.server import build_server

BODY = {"model": "sim-judge", "messages": [{"role": "user", "content": "patient: I have a cough."}], "seed": 1}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = build_server("127.0.0.1", port)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    waiting = threading.Event()
    for _ in range(200):
        if server.started:
            break
        waiting.wait(0.05)
    yield f"http://127.0.0.1:{port}/v1"
    server.should_exit = True
    thread.join(10)


def test_the_server_answers_as_the_function_does(address: str) -> None:
    assert httpx2.post(f"{address}/chat/completions", json=BODY).json() == dict(answer(BODY, {}).payload)


def test_the_openai_client_lists_models_and_completes(address: str) -> None:
    with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as sdk:
        assert "sim-judge" in [model.id for model in sdk.models.list()]
        reply = sdk.chat.completions.create(model="sim-judge", messages=[{"role": "user", "content": "patient: Hi."}])
    assert reply.system_fingerprint == "judgelab-simulated-1"


def test_errors_and_retry_after_travel(address: str) -> None:
    reply = httpx2.post(f"{address}/chat/completions", json=BODY, headers={HEADER: "rate_limit:3"})
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "3")
    assert httpx2.post(f"{address}/chat/completions", json=BODY | {"tools": []}).status_code == 400


def test_a_cut_body_breaks_the_connection(address: str) -> None:
    with pytest.raises(httpx2.TransportError):
        httpx2.post(f"{address}/chat/completions", json=BODY, headers={HEADER: "cut"})


def test_a_hanging_request_ends_when_the_caller_gives_up(address: str) -> None:
    with pytest.raises(httpx2.ReadTimeout):
        httpx2.post(f"{address}/chat/completions", json=BODY, headers={HEADER: "hang"}, timeout=0.3)
    assert httpx2.post(f"{address}/chat/completions", json=BODY).status_code == 200
