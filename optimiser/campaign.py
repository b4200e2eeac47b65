"""One campaign: seeds -> engine -> freeze, every step in the ledger, resumable at any point."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from harness.data.pairs import write_atomically
from harness.errors import BudgetExhausted, EndpointUnreachable
from harness.judges.base import Judge
from harness.judges.build import envelope_of
from harness.llm.client import Client, Effort
from harness.metrics import note_scores, sweep_threshold
from harness.outcomes import Outcome
from harness.types import Candidate, digest
from optimiser.briefing import system_for
from optimiser.candidates import load_seeds
from optimiser.config import CampaignConfig
from optimiser.desk import CampaignDesk, Instruments
from optimiser.engines.build import build_engine
from optimiser.folds import folds_of
from optimiser.freeze import freeze
from optimiser.guards import Guard, word_runs
from optimiser.journal import Journal
from optimiser.ledger import Ledger
from optimiser.measuring import Measurer, measured, spend_of
from optimiser.noise_floor import measure_noise
from optimiser.records import (
    CandidateRecord,
    FinishReason,
    FinishRow,
    FreezeRow,
    Frozen,
    Row,
    SeedRow,
    StartRow,
)
from optimiser.reflection import Reflector
from optimiser.workspace import Workspace
from partitions.splits import Splits

# Exit codes of `judgelab run`; everything but the last four leaves a frozen winner (or the kept seed).
EXIT_CODES: dict[FinishReason, int] = {
    "completed": 0,
    "stalled": 10,
    "budget": 11,
    "reflector-failed": 12,
    "no-valid-proposal": 13,
    "time": 20,
    "stop-file": 21,
    "endpoint-failed": 22,
    "interrupted": 130,
}
PAUSES: frozenset[FinishReason] = frozenset({"time", "stop-file", "endpoint-failed", "interrupted"})


@dataclass(frozen=True)
class Lab:
    """What a campaign needs from outside: models, a clock, and who wants to know.

    ``judge_at`` is the judge at another reasoning effort; None where the effort cannot be set.
    """

    judge_for: Callable[[Candidate], Judge]
    reflector: Client
    simulated: bool
    on_row: Callable[[tuple[Row, ...]], None] = field(default=lambda _rows: None)
    on_outcome: Callable[[Outcome], None] = field(default=lambda _outcome: None)
    clock: Callable[[], float] = time.monotonic
    judge_at: Callable[[Candidate, Effort], Judge] | None = None


@dataclass(frozen=True)
class Result:
    """How a process ended. ``frozen`` is None where the campaign is only paused; ``detail`` says more of a failure."""

    reason: FinishReason
    rows: tuple[Row, ...]
    frozen: Frozen | None
    detail: str = ""


def run_campaign(config: CampaignConfig, workspace: Workspace, splits: Splits, lab: Lab) -> Result:
    """Run or resume a campaign in its workspace until it is finished or paused.

    A pause (time, stop file, Ctrl-C, endpoint down) writes no row: the same command goes on where it was.
    """
    journal = Journal(workspace.journal)
    try:
        return _Campaign(config, workspace, splits, lab, journal).run()
    finally:
        journal.close()


class _Campaign:
    def __init__(
        self, config: CampaignConfig, workspace: Workspace, splits: Splits, lab: Lab, journal: Journal
    ) -> None:
        self._config, self._workspace, self._splits, self._lab = config, workspace, splits, lab
        self._ledger = Ledger(workspace.ledger)
        self._started = lab.clock()
        self._seeds = load_seeds(config)
        self._measurer = Measurer(lab.judge_for, journal, config.model.concurrency, lab.on_outcome)
        self._folds = folds_of(splits)
        self._desk = CampaignDesk(config, self._seeds, self._folds, self._instruments(journal))
        self._at_effort = _measurer_at(lab, journal, config.model.concurrency)

    def run(self) -> Result:
        detail = ""
        try:
            self._append(self._start_row())
            self._measure_noise()
            for seed in self._seeds:
                self._append(self._seed_row(seed))
            reason = self._search()
        except KeyboardInterrupt:
            reason = "interrupted"
        except EndpointUnreachable as error:
            if len(self._ledger.rows) <= 1:  # nothing measured yet: a mistake, not a pause
                raise
            reason, detail = "endpoint-failed", error.found
        if reason in PAUSES:
            return Result(reason, tuple(self._ledger.rows), None, detail)
        frozen = self._freeze()
        self._append(self._finish_row(reason))
        return Result(reason, tuple(self._ledger.rows), frozen)

    def _search(self) -> FinishReason:
        try:
            build_engine(self._config.engine.kind).search(self._desk)
        except BudgetExhausted as error:
            self._desk.cut_short(error)
            return "budget"
        assert self._desk.finish_reason is not None
        return self._desk.finish_reason

    def _instruments(self, journal: Journal) -> Instruments:
        engine = self._config.engine
        runs = word_runs(_texts(self._splits), engine.max_copied_words)
        return Instruments(
            measurer=self._measurer,
            reflector=Reflector(self._lab.reflector, journal, self._config.seed, system_for(self._config.judge.kind)),
            ledger=self._ledger,
            guard=Guard(engine.max_block_chars, engine.max_copied_words, runs),
            stop_wanted=self._stop_wanted,
            on_row=lambda _row: self._lab.on_row(tuple(self._ledger.rows)),
        )

    def _stop_wanted(self) -> FinishReason | None:
        if self._workspace.stop_file.exists():
            return "stop-file"
        limit = self._config.budget.seconds
        if limit is not None and self._lab.clock() - self._started > limit:
            return "time"
        return None

    def _start_row(self) -> StartRow:
        return start_row(self._config, self._splits, self._seeds, self._lab.simulated)

    def _measure_noise(self) -> None:
        row = measure_noise(self._config, self._seeds[0], self._folds.reflection, self._measurer, self._at_effort)
        if row is not None:
            self._append(row)

    def _seed_row(self, seed: Candidate) -> SeedRow:
        cap = self._config.acceptance.cap
        tables = (
            measured(self._desk.frontier_table(seed), "frontier", cap),
            measured(self._desk.acceptance_table(seed), "acceptance", cap),
        )
        return SeedRow(candidate=CandidateRecord.of(seed), measured=tables, spend=self._measurer.take_spend())

    def _freeze(self) -> Frozen:
        config, desk = self._config, self._desk
        tables = {c.id: desk.objective(desk.acceptance_table(c)) for c in desk.pool}
        row = freeze(desk.pool, tables, config.acceptance.freeze_alpha, config.seed, self._measurer.take_spend())
        self._append(row)
        return self._write_frozen(row)

    def _write_frozen(self, row: FreezeRow) -> Frozen:
        pool = {c.id: c for c in self._desk.pool}
        thresholds = {
            candidate: self._threshold(pool[candidate]) for candidate in dict.fromkeys((row.winner, row.baseline))
        }
        frozen = Frozen(
            campaign=self._config.name,
            simulated=self._lab.simulated,
            clean_verified=self._splits.manifest.clean_verified,
            seed_kept=row.seed_kept,
            winner=CandidateRecord.of(pool[row.winner]),
            baseline=CandidateRecord.of(pool[row.baseline]),
            judge=self._config.judge,
            model=self._config.model,
            cap=self._config.acceptance.cap,
            thresholds=thresholds,
            envelope=envelope_of(self._config.judge),
            manifest=self._splits.manifest.digest,
            ledger=self._ledger.digest(),
        )
        write_json(frozen.model_dump_json(indent=2), self._workspace.frozen)
        return frozen

    def _threshold(self, candidate: Candidate) -> float:
        flawed, clean = note_scores(self._desk.objective(self._desk.acceptance_table(candidate)))
        return float(sweep_threshold(flawed, clean, self._config.acceptance.cap).threshold)

    def _finish_row(self, reason: FinishReason) -> FinishRow:
        counts = self._desk.counts
        return FinishRow(
            reason=reason,
            proposals=sum(counts.values()),
            accepted=counts["accepted"],
            rejected=counts["rejected"],
            invalid=counts["invalid"],
            spend=spend_of(self._measurer.total),
        )

    def _append(self, row: Row) -> None:
        self._ledger.append(row)
        self._lab.on_row(tuple(self._ledger.rows))


def _measurer_at(lab: Lab, journal: Journal, concurrency: int) -> Callable[[Effort], Measurer] | None:
    judge_at = lab.judge_at
    if judge_at is None:
        return None
    return lambda effort: Measurer(lambda c: judge_at(c, effort), journal, concurrency, lab.on_outcome)


def _texts(splits: Splits) -> Iterator[str]:
    """Every text that a block could copy from: notes and transcripts of the splits that a search may see."""
    for part in (splits.training, splits.acceptance):
        yield from (note.text for note in part.notes)
        yield from (consultation.transcript for consultation in part.consultations)


def start_row(config: CampaignConfig, splits: Splits, seeds: tuple[Candidate, ...], simulated: bool) -> StartRow:
    """The first row: everything whose change would make it another campaign, as digests and in words."""
    manifest = splits.manifest
    parts = {"training": splits.training, "acceptance": splits.acceptance}
    # Paths are left out: a moved folder is the same campaign, and the digests below cover what the paths led to.
    settings = config.model_dump(mode="json", exclude={"seeds": True, "blocks": True, "data": {"path"}})
    return StartRow(
        campaign=config.name,
        simulated=simulated,
        clean_verified=manifest.clean_verified,
        fingerprint={
            "config": digest(settings),
            "seeds": digest([seed.id for seed in seeds]),
            "manifest": manifest.digest,
            "envelope": envelope_of(config.judge),
            "gepa": version("gepa"),
            "judgelab": version("judgelab"),
        },
        config=settings,
        splits={
            name: {"consultations": len(part.consultations), "pairs": len(part.pairs)} for name, part in parts.items()
        },
    )


def write_json(text: str, path: Path) -> None:
    """Write a JSON document atomically, with a final line end."""
    write_atomically(path, (text + "\n").encode())
