"""The lines of each study -> its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from harness.report.document import Figure
from harness.report.plots import Span, curves, intervals
from harness.report.tables import Table
from optimiser.config import AcceptanceConfig
from optimiser.studies.coverage import CASES, CoverageLine, CoverageStudy
from optimiser.studies.null import NullLine, NullStudy
from optimiser.studies.planted import Cell, PlantedLine, PlantedStudy
from optimiser.studies.summary import Summary, share, show

WANTED = (0.935, 0.965)


def null_summary(study: NullStudy, lines: Sequence[NullLine]) -> Summary:
    """Rates of false "improved" verdicts, by the campaign's rules, by the naive rule, and by confirmation alone."""
    forced = [line for line in lines if line.forced_verdict is not None]
    children = sum(line.children for line in lines)
    rates = {
        "campaign says improved": share(sum(line.verdict == "improved" for line in lines), len(lines)),
        "campaign freezes a winner": share(sum(line.frozen for line in lines), len(lines)),
        "naive rule says improved": share(sum(line.naive_improved for line in lines), len(lines)),
        "naive rule, detection re-swept": share(sum(line.naive_detects_more for line in lines), len(lines)),
        "confirmation alone, forced on the best-looking": _verdicts(forced, "improved"),
        "the same, regressed": _verdicts(forced, "regressed"),
        "equal child joins the pool": share(sum(line.accepted for line in lines), children),
    }
    looked = sum(line.naive_gain or 0.0 for line in forced) / max(len(forced), 1)
    was = sum(line.forced_difference or 0.0 for line in forced) / max(len(forced), 1)
    shown = [(name, found) for name, found in rates.items() if found["rate"] is not None]
    spans = [Span(name, r["rate"], r["low"], r["high"], name.startswith("campaign")) for name, r in shown]
    return Summary(
        title="Null study: no candidate is better, so every improvement is false",
        words=(
            f"The lab's campaign called a false improvement in {show(rates['campaign says improved'])}. The naive rule "
            f"(best of all proposals on acceptance, any gain on the holdout) did in "
            f"{show(rates['naive rule says improved'])}.",
            f"Confirmation alone, made to judge the best-looking proposal of each campaign, erred in "
            f"{show(rates['confirmation alone, forced on the best-looking'])}; it allows 2.5% on this side.",
            f"That proposal looked {looked:+.3f} better on acceptance and was {was:+.3f} on the holdout. An equal "
            f"child may join the pool in {AcceptanceConfig().alpha:.0%} of races at most.",
        ),
        records=tuple({"measure": name} | found for name, found in rates.items()),
        table=Table("Rates with 95% intervals", ("measure", "rate"), tuple((n, show(f)) for n, f in rates.items())),
        figure=Figure("False alarms of the procedure", intervals(spans, "rate over campaigns"), _alt(shown)),
        facts=_facts(asdict(study), len(lines)),
    )


def planted_summary(study: PlantedStudy, cells: Sequence[Cell], lines: Sequence[PlantedLine]) -> Summary:
    """How often a true gain was found and confirmed, and what it took."""
    records = tuple(_planted_record(cell, lines) for cell in cells)
    series: dict[str, list[tuple[float, Span]]] = {}
    for r in records:
        span = Span("", r["confirmed_rate"], r["confirmed_low"], r["confirmed_high"])
        series.setdefault(_line_name(r), []).append((r["gain"], span))
    alt = "; ".join(f"{r['judge']} {r['size']} {r['gain']:+.2f}: {r['confirmed_rate']:.2f}" for r in records) + "."
    names = ("true gain in paired discrimination", "share found and confirmed")
    return Summary(
        title="Planted study: a gain that is really there",
        words=(
            "Sizes are consultations for training, acceptance and holdout. Found: the campaign froze a proposal with "
            "the gain. Confirmed: the holdout then said improved.",
            "A steady judge varies from note to note as fact-checking judges do, a noisy one as single-call judges do. "
            f"Each campaign made {study.proposals} proposals, about {study.share:.0%} of them with the gain.",
        ),
        records=records,
        table=Table(
            "Found and confirmed, % with 95% intervals",
            ("judge", "size", "gain", "flawed scored", "found", "confirmed", "calls of the search"),
            tuple(_planted_row(record) for record in records),
        ),
        figure=Figure("Power by gain and size", curves(series, names, (0.8, 1.0)), alt),
        facts=_facts(asdict(study), len(lines)),
    )


