"""`judgelab split`, `plan` and `run`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.data.pairs import FILE_NAME, read_pairs
from harness.llm.prefix import Shares
from optimiser.campaign import EXIT_CODES, PAUSES, Lab, Result, run_campaign, write_json
from optimiser.candidates import load_seeds
from optimiser.cli.evidence import confirm_campaign, finish_report
from optimiser.cli.live import Live, open_tracker
from optimiser.cli.power import power_shown
from optimiser.cli.show import duration, emit, err, money, out
from optimiser.config import CampaignConfig, load_campaign
from optimiser.confirm import require_omissions
from optimiser.engines.build import build_engine
from optimiser.folds import folds_of
from optimiser.laboratory import Laboratory, open_laboratory
from optimiser.ledger import read_ledger
from optimiser.plan import Bill, Plan, check_affordable, plan_campaign
from optimiser.power_plan import PowerPlan, SplitPower, check_power, plan_power, rerun_power
from optimiser.projection import sync
from optimiser.records import NoiseRow, Row
from optimiser.report_calls import AfterFirst
from optimiser.workspace import Workspace
from partitions.config import SplitConfig
from partitions.seal import seal
from partitions.splits import Splits

# .venv may not be on the path
UI_COMMAND = "judgelab ui" if shutil.which("judgelab") else f"{os.path.relpath(sys.argv[0])} ui"

Config = Annotated[Path, typer.Argument(help="Campaign file, e.g. configs/demo.yaml.")]
OutDir = Annotated[Path | None, typer.Option("--out", help="Campaign folder; default campaigns/<name>.")]
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the source, instead of the configured one.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of the search, instead of the configured one.")]
Cache = Annotated[
    Path | None, typer.Option("--cache", help="Reply cache; default cache.sqlite beside the campaign folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def register(app: typer.Typer) -> None:
    """Add this file's commands."""
    app.command(epilog="Example: judgelab split corpus --out corpus/split --seed 7")(split)
    app.command(epilog="Example: judgelab plan configs/confirmatory.yaml --json")(plan)
    app.command(epilog="Example: judgelab run configs/demo.yaml --confirm")(run)


def split(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder or file with pairs.")],
    folder: Annotated[Path, typer.Option("--out", help="New folder for the sealed split.")],
    training: Annotated[float, typer.Option(help="Share of consultations.")] = 0.45,
    acceptance: Annotated[float, typer.Option(help="Share of consultations.")] = 0.25,
    holdout: Annotated[float, typer.Option(help="Share of consultations.")] = 0.30,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 7,
    exclude: Annotated[list[str] | None, typer.Option(help="Consultation id to leave out; repeat for more.")] = None,
    given: Annotated[Path | None, typer.Option(help="JSON with the consultations of each split; no draw then.")] = None,
    as_json: Json = False,
) -> None:
    """Divide a pair set by consultation and seal it: no leak, no change, one door to the holdout."""
    pair_set = read_pairs(dataset / FILE_NAME if dataset.is_dir() else dataset)
    config = SplitConfig(
        training=training,
        acceptance=acceptance,
        holdout=holdout,
        seed=seed,
        exclude=tuple(exclude or ()),
        given=given,
    )
    manifest = seal(pair_set, config, folder)
    counts = {name: len(record.consultations) for name, record in manifest.splits.items()}
    emit({"folder": str(folder), "digest": manifest.digest, "consultations": counts}, as_json)


def plan(config_file: Config, folder: OutDir = None, data: Data = None, as_json: Json = False) -> None:
    """Print what a campaign would buy: calls, tokens, money, time. Buys nothing."""
    config = _configured(config_file, data, None)
    workspace = _workspace(config, folder)
    splits, _ = workspace.prepare(config)
    found, power = _planned(config, splits), _power(config, splits)
    shown = _plan_shown(config, found) | power_shown(power, _floor(config, workspace, splits))
    emit(shown, as_json, title=f"Plan of {config.name}")
    check_affordable(config, found)


