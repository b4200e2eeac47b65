"""`judgelab study null`, `planted` and `coverage`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from harness.report.tables import rich_table
from optimiser.cli.show import emit, out, progress
from optimiser.studies.coverage import CoverageStudy, run_coverage
from optimiser.studies.null import NullStudy, run_null
from optimiser.studies.planted import PlantedStudy, default_cells, run_planted
from optimiser.studies.readings import coverage_summary, null_summary, planted_summary
from optimiser.studies.summary import Summary, write_summary

LINES = "lines.jsonl"

app = typer.Typer(help="Measure how often the lab itself errs, on simulated judges. Resumable.", no_args_is_help=True)

Out = Annotated[Path, typer.Option("--out", help="Folder of all studies; each has its own folder in it.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything drawn at random.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
CORES = os.cpu_count() or 1
NULL, PLANTED, COVERAGE = NullStudy(), PlantedStudy(), CoverageStudy()


@app.callback()
def root() -> None:
    """Measure how often the lab itself errs, on simulated judges. Resumable."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # so that no process is left behind


@app.command(epilog="Example: judgelab study null --campaigns 1000 --workers 2")
def null(
    folder: Out = Path("studies"),
    campaigns: Annotated[int, typer.Option(min=1, help="How many campaigns.")] = NULL.campaigns,
    seed: Seed = NULL.seed,
    workers: Workers = CORES,
    as_json: Json = False,
) -> None:
    """Campaigns in which no candidate is better: how often is an improvement claimed all the same?"""
    study = NullStudy(campaigns=campaigns, seed=seed)
    with progress() as bar:
        lines = run_null(study, folder / "null" / LINES, workers, _advance(bar, "null", campaigns))
    _finish(null_summary(study, lines), folder / "null", as_json)


@app.command(epilog="Example: judgelab study planted --campaigns 100")
def planted(
    folder: Out = Path("studies"),
    campaigns: Annotated[int, typer.Option(min=1, help="Campaigns in each cell.")] = PLANTED.campaigns,
    seed: Seed = PLANTED.seed,
    workers: Workers = CORES,
    as_json: Json = False,
) -> None:
    """Campaigns in which a gain is planted: how often is it found, and confirmed?"""
    study, cells = PlantedStudy(campaigns=campaigns, seed=seed), default_cells()
    with progress() as bar:
        advance = _advance(bar, "planted", campaigns * len(cells))
        lines = run_planted(study, cells, folder / "planted" / LINES, workers, advance)
    _finish(planted_summary(study, cells, lines), folder / "planted", as_json)


@app.command(epilog="Example: judgelab study coverage --sets 2000")
def coverage(
    folder: Out = Path("studies"),
    sets: Annotated[
        int, typer.Option(min=1, help="Data sets for each interval and size, in hundreds.")
    ] = COVERAGE.sets,
    seed: Seed = COVERAGE.seed,
    workers: Workers = CORES,
    as_json: Json = False,
) -> None:
    """Data sets with a known truth: how often does each printed interval hold it?"""
    study = CoverageStudy(sets=sets, seed=seed)
    with progress() as bar:
        lines = run_coverage(study, folder / "coverage" / LINES, workers, _advance(bar, "coverage", study.jobs))
    _finish(coverage_summary(study, lines), folder / "coverage", as_json)


def _advance(bar: Progress, name: str, total: int) -> Callable[[str], None]:
    task = bar.add_task(name, total=total, spend="simulated")
    return lambda _key: bar.advance(task)


def _finish(summary: Summary, folder: Path, as_json: bool) -> None:
    paths = write_summary(summary, folder)
    if as_json:
        shown = {"title": summary.title, "simulated": True, "rows": list(summary.records)}
        emit(shown | {"files": [str(path) for path in paths]}, as_json)
        return
    out.print(rich_table(summary.table))
    for text in summary.words:
        out.print(text, highlight=False, markup=False)
    out.print(f"SIMULATED judges only. Report: {folder / 'report.html'}", highlight=False, markup=False)
