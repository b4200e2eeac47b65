"""From a campaign configuration to open clients under one budget, and closed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    account: Account

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

    @property
    def calls_by_role(self) -> Mapping[str, int]:
        """Calls really bought so far by role ("judge", "judge:<stage>", "reflect"), over all processes."""
        return self.account.store.calls_by_role(self.account.campaign)

    def sanity(self, candidate: Candidate) -> tuple[Sanity, bool]:
        """The sanity check of a judge, and whether a simulated model answered it."""
        watched = _Watched(self.judge_for(candidate), [])
        sanity = check_sanity(watched)
        return sanity, self.config.simulated or any(outcome.simulated for outcome in watched.outcomes)


class Clients:
    """One open client for each model, all on one account; they are closed with the stack."""

    def __init__(self, stack: ExitStack, purse: Account, seed: int) -> None:
        self._stack, self._purse, self._seed = stack, purse, seed
        self._open: dict[str, Client] = {}

    def of(self, model: ModelConfig) -> Client:
        """The client of a model, opened where it is not yet."""
        key = fingerprint(model)
        if key not in self._open:
            self._open[key] = self._stack.enter_context(build_client(model, self._purse, "judge", self._seed))
        return self._open[key]

    def judging(self, judge: JudgeConfig, model: ModelConfig) -> Client:
        """The client of a judge on a model: each stage with a model of its own is routed to that one."""
        stages = {name: self.of(stage.model) for name, stage in judge.stages.items() if stage.model is not None}
        default = self.of(model)
        return StageRouter(default, stages) if stages else default


@contextmanager
def open_account(budget: BudgetConfig, account: str, cache: Path) -> Iterator[Account]:
    """Open the call store at ``cache``, with what ``account`` has spent so far counted against the caps."""
    store = CallStore(cache)
    try:
        yield Account(store, Budget(_caps(budget), store.spent(account)), account)
    finally:
        store.close()


@contextmanager
def open_laboratory(config: CampaignConfig, account: str, cache: Path) -> Iterator[Laboratory]:
    """Open the call store and the clients of a campaign; ``account`` names who pays, ``cache`` the store's file."""
    with open_account(config.budget, account, cache) as purse, ExitStack() as stack:
        judge = Clients(stack, purse, config.seed).judging(config.judge, config.model)
        reflector = stack.enter_context(build_client(config.reflector, purse, "reflect", config.seed))
        yield Laboratory(config, judge, reflector, purse.budget, purse)


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
