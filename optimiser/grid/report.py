"""A grid as a report, and as a few plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from harness.report import plots
from harness.report.document import Document, Figure, Label, Paragraph, Part, Section, render_markdown
from harness.report.html import render_html
from harness.report.tables import Table
from optimiser.confirmation import Difference
from optimiser.grid import tables
from optimiser.grid.records import Grid
from optimiser.report_search import money, number
from optimiser.reporting import ENDINGS, SIMULATED, UNVERIFIED, Report

SELECTION = (
    "The best of many cells is partly the luckiest, and none of this is a confirmation: a grid explores. Confirm a "
    "choice on a holdout that no grid has seen."
)


def grid_report(grid: Grid) -> Report:
    """Report on a grid at any stage; what is unfinished is said, not left out."""
    document = Document(
        title=f"Grid {grid.name}",
        labels=labels(grid),
        facts=tuple(_facts(grid)),
        sections=tuple(_sections(grid)),
    )
    figures = {p.name: p.png for section in document.sections for p in section.parts if isinstance(p, Figure)}
    return Report(render_html(document), render_markdown(document), figures)


def labels(grid: Grid) -> tuple[Label, ...]:
    """What a reader must know before any number."""
    return (*((SIMULATED,) if grid.simulated else ()), *(() if grid.clean_verified else (UNVERIFIED,)))


def summary_lines(grid: Grid) -> tuple[str, ...]:
    """Plain lines: what was judged, what stands out, the floor, what it cost, honesty."""
    lines = [
        f"Judged: {len(grid.cells)} cells on {grid.pairs} pairs of {grid.consultations} of {grid.wanted_consultations} "
        f"consultations ({'+'.join(grid.parts)}); {ending(grid)}."
    ]
    ranked = sorted(
        (cell for cell in grid.cells if cell.omissions), key=lambda c: -c.omissions.value if c.omissions else 0
    )
    if ranked and ranked[0].omissions:
        best = ranked[0].omissions
        lines.append(
            f"Most omissions: {ranked[0].name}, paired {best.value:.3f} ({best.wins}/{best.ties}/{best.losses})."
        )
    if grid.floor is not None and ranked:
        beaten = sum(cell.beats_floor is True for cell in grid.cells)
        lines.append(f"Floor: {beaten} of {len(grid.cells) - 1} cells beat {grid.floor}, which asks no model.")
    spent = grid.spent
    price = "no price known" if spent.dollars is None else money(spent.dollars)
    lines.append(f"Cost: {spent.calls:,} calls, {spent.tokens:,} tokens, {price}.")
    honest = " ".join(f"{label.name}: {label.meaning}" for label in labels(grid))
    lines.append(f"Honesty: {honest or 'real model, verified clean notes'}")
    return tuple(lines)


def ending(grid: Grid) -> str:
    """How the last process ended, in words."""
    if grid.reason == "completed":
        return "every cell is finished"
    detail = f" ({grid.detail})" if grid.detail else ""
    return f"NOT FINISHED, {ENDINGS[grid.reason]}{detail}"


def _facts(grid: Grid) -> Iterator[tuple[str, str]]:
    clean, flawed = grid.replicates
    yield "Ending", ending(grid)
    yield (
        "Notes",
        (
            f"{grid.pairs} pairs, {grid.clean_notes} clean notes, {grid.consultations} of {grid.wanted_consultations} "
            f"consultations, {'+'.join(grid.parts)}; {'synthetic' if grid.synthetic else 'imported'} text"
        ),
    )
    yield "Judged", f"clean notes {clean}x, flawed notes {flawed}x by each of {len(grid.cells)} cells"
    price = "" if grid.spent.dollars is None else f", {money(grid.spent.dollars)}"
    yield "Bought", f"{grid.spent.calls:,} calls, {grid.spent.tokens:,} tokens{price}"


def _sections(grid: Grid) -> Iterator[Section]:
    if not tables.finished(grid.cells):
        text = (
            f"The figures below are of the {grid.consultations} consultations that every cell has judged. What was "
            "judged is kept; the same command goes on from there."
        )
        yield Section("Unfinished", (Paragraph(text), tables.progress_table(grid)))
    if not grid.pairs:
        yield Section(
            "Cells", (Paragraph("No consultation was judged by every cell, so there is nothing to compare."),)
        )
    else:
        yield Section("Cells", (Paragraph(SELECTION), tables.main_table(grid), *_landscape(grid)))
        yield Section("Traces and severities", (tables.class_table(grid),))
        yield Section("Flags", (tables.flag_table(grid), *_detection(grid)))
        yield Section("Differences to the baseline", tuple(_unless_empty(tables.contrast_table(grid))))
        yield Section("Levers", (*_unless_empty(tables.lever_table(grid)), *_lever_figures(grid)))
        yield Section("Costs", (tables.cost_table(grid),))
    yield Section("Failures", tuple(_unless_empty(tables.failure_table(grid))))
    yield Section("Provenance", (_provenance(grid),))


def _unless_empty(table: Table) -> Iterator[Part]:
    yield table if table.rows else Paragraph(f"{table.caption}: none.")


def _landscape(grid: Grid) -> Iterator[Figure]:
    spots = [
        plots.Patch(cell.name, (across.value, across.low, across.high), (up.value, up.low, up.high))
        for cell in grid.cells
        if (across := cell.omissions) is not None and (up := cell.commissions) is not None
    ]
    if spots:
        yield Figure(
            "Omissions against commissions",
            plots.landscape(spots, "paired omissions", "paired commissions"),
            "Paired discrimination by cell with 95% intervals; dotted lines are coin flips, up and right is better.",
        )


def _detection(grid: Grid) -> Iterator[Figure]:
    bars = [
        plots.Bar(
            cell.name,
            cell.at_cap.detection.value,
            None if cell.own is None else (cell.own.detection.value, cell.own.false_alarms.value),
        )
        for cell in grid.cells
        if cell.at_cap is not None
    ]
    if bars:
        yield Figure(
            "Detection at the cap",
            plots.bars(bars, grid.cap),
            f"Bars: detection of omission notes with at most {grid.cap:.0%} false alarms, {tables.OPTIMISTIC}. Marks: "
            "detection and false alarms by the judge's own rule.",
        )


def _lever_figures(grid: Grid) -> Iterator[Figure]:
    for name, caption, measure in (
        ("omissions", "Levers and omissions", "difference in paired omissions"),
        ("commissions", "Levers and commissions", "difference in paired commissions"),
        ("false_alarms", "Levers and false alarms", "difference in false alarms by the judges' own rules"),
    ):
        spans = [_span(f"{found.lever}: {found.before} → {found.after}", getattr(found, name)) for found in grid.levers]
        drawn = [one for one in spans if one is not None]
        if drawn:
            yield Figure(
                caption, plots.intervals(drawn, measure), "95% intervals by consultation; in colour what excludes zero."
            )


def _span(label: str, shift: Difference | None) -> plots.Span | None:
    if shift is None:
        return None
    return plots.Span(label, shift.value, shift.low, shift.high, strong=shift.low > 0 or shift.high < 0)


def _provenance(grid: Grid) -> Table:
    rows = [("manifest", grid.manifest), ("resamples", f"{grid.resamples:,}"), ("seed", str(grid.seed))]
    rows += [(cell.name, f"cell {cell.id}, candidate {cell.candidate.id}, model {cell.model}") for cell in grid.cells]
    return Table("Fingerprints", ("what", "value"), tuple(rows), f"False-alarm cap {number(grid.cap, 2)}.")
