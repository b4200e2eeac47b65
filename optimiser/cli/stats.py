"""`judgelab stats`: measure, compare and plan from any table of judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from harness.errors import DataError, MetricUndefined
from harness.metrics import OperatingPoint, measure, note_scores, pair_outcomes
from harness.scorefile import read_scores_csv
from harness.scores import ScoreTable, is_omission, select
from harness.stats.bootstrap import Resampling, bootstrap_difference, false_alarm_upper
from harness.stats.common import common_notes
from harness.stats.compare import Comparison, compare
from harness.stats.holm import holm
from harness.stats.intervals import Interval
from harness.stats.power import detectable_at, minimum_detectable, required_clusters
from optimiser.cli.show import emit, err

app = typer.Typer(help="Measure, compare and plan from any table of judgements.", no_args_is_help=True)

FORMAT = (
    "CSV with the columns candidate, note_key, consultation, note_role (clean, errored or flawed), pair_class and "
    "score; optional: clean_key, replicate, severity. An empty score is a failed judgement."
)
PLANNED = (0.5, 1, 2, 4)  # times the observed number of consultations
Scores = Annotated[Path, typer.Argument(metavar="SCORES.csv", help=FORMAT)]
Baseline = Annotated[str, typer.Option("--baseline", help="Candidate to compare with.")]
Candidate = Annotated[str, typer.Option("--candidate", help="Candidate that may be better.")]
Cap = Annotated[float, typer.Option("--cap", min=0, max=1, help="False-alarm rate at most.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the resamples.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command("compare", epilog="Example: judgelab stats compare scores.csv --baseline seed --candidate v3 --cap 0.1")
def compare_(
    scores: Scores,
    baseline: Baseline,
    candidate: Candidate,
    cap: Cap = 0.10,
    seed: Seed = 0,
    resamples: Annotated[int, typer.Option(min=100, max=1_000_000, help="Resamples of consultations.")] = 10_000,
    as_json: Json = False,
) -> None:
    """Compare two candidates on the notes that both judged; a positive difference speaks for --candidate.

    The operating points are swept on these very notes, hence optimistic. `holm` adjusts the three p-values
    as one family. `difference` has the plain percentile bounds that publications print; `difference_expanded` goes
    further out, as few consultations need, and is the one to decide by.
    """
    names, left_out, base, new = _two(scores, baseline, candidate)
    rng = np.random.default_rng(seed)
    found = compare(new, base, cap, rng, resamples)
    shown = {
        "file": str(scores),
        "cap": cap,
        "seed": seed,
        "resamples": resamples,
        "baseline": baseline,
        "candidate": candidate,
        "candidates": {
            baseline: _measured(base, cap, names, rng),
            candidate: _measured(new, cap, names, rng),
        },
        "comparison": {
            "difference": asdict(_percentile(new, base, Resampling(resamples, method="percentile"), seed)),
            "difference_expanded": asdict(found.omissions),
            **_compared(found),
            "left_out": left_out,
        },
    }
    emit(shown, as_json, title=f"{candidate} minus {baseline}")


@app.command("describe", epilog="Example: judgelab stats describe scores.csv --json")
def describe_(scores: Scores, cap: Cap = 0.10, seed: Seed = 0, as_json: Json = False) -> None:
    """Measure each candidate of the file on its own notes."""
    found = read_scores_csv(scores)
    rng = np.random.default_rng(seed)
    shown = {
        "file": str(scores),
        "cap": cap,
        "candidates": {name: _measured(table, cap, found.class_names, rng) for name, table in found.tables.items()},
    }
    emit(shown, as_json, title=str(scores))


@app.command("power", epilog="Example: judgelab stats power scores.csv --baseline seed --candidate v3 --gain 0.05")
def power_(
    scores: Scores,
    baseline: Baseline,
    candidate: Candidate,
    gain: Annotated[float, typer.Option(min=0.0001, max=1, help="Wanted true gain in paired discrimination.")] = 0.05,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Two-sided error rate of the test.")] = 0.05,
    power: Annotated[float, typer.Option(min=0.5, max=0.999, help="Chance that a true gain is found.")] = 0.8,
    as_json: Json = False,
) -> None:
    """Which true gain on omissions these consultations can show, and how many a wanted gain needs.

    Projected from how the two candidates differ from consultation to consultation in this file, ties included.
    """
    _, left_out, base, new = _two(scores, baseline, candidate)
    omitted = is_omission(new)
    cluster = new.cluster[omitted]
    differences = (pair_outcomes(new) - pair_outcomes(base))[omitted]
    smallest = minimum_detectable(differences, cluster, alpha, power)
    n = len(np.unique(cluster))
    shown = {
        "file": str(scores),
        "baseline": baseline,
        "candidate": candidate,
        "alpha": alpha,
        "power": power,
        "consultations": n,
        "pairs": int(differences.size),
        "equal_outcomes": float(np.mean(differences == 0)),
        "difference": float(differences.mean()),
        "minimum_detectable": smallest,
        "minimum_detectable_at": {
            size: detectable_at(differences, cluster, size, alpha, power)
            for size in sorted({max(2, round(n * times)) for times in PLANNED})
        },
        "gain": gain,
        "consultations_needed": required_clusters(differences, cluster, gain, alpha, power),
        "resolved": gain >= smallest,
        "left_out": left_out,
    }
    emit(shown, as_json, title=f"Power: {candidate} minus {baseline}")


def _two(path: Path, baseline: str, candidate: str) -> tuple[Mapping[str, str], dict[str, int], ScoreTable, ScoreTable]:
    """Class names, how many notes of each are left out as the other lacks them, and both tables on the common notes."""
    if baseline == candidate:
        raise DataError("comparing two candidates", f"{baseline!r} twice", "Name two candidates.")
    found = read_scores_csv(path)
    for name in (baseline, candidate):
        if name not in found.tables:
            known = ", ".join(map(repr, found.tables))
            raise DataError(f"reading {path}", f"no candidate {name!r}", f"The file has {known}.")
    before = found.tables[baseline], found.tables[candidate]
    base, new = common_notes(*before)
    if not is_omission(new).any():
        raise MetricUndefined(f"comparing on {path}", "no omission pair that both judged", "See `stats describe`.")
    left_out = {
        name: _notes(old) - _notes(kept)
        for name, old, kept in zip((baseline, candidate), before, (base, new), strict=True)
    }
    if any(left_out.values()):
        counts = ", ".join(f"{count} of {name}" for name, count in left_out.items())
        err.print(f"warning: compared on the common notes alone; left out: {counts}", markup=False, highlight=False)
    return found.class_names, left_out, base, new


def _notes(table: ScoreTable) -> int:
    return len(table.pair_ids) + len(table.clean_ids)


def _measured(table: ScoreTable, cap: float, names: Mapping[str, str], rng: np.random.Generator) -> dict[str, Any]:
    """A candidate's numbers; classes go by the file's names, each with this project's name beside it."""
    found = measure(table, cap)
    flawed, clean = note_scores(select(table, is_omission(table)))
    return {
        "consultations": found.consultations,
        "pairs": found.pairs,
        "clean_notes": found.clean_notes,
        "failures": {"flawed": found.failed_flawed, "clean": found.failed_clean},
        "paired": {
            "omissions": asdict(found.omissions) if found.omissions else None,
            "commissions": asdict(found.commissions) if found.commissions else None,
            "by_class": {
                names.get(name, name): asdict(paired) | {"class": name} for name, paired in found.by_class.items()
            },
        },
        "operating_point": _point(found.operating, clean, table, rng),
        "auc": found.auc,
        "mean_score": {"clean": _mean(clean), "omissions": _mean(flawed)},
    }


