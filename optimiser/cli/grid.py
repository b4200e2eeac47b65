"""`judgelab grid`."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from harness.data.pairs import write_atomically
from harness.report.tables import rich_table
from optimiser.campaign import EXIT_CODES, write_json
from optimiser.cli.live import Live, open_tracker
from optimiser.cli.show import err, out
from optimiser.grid.assemble import assemble
from optimiser.grid.cells import Cell, cells_of
from optimiser.grid.config import GridConfig, load_grid
from optimiser.grid.laboratory import open_grid
from optimiser.grid.projection import sync_grid
from optimiser.grid.records import FILE_NAME, Grid, dump_grid
from optimiser.grid.report import grid_report, summary_lines
from optimiser.grid.run import GridRun, Means, notes_of
from optimiser.grid.tables import brief_table
from optimiser.grid.unchanged import require_same_notes
from optimiser.journal import Journal
from optimiser.workspace import Workspace
from partitions.splits import Splits

WIDE = 150  # columns where nobody looks at a terminal


def register(app: typer.Typer) -> None:
    """Add this file's command."""
    app.command(epilog="Example: judgelab grid configs/grid.yaml")(grid)


def grid(
    config_file: Annotated[Path, typer.Argument(help="Grid file, e.g. configs/grid.yaml.")],
    folder: Annotated[Path | None, typer.Option("--out", help="Grid folder; default grids/<name>.")] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of the source, instead of the configured.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Reply cache; default cache.sqlite beside the grid folder.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of resampling, instead of the configured one.")
    ] = None,
    mlflow: Annotated[
        Path | None, typer.Option("--mlflow", help="MLflow store; default mlruns. Give '-' for none.")
    ] = Path("mlruns"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")] = False,
) -> None:
    """Judge the same notes with any set of judges x samples x efforts, and compare them; resumable.

    The notes are of the training or acceptance part of a sealed split, never of its holdout. Stops at Ctrl-C, at
    a file STOP in the grid's folder and at its caps; the same command goes on, and a new cell buys only itself.
    Exit codes: 0 completed, 11 budget, 20 time, 21 stop file, 22 endpoint, 130 interrupted, 3 for a mistake.
    """
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    config = load_grid(config_file, data)
    config = config if seed is None else config.model_copy(update={"seed": seed})
    cells = cells_of(config)
    workspace = Workspace(folder or Path("grids") / config.name)
    splits, _ = workspace.prepare(config)
    require_same_notes(workspace, config, splits.manifest)
    found = _judged(_Session(config, cells, workspace, splits), cache or workspace.root.parent / "cache.sqlite")
    _write(found, workspace, mlflow)
    if as_json:
        print(dump_grid(found).decode(), end="")
    else:
        (out if out.is_terminal else Console(width=WIDE)).print(rich_table(brief_table(found)))
        for line in (*summary_lines(found), f"Report: {workspace.report}"):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
    if found.reason != "completed":
        err.print(f"stopped: {found.reason}; nothing is lost: the same command goes on from here", highlight=False)
    raise typer.Exit(EXIT_CODES[found.reason])


@dataclass(frozen=True)
class _Session:
    config: GridConfig
    cells: tuple[Cell, ...]
    workspace: Workspace
    splits: Splits


def _judged(session: _Session, cache: Path) -> Grid:
    config, cells, workspace = session.config, session.cells, session.workspace
    account = f"{config.name}@{workspace.root.resolve()}"
    journal = Journal(workspace.journal)
    try:
        with open_grid(config, cells, account, cache) as laboratory:
            run = GridRun(config, cells, notes_of(session.splits, config.parts), journal)
            with Live(run.outstanding, lambda: laboratory.spent, open_tracker(None), label="grid") as live:
                means = Means(laboratory.judge_for, live.on_outcome, workspace.stop_file.exists)
                ending = run.run(means)
            return assemble(config, cells, run, session.splits.manifest, ending, laboratory.bill)
    finally:
        journal.close()


def _write(found: Grid, workspace: Workspace, mlflow: Path | None) -> None:
    report = grid_report(found)
    write_atomically(workspace.root / FILE_NAME, dump_grid(found))
    write_atomically(workspace.report, report.html.encode())
    write_atomically(workspace.report.with_suffix(".md"), report.markdown.encode())
    status = {
        "reason": found.reason,
        "paused": found.reason != "completed",
        "exit_code": EXIT_CODES[found.reason],
        "judged": sum(cell.judged for cell in found.cells),
        "wanted": sum(cell.wanted for cell in found.cells),
    }
    write_json(json.dumps(status, indent=2), workspace.status)
    sync_grid(found, report, open_tracker(mlflow))
