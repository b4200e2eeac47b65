"""A grid that runs in a second: the campaign bench's notes, and cells whose skill is a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.judges.base import Judge
from harness.outcomes import Failure, Judgement, Outcome, Usage
from harness.types import Consultation, Note
from optimiser.grid.assemble import Bill, assemble
from optimiser.grid.cells import Cell, cells_of
from optimiser.grid.config import GridConfig
from optimiser.grid.records import Grid
from optimiser.grid.run import Ending, GridRun, Means, notes_of
from optimiser.journal import Journal
from optimiser.records import Spend
from partitions.splits import open_splits
from support.bench import chance

Asked = list[tuple[str, str, str]]
# Cell -> (share of defects that it sees, whether it has a rule of its own).
SKILLS = {"plain-k1": (0.2, True), "plain-k8": (0.3, True), "check": (0.8, False), "free": (0.5, False)}


@dataclass
class CellJudge:
    """Sees a defect with a chance of its own, fails on one note in thirty, and writes down what it was asked."""

    cell: Cell
    asked: Asked
    before: Callable[[], None] = lambda: None

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        self.before()
        self.asked.append((self.cell.name, consultation.id, note.id))
        skill, ruled = SKILLS[self.cell.name]
        usage = Usage(calls=1, bought=1, prompt_tokens=100, completion_tokens=10, cost=0.001, latency=0.5)
        if chance(self.cell.name, note.id, replicate, "fails") < 1 / 30:
            return Failure(note.id, "x", replicate, "truncated", usage=usage, simulated=True)
        seen = note.defect is not None and chance(note.id, replicate, self.cell.name) < skill
        score = 9 - round(2 * chance(self.cell.name, note.id, replicate, "noise")) - (4 if seen else 0)
        flagged = score < 8 if ruled else None
        return Judgement(note.id, "x", replicate, score, flagged, usage=usage, simulated=True)


@dataclass
class GridBench:
    """A grid on the sealed split of the campaign bench; ``run`` starts it or goes on with it in a folder."""

    folder: Path
    asked: Asked = field(default_factory=list)

    def entry(self, name: str, **more: Any) -> dict[str, Any]:
        """One cell's settings; the seed file is written under the name."""
        path = self.folder / f"{name}.md"
        path.write_text(f"---\nid: {name}\n---\nJudge the note, {name}.\n")
        return {"name": name, "blocks": {"instruction": str(path)}} | more

    def config(self, **changes: Any) -> GridConfig:
        raw = {
            "name": "bench",
            "data": {"source": "synthetic"},
            "model": {"model": "sim-judge", "base_url": "simulated:", "concurrency": 1},
            "resamples": 300,
            "cells": [
                self.entry("plain", samples=[1, 8], levers={"procedure": "none"}),
                self.entry("check", levers={"procedure": "enumerate"}),
            ],
        }
        return GridConfig.model_validate(raw | changes)

    def run(
        self,
        name: str = "grid",
        config: GridConfig | None = None,
        judge_for: Callable[[Cell], Judge] | None = None,
        stop_wanted: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> tuple[Ending, Grid]:
        config = config or self.config()
        cells, splits = cells_of(config), open_splits(self.folder / "split")
        with closing(Journal(self.folder / name / "journal.jsonl")) as journal:
            run = GridRun(config, cells, notes_of(splits, config.parts), journal)
            means = Means(judge_for or (lambda cell: CellJudge(cell, self.asked)), stop_wanted=stop_wanted, clock=clock)
            ending = run.run(means)
            bill = Bill(Spend(calls=len(self.asked), tokens=110 * len(self.asked), dollars=0.25), bought(cells))
            return ending, assemble(config, cells, run, splits.manifest, ending, bill)


def bought(cells: Sequence[Cell]) -> dict[str, dict[str, int]]:
    return {cell.id: {"judge": 40} for cell in cells}
