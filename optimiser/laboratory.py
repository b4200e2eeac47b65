"""From a campaign configuration to open clients under one budget, and closed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.config import JudgeConfig, ModelConfig, fingerprint
from harness.judges.base import Judge
from harness.judges.build import build_judge
from harness.judges.sanity import Sanity, check_sanity
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account, build_client
from harness.llm.client import Client, Effort, StageRouter
from harness.llm.store import CallStore, Spent
from harness.outcomes import Outcome
from harness.types import Candidate, Consultation, Note
from optimiser.config import BudgetConfig, CampaignConfig


@dataclass(frozen=True)
class Laboratory:
    """Open clients of one campaign (or one confirmation) and what they have spent."""

    config: CampaignConfig
    judge_client: Client
    reflector: Client
    budget: Budget

    def judge_for(self, candidate: Candidate) -> Judge:
        """The campaign's judge with a candidate's blocks."""
        return build_judge(self.config.judge, candidate, self.judge_client)

    def judge_with(self, candidate: Candidate, judge: JudgeConfig) -> Judge:
        """The same with other judge settings: a rung of the effort ladder."""
        return build_judge(judge, candidate, self.judge_client)

    def judge_at(self, candidate: Candidate, effort: Effort) -> Judge:
        """The campaign's judge with a candidate's blocks at another reasoning effort."""
        return self.judge_with(candidate, self.config.judge.model_copy(update={"effort": effort}))

    @property
    def spent(self) -> Spent:
        """What was really bought so far, over all processes of this account."""
        return self.budget.spent

    def sanity(self, candidate: Candidate) -> tuple[Sanity, bool]:
        """The sanity check of a judge, and whether a simulated model answered it."""
        watched = _Watched(self.judge_for(candidate), [])
        sanity = check_sanity(watched)
        return sanity, self.config.simulated or any(outcome.simulated for outcome in watched.outcomes)


@contextmanager
def open_laboratory(config: CampaignConfig, account: str, cache: Path) -> Iterator[Laboratory]:
    """Open the call store and the clients of a campaign; ``account`` names who pays, ``cache`` the store's file."""
    with ExitStack() as stack:
        store = CallStore(cache)
        stack.callback(store.close)
        budget = Budget(_caps(config.budget), store.spent(account))
        purse = Account(store, budget, account)
        judge = judge_client(stack, purse, config)
        reflector = stack.enter_context(build_client(config.reflector, purse, "reflect", config.seed))
        yield Laboratory(config, judge, reflector, budget)


def judge_client(stack: ExitStack, purse: Account, config: CampaignConfig) -> Client:
    """The client of the campaign's judge: one per model, each stage with a model of its own routed to that one."""
    clients: dict[str, Client] = {}

    def client_of(model: ModelConfig) -> Client:
        key = fingerprint(model)
        if key not in clients:
            clients[key] = stack.enter_context(build_client(model, purse, "judge", config.seed))
        return clients[key]

    stages = {name: client_of(stage.model) for name, stage in config.judge.stages.items() if stage.model is not None}
    default = client_of(config.model)
    return StageRouter(default, stages) if stages else default


def _caps(config: BudgetConfig) -> Caps:
    return Caps(calls=config.calls, tokens=config.tokens, dollars=config.dollars)


@dataclass(frozen=True)
class _Watched:
    inner: Judge
    outcomes: list[Outcome]

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        outcome = self.inner.judge(consultation, note, replicate)
        self.outcomes.append(outcome)
        return outcome
