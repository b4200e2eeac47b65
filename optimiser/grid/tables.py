"""The figures of a grid as tables: cells in rows, in the configured order."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report.tables import Table
from optimiser.confirmation import Difference, Paired, Rate
from optimiser.grid.records import Bounded, CellReading, Flagged, Grid
from optimiser.report_search import NONE, number, share, signed

CLASSES = ("omission-complete", "omission-fragment", "omission-restated", "addition", "alteration")
SEVERITIES = ("critical", "supporting", "peripheral")
OPTIMISTIC = "re-swept (optimistic)"


def main_table(grid: Grid) -> Table:
    """Paired figures with intervals, AUC, failures, and whether the free floor is beaten."""
    columns = ("cell", "omissions", "95%", "W/T/L", "commissions", "95%", "AUC", "failures", "floor")
    rows = tuple(
        (
            _starred(cell, grid),
            number(_value(cell.omissions)),
            _bounds(cell.omissions),
            _record(cell.omissions),
            number(_value(cell.commissions)),
            _bounds(cell.commissions),
            number(cell.auc),
            str(sum(cell.failures.values())),
            _over_floor(cell, grid),
        )
        for cell in grid.cells
    )
    note = (
        f"{grid.pairs} pairs and {grid.clean_notes} clean notes of {grid.consultations} consultations; every cell "
        "judged the same. Failures count as losses in the paired figures. * = baseline."
        + (
            ""
            if grid.floor is None
            else f" Floor: {grid.floor}, which asks no model; beaten where the 95% interval of the "
            "paired difference in omissions excludes zero."
        )
    )
    return Table("Paired discrimination by cell", columns, rows, note)


def class_table(grid: Grid) -> Table:
    """Paired discrimination by trace of the omission, by severity and by kind of commission."""
    names = ("complete", "fragment", "restated", *SEVERITIES, "addition", "alteration")
    rows = tuple(
        (
            cell.name,
            *(_class(cell, name) for name in CLASSES[:3]),
            *(number(_value(cell.by_severity.get(name))) for name in SEVERITIES),
            *(_class(cell, name) for name in CLASSES[3:]),
        )
        for cell in grid.cells
    )
    return Table("By trace, severity and kind", ("cell", *names), rows, f"Omissions by severity. {_sizes(grid)}")


def flag_table(grid: Grid) -> Table:
    """Flags by the judge's own rule, and below marks that keep the cap."""
    columns = ("cell", "own detection", "own false alarms", "marks at own", "detection at cap", "false alarms", "marks")
    rows = tuple(
        (cell.name, *_rates(cell.own), _rates(cell.at_own)[0], *_rates(cell.at_cap), _marks(cell.at_cap))
        for cell in grid.cells
    )
    note = (
        f"Detection of omission notes, false alarms on clean notes. At the cap of {grid.cap:g}: {OPTIMISTIC}, the "
        "marks were chosen on these very notes; so were those of 'marks at own', which detect this much with no more "
        "false alarms than the judge's own rule. A judge of two parts has two marks, chosen jointly. A failure is a "
        "missed note and a false alarm. A dash: the judge has no rule of its own, or no mark keeps the cap."
    )
    return Table("Detection and false alarms", columns, rows, note)


def contrast_table(grid: Grid) -> Table:
    """Every cell minus the baseline."""
    columns = ("cell", "omissions", "95%", "p", "Holm p", "commissions", "95%")
    rows = tuple(
        (
            cell.name,
            signed(found.omissions.value),
            span(found.omissions),
            number(found.p, 5),
            number(found.adjusted_p, 5),
            signed(None if found.commissions is None else found.commissions.value),
            span(found.commissions),
        )
        for cell in grid.cells
        if (found := cell.against_baseline) is not None
    )
    note = f"Sign-flip test over consultations, two-sided; Holm's adjustment over {len(rows)} cells."
    return Table(f"Difference to {grid.baseline}", columns, rows, note)


def cost_table(grid: Grid) -> Table:
    """What a note costs, and what was really bought."""
    columns = ("cell", "calls", "tokens", "reasoning", "dollars", "seconds", "bought calls by stage")
    rows = tuple(
        (
            cell.name,
            *(
                (NONE,) * 5
                if (costs := cell.costs) is None
                else (
                    number(costs.calls, 1),
                    f"{costs.tokens:,.0f}",
                    f"{costs.reasoning_tokens:,.0f}",
                    NONE if costs.dollars is None else f"${costs.dollars:.5f}",
                    number(costs.latency, 2),
                )
            ),
            ", ".join(f"{count:,} {stage}" for stage, count in cell.bought.items()) or NONE,
        )
        for cell in grid.cells
    )
    note = (
        "Per note, as if it were judged alone: cached replies count with the price of their tokens, and calls stand "
        "one after the other. Bought: the first cell that asks something buys it, the others find it in the cache."
    )
    return Table("Cost of one note", columns, rows, note)


