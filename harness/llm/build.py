"""From a model configuration to a client: the one place where the wrapping order is decided."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import TracebackType

from harness.config import ModelConfig
from harness.errors import ConfigError
from harness.llm.budget import Budget, BudgetedClient, check_caps
from harness.llm.cache import CachedClient
from harness.llm.client import Client, Reply, Request

# At import time, in the importing thread: worker threads that first meet these modules race for them.
from harness.llm.openai import BaseTransport, OpenAIClient
from harness.llm.pace import PacedClient
from harness.llm.prefix import PrefixMeter
from harness.llm.probe import ProbeReport, probe
from harness.llm.record import RecordedClient
from harness.llm.retry import RetryingClient, Waiting
from harness.llm.store import CallStore

__all__ = ["Account", "BuiltClient", "ProbeReport", "build_client", "probe"]


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays: where replies and attempts are kept, what may be spent, and for which campaign.

    ``meter`` counts what of the prompts that are really sent a provider's prompt cache could serve.
    """

    store: CallStore
    budget: Budget
    campaign: str
    meter: PrefixMeter = field(default_factory=PrefixMeter)


@dataclass(frozen=True, slots=True)
class BuiltClient:
    """A client with everything around it. Close it, or use it in a ``with`` block; the store stays open."""

    inner: Client
    endpoint: OpenAIClient

    def send(self, request: Request) -> Reply:
        """Return the reply to one request; safe to call from many threads."""
        return self.inner.send(request)

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self.endpoint.close()

    def __enter__(self) -> BuiltClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def build_client(config: ModelConfig, account: Account, role: str, seed: int = 0) -> BuiltClient:
    """A client of one model: cached, retrying, paced, budgeted and recorded, in this order from the outside.

    So a cached reply costs nothing, a retry waits without holding a slot, and every attempt
    is reserved and recorded by itself. ``role`` names the purpose in the call log; ``seed``
    is that of the jitter between retries. Raises ConfigError where a cap could not be kept,
    MissingKey where the key is not set.
    """
    check_caps(account.budget.caps, config)
    _check_drop(config)
    endpoint = OpenAIClient(config, _transport(config))
    metered = account.meter.around(endpoint, f"{config.base_url} {config.model}", role)
    recorded = RecordedClient(metered, account.store, config, account.campaign, role)
    budgeted = BudgetedClient(recorded, account.budget, config)
    paced = PacedClient(budgeted, config, sleep=time.sleep, clock=time.monotonic)
    waiting = Waiting(config.retries, config.timeouts.total, sleep=time.sleep, clock=time.monotonic)
    return BuiltClient(CachedClient(RetryingClient(paced, waiting, seed), account.store, config), endpoint)


def _transport(config: ModelConfig) -> BaseTransport | None:
    if not config.in_process:
        return None
    # Here, so that a lab with real endpoints only never loads the simulated model.
    from harness.llm.simulated.transport import SimulatedTransport

    return SimulatedTransport()


def _check_drop(config: ModelConfig) -> None:
    needed = sorted({"model", "messages"} & set(config.drop))
    if needed:
        tried = f"building the client of {config.model!r}"
        raise ConfigError(tried, f"`drop` names {needed}", "Remove them: no request makes sense without.")
