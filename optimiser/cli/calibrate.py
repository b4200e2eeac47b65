"""`judgelab calibrate`: a threshold for a deployment from its own clean notes, and whether it still holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from harness.calibration_file import dump_calibration, read_calibration, store
from harness.cleanfile import CleanScores, read_clean_csv
from harness.data.pairs import write_atomically
from harness.errors import ConfigError
from harness.stats.calibration import calibrate, check_drift, lowest_by_cluster
from optimiser.cli.show import emit

app = typer.Typer(invoke_without_command=True)

FORMAT = (
    "CSV with a column score (empty = a failed judgement, which counts as flagged); optional: consultation, note_key, "
    "note_role (only clean rows are read), candidate. The lowest score of each consultation counts."
)
HOLDS, DRIFTED = 0, 1
Candidate = Annotated[str | None, typer.Option("--candidate", help="Whose rows to read where the file has several.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.callback(epilog="Example: judgelab calibrate --scores clean.csv --cap 0.05 --out calibration.json")
def calibrate_(
    context: typer.Context,
    scores: Annotated[Path | None, typer.Option("--scores", help=FORMAT)] = None,
    cap: Annotated[float, typer.Option("--cap", min=0, max=1, help="False-alarm rate at most.")] = 0.05,
    confidence: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Promise the cap for this very calibration with this confidence, e.g. 0.95."),
    ] = None,
    candidate: Candidate = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the calibration here, for `check`.")] = None,
    as_json: Json = False,
) -> None:
    """Choose a threshold from clean notes alone so that few new clean notes are flagged; guaranteed, or refused."""
    if context.invoked_subcommand is not None:
        return
    if scores is None:
        raise ConfigError("calibrating", "no scores", "Name them: judgelab calibrate --scores clean.csv --cap 0.05")
    clean = read_clean_csv(scores, candidate)
    values = _values(clean)
    found = calibrate(values, cap, confidence)
    stored = store(clean.candidate, found, values)
    if out is not None:
        write_atomically(out, dump_calibration(stored))
    shown = {
        "file": str(scores),
        **stored.model_dump(exclude={"scores"}),
        "notes": len(clean.scores),
        "flawed_left_out": clean.flawed_left_out,
        "expected_rate": found.expected_rate,
        "rate_upper95": found.rate_upper95,
        "written": None if out is None else str(out),
    }
    emit(shown, as_json, title="Calibration")


@app.command(epilog="Example: judgelab calibrate check calibration.json new-clean.csv")
def check(
    calibration: Annotated[Path, typer.Argument(help="What `calibrate --out` wrote.")],
    scores: Annotated[Path, typer.Argument(metavar="CLEAN.csv", help=FORMAT)],
    candidate: Candidate = None,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Chance of a false alarm of this check.")] = 0.05,
    as_json: Json = False,
) -> None:
    """Test new clean notes against a stored calibration: exit 0 where it holds, 1 where it does not.

    Verdicts: holds (no drift seen; mind the upper bound of the flag rate), above the cap, scores moved.
    """
    stored = read_calibration(calibration)
    clean = read_clean_csv(scores, candidate or stored.candidate or None)
    found = check_drift(stored.values(), _values(clean), stored.threshold, stored.cap, alpha)
    shown = {
        "calibration": str(calibration),
        "file": str(scores),
        "verdict": found.verdict,
        "threshold": stored.threshold,
        "cap": stored.cap,
        "consultations": found.n,
        "flagged": found.flagged,
        "flag_rate": found.flag_rate,
        "flag_rate_upper95": found.flag_rate_upper95,
        "adjusted_p": {name: asdict(found)[name] for name in ("exceedance", "shift", "shape")},
    }
    emit(shown, as_json, title="Drift check")
    raise typer.Exit(HOLDS if found.verdict == "holds" else DRIFTED)


def _values(clean: CleanScores) -> NDArray[np.float64]:
    return lowest_by_cluster(clean.scores, clean.clusters)
