"""The simulated model without a client around it: no HTTP, no store, no budget. For studies of many small campaigns."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import ModelConfig
from harness.errors import CallFailed
from harness.llm.client import Reply, Request
from harness.llm.simulated.model import answer
from harness.llm.wire import read_reply, wire_body

OK = 200


@dataclass(frozen=True, slots=True)
class DirectClient:
    """A ``Client`` that calls the simulated model as a function, with the body that an endpoint would get."""

    config: ModelConfig

    def send(self, request: Request) -> Reply:
        """The model's reply; CallFailed where it refuses the request. ``headers`` may name a fault, as over HTTP."""
        body = wire_body(self.config, request)
        found = answer(body, self.config.headers)
        if found.status != OK or found.delivery.kind != "whole":
            tried = f"calling {self.config.model!r} directly"
            raise CallFailed(tried, f"status {found.status}, delivery {found.delivery.kind}", "Correct the request.")
        return read_reply(found.payload, self.config, body, 0.0)
