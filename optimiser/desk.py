"""The campaign's side of a search: folds, evidence, the ledger, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.errors import BudgetExhausted
from harness.metrics import pair_outcomes
from harness.outcomes import Outcome
from harness.scores import ScoreTable, is_omission, select
from harness.types import Candidate
from optimiser.acceptance import Verdict, race
from optimiser.briefing import subject_of
from optimiser.candidates import replace_block
from optimiser.config import CampaignConfig
from optimiser.engines.base import Draft, Fold, Turn
from optimiser.feedback import cases_of, choose_cases
from optimiser.folds import Folds, Part, minibatch, race_order
from optimiser.frontier import pick_parent, pick_partner
from optimiser.guards import Guard
from optimiser.ledger import Ledger
from optimiser.measuring import Measurer, Replicates, measured
from optimiser.records import CandidateRecord, FinishReason, Measured, ProposalRow
from optimiser.reflection import Reflector, merge_prompt, mutation_prompt
from optimiser.targets import block_to_change, block_to_merge

ROUND = 10  # replicate numbers of one round are ROUND * round + 0, 1, ...
REJECTED_SHOWN = 4


@dataclass(frozen=True)
class Instruments:
    """What a desk works with."""

    measurer: Measurer
    reflector: Reflector
    ledger: Ledger
    guard: Guard
    stop_wanted: Callable[[], FinishReason | None]
    on_row: Callable[[ProposalRow], None] = field(default=lambda _row: None)


class CampaignDesk:
    """Implements ``optimiser.engines.base.Desk`` for one campaign."""

    def __init__(
        self, config: CampaignConfig, seeds: tuple[Candidate, ...], folds: Folds, instruments: Instruments
    ) -> None:
        self._config = config
        self._folds = folds
        self._do = instruments
        self.seeds = seeds
        self.pool: list[Candidate] = list(seeds)
        self.finish_reason: FinishReason | None = None
        self.counts = {"accepted": 0, "rejected": 0, "invalid": 0}
        self._texts = {name: {seed.block(name) for seed in seeds} for name in config.targets}
        self._rounds: dict[str, int] = {}
        self._rejected: dict[str, list[str]] = {name: [] for name in config.targets}
        self._since_accepted = 0
        self._reflector_failures = 0
        self._open: Draft | None = None

    def consultations(self, fold: Fold) -> tuple[str, ...]:
        """Units of a training fold."""
        return self._part(fold).units

    def finished(self) -> bool:
        """True when no further turn may begin; ``finish_reason`` says why."""
        engine = self._config.engine
        made = sum(self.counts.values())
        if self._do.ledger.replaying:
            self.finish_reason = None  # an outside stop must not cut a replay short
        else:
            self.finish_reason = self._do.stop_wanted()
        if self._reflector_failures >= engine.reflector_failures:
            self.finish_reason = "reflector-failed"
        elif made >= engine.proposals:
            self.finish_reason = "completed" if made > self.counts["invalid"] else "no-valid-proposal"
        elif self._since_accepted >= engine.stall:
            self.finish_reason = "stalled"
        return self.finish_reason is not None

    def turn(self, iteration: int) -> Turn:
        """Draw who parents from the frontier, re-measure them with fresh replicates, choose minibatch and block."""
        rng = np.random.default_rng([self._config.seed, iteration, 2])
        frontier = self._folds.frontier.units
        scores = {c.id: dict(zip(frontier, self._frontier_scores(c), strict=True)) for c in self.pool}
        parent = pick_parent(self.pool, scores, rng)
        every = self._config.engine.merge_every
        partner = pick_partner(self.pool, scores, parent) if every and iteration % every == 0 else None
        for member in (parent, partner) if partner else (parent,):
            self._rounds[member.id] = self._rounds.get(member.id, 0) + 1
            self._frontier_scores(member)
        batch = minibatch(self._folds.reflection.units, self._config.engine.minibatch, self._config.seed, iteration)
        block = block_to_change(self._config.targets, iteration, every)
        if partner:
            block = block_to_merge(self._config.targets, block, (parent, partner))
        return Turn(iteration, parent, batch, partner, block)

    def scores(self, candidate: Candidate, consultations: Sequence[str], iteration: int) -> tuple[float, ...]:
        """Summed paired outcomes of the objective per unit."""
        if consultations and consultations[0] in set(self._folds.frontier.units):
            values = dict(zip(self._folds.frontier.units, self._frontier_scores(candidate), strict=True))
            return tuple(values[unit] for unit in consultations)
        table = self._training_table(candidate, consultations, iteration)
        return self._per_unit(table, consultations, mean=False)

    def draft(self, turn: Turn) -> Draft:
        """Reflect on the parent's failures on the minibatch and screen the reply."""
        answer = self._do.reflector.ask(turn.iteration, self._prompt(turn))
        self._do.measurer.spend(answer.usage)
        if answer.failure:
            self._reflector_failures += 1
            self._open = Draft(turn, None, answer.text, answer.failure)
            return self._open
        self._reflector_failures = 0
        screened = self._do.guard.screen(answer.text, self._texts[turn.block])
        child = None
        if not screened.reason:
            self._texts[turn.block].add(screened.text)
            origin = "merge" if turn.partner else "mutation"
            ids = tuple(parent.id for parent in turn.parents)
            child = replace_block(turn.parent, turn.block, screened.text, ids, origin)
        self._open = Draft(turn, child, answer.text, screened.reason, screened.copied_words)
        return self._open

    def submit(self, draft: Draft) -> bool:
        """Race the child against its parents; measure it on frontier and acceptance if it wins; write the row."""
        if draft.child is None:
            self._write(draft, Verdict(False, draft.reason, {}))
            return False
        child, turn = draft.child, draft.turn
        order = race_order(self._folds.reflection.units, turn.minibatch, self._config.seed, turn.iteration)

        def differences(parent: Candidate, units: Sequence[str]) -> tuple[float, ...]:
            return self._differences(child, parent, units, turn.iteration)

        verdict = race(turn.parents, order, len(turn.minibatch), differences, self._config.acceptance)
        if verdict.accepted:
            self._frontier_scores(child)
            self.acceptance_table(child)
            self.pool.append(child)
        self._write(draft, verdict)
        return verdict.accepted

    def cut_short(self, error: BudgetExhausted) -> None:
        """Write the row of a proposal whose judging the budget ended."""
        if self._open is not None:
            self._write(self._open, Verdict(False, f"cut short by the budget: {error.found}", {}))

    def acceptance_table(self, candidate: Candidate) -> ScoreTable:
        """The candidate's scores on the acceptance split, clean twins replicated."""
        settings = self._config.acceptance
        replicates = Replicates(tuple(range(settings.clean_replicates)), tuple(range(settings.flawed_replicates)))
        return self._do.measurer.table(candidate, self._folds.acceptance.pair_set, replicates)

    def frontier_table(self, candidate: Candidate) -> ScoreTable:
        """The candidate's scores on the frontier fold over all rounds measured so far."""
        rounds = range(self._rounds.get(candidate.id, 0) + 1)
        return self._do.measurer.table(candidate, self._folds.frontier.pair_set, self._replicates(rounds))

    def objective(self, table: ScoreTable) -> ScoreTable:
        """The pairs that the search is about: omissions, or all pairs where the configuration says so."""
        if self._config.acceptance.objective == "all":
            return table
        return select(table, is_omission(table))

    def _prompt(self, turn: Turn) -> str:
        engine = self._config.engine
        limits = (engine.max_block_chars, engine.case_chars)
        pair_set = self._folds.reflection.of(turn.minibatch)
        outcomes = self._do.measurer.outcomes(turn.parent, pair_set, self._replicates([turn.iteration]))
        readings: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            readings.setdefault(outcome.note_id, []).append(outcome)
        cases = choose_cases(cases_of(pair_set.pairs, readings, pair_set.clean_verified), engine.cases)
        block, subject = turn.parent.block(turn.block), subject_of(turn, self._config.targets)
        if turn.partner is not None:
            return merge_prompt((block, turn.partner.block(turn.block)), cases, limits, subject)
        return mutation_prompt(block, cases, self._rejected[turn.block][-REJECTED_SHOWN:], limits, subject)

    def _frontier_scores(self, candidate: Candidate) -> tuple[float, ...]:
        return self._per_unit(self.frontier_table(candidate), self._folds.frontier.units, mean=False)

    def _training_table(self, candidate: Candidate, units: Sequence[str], iteration: int) -> ScoreTable:
        pair_set = self._folds.reflection.of(units)
        return self._do.measurer.table(candidate, pair_set, self._replicates([iteration]))

    def _differences(
        self, child: Candidate, parent: Candidate, units: Sequence[str], iteration: int
    ) -> tuple[float, ...]:
        ours = self._per_unit(self._training_table(child, units, iteration), units, mean=True)
        theirs = self._per_unit(self._training_table(parent, units, iteration), units, mean=True)
        return tuple(a - b for a, b in zip(ours, theirs, strict=True))

    def _per_unit(self, table: ScoreTable, units: Sequence[str], mean: bool) -> tuple[float, ...]:
        """Summed or mean worst-case outcome of the objective's pairs per unit; 0 for a unit without such pairs."""
        part = self.objective(table)
        values = pair_outcomes(part, failures="worst")
        sums = np.bincount(part.cluster, weights=values, minlength=len(part.clusters))
        counts = np.bincount(part.cluster, minlength=len(part.clusters))
        found = dict(zip(part.clusters, sums / np.maximum(counts, 1) if mean else sums, strict=True))
        return tuple(float(found.get(unit, 0.0)) for unit in units)

    def _replicates(self, rounds: Sequence[int]) -> Replicates:
        settings = self._config.acceptance

        def numbers(times: int) -> tuple[int, ...]:
            return tuple(ROUND * n + r for n in rounds for r in range(times))

        return Replicates(numbers(settings.training_clean_replicates), numbers(settings.training_flawed_replicates))

    def _part(self, fold: Fold) -> Part:
        return self._folds.reflection if fold == "reflection" else self._folds.frontier

    def _write(self, draft: Draft, verdict: Verdict) -> None:
        status = "accepted" if verdict.accepted else "rejected" if draft.child is not None else "invalid"
        turn, child = draft.turn, draft.child
        before = after = None
        if child is not None and verdict.evidence:
            before = round(sum(self.scores(turn.parent, turn.minibatch, turn.iteration)), 6)
            after = round(sum(self.scores(child, turn.minibatch, turn.iteration)), 6)
        cap = self._config.acceptance.cap
        tables: tuple[Measured, ...] = ()
        if verdict.accepted and child is not None:
            tables = (
                measured(self.frontier_table(child), "frontier", cap),
                measured(self.acceptance_table(child), "acceptance", cap),
            )
        row = ProposalRow(
            iteration=turn.iteration,
            kind="merge" if turn.partner else "mutation",
            block=turn.block,
            status=status,
            reason=verdict.reason,
            candidate=CandidateRecord.of(child) if child else None,
            parents=tuple(parent.id for parent in turn.parents),
            reply=draft.reply,
            minibatch=turn.minibatch,
            before=before,
            after=after,
            evidence=verdict.evidence,
            copied_words=draft.copied_words,
            measured=tables,
            spend=self._do.measurer.take_spend(),
        )
        self._do.ledger.append(row)
        self._settle(row)

    def _settle(self, row: ProposalRow) -> None:
        self._open = None
        self.counts[row.status] += 1
        self._since_accepted = 0 if row.status == "accepted" else self._since_accepted + 1
        if row.status == "rejected" and row.candidate is not None:
            text = " ".join(row.candidate.blocks[row.block].split())
            self._rejected[row.block].append(f"{row.reason}: {text[:200]}")
        self._do.on_row(row)
