"""CPU per call of the client stack beside the bare SDK and dspy.Evaluate.

Prints; asserts only that all calls were answered.

The endpoint runs in a process of its own, so ``time.process_time`` holds the clients alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import openai
import pytest

from harness.config import ModelConfig
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account, build_client
from harness.llm.client import Message, Request
from harness.llm.openai import OpenAIClient
from harness.llm.store import CallStore

CALLS = 300
THREADS = 16
PROMPT = "The patient reports a dry cough for two weeks and no fever. " * 100  # about 1,500 tokens
ASK = Request(messages=(Message("user", PROMPT),), seed=1, temperature=1.0)
SERVER = """
import json, socketserver
TEXT = "[[ ## answer ## ]]\\n7\\n\\n[[ ## completed ## ]]"
BODY = json.dumps({
    "id": "x", "object": "chat.completion", "created": 1, "model": "tiny",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
    "usage": {"prompt_tokens": 1500, "completion_tokens": 20, "total_tokens": 1520},
}).encode()
HEAD = b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(BODY)

class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while True:
            size = 0
            line = self.rfile.readline()
            if not line:
                return
            while line not in (b"\\r\\n", b""):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
                line = self.rfile.readline()
            self.rfile.read(size)
            self.wfile.write(HEAD + BODY)

class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 256

server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        server.kill()


def config(url: str) -> ModelConfig:
    return ModelConfig(model="tiny", base_url=url, concurrency=THREADS)


def measure(label: str, ask: Callable[[int], object], calls: int = CALLS) -> float:
    """Print and return milliseconds of CPU per call of this process, after a warm-up."""
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(ask, range(-2 * THREADS, 0)))
        cpu, wall = time.process_time(), time.perf_counter()
        answers = list(pool.map(ask, range(calls)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    assert all(answers)
    _show(label, cpu, wall, calls)
    return 1000 * cpu / calls


def test_one_attempt_beside_the_bare_sdk(url: str):
    client = OpenAIClient(config(url))
    ours = measure("OpenAIClient", lambda _: client.send(ASK).text)
    client.close()
    sdk = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    messages = [{"role": "user", "content": PROMPT}]
    bare = measure(
        "openai SDK chat.completions.create",
        lambda _: sdk.chat.completions.create(model="tiny", messages=messages, seed=1).choices[0].message.content,  # type: ignore[arg-type] # a dict is a message
    )
    sdk.close()
    print(f"ours / bare SDK = {ours / bare:.2f}")


def test_the_whole_stack_bought_and_cached(url: str, tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")
    with build_client(config(url), Account(store, Budget(Caps(calls=10**6)), "bench"), "judge") as client:
        measure("whole stack, bought", lambda i: client.send(replace(ASK, replicate=i)).text)
        measure("whole stack, cached", lambda i: client.send(replace(ASK, replicate=i)).text)
    store.close()


def test_the_stack_around_the_simulated_model(tmp_path: Path):
    simulated = ModelConfig(model="sim-judge", base_url="simulated:", concurrency=THREADS)
    store = CallStore(tmp_path / "calls.sqlite")
    with build_client(simulated, Account(store, Budget(Caps()), "bench"), "judge") as client:
        measure("whole stack, simulated in process", lambda i: client.send(replace(ASK, replicate=i)).text)
    store.close()


@pytest.mark.filterwarnings("ignore")  # dspy and litellm warn about things of their own
@pytest.mark.parametrize("engine", ["auto", "litellm"])
def test_dspy_evaluate_on_the_same_calls(url: str, engine: str):
    import dspy

    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    model = dspy.LM("openai/tiny", api_base=url, api_key="none", cache=False, num_retries=0, engine=engine)
    predict = dspy.Predict("question -> answer")
    examples = [dspy.Example(question=f"{i} {PROMPT}", answer="7").with_inputs("question") for i in range(CALLS)]
    with dspy.context(lm=model):
        evaluate = dspy.Evaluate(devset=examples, metric=_equal, num_threads=THREADS, display_progress=False)
        dspy.Evaluate(devset=examples[:THREADS], metric=_equal, num_threads=THREADS, display_progress=False)(predict)
        cpu, wall = time.process_time(), time.perf_counter()
        result = evaluate(predict)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    assert result.score == 100.0
    _show(f"dspy.Evaluate, engine {engine}", cpu, wall, CALLS)


def _show(label: str, cpu: float, wall: float, calls: int) -> None:
    print(f"\n{label:<44} {1000 * cpu / calls:7.2f} ms CPU a call  {calls / wall:8.0f} calls/s")


def _equal(example: object, prediction: object, trace: object = None) -> bool:
    return bool(example.answer == prediction.answer)  # type: ignore[attr-defined] # dspy examples carry any field
