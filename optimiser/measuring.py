"""Buys the outcomes that a question needs and no others, through the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.errors import EndpointUnreachable
from harness.evaluate import Task, evaluate, tasks_for
from harness.judges.base import Judge
from harness.metrics import measure
from harness.outcomes import Failure, Outcome, Usage
from harness.scores import ScoreTable, tabulate
from harness.types import Candidate, PairSet
from optimiser.journal import Journal, Key
from optimiser.records import Measured, Spend

BROKEN_SHARE = 0.5
BROKEN_LEAST = 10


@dataclass(frozen=True)
class Replicates:
    """Which replicates a note is scored with: flawed notes and their clean twins apart."""

    clean: tuple[int, ...]
    flawed: tuple[int, ...]


class Measurer:
    """Scores candidates on pair sets. Each outcome is bought once per campaign and counted once in ``take_spend``."""

    def __init__(
        self,
        judge_for: Callable[[Candidate], Judge],
        journal: Journal,
        concurrency: int,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> None:
        self._judge_for = judge_for
        self._journal = journal
        self._concurrency = concurrency
        self._on_outcome = on_outcome
        self._counted: set[Key] = set()
        self._held: dict[Key, Failure] = {}
        self._pending = Usage()
        self.total = Usage()

    def outcomes(self, candidate: Candidate, pair_set: PairSet, replicates: Replicates) -> tuple[Outcome, ...]:
        """All outcomes of a candidate on a pair set, in task order."""
        tasks = tasks_for(pair_set, replicates.clean, replicates.flawed)
        missing = [task for task in tasks if self._known(_key(candidate, task)) is None]
        if missing:
            self._buy(candidate, missing)
        found = []
        for task in tasks:
            outcome = self._known(_key(candidate, task))
            assert outcome is not None
            self._count(outcome)
            found.append(outcome)
        return tuple(found)

    def table(self, candidate: Candidate, pair_set: PairSet, replicates: Replicates) -> ScoreTable:
        """The same as arrays."""
        return tabulate(pair_set, self.outcomes(candidate, pair_set, replicates))

    def spend(self, usage: Usage) -> None:
        """Count usage that was not an outcome (a reflection call)."""
        self._pending += usage
        self.total += usage

    def take_spend(self) -> Spend:
        """Logical spend since the last call of this method; taken for a ledger row, so held failures settle first."""
        self.settle()
        usage, self._pending = self._pending, Usage()
        return spend_of(usage)

    def settle(self) -> None:
        """Record held failures: what follows in the ledger rests on them."""
        for outcome in self._held.values():
            self._journal.keep(outcome)
        self._held.clear()
        self._journal.flush()

    def _known(self, key: Key) -> Outcome | None:
        return self._journal.outcome(key) or self._held.get(key)

    def _buy(self, candidate: Candidate, tasks: Sequence[Task]) -> None:
        def keep(outcome: Outcome) -> None:
            self._on_outcome(outcome)
            if isinstance(outcome, Failure) and outcome.reason == "call-failed":
                self._hold(outcome)
                return
            if self._held:  # the endpoint answers: those failures were single ones
                self.settle()
            self._journal.keep(outcome)

        try:
            evaluate(self._judge_for(candidate), tasks, self._concurrency, keep)
        finally:
            self._journal.flush()

    def _hold(self, outcome: Failure) -> None:
        """Keep a failed call in memory: if the next ones fail too, the endpoint is down and nothing was learnt."""
        self._held[_key_of(outcome)] = outcome
        if len(self._held) >= BROKEN_LEAST:
            self._held.clear()
            raise EndpointUnreachable(
                "scoring notes",
                f"{BROKEN_LEAST} calls in a row failed for good",
                "Look at the endpoint, then run the same command again: what was bought is kept.",
            )

    def _count(self, outcome: Outcome) -> None:
        key = _key_of(outcome)
        if key not in self._counted:
            self._counted.add(key)
            self.spend(outcome.usage)


def spend_of(usage: Usage) -> Spend:
    """Usage as a record: calls, prompt + completion tokens, dollars."""
    dollars = None if usage.cost is None else round(usage.cost, 9)
    return Spend(calls=usage.calls, tokens=usage.prompt_tokens + usage.completion_tokens, dollars=dollars)


def _key(candidate: Candidate, task: Task) -> Key:
    return (candidate.id, task.note.id, task.replicate)


def _key_of(outcome: Outcome) -> Key:
    return (outcome.candidate_id, outcome.note_id, outcome.replicate)


def measured(table: ScoreTable, split: str, cap: float) -> Measured:
    """A table's point measures as a record, failures read as the worst case."""
    found = measure(table, cap)
    omissions, point = found.omissions, found.operating
    return Measured(
        split=split,
        consultations=found.consultations,
        pairs=found.pairs,
        paired_omissions=_round(omissions.value) if omissions else None,
        paired_commissions=_round(found.commissions.value) if found.commissions else None,
        by_class={name: _round(paired.value) for name, paired in found.by_class.items()},
        wins=omissions.wins if omissions else 0,
        ties=omissions.ties if omissions else 0,
        losses=omissions.losses if omissions else 0,
        detected=point.detected if point else None,
        n_flawed=point.n_flawed if point else None,
        false_alarms=point.false_alarms if point else None,
        n_clean=point.n_clean if point else None,
        threshold=_round(point.threshold) if point else None,
        auc=_round(found.auc) if found.auc is not None else None,
        failures=found.failed_flawed + found.failed_clean,
    )


def _round(value: float) -> float:
    return round(value, 6)