def _point(
    point: OperatingPoint | None, clean: NDArray[np.float64], table: ScoreTable, rng: np.random.Generator
) -> dict[str, Any] | None:
    """The bound of the false-alarm rate minds that clean notes of one consultation go together."""
    if point is None:
        return None
    clustered = len(np.unique(table.clean_cluster)) < clean.size
    try:
        upper = false_alarm_upper(clean < point.threshold, table.clean_cluster, rng) if clustered else None
    except MetricUndefined:  # one consultation
        upper = None
    return asdict(point) | {
        "detection": point.detection,
        "false_alarm_rate": point.false_alarm_rate,
        "false_alarm_upper95": point.false_alarm_upper95 if upper is None else upper,
    }


def _mean(scores: NDArray[np.float64]) -> float | None:
    readable = scores[np.isfinite(scores)]
    return float(readable.mean()) if readable.size else None


def _percentile(new: ScoreTable, base: ScoreTable, plan: Resampling, seed: int) -> Interval:
    omitted = is_omission(new)
    outcomes = pair_outcomes(new)[omitted], pair_outcomes(base)[omitted]
    return bootstrap_difference(*outcomes, new.cluster[omitted], np.random.default_rng(seed), plan)


def _compared(found: Comparison) -> dict[str, Any]:
    tests = {"sign_test": found.sign, "mcnemar": found.flags, "sign_flip": found.flip}
    declared = {name: test.p for name, test in tests.items() if test is not None}
    adjusted = holm(list(declared.values())).tolist()
    return {
        "pairs": found.pairs,
        "consultations": found.consultations,
        "commissions_difference": asdict(found.commissions) if found.commissions else None,
        "detection_difference": asdict(found.detection) | {"resamples": found.detection_resamples}
        if found.detection
        else None,
        **{name: asdict(test) if test is not None else None for name, test in tests.items()},
        "holm": dict(zip(declared, adjusted, strict=True)),
        "minimum_detectable": found.minimum_detectable,
    }
