"""`judgelab confirm`, `gate` and `report`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from harness.config import JudgeConfig
from harness.data.pairs import write_atomically
from harness.errors import ConfigError
from harness.judges.base import Judge
from harness.llm.prefix import Shares
from harness.tracking import Store
from optimiser.cli.live import Live, open_tracker
from optimiser.cli.show import emit, err, out
from optimiser.config import GateConfig, load_campaign
from optimiser.confirm import Means, confirm, settle
from optimiser.confirmation import Confirmation, dump_confirmation, read_confirmation, schema
from optimiser.gate import gate_file
from optimiser.laboratory import Laboratory, open_laboratory
from optimiser.ledger import read_ledger
from optimiser.projection import sync
from optimiser.records import CandidateRecord, Frozen
from optimiser.report_calls import Bought
from optimiser.reporting import campaign_report, summary_lines
from optimiser.workspace import Workspace, read_status
from partitions.manifest import read_manifest

Folder = Annotated[Path, typer.Argument(help="Campaign folder, e.g. campaigns/demo.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Mlflow = Annotated[Path | None, typer.Option("--mlflow", help="MLflow store; default mlruns. Give '-' for none.")]


def register(app: typer.Typer) -> None:
    """Add this file's commands."""
    app.command("confirm", epilog="Example: judgelab confirm configs/demo.yaml")(confirm_)
    app.command("gate", epilog="Example: judgelab gate campaigns/demo --junit gate.xml --markdown gate.md")(gate_)
    app.command("report", epilog="Example: judgelab report campaigns/demo")(report)


def confirm_(
    config_file: Annotated[Path | None, typer.Argument(help="The campaign's file.")] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Campaign folder; default campaigns/<name>.")] = None,
    cache: Annotated[Path | None, typer.Option("--cache", help="Reply cache, as for `run`.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why a question that was answered is asked again.")] = None,
    mlflow: Mlflow = Path("mlruns"),
    print_schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema and stop.")] = False,
    as_json: Json = False,
) -> None:
    """Measure the frozen winner and its seed on the holdout, once, up the effort ladder."""
    if print_schema:
        print(json.dumps(schema(), indent=2))
        return
    if config_file is None:
        raise ConfigError("confirming", "no campaign file", "Name it: judgelab confirm configs/demo.yaml")
    config = load_campaign(config_file)
    workspace = Workspace(folder or Path("campaigns") / config.name)
    store = cache or workspace.root.parent / "cache.sqlite"
    with open_laboratory(config, f"{config.name}@{workspace.root.resolve()}", store) as laboratory:
        confirmation = confirm_campaign(workspace, laboratory, mlflow, reason)
    finish_report(workspace, mlflow)
    if as_json:
        print(dump_confirmation(confirmation).decode())
    else:
        out.print(f"verdict: [bold]{confirmation.verdict}[/]; report: {workspace.report}")


def gate_(
    folder: Annotated[Path, typer.Argument(help="Campaign folder, or a confirmation file.")],
    config_file: Annotated[Path | None, typer.Option("--config", help="Campaign file with the `gate` section.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown summary here.")] = None,
    as_json: Json = False,
) -> None:
    """Act on a confirmation: exit 0 pass, 1 regression, 2 inconclusive where that counts, 3 misuse."""
    config = load_campaign(config_file).gate if config_file else GateConfig()
    if folder.is_dir() and Workspace(folder).confirmation.exists():
        settle(Workspace(folder).split, read_confirmation(Workspace(folder).confirmation))
    result = gate_file(Workspace(folder).confirmation if folder.is_dir() else folder, config)
    for path, text in ((junit, result.junit()), (markdown, result.markdown())):
        if path is not None:
            write_atomically(path, text.encode())
    shown = {"exit_code": result.exit_code, "verdict": result.verdict, "reasons": list(result.reasons)}
    emit(shown, as_json, title="Gate")
    raise typer.Exit(result.exit_code)


def report(folder: Folder, as_json: Json = False) -> None:
    """Write report.html and report.md of a campaign from its ledger and confirmation."""
    workspace = Workspace(folder)
    lines = finish_report(workspace, None)
    emit({"report": str(workspace.report), "lines": list(lines)}, as_json)


def confirm_campaign(
    workspace: Workspace, laboratory: Laboratory, mlflow: Path | None, reason: str | None = None
) -> Confirmation:
    """Confirm the frozen winner of a workspace; an answered question is read back instead of asked again."""
    frozen = read_frozen(workspace.frozen)
    if workspace.confirmation.exists() and reason is None:
        known = read_confirmation(workspace.confirmation)
        if (known.winner.id, known.manifest) == (frozen.winner.id, frozen.manifest):
            settle(workspace.split, known)
            err.print("the holdout has answered this question: its confirmation stands")
            return known
    config = laboratory.config
    notes = read_manifest(workspace.split).splits["holdout"]
    sides = 1 if frozen.seed_kept else 2
    passes = len(config.confirm.replicates) * len(config.confirm.efforts) * sides
    total = passes * (notes.pairs + len(notes.consultations)) * 2

    def judge_for(candidate: CandidateRecord, judge: JudgeConfig) -> Judge:
        return laboratory.judge_with(candidate.candidate(), judge)

    def keep(found: Confirmation) -> None:
        write_atomically(workspace.confirmation, dump_confirmation(found))

    with Live(total, lambda: laboratory.spent, open_tracker(None), label="confirm") as live:
        means = Means(judge_for, config.model.concurrency, config.seed, keep, live.on_outcome)
        return confirm(frozen, workspace.split, config.confirm, means, datetime.now(UTC), reason)


def finish_report(workspace: Workspace, mlflow: Path | None) -> tuple[str, ...]:
    """Write the report, bring MLflow up to date, and return the six closing lines."""
    rows, bought = read_ledger(workspace.ledger), read_bought(workspace)
    confirmation = read_confirmation(workspace.confirmation) if workspace.confirmation.exists() else None
    found = campaign_report(rows, confirmation, bought)
    write_atomically(workspace.report, found.html.encode())
    write_atomically(workspace.report.with_suffix(".md"), found.markdown.encode())
    sync(rows, confirmation, open_tracker(mlflow), report=found)
    if confirmation is not None and mlflow is not None and str(mlflow) != "-":
        register_winner(confirmation, mlflow)
    return summary_lines(rows, confirmation, str(workspace.report), bought)


def read_bought(workspace: Workspace) -> Bought:
    """What the campaign's last process wrote down of its purchases."""
    status = read_status(workspace)
    prefix = status.get("prefix")
    return Bought(status.get("calls_by_role", {}), Shares(**prefix) if prefix else None)


def register_winner(confirmation: Confirmation, root: Path) -> None:
    """Put a confirmed improvement of a real model in MLflow's Prompt Registry as ``champion``; else do nothing."""
    if confirmation.verdict != "improved" or confirmation.simulated:
        return
    tags = {
        "simulated": "false",
        "campaign": confirmation.campaign,
        "candidate": confirmation.winner.id,
        "model": confirmation.model,
        "manifest": confirmation.manifest,
    }
    for block, text in confirmation.winner.blocks.items():
        Store(root).register_champion(f"{confirmation.campaign}-{block}", text, tags)


def read_frozen(path: Path) -> Frozen:
    """The frozen winner of a campaign; ConfigError where there is none yet."""
    try:
        return Frozen.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError("reading the frozen winner", f"no file {path}", "Let `judgelab run` finish first.") from None
    except ValidationError as error:
        raise ConfigError(f"reading {path}", error.errors()[0]["msg"], "Run the campaign again to its end.") from None
