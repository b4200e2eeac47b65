"""A grid as MLflow runs: one parent, and one child for each cell, finished or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256

from harness.report.tables import markdown_table
from harness.runs import Point, RunLog, RunRecord, RunStatus
from harness.types import digest
from optimiser.grid.records import CellReading, Grid, dump_grid
from optimiser.grid.report import summary_lines
from optimiser.grid.tables import main_table
from optimiser.projection import STATUSES, leaves_in, numbers_in
from optimiser.reporting import Report

IDENTITY = {"name", "id", "model", "settings", "candidate", "levers", "failures", "bought"}


def sync_grid(grid: Grid, report: Report, store: RunLog) -> None:
    """Write the grid and its cells; what is there already is left alone."""
    parent, *children = records_of_grid(grid, report)
    for record in (parent, *children):
        store.log(record)


def records_of_grid(grid: Grid, report: Report) -> list[RunRecord]:
    """The parent's record first, then one record per cell, in the grid's order."""
    parent = _parent(grid, report)
    return [parent, *(_child(cell, grid, parent.key) for cell in grid.cells)]


def _parent(grid: Grid, report: Report) -> RunRecord:
    # The budget is left out of key and parameters: who raises a cap goes on with the same grid.
    settings = {name: value for name, value in grid.config.items() if name != "budget"}
    cells = [[cell.id, cell.name, cell.levers] for cell in grid.cells]
    return RunRecord(
        key=f"grid {grid.name} {digest([settings, grid.manifest, cells])[:16]}",
        name=grid.name,
        tags=_tags(grid) | {"kind": "grid", "finish_reason": grid.reason, "baseline": grid.baseline},
        params=dict(leaves_in(settings)),
        metrics=(
            Point("cells", len(grid.cells)),
            Point("consultations", grid.consultations),
            Point("pairs", grid.pairs),
            Point("spend.calls", grid.spent.calls),
            Point("spend.tokens", grid.spent.tokens),
            *(() if grid.spent.dollars is None else (Point("spend.dollars", grid.spent.dollars),)),
            *_levers(grid),
        ),
        texts={
            "grid.json": dump_grid(grid).decode(),
            "cells.md": markdown_table(main_table(grid)) + "\n",
            "report.html": report.html,
            "report.md": report.markdown,
        },
        images={f"plots/{name}.png": png for name, png in report.plots.items()},
        status=STATUSES.get(grid.reason, "FINISHED"),
        description="\n".join(f"- {line}" for line in summary_lines(grid)),
    )


def _child(cell: CellReading, grid: Grid, parent_key: str) -> RunRecord:
    blocks = cell.candidate.blocks
    hashes = {f"sha256.{block}": sha256(text.encode()).hexdigest() for block, text in blocks.items()}
    settings = json.dumps(cell.settings, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    status: RunStatus = "FINISHED" if cell.finished else "KILLED"
    return RunRecord(
        key=f"{parent_key}/{cell.id}",
        name=cell.name,
        parent_key=parent_key,
        tags=_tags(grid)
        | hashes
        | {"kind": "cell", "cell": cell.id, "candidate": cell.candidate.id, "finished": _word(cell.finished)},
        params={"model": cell.model, **dict(leaves_in(cell.settings)), **_lever_params(cell)},
        metrics=tuple(_metrics(cell)),
        texts={
            **{f"instruction/{block}.txt": text for block, text in blocks.items()},
            "judge.json": settings,
        },
        status=status,
    )


def _lever_params(cell: CellReading) -> dict[str, str]:
    """Labels under ``lever.``, since a label may name what is a setting too."""
    return {f"lever.{name}": level for name, level in cell.levers.items()}


def _metrics(cell: CellReading) -> Iterator[Point]:
    yield from (Point(name, value) for name, value in numbers_in(cell.model_dump(exclude=IDENTITY)))
    yield Point("failures", sum(cell.failures.values()))
    yield from (Point(f"failures.{reason}", count) for reason, count in cell.failures.items())
    yield from (Point(f"bought.{stage}", count) for stage, count in cell.bought.items())
    for name, flagged in (("own", cell.own), ("at_cap", cell.at_cap)):
        if flagged is not None:
            yield Point(f"{name}.detection_rate", flagged.detection.value)
            yield Point(f"{name}.false_alarm_rate", flagged.false_alarms.value)
            yield from (Point(f"{name}.mark_{place}", mark) for place, mark in enumerate(flagged.marks))


def _levers(grid: Grid) -> Iterator[Point]:
    for found in grid.levers:
        for name, value in numbers_in(found.model_dump(include={"omissions", "commissions", "false_alarms"})):
            yield Point(f"lever.{found.lever}.{found.before}-{found.after}.{name}", value)


def _tags(grid: Grid) -> dict[str, str]:
    return {
        "grid": grid.name,
        "simulated": _word(grid.simulated),
        "clean_verified": _word(grid.clean_verified),
        "manifest": grid.manifest,
    }


def _word(flag: bool) -> str:
    return "true" if flag else "false"
