from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.config import ModelConfig, load_yaml, parse_config
from harness.errors import BudgetExhausted, CallFailed, ConfigError, EndpointUnreachable, ParameterRejected
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account, build_client, probe
from harness.llm.client import FakeClient, Message, Reply, Request
from harness.llm.probe import PROBE
from harness.llm.store import CallStore, Spent
from harness.llm.wire import reserve_tokens, wire_body
from harness.outcomes import Usage

ASK = Request(messages=(Message("user", "Is it complete?"),), seed=4)
Make = Callable[..., ModelConfig]
CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "models"


@pytest.fixture
def account(tmp_path: Path) -> Iterator[Account]:
    store = CallStore(tmp_path / "calls.sqlite")
    yield Account(store, Budget(Caps()), "c")
    store.close()


def statuses(tmp_path: Path) -> list[str]:
    connection = sqlite3.connect(tmp_path / "calls.sqlite")
    rows = connection.execute("SELECT status FROM calls ORDER BY id").fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_every_attempt_is_recorded_and_budgeted_and_the_cached_reply_is_neither(
    serve, scripted, completed, model: Make, account: Account, tmp_path: Path
):
    answers = {1: scripted(429, {}, {"Retry-After": "0"}), 2: scripted(503, {}, {"Retry-After": "0"})}
    endpoint = serve(lambda body, n: answers.get(n, scripted(body=completed())))
    with build_client(model(endpoint.url), account, "judge") as client:
        replies = [client.send(ASK), client.send(ASK)]
    assert [reply.usage.bought for reply in replies] == [1, 0]
    assert statuses(tmp_path) == ["429", "503", "200"]
    assert account.budget.spent == account.store.spent("c") == Spent(3, 13, None)


def test_a_server_fault_without_retry_after_is_survived(serve, scripted, completed, model: Make, account: Account):
    endpoint = serve(lambda body, n: scripted(500, b"oops") if n == 1 else scripted(body=completed()))
    with build_client(model(endpoint.url), account, "judge") as client:
        assert client.send(ASK).text == "fine"
    assert endpoint.bodies[0] == endpoint.bodies[1]


def test_an_answer_lost_on_the_way_counts_in_full(serve, scripted, completed, model: Make, account: Account, tmp_path):
    endpoint = serve(lambda body, n: scripted(body=completed(), cut=20))
    config = model(endpoint.url, retries=0, prices={"input": 1.0, "output": 1.0})
    with build_client(config, account, "judge") as client, pytest.raises(CallFailed, match="1 attempt"):
        client.send(ASK)
    tokens = reserve_tokens(wire_body(config, ASK))
    assert statuses(tmp_path) == ["lost"]
    assert account.store.spent("c") == account.budget.spent == Spent(1, tokens, pytest.approx(tokens / 1e6))


def test_a_slow_call_is_never_sent_twice_at_a_time(serve, scripted, completed, model: Make, account: Account):
    endpoint = serve(lambda body, n: scripted(body=completed(), hold=0.4))
    with build_client(model(endpoint.url), account, "judge") as client, ThreadPoolExecutor(6) as pool:
        texts = [reply.text for reply in pool.map(client.send, [ASK] * 6)]
    assert texts == ["fine"] * 6
    assert len(endpoint.bodies) == 1


def test_an_unreachable_endpoint_spends_nothing(model: Make, account: Account, tmp_path: Path):
    with build_client(model("http://127.0.0.1:1/v1"), account, "judge") as client, pytest.raises(EndpointUnreachable):
        client.send(ASK)
    assert statuses(tmp_path) == ["not sent"]
    assert account.store.spent("c") == account.budget.spent == Spent(0, 0, None)


def test_a_dead_endpoint_does_not_answer_from_the_cache_of_another(
    serve, scripted, completed, model: Make, account: Account
):
    endpoint = serve(lambda body, n: scripted(body=completed()))
    with build_client(model(endpoint.url), account, "judge") as client:
        client.send(ASK)
    with build_client(model("http://127.0.0.1:1/v1"), account, "judge") as dead, pytest.raises(EndpointUnreachable):
        dead.send(ASK)


def test_efforts_and_replicates_reach_the_endpoint_as_calls_of_their_own(
    serve, scripted, completed, model: Make, account: Account
):
    endpoint = serve(lambda body, n: scripted(body=completed(f"reply {n}")))
    asks = [replace(ASK, effort=effort) for effort in ("low", "medium", "high")]
    asks += [replace(ASK, replicate=number) for number in (1, 2)]
    with build_client(model(endpoint.url), account, "judge") as client:
        texts = {client.send(ask).text for ask in asks * 2}
    assert len(texts) == 5
    assert [body.get("reasoning_effort") for body in endpoint.bodies] == ["low", "medium", "high", None, None]
    assert endpoint.bodies[3] == endpoint.bodies[4]


def test_a_cap_holds_under_threads_and_retries(serve, scripted, completed, model: Make, tmp_path: Path):
    endpoint = serve(
        lambda body, n: scripted(429, {}, {"Retry-After": "0"}) if n % 3 == 0 else scripted(body=completed())
    )
    store = CallStore(tmp_path / "calls.sqlite")
    account = Account(store, Budget(Caps(calls=20)), "c")

    def ask(number: int) -> bool:
        try:
            return client.send(replace(ASK, replicate=number)).text == "fine"
        except BudgetExhausted:
            return False

    with build_client(model(endpoint.url, concurrency=16), account, "judge") as client, ThreadPoolExecutor(16) as pool:
        done = sum(pool.map(ask, range(40)))
    assert len(endpoint.bodies) == store.spent("c").calls == account.budget.spent.calls == 20
    assert done == 14
    store.close()


