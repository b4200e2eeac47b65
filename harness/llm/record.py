"""A client that writes down every attempt it passes on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.config import ModelConfig
from harness.errors import EndpointUnreachable, ModelError, TemporaryFailure
from harness.llm.client import Client, Reply, Request
from harness.llm.store import NOT_SENT, Call, CallStore
from harness.llm.wire import Charge, cache_key, reply_charge, reserved_charge, wire_body
from harness.types import digest


@dataclass(frozen=True, slots=True)
class RecordedClient:
    """Records each attempt before it is sent and again when it ended."""

    inner: Client
    store: CallStore
    config: ModelConfig
    campaign: str
    role: str

    def send(self, request: Request) -> Reply:
        """Return the inner client's reply; the attempt is in the store whatever happens."""
        body = wire_body(self.config, request)
        reserved = reserved_charge(self.config, body)
        key = cache_key(self.config, body, request.replicate)
        role = f"{self.role}:{request.stage}" if request.stage else self.role
        call = Call(self.campaign, role, key, digest(body))
        call = replace(call, charged_tokens=reserved.tokens, charged_dollars=reserved.dollars)
        row = self.store.record(call)
        try:
            reply = self.inner.send(request)
        except ModelError as failure:
            charge = failure_charge(failure, reserved)
            status = _status(failure)
            call = replace(call, status=status, charged_tokens=charge.tokens, charged_dollars=charge.dollars)
            self.store.record(call, row)
            raise
        self.store.record(self._answered(call, reply), row)
        return reply

    def _answered(self, call: Call, reply: Reply) -> Call:
        charge = reply_charge(self.config, reply)
        usage = reply.usage
        return replace(
            call,
            status="200" if usage.prompt_tokens + usage.completion_tokens else "200 without usage",
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            reasoning_tokens=usage.reasoning_tokens,
            charged_tokens=charge.tokens,
            charged_dollars=charge.dollars,
            latency=usage.latency,
        )


def failure_charge(failure: ModelError, reserved: Charge) -> Charge:
    """What a failed attempt counts against the caps.

    An endpoint that refused bought nothing; one that never finished its answer may have
    worked on it, so the whole reservation counts.
    """
    lost = isinstance(failure, TemporaryFailure) and failure.status is None and failure.sent
    return reserved if lost else Charge(0, None if reserved.dollars is None else 0.0)


def was_sent(failure: ModelError) -> bool:
    """False where the failure says that no byte of the request went out."""
    unsent = isinstance(failure, TemporaryFailure) and not failure.sent
    return not (unsent or isinstance(failure, EndpointUnreachable))


def _status(failure: ModelError) -> str:
    if not was_sent(failure):
        return NOT_SENT
    if isinstance(failure, TemporaryFailure):
        return "lost" if failure.status is None else str(failure.status)
    return type(failure).__name__