def run(
    config_file: Config,
    folder: OutDir = None,
    data: Data = None,
    cache: Cache = None,
    seed: Seed = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Also confirm on the holdout and write the report.")
    ] = False,
    mlflow: Annotated[
        Path | None, typer.Option("--mlflow", help="MLflow store; default mlruns. Give '-' for none.")
    ] = Path("mlruns"),
    underpowered: Annotated[
        bool, typer.Option("--underpowered", help="Run although acceptance cannot resolve `acceptance.gain`.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a campaign, or go on with one: the same command resumes exactly where it was.

    Stops at Ctrl-C, at a file STOP in the campaign folder, at its caps and when the search stalls. Exit codes: 0
    completed, 10 stalled, 11 budget, 12 reflector failed, 13 no valid proposal; paused: 20 time, 21 stop file,
    22 endpoint, 130 interrupted; 3 for a mistake.
    """
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    config = _configured(config_file, data, seed)
    workspace = _workspace(config, folder)
    build_engine(config.engine.kind)
    load_seeds(config)
    splits, built = workspace.prepare(config)
    if confirm:
        require_omissions(splits.manifest, f"running {config.name!r} with --confirm")
    found, power = _planned(config, splits), _power(config, splits)
    if not as_json:
        emit(_data_shown(splits, built), False, title=f"Data of {config.name}")
        emit(_plan_shown(config, found) | power_shown(power, None), False, title="Plan")
    check_affordable(config, found)
    check_power(config, power, underpowered)
    store = cache or workspace.root.parent / "cache.sqlite"
    with open_laboratory(config, f"{config.name}@{workspace.root.resolve()}", store) as laboratory:
        watch = AfterFirst(laboratory.account.meter)
        result = _search(config, workspace, splits, laboratory, found, (mlflow, watch))
        prefix = watch.shares()
        _write_status(workspace, result, laboratory, prefix)
        if result.frozen is None:
            sync(result.rows, None, open_tracker(mlflow), paused=result.reason)
            _say_paused(workspace, result)
            raise typer.Exit(EXIT_CODES[result.reason])
        if confirm:
            confirm_campaign(workspace, laboratory, mlflow)
            _write_status(workspace, result, laboratory, prefix)
    lines = finish_report(workspace, mlflow)
    summary = _summary(config, workspace, result, store, lines)
    if as_json:
        emit(summary, True)
    else:
        for line in lines:
            out.print(line, markup=False, highlight=False, soft_wrap=True)
        if mlflow is not None and str(mlflow) != "-":
            out.print(f"Compare candidates in MLflow: {UI_COMMAND} --store {mlflow}", highlight=False, soft_wrap=True)
    raise typer.Exit(EXIT_CODES[result.reason])


def _search(
    config: CampaignConfig,
    workspace: Workspace,
    splits: Splits,
    laboratory: Laboratory,
    found: Plan,
    shown_to: tuple[Path | None, AfterFirst],
) -> Result:
    mlflow, watch = shown_to
    sanity, simulated = laboratory.sanity(load_seeds(config)[0])
    _say_sanity(sanity.ordered, sanity.good, sanity.bad, sanity.agreement)
    with Live(found.search.calls, lambda: laboratory.spent, open_tracker(mlflow)) as live:

        def on_rows(rows: tuple[Row, ...]) -> None:
            watch.on_rows(rows)
            live.on_rows(rows)

        lab = Lab(
            laboratory.judge_for,
            laboratory.reflector,
            simulated,
            on_rows,
            live.on_outcome,
            judge_at=laboratory.judge_at,
        )
        return run_campaign(config, workspace, splits, lab)


def _configured(path: Path, data: Path | None, seed: int | None) -> CampaignConfig:
    config = load_campaign(path, data)
    return config if seed is None else config.model_copy(update={"seed": seed})


def _workspace(config: CampaignConfig, folder: Path | None) -> Workspace:
    return Workspace(folder or Path("campaigns") / config.name)


def _planned(config: CampaignConfig, splits: Splits) -> Plan:
    holdout = splits.manifest.splits["holdout"]
    return plan_campaign(config, folds_of(splits), (len(holdout.consultations), holdout.pairs))


def _power(config: CampaignConfig, splits: Splits) -> PowerPlan:
    holdout = splits.manifest.splits["holdout"]
    return plan_power(config, folds_of(splits), (holdout.clusters, holdout.pairs))


def _floor(config: CampaignConfig, workspace: Workspace, splits: Splits) -> SplitPower | None:
    """What reruns of the baseline alone allow, where a campaign has measured them already."""
    rows = read_ledger(workspace.ledger) if workspace.ledger.exists() else ()
    noise = next((row for row in rows if isinstance(row, NoiseRow)), None)
    return rerun_power(config, folds_of(splits), noise) if noise else None


def _plan_shown(config: CampaignConfig, found: Plan) -> dict[str, Any]:
    def shown(bill: Bill) -> dict[str, Any]:
        return {
            "calls": bill.calls,
            "tokens": bill.prompt_tokens + bill.completion_tokens,
            "money": money(bill.dollars(config.model)),
            "time": duration(bill.seconds(config.model)),
        }

    return {
        "simulated": config.simulated,
        "proposals": {"configured": config.engine.proposals, "the caps buy": min(found.affordable, 10**6)},
        "noise floor": shown(found.noise),
        "search, typical": shown(found.search),
        "search, at most": shown(found.search_worst),
        "confirmation": shown(found.confirmation),
        "reflection calls": found.reflection.calls,
    }


def _data_shown(splits: Splits, built: Any) -> dict[str, Any]:
    manifest = splits.manifest
    shown: dict[str, Any] = {
        "source": manifest.dataset,
        "simulated text": manifest.simulated,
        "clean twins": "verified" if manifest.clean_verified else "unverified",
        "consultations": {name: len(part.consultations) for name, part in manifest.splits.items()},
        "pairs": {name: part.pairs for name, part in manifest.splits.items()},
    }
    if built is not None and built.imported_refused:
        shown["left out at import"] = dict(built.imported_refused)
    if built is not None and built.planted_refused:
        shown["edits refused"] = dict(built.planted_refused)
    return shown


def _say_sanity(ordered: bool, good: float, bad: float, agreement: float) -> None:
    line = f"sanity check: good note {good:.2f}, bad note {bad:.2f}; agreement with own repeats {agreement:.0%}"
    err.print(line if ordered else f"[bold yellow]warning[/] {line}: the baseline judge does not order them")


def _say_paused(workspace: Workspace, result: Result) -> None:
    why = f" ({result.detail})" if result.detail else ""
    err.print(f"paused: {result.reason}{why}, after {len(result.rows)} rows of {workspace.ledger}")
    err.print("nothing is lost: the same command goes on from here")


def _write_status(workspace: Workspace, result: Result, laboratory: Laboratory, prefix: Shares | None) -> None:
    status: Mapping[str, Any] = {
        "reason": result.reason,
        "paused": result.reason in PAUSES,
        "exit_code": EXIT_CODES[result.reason],
        "rows": len(result.rows),
        "bought": asdict(laboratory.spent),
        "calls_by_role": dict(laboratory.calls_by_role),
        "prefix": None if prefix is None else asdict(prefix),
    }
    write_json(json.dumps(status, indent=2), workspace.status)


def _summary(
    config: CampaignConfig, workspace: Workspace, result: Result, store: Path, lines: tuple[str, ...]
) -> dict[str, Any]:
    frozen, status = result.frozen, json.loads(workspace.status.read_text())
    assert frozen is not None
    return {
        "campaign": config.name,
        "simulated": frozen.simulated,
        "reason": result.reason,
        "seed_kept": frozen.seed_kept,
        "winner": frozen.winner.id,
        "baseline": frozen.baseline.id,
        "folder": str(workspace.root),
        "cache": str(store),
        "confirmed": workspace.confirmation.exists(),
        "bought": status["bought"],
        "calls_by_role": status["calls_by_role"],
        "prefix": status["prefix"],
        "lines": list(lines),
    }