def test_a_resumed_budget_starts_where_the_store_says(serve, scripted, completed, model: Make, account: Account):
    endpoint = serve(lambda body, n: scripted(body=completed()))
    with build_client(model(endpoint.url), account, "judge") as client:
        client.send(ASK)
    resumed = replace(account, budget=Budget(Caps(calls=1), account.store.spent("c")))
    with build_client(model(endpoint.url), resumed, "judge") as client:
        assert client.send(ASK).usage.bought == 0
        with pytest.raises(BudgetExhausted):
            client.send(replace(ASK, replicate=1))


@pytest.mark.parametrize("name", ["model", "messages"])
def test_what_every_request_needs_cannot_be_dropped(model: Make, account: Account, name: str):
    with pytest.raises(ConfigError, match=name):
        build_client(model(drop=(name,)), account, "judge")


def test_a_money_cap_without_prices_is_refused_before_anything_is_sent(model: Make, account: Account):
    capped = replace(account, budget=Budget(Caps(dollars=1.0)))
    with pytest.raises(ConfigError, match="prices"):
        build_client(model(), capped, "judge")


def test_many_threads_may_send_first(serve, scripted, completed, model: Make, account: Account):
    endpoint = serve(lambda body, n: scripted(body=completed()))
    start = threading.Barrier(16)

    def ask(number: int) -> str:
        start.wait(10)
        return client.send(replace(ASK, replicate=number)).text

    with build_client(model(endpoint.url, concurrency=16), account, "judge") as client, ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, range(16))) == {"fine"}


def test_importing_the_client_stack_loads_the_sdk_in_the_importing_thread():
    script = "import sys, harness.llm.build; print('openai' in sys.modules, 'httpx2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_model_file_loads_and_holds_no_key(path: Path):
    config = parse_config(ModelConfig, load_yaml(path), str(path))
    assert "sk-" not in path.read_text(encoding="utf-8")
    assert config.in_process == path.stem.startswith("simulated")


def test_the_usual_endpoints_have_a_model_file():
    assert {path.stem for path in CONFIGS.glob("*.yaml")} >= {
        *("openai", "openrouter", "vllm", "llama-cpp", "ollama", "simulated"),
    }


def test_the_simulated_model_answers_through_the_whole_stack(account: Account):
    config = parse_config(ModelConfig, load_yaml(CONFIGS / "simulated.yaml"), "simulated.yaml")
    with build_client(config, account, "judge") as client:
        reply = client.send(ASK)
    assert reply.simulated
    assert reply.text
    assert account.store.spent("c").tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0


def answering(answer: Callable[[Request], Reply]) -> Any:
    class Answering:
        def send(self, request: Request) -> Reply:
            return answer(request)

    return Answering()


def test_a_probe_of_a_sound_endpoint_warns_of_nothing(serve, scripted, completed, model: Make, account: Account):
    endpoint = serve(lambda body, n: scripted(body=completed('{"ready": true}')))
    config = model(endpoint.url)
    with build_client(config, account, "probe") as client:
        report = probe(client, config, repeats=3)
    assert report.warnings == ()
    assert (report.model, report.structured, report.repeats_agree, report.finish) == ("served", True, 1.0, "stop")
    assert len(endpoint.bodies) == 4


def test_a_probe_fails_early_on_a_rejected_parameter(serve, scripted, model: Make, account: Account):
    error = {"error": {"code": "unsupported_value", "param": "temperature", "message": "no"}}
    endpoint = serve(lambda body, n: scripted(400, error))
    config = model(endpoint.url, temperature=0.0)
    with build_client(config, account, "probe") as client, pytest.raises(ParameterRejected, match=r"drop: \[temp"):
        probe(client, config)


def test_a_probe_says_what_an_endpoint_ignores(model: Make):
    texts = iter(f"not JSON {n}" for n in range(10))
    client = answering(lambda _: Reply(next(texts), "stop", Usage(1, 1, reasoning_tokens=7)))
    report = probe(client, model(), replace(PROBE, logprobs=1), repeats=4, efforts=("low", "high"))
    assert (report.structured, report.logprobs, report.repeats_agree) == (False, False, 0.0)
    assert report.reasoning == (("low", 7), ("high", 7))
    for word in ("usage", "JSON", "logprobs", "0% of equal requests", "effort"):
        assert any(word in warning for warning in report.warnings), word


def test_effort_that_changes_reasoning_is_no_warning(model: Make):
    tokens = {None: 5, "low": 5, "high": 50}
    client = answering(
        lambda r: Reply("{}", "stop", Usage(1, 1, 9, completion_tokens=9, reasoning_tokens=tokens[r.effort]))
    )
    assert probe(client, model(), efforts=("low", "high")).warnings == ()


def test_a_probe_that_gets_no_text_says_so(model: Make):
    with pytest.raises(CallFailed, match="max_tokens"):
        probe(FakeClient(lambda _: "", "length"), model())
