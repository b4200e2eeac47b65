"""Runs a grid: every cell judges the notes of a consultation before any goes on to the next.

So cells whose prompts begin with the same transcript meet a warm prefix cache, an endpoint that drifts
drifts for all alike, and whatever stops the run leaves every cell with the same notes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from harness.errors import BudgetExhausted, EndpointUnreachable
from harness.evaluate import Task, tasks_for
from harness.judges.base import Judge
from harness.outcomes import Outcome
from harness.types import Consultation, Note, PairSet
from optimiser.grid.cells import Cell
from optimiser.grid.config import GridConfig
from optimiser.journal import Journal
from optimiser.measuring import Measurer, Replicates
from optimiser.records import FinishReason
from partitions.splits import Splits


@dataclass(frozen=True)
class Means:
    """What a grid needs from outside. ``stop_wanted`` is asked before each cell's turn; ``clock`` is in seconds."""

    judge_for: Callable[[Cell], Judge]
    on_outcome: Callable[[Outcome], None] = field(default=lambda _outcome: None)
    stop_wanted: Callable[[], bool] = field(default=lambda: False)
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a process of a grid ended; ``detail`` says more of a failure."""

    reason: FinishReason
    detail: str = ""


class GridRun:
    """The cells, the notes, and what is known of them so far. Each outcome is bought once, whatever happens."""

    def __init__(self, config: GridConfig, cells: Sequence[Cell], pair_set: PairSet, journal: Journal) -> None:
        self._config, self._cells, self._pairs, self._journal = config, cells, pair_set, journal
        self._replicates = Replicates(tuple(range(config.clean_replicates)), tuple(range(config.replicates)))
        self.tasks = tasks_for(pair_set, self._replicates.clean, self._replicates.flawed)

    @property
    def outstanding(self) -> int:
        """Judgements that are still to be made, over all cells."""
        return len(self.tasks) * len(self._cells) - sum(len(self.outcomes(cell)) for cell in self._cells)

    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """What is known of a cell, in the order of the tasks."""
        known = (self._outcome(cell, task) for task in self.tasks)
        return tuple(outcome for outcome in known if outcome is not None)

    def common(self) -> PairSet:
        """The consultations whose every note every cell has judged: figures are compared on these alone."""
        lacking = {
            task.consultation.id
            for task in self.tasks
            if any(self._outcome(cell, task) is None for cell in self._cells)
        }
        return self._pairs.of(c.id for c in self._pairs.consultations if c.id not in lacking)

    def run(self, means: Means) -> Ending:
        """Judge what is outstanding until it is done or something stops it; the same call goes on from there.

        Raises EndpointUnreachable where the endpoint never answered at all, and every mistake.
        """
        started, known = means.clock(), self.outstanding
        judges = {cell.id: _Filed(means.judge_for(cell), cell.id) for cell in self._cells}
        measurer = Measurer(lambda c: judges[c.id], self._journal, self._config.model.concurrency, means.on_outcome)
        try:
            for turn in self._turns():
                for cell in self._cells:
                    reason = self._stop(means, started)
                    if reason is not None:
                        return Ending(reason)
                    measurer.outcomes(cell.identity, turn, self._replicates)
            measurer.settle()
        except BudgetExhausted as error:
            return Ending("budget", error.found)
        except KeyboardInterrupt:
            return Ending("interrupted")
        except EndpointUnreachable as error:
            if self.outstanding == known == len(self.tasks) * len(self._cells):
                raise
            return Ending("endpoint-failed", error.found)
        return Ending("completed")

    def _turns(self) -> list[PairSet]:
        ids, size = [c.id for c in self._pairs.consultations], self._config.turn
        return [self._pairs.of(ids[start : start + size]) for start in range(0, len(ids), size)]

    def _stop(self, means: Means, started: float) -> FinishReason | None:
        if means.stop_wanted():
            return "stop-file"
        limit = self._config.budget.seconds
        return "time" if limit is not None and means.clock() - started > limit else None

    def _outcome(self, cell: Cell, task: Task) -> Outcome | None:
        return self._journal.outcome((cell.id, task.note.id, task.replicate))


@dataclass(frozen=True, slots=True)
class _Filed:
    """A judge whose outcomes carry the cell's id in the place of the candidate's."""

    inner: Judge
    cell: str

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        return replace(self.inner.judge(consultation, note, replicate), candidate_id=self.cell)


def notes_of(splits: Splits, parts: Sequence[str]) -> PairSet:
    """The named parts of a sealed split as one pair set."""
    found = [{"training": splits.training, "acceptance": splits.acceptance}[part] for part in parts]
    return replace(
        found[0],
        consultations=tuple(c for part in found for c in part.consultations),
        pairs=tuple(p for part in found for p in part.pairs),
        notes=tuple(n for part in found for n in part.notes),
        split="+".join(parts),
    )
