from __future__ import annotations

from dataclasses import replace

import pytest

from harness.config import ModelConfig
from harness.errors import CallFailed
from harness.llm.client import Message, Request
from harness.llm.openai import OpenAIClient
from harness.llm.simulated.direct import DirectClient
from harness.llm.simulated.transport import SimulatedTransport

CONFIG = ModelConfig(model="sim-null", base_url="simulated:", effort="none")
REQUEST = Request((Message("user", "Judge this note.\n\nANSWER FORMAT\nA JSON object with a score."),), seed=3)


def test_a_direct_reply_is_the_reply_that_comes_through_the_client() -> None:
    client = OpenAIClient(CONFIG, SimulatedTransport())
    through, direct = client.send(REQUEST), DirectClient(CONFIG).send(REQUEST)
    client.close()
    assert direct.usage.prompt_tokens > 0
    assert direct.simulated
    assert direct == replace(through, usage=replace(through.usage, latency=0.0))


def test_a_refused_request_is_a_failed_call() -> None:
    with pytest.raises(CallFailed, match="404"):
        DirectClient(CONFIG.model_copy(update={"model": "unknown"})).send(REQUEST)