def coverage_summary(study: CoverageStudy, lines: Sequence[CoverageLine]) -> Summary:
    """Coverage of every interval at every size, and whether it is what it should be."""
    kinds = {case.name: case.kind for case in CASES}
    records: list[dict[str, Any]] = [
        {"interval": line.case, "kind": kinds[line.case], "consultations": line.size}
        | share(line.held, line.sets)
        | {"mean_width": line.width / line.sets, "reading": reading(line.held / line.sets)}
        for line in lines
    ]
    rows = tuple(
        (r["interval"], r["kind"], str(r["consultations"]), show(r), f"{r['mean_width']:.3f}", r["reading"])
        for r in records
    )
    series: dict[str, list[tuple[float, Span]]] = {}
    for r in records:
        series.setdefault(r["interval"], []).append((r["consultations"], Span("", r["rate"], r["low"], r["high"])))
    return Summary(
        title="Coverage study: do the printed intervals hold the truth",
        words=(
            f"Nominal 95% throughout; {WANTED[0]:.1%} to {WANTED[1]:.1%} counts as right. Less often: "
            f"{_listed(records, 'too seldom')}.",
            f"More often than that: {_listed(records, 'conservative')}. Exact bounds of counts and of scores with ties "
            "are conservative by construction, and a threshold that is swept again moves more in a resample of few "
            "consultations than between data sets.",
        ),
        records=tuple(records),
        table=Table(
            "Coverage", ("interval", "kind", "consultations", "coverage (95% interval)", "mean width", "reading"), rows
        ),
        figure=Figure(
            "Coverage by consultations",
            curves(series, ("consultations", "share of intervals that hold the truth"), WANTED),
            "; ".join(f"{r['interval']} at {r['consultations']}: {r['rate']:.3f}" for r in records) + ".",
        ),
        facts=_facts(asdict(study), sum(line.sets for line in lines)),
    )


def reading(rate: float) -> str:
    """Where a coverage lies against what is wanted."""
    return "too seldom" if rate < WANTED[0] else "right" if rate <= WANTED[1] else "conservative"


def _verdicts(forced: Sequence[NullLine], verdict: str) -> dict[str, Any]:
    return share(sum(line.forced_verdict == verdict for line in forced), len(forced))


def _planted_record(cell: Cell, lines: Sequence[PlantedLine]) -> dict[str, Any]:
    mine = [line for line in lines if line.cell == cell.key]
    found, confirmed = (share(sum(getattr(x, key) for x in mine), len(mine)) for key in ("found", "confirmed"))
    size = "/".join(map(str, cell.size))
    return (
        {"judge": cell.judge, "size": size, "gain": cell.gain, "scored": cell.scored, "campaigns": len(mine)}
        | {f"found_{key}": found[key] for key in ("count", "rate", "low", "high")}
        | {f"confirmed_{key}": confirmed[key] for key in ("count", "rate", "low", "high")}
        | {"improved_without_gain": sum(x.wrong for x in mine), "calls": sum(x.calls for x in mine) / len(mine)}
    )


def _planted_row(record: dict[str, Any]) -> tuple[str, ...]:
    found, confirmed = _cell(record, "found"), _cell(record, "confirmed")
    times = str(record["scored"])
    return (
        record["judge"],
        record["size"],
        f"{record['gain']:+.2f}",
        times,
        found,
        confirmed,
        f"{record['calls']:,.0f}",
    )


def _line_name(record: dict[str, Any]) -> str:
    times = f" x{record['scored']}" if record["scored"] > 1 else ""
    return f"{record['judge']} {record['size']}{times}"


def _listed(records: Sequence[dict[str, Any]], wanted: str) -> str:
    found = [f"{r['interval']} at {r['consultations']}" for r in records if r["reading"] == wanted]
    return "; ".join(found) or "none"


def _cell(record: dict[str, Any], what: str) -> str:
    rate, low, high = (100 * record[f"{what}_{key}"] for key in ("rate", "low", "high"))
    return f"{rate:.0f} ({low:.0f} to {high:.0f})"


def _alt(shown: Sequence[tuple[str, dict[str, Any]]]) -> str:
    return "; ".join(f"{name} {show(found)}" for name, found in shown) + "."


def _facts(settings: dict[str, Any], done: int) -> tuple[tuple[str, str], ...]:
    return (("Done", f"{done:,}"), *((key, str(value)) for key, value in settings.items()))
