"""`judgelab holdout status`: how often a holdout was looked at, by whom, and what is left of its error rate."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.stats.spending import RULE, share_of, spent_by
from optimiser.cli.show import emit
from optimiser.confirmation import read_confirmation
from optimiser.ledger import read_ledger
from optimiser.records import StartRow
from optimiser.workspace import Workspace
from partitions.holdout import HoldoutStatus, LedgerRow, holdout_status

app = typer.Typer(help="What is on record about a holdout.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `status` a command of its own beside later ones."""


@app.command(epilog="Example: judgelab holdout status campaigns/demo --json")
def status(
    folder: Annotated[Path, typer.Argument(help="Campaign folder, or the folder of a sealed split.")],
    alpha: Annotated[
        float | None, typer.Option(min=0, max=0.5, help="Error rate of all openings together; default the campaign's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List every opening with its question, and the alpha spent and left. Opens nothing; verifies the hash chain."""
    split = folder if (folder / "manifest.json").exists() else Workspace(folder).split
    found = holdout_status(split)
    total = _configured_alpha(folder) if alpha is None else alpha
    shown = _shown(split, found, total, _verdict(folder))
    emit(shown, as_json, title=f"Holdout of {folder}")


def _shown(split: Path, found: HoldoutStatus, alpha: float, known: tuple[str, str]) -> dict[str, Any]:
    openings = [row for row in found.rows if row.type == "opening"]
    return {
        "split": str(split),
        "chain": f"verified over {len(found.rows)} rows",
        "openings": found.openings,
        "resumptions": found.resumptions,
        "results": found.results,
        "alpha": {
            "together": alpha,
            "rule": RULE,
            "spent": _round(alpha * spent_by(found.openings)),
            "left": _round(alpha * (1 - spent_by(found.openings))),
            "next opening": _round(alpha * share_of(found.openings + 1)),
        },
        "questions": {f"opening {row.number}": _question(row, found, alpha, known) for row in openings},
    }


def _question(row: LedgerRow, found: HoldoutStatus, alpha: float, known: tuple[str, str]) -> dict[str, Any]:
    assert row.question is not None
    resumed = [str(r.time) for r in found.rows if r.type == "resumption" and r.number == row.number]
    result = next((r.result for r in found.rows if r.type == "result" and r.number == row.number), None)
    verdict = known[1] if result == known[0] else "recorded by its digest; see that campaign's confirmation"
    return {
        "baseline": row.question.baseline,
        "candidates": list(row.question.candidates),
        "judge": row.question.judge,
        "model": row.question.model,
        "efforts": [effort or "the model's own" for effort in row.question.efforts],
        "token_caps": list(row.question.token_caps),
        "replicates": list(row.question.replicates),
        "time": str(row.time),
        "reason": row.reason or "none given",
        "resumed": resumed,
        "alpha": _round(alpha * share_of(row.number)),
        "result": result or "none yet: interrupted, and resumable without a reason",
        "verdict": verdict if result else "none yet",
    }


def _configured_alpha(folder: Path) -> float:
    path = Workspace(folder).ledger
    start = next(iter(read_ledger(path)), None) if path.exists() else None
    config = start.config if isinstance(start, StartRow) else {}
    return float(config.get("confirm", {}).get("alpha", 0.05))


def _verdict(folder: Path) -> tuple[str, str]:
    """Digest and verdict of the campaign's own confirmation; empty where there is none."""
    path = Workspace(folder).confirmation
    if not path.exists():
        return "", ""
    return hashlib.sha256(path.read_bytes()).hexdigest(), read_confirmation(path).verdict


def _round(value: float) -> float:
    return float(f"{value:.4g}")
