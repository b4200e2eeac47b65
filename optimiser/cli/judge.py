"""`judgelab judge`: a frozen candidate on real notes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from harness.calibration_file import read_calibration
from harness.config import ModelConfig, load_yaml, parse_config
from harness.data.jsonl import format_help
from harness.errors import ConfigError
from harness.judges.base import Judge
from harness.judges.build import build_judge
from optimiser.cli.show import emit, err, money
from optimiser.config import BudgetConfig
from optimiser.deploy.judge import Deployed, calibrated, on_model, read_deployed
from optimiser.deploy.notes import Notes, judge_notes, open_tasks, read_notes, require_facts
from optimiser.deploy.verdicts import Verdict, VerdictFile
from optimiser.laboratory import Clients, open_account

CLEAR, FLAGGED, UNSCORED = 0, 1, 2
ACCOUNT = "judge"


def register(app: typer.Typer) -> None:
    """Add this file's command."""
    app.command(epilog="Example: judgelab judge --candidate campaigns/demo notes.jsonl --out verdicts.jsonl")(judge)


def judge(
    notes: Annotated[
        Path | None, typer.Argument(metavar="NOTES.jsonl", help="Notes with their consultations; file or folder.")
    ] = None,
    candidate: Annotated[
        Path | None, typer.Option("--candidate", help="frozen.json, a campaign folder, or a confirmation.json.")
    ] = None,
    consultations: Annotated[
        Path | None, typer.Option("--consultations", help="The consultations, where they are in a file of their own.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option("--calibration", help="Threshold of `judgelab calibrate`, instead of the frozen one.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Another model or endpoint (YAML): that makes it another judge.")
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write verdicts here and go on where they end; else to stdout.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Reply cache; default beside --out, none kept without it.")
    ] = None,
    print_format: Annotated[bool, typer.Option("--format", help="Describe the input and stop.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON (on stderr where stdout has the verdicts).")
    ] = False,
) -> None:
    """Score notes with a frozen candidate and flag those below its threshold.

    One JSON line a note, as it arrives: flag, score, threshold, missing facts with severity and evidence where the
    judge names them, unsupported statements, usage. Exit codes: 0 nothing flagged, 1 at least one note flagged, 2 a
    note could not be scored (treat it as flagged), 3 misuse, 130 interrupted; the same command goes on.
    """
    if print_format:
        print(format_help())
        return
    if notes is None or candidate is None:
        todo = "judgelab judge --candidate campaigns/demo notes.jsonl"
        raise ConfigError("judging notes", "no notes or no --candidate", f"Name both: {todo}")
    deployed = _deployed(candidate, calibration, model)
    given = read_notes(notes, consultations)
    require_facts(deployed, given.tasks)
    _say(deployed, given)
    with _sink(out_file, deployed) as (known, write), _open_judge(deployed, out_file, cache) as ready:
        verdicts = [known[task.note.id] for task in given.tasks if task.note.id in known]

        def keep(verdict: Verdict) -> None:
            write(verdict)
            verdicts.append(verdict)

        before = len(verdicts)
        waiting = open_tasks(given.tasks, known)
        try:
            judge_notes(deployed, ready, waiting, deployed.model.concurrency, keep)
        finally:
            _summarise(deployed, given, verdicts, before, (as_json, out_file is None))
    unscored = [verdict for verdict in verdicts if verdict.failure is not None]
    flagged = [verdict for verdict in verdicts if verdict.flag]
    raise typer.Exit(UNSCORED if unscored or given.refused else FLAGGED if flagged else CLEAR)


def _deployed(candidate: Path, calibration: Path | None, model: Path | None) -> Deployed:
    deployed = read_deployed(candidate)
    if calibration is not None:
        deployed = calibrated(deployed, read_calibration(calibration))
    if model is not None:
        deployed = on_model(deployed, parse_config(ModelConfig, load_yaml(model), str(model)))
    return deployed


def _say(deployed: Deployed, given: Notes) -> None:
    for refusal in given.refused:
        err.print(
            f"not judged: {refusal.item!r}, {refusal.reason}: {refusal.explanation}", markup=False, highlight=False
        )
    err.print(f"threshold {deployed.threshold:g} ({deployed.source}): {escape(deployed.guarantee)}", highlight=False)
    if deployed.changed:
        err.print(
            "[bold yellow]warning[/] another judge than the frozen one "
            f"({escape('; '.join(deployed.changed))}): none of its measured rates holds here, and a threshold that was "
            "not calibrated with this model means nothing",
            highlight=False,
        )
    if deployed.simulated:
        err.print("[bold yellow]SIMULATED[/] the candidate was frozen on a simulated model", highlight=False)


@contextmanager
def _sink(path: Path | None, deployed: Deployed) -> Iterator[tuple[dict[str, Verdict], Callable[[Verdict], None]]]:
    if path is None:
        yield {}, lambda verdict: print(verdict.model_dump_json(), flush=True)
        return
    with VerdictFile(path, deployed.identity) as file:
        yield file.known, file.append


@contextmanager
def _open_judge(deployed: Deployed, out_file: Path | None, cache: Path | None) -> Iterator[Judge]:
    with ExitStack() as stack:
        if cache is None and out_file is not None:
            cache = out_file.with_name(out_file.name + ".cache.sqlite")
        elif cache is None:
            cache = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="judgelab-"))) / "cache.sqlite"
        purse = stack.enter_context(open_account(BudgetConfig(), ACCOUNT, cache))
        client = Clients(stack, purse, deployed.judge.seed).judging(deployed.judge, deployed.model)
        yield build_judge(deployed.judge, deployed.candidate, client)