def failure_table(grid: Grid) -> Table:
    """Judgements without a score, by cell and reason."""
    rows = tuple(
        (cell.name, reason, share(count, cell.judged)) for cell in grid.cells for reason, count in cell.failures.items()
    )
    return Table("Failures by cell and reason", ("cell", "reason", "of judgements"), rows)


def progress_table(grid: Grid) -> Table:
    """How far each cell came."""
    rows = tuple((cell.name, share(cell.judged, cell.wanted)) for cell in grid.cells if not cell.finished)
    return Table("Unfinished cells", ("cell", "judged"), rows)


def lever_table(grid: Grid) -> Table:
    """What each lever moves: the separation, and the operating point."""
    columns = ("lever", "from", "to", "pairs", "omissions", "commissions", "clean score", "own FA", "own detection")
    rows = tuple(
        (
            found.lever,
            found.before,
            found.after,
            str(len(found.cells)),
            *(
                f"{signed(shift.value)} ({span(shift)})" if shift is not None else NONE
                for shift in (
                    found.omissions,
                    found.commissions,
                    found.clean_score,
                    found.false_alarms,
                    found.detection,
                )
            ),
        )
        for found in grid.levers
    )
    note = (
        "Over all pairs of cells that differ in this label alone, paired by consultation. Omissions and commissions: "
        "difference in paired discrimination. Clean score: of clean notes, as a share of the scale. Own FA and own "
        "detection: flags by the judges' own rules, where both cells of a pair have one. The last three "
        "tell of the operating point."
    )
    return Table("Levers", columns, rows, note)


def brief_table(grid: Grid) -> Table:
    """One line a cell, for the terminal."""
    columns = (
        "cell",
        "omissions",
        "W/T/L",
        "compl/frag/rest",
        "commissions",
        "own det/FA",
        "at cap",
        "AUC",
        "fail",
        "floor",
    )
    rows = tuple(
        (
            _starred(cell, grid),
            number(_value(cell.omissions)),
            _record(cell.omissions),
            "/".join(number(_value(cell.by_class.get(name)), 2) for name in CLASSES[:3]),
            number(_value(cell.commissions)),
            NONE if cell.own is None else f"{cell.own.detection.value:.2f}/{cell.own.false_alarms.value:.2f}",
            NONE if cell.at_cap is None else f"{cell.at_cap.detection.value:.2f}",
            number(cell.auc),
            str(sum(cell.failures.values())),
            floor_word(cell, grid),
        )
        for cell in grid.cells
    )
    note = f"At cap {grid.cap:g}: {OPTIMISTIC}. {grid.pairs} pairs of {grid.consultations} consultations. * = baseline."
    return Table(f"Grid {grid.name}", columns, rows, note)


def floor_word(cell: CellReading, grid: Grid) -> str:
    """Whether a cell beats the judge that asks no model."""
    if cell.name == grid.floor:
        return "is the floor"
    return {True: "beaten", False: "NOT beaten", None: NONE}[cell.beats_floor]


def _over_floor(cell: CellReading, grid: Grid) -> str:
    gain = "" if cell.against_floor is None else f"{signed(cell.against_floor.omissions.value)} "
    return gain + floor_word(cell, grid)


def span(difference: Difference | None) -> str:
    """The bounds of a difference."""
    return NONE if difference is None else f"{difference.low:+.3f} to {difference.high:+.3f}"


def _starred(cell: CellReading, grid: Grid) -> str:
    return f"{cell.name} *" if cell.name == grid.baseline else cell.name


def _value(paired: Paired | None) -> float | None:
    return None if paired is None else paired.value


def _bounds(paired: Bounded | None) -> str:
    return NONE if paired is None or paired.low is None else f"{paired.low:.3f} to {paired.high:.3f}"


def _record(paired: Paired | None) -> str:
    return NONE if paired is None else f"{paired.wins}/{paired.ties}/{paired.losses}"


def _class(cell: CellReading, name: str) -> str:
    return number(_value(cell.by_class.get(name)))


def _sizes(grid: Grid) -> str:
    first = grid.cells[0]
    sizes = [*first.by_class.items(), *first.by_severity.items()]
    return "Pairs: " + ", ".join(f"{name} {paired.n}" for name, paired in sizes) + "." if sizes else ""


def _rates(flagged: Flagged | None) -> tuple[str, str]:
    return (NONE, NONE) if flagged is None else (_rate(flagged.detection), _rate(flagged.false_alarms))


def _rate(rate: Rate) -> str:
    return share(rate.count, rate.n)


def _marks(flagged: Flagged | None) -> str:
    return NONE if flagged is None else ", ".join(f"{mark:.4g}" for mark in flagged.marks)


def finished(cells: Sequence[CellReading]) -> bool:
    """True where every note of every cell was judged."""
    return all(cell.finished for cell in cells)
