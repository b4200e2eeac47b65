"""`judgelab external`: judges against scores that people gave."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from harness.config import JudgeConfig, load_yaml
from harness.data.mts_study import read_study
from harness.data.pairs import write_atomically
from harness.errors import ConfigError
from harness.types import Candidate
from optimiser.candidates import load_seeds
from optimiser.cli.evidence import read_frozen
from optimiser.cli.live import Live, open_tracker
from optimiser.cli.show import out
from optimiser.config import BudgetConfig, load_campaign
from optimiser.external import (
    ALL,
    FILE_NAME,
    Correlation,
    External,
    JudgeCheck,
    Means,
    check_judges,
    dump_external,
    without,
)
from optimiser.grid.assemble import FLOOR
from optimiser.grid.cells import Cell, cells_of
from optimiser.grid.config import load_grid
from optimiser.laboratory import open_account
from optimiser.workspace import Workspace
from partitions.manifest import read_manifest

WIDE = 150  # columns where nobody looks at a terminal

app = typer.Typer(help="Hold judges against scores that people gave.", no_args_is_help=True)


@app.callback()
def external() -> None:
    """Hold judges against scores that people gave."""


@app.command("mts-dialog", epilog="Example: judgelab external mts-dialog data/mts-dialog --judge configs/grid.yaml")
def mts_dialog(
    directory: Annotated[Path, typer.Argument(help="The MTS-Dialog folder, with correlation-study/ in it.")],
    judge: Annotated[
        Path | None, typer.Option("--judge", help="Grid file (every cell), or campaign file (its first seed).")
    ] = None,
    candidate: Annotated[Path | None, typer.Option("--candidate", help="A frozen.json: its winner.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="Folder for external.json.")] = Path("external/mts-dialog"),
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Reply cache; default cache.sqlite beside the folder.")
    ] = None,
    replicates: Annotated[int, typer.Option(min=1, max=9, help="Times each summary is judged.")] = 1,
    resamples: Annotated[int, typer.Option(min=200, help="Bootstrap resamples of dialogues.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of resampling.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Correlate judges with human omission and hallucination scores of 320 machine summaries of 80 dialogues.

    Intervals resample dialogues. A judge's score is higher for better notes, so a good one correlates negatively
    with omission and hallucination rates. The same command again buys nothing: replies are cached.
    """
    study = read_study(directory)
    cells, budget = _judges(judge, candidate)
    study, seen = without(study, _seen(candidate) if candidate else ())
    account = f"external@{folder.resolve()}"
    with open_account(budget, account, cache or folder.parent / "cache.sqlite") as purse:
        total = len(study.summaries) * replicates * len(cells)
        with Live(total, lambda: purse.budget.spent, open_tracker(None), label="external") as live:
            means = Means(replicates, resamples, seed, live.on_outcome)
            found = check_judges(study, cells, purse, means, seen)
    write_atomically(folder / FILE_NAME, dump_external(found))
    if as_json:
        print(dump_external(found).decode(), end="")
    else:
        _show(found, folder / FILE_NAME)


def _judges(judge: Path | None, candidate: Path | None) -> tuple[tuple[Cell, ...], BudgetConfig]:
    """The judges that the options name, and the caps that hold for all of them together."""
    cells: tuple[Cell, ...] = ()
    budget = BudgetConfig()
    if judge is not None:
        raw = load_yaml(judge)
        if isinstance(raw, dict) and "cells" in raw:
            grid = load_grid(judge)
            cells, budget = cells_of(grid), grid.budget
        else:
            config = load_campaign(judge)
            seed = load_seeds(config)[0]
            cells, budget = (Cell(seed.origin, seed.origin, config.judge, seed, config.model, {}),), config.budget
    if candidate is not None:
        frozen = read_frozen(candidate)
        winner = frozen.winner.candidate()
        cells += (Cell(f"{frozen.campaign}-winner", frozen.campaign, frozen.judge, winner, frozen.model, {}),)
    if not cells:
        raise ConfigError("choosing a judge", "neither --judge nor --candidate", "Name one: --judge configs/grid.yaml")
    return (*cells, *_floor(cells)), budget


def _floor(cells: tuple[Cell, ...]) -> Iterable[Cell]:
    """Word overlap without a model, where none of the judges is that: what a judge has to beat."""
    if all(cell.judge.kind != FLOOR for cell in cells):
        yield Cell(FLOOR, FLOOR, JudgeConfig(kind=FLOOR), Candidate(FLOOR, ()), cells[0].model, {})


def _seen(candidate: Path) -> frozenset[str]:
    """Consultations that the candidate's search has seen, where its split stands beside it."""
    split = Workspace(candidate.parent).split
    if not (split / "manifest.json").is_file():
        return frozenset()
    splits = read_manifest(split).splits
    return frozenset((*splits["training"].consultations, *splits["acceptance"].consultations))


def _show(found: External, file: Path) -> None:
    table = Table(title=f"External check: {found.study}", title_justify="left")
    for name in ("judge", "human measure", "good", "spearman [95%]", "kendall tau-b [95%]", "spearman by system"):
        table.add_column(name, no_wrap=True)
    for check in found.judges:
        for line in _lines(found, check):
            table.add_row(*line)
        table.add_section()
    (out if out.is_terminal else Console(width=WIDE)).print(table)
    left_out = ", ".join(f"{name} {count}" for name, count in found.left_out.items()) or "none"
    lines = [f"{found.summaries} summaries of {found.dialogues} dialogues; left out: {left_out}"]
    lines += [f"{c.name}: no score of {sum(c.failures.values())}: {c.failures}" for c in found.judges if c.failures]
    lines += [
        f"{check.name}: no correlation with {one.measure}: {one.undefined}"
        for check in found.judges
        for one in check.correlations
        if one.undefined and (one.systems, one.statistic) == (ALL, "spearman")
    ]
    if found.simulated:
        lines.append("SIMULATED: a simulated model answered; its numbers say nothing about any real judge.")
    for text in (*lines, f"Report: {file}"):
        out.print(text, markup=False, highlight=False, soft_wrap=True)


def _lines(found: External, check: JudgeCheck) -> Iterable[tuple[str, ...]]:
    for number, measure in enumerate(dict.fromkeys(c.measure for c in check.correlations)):
        of = {(c.systems, c.statistic): c for c in check.correlations if c.measure == measure}
        whole = of[ALL, "spearman"]
        yield (
            "" if number else check.name,
            measure,
            "up" if whole.expected > 0 else "down",
            _interval(whole),
            _interval(of[ALL, "kendall"]),
            " ".join(_value(of[system, "spearman"]) for system in found.systems),
        )


def _value(found: Correlation) -> str:
    return "-" if found.value is None else f"{found.value:+.2f}"


def _interval(found: Correlation) -> str:
    if found.low is None or found.high is None:
        return "-"
    return f"{_value(found)} [{found.low:+.2f}, {found.high:+.2f}]"