def _summarise(
    deployed: Deployed, given: Notes, verdicts: Sequence[Verdict], before: int, form: tuple[bool, bool]
) -> None:
    as_json, on_stderr = form
    shown = _summary(deployed, given, verdicts, before)
    if as_json and not on_stderr:
        emit(shown, True)
        return
    if as_json:
        err.print_json(data=shown)
        return
    table = Table(title="Judged notes", show_header=False, title_justify="left")
    for key, value in shown.items():
        listed = ", ".join(f"{name} {count}" for name, count in value.items()) if isinstance(value, dict) else value
        table.add_row(key, escape(str(listed or "-" if isinstance(value, dict) else value)))
    err.print(table)


def _summary(deployed: Deployed, given: Notes, verdicts: Sequence[Verdict], before: int) -> dict[str, Any]:
    unscored = Counter(verdict.failure for verdict in verdicts if verdict.failure is not None)
    unscored.update(refusal.reason for refusal in given.refused)
    missing = Counter(fact.severity or "not graded" for verdict in verdicts for fact in verdict.missing)
    costs = [cost for verdict in verdicts if (cost := verdict.usage.get("cost")) is not None]
    return {
        "notes": len(given.tasks) + len(given.refused),
        "judged before": before,
        "judged now": len(verdicts) - before,
        "not reached": len(given.tasks) - len(verdicts),
        "flagged": sum(verdict.flag is True for verdict in verdicts),
        "not scored (treat as flagged)": dict(unscored),
        "missing facts named": dict(missing),
        "unsupported statements named": sum(len(verdict.unsupported) for verdict in verdicts),
        "candidate": deployed.candidate.id,
        "judge": deployed.judge.kind,
        "model": deployed.model.model + (" (not the frozen one)" if deployed.changed else ""),
        "threshold": f"{deployed.threshold:g} ({deployed.source})",
        "guarantee": deployed.guarantee,
        "simulated": deployed.simulated or any(verdict.simulated for verdict in verdicts),
        "tokens": int(sum((v.usage.get(k) or 0) for v in verdicts for k in ("prompt_tokens", "completion_tokens"))),
        "cost": money(sum(costs) if costs else None),
    }
