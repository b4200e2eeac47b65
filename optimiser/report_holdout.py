"""The parts of a report that tell of the holdout: every rung of the confirmation, with its counts."""

from __future__ import annotations

from collections.abc import Iterator

from harness.report import plots
from harness.report.document import Figure, Paragraph, Section
from harness.report.tables import Table
from optimiser.confirmation import CandidateReading, Confirmation, OperatingReading, Paired, Rate, Rung
from optimiser.report_search import COUNTED, NONE, number, signed, times


def confirmed(confirmation: Confirmation | None) -> Section:
    """The one look at the holdout."""
    title = "Confirmation on the holdout"
    if confirmation is None:
        return Section(title, (Paragraph("Not confirmed: nothing here says how the winner does on unseen notes."),))
    opening = confirmation.opening
    reason = f" for the reason: {opening.reason}" if opening.reason else ""
    opened = (
        f"Opening {opening.number} of this holdout ({opening.time:%Y-%m-%d %H:%M} UTC{reason}); it had been opened "
        f"{times(opening.number)} in all. Replicates {', '.join(map(str, confirmation.replicates))}."
    )
    return Section(
        title,
        (
            Paragraph(f"Verdict: {confirmation.verdict}."),
            *(Paragraph(words) for words in confirmation.words),
            Paragraph(opened),
            *holdout_figures(confirmation).values(),
            *(() if confirmation.seed_kept else (_differences(confirmation),)),
            _paired(confirmation),
            _rates(confirmation),
            _classes(confirmation),
            _costs(confirmation),
        ),
    )


def holdout_figures(confirmation: Confirmation) -> dict[str, Figure]:
    """Differences over the effort ladder, operating points, and the classes of the primary rung."""
    found: dict[str, Figure] = {}
    spans = [
        plots.Span(effort(rung), gain.value, gain.low, gain.high, rung.primary)
        for rung in confirmation.rungs
        if rung.comparison is not None
        for gain in [rung.comparison.omissions]
    ]
    if spans:
        found["confirmation"] = Figure(
            "Winner minus seed over the effort ladder",
            plots.intervals(spans, "difference in paired omissions on the holdout", confirmation.margin),
            f"Intervals at {1 - confirmation.alpha * confirmation.opening.share:.1%}, clustered by consultation; the "
            "search's own effort in colour.",
        )
    spots = [
        plots.Spot(f"{effort(rung)} {role}", point.false_alarms.value, point.detection.value, status)
        for rung in confirmation.rungs
        for role, status, reading in sides(rung)
        if (point := reading.frozen) is not None
    ]
    if spots:
        found["holdout-rates"] = Figure(
            "Detection and false alarms on the holdout",
            plots.rates(spots, confirmation.cap),
            "At the thresholds frozen on the acceptance split.",
        )
    series = {
        role: {name: paired.value for name, paired in reading.by_class.items()}
        for role, _, reading in sides(confirmation.primary)
        if reading.by_class
    }
    if series:
        found["classes"] = Figure(
            "Paired discrimination by class on the holdout", plots.by_class(series), "The dotted line is a coin flip."
        )
    return found


def effort(rung: Rung) -> str:
    """The rung's effort in words."""
    return rung.effort or "default"


def sides(rung: Rung) -> Iterator[tuple[str, str, CandidateReading]]:
    """(role, plot status, reading) of a rung's candidates, the seed first."""
    yield "seed", "seed", rung.baseline
    if rung.winner is not None:
        yield "winner", "winner", rung.winner


def failure_table(confirmation: Confirmation) -> Table:
    """Judgements without a score on the holdout."""
    rows = tuple(
        (effort(rung), role, str(reading.failures), f"{reading.judgements:,}")
        for rung in confirmation.rungs
        for role, _, reading in sides(rung)
        if reading.failures
    )
    return Table("Failures on the holdout", ("effort", "candidate", "failures", "judgements"), rows, COUNTED)


def _differences(confirmation: Confirmation) -> Table:
    rows = []
    for rung in confirmation.rungs:
        found = rung.comparison
        if found is None:
            continue
        gain = found.omissions
        rows.append(
            (
                effort(rung),
                str(rung.baseline.omissions.worst_case.n),
                signed(gain.value),
                f"{signed(gain.low)} to {signed(gain.high)}",
                number(found.primary.adjusted_p, 4),
                number(found.band),
                number(found.minimum_detectable),
                rung.verdict + (" (within the run-to-run band)" if found.within_band else ""),
            )
        )
    columns = ("effort", "n pairs", "difference", "interval", "p (Holm)", "run-to-run band", "detectable", "verdict")
    note = (
        f"Paired omissions, winner minus seed, over {confirmation.primary.n_consultations} consultations; "
        f"non-inferior means no worse than {confirmation.margin:.3f}. p: sign-flip permutation over consultations. "
        "Band: how far a rerun of the seed moves. Detectable: the difference found with 80% power at this size."
    )
    return Table("Winner minus seed, by effort", columns, tuple(rows), note)


def _paired(confirmation: Confirmation) -> Table:
    rows = tuple(
        (
            effort(rung),
            role,
            _counted(reading.omissions.worst_case),
            _counted(reading.omissions.dropped),
            _counted(reading.commissions.worst_case if reading.commissions else None),
            number(reading.auc),
        )
        for rung in confirmation.rungs
        for role, _, reading in sides(rung)
    )
    columns = ("effort", "candidate", "omissions", "omissions, failures dropped", "commissions", "AUC")
    note = "Paired discrimination with wins / ties / losses and the number of pairs; failures are losses."
    return Table("Paired discrimination on the holdout", columns, rows, note)


def _rates(confirmation: Confirmation) -> Table:
    rows = tuple(
        (effort(rung), role, *_operating(reading.frozen), *_operating(reading.re_swept)[:2])
        for rung in confirmation.rungs
        for role, _, reading in sides(rung)
    )
    columns = (
        "effort",
        "candidate",
        "detection",
        "false alarms",
        "bound",
        "re-swept (optimistic): detection",
        "false alarms",
    )
    note = (
        f"The headline uses the threshold frozen on the acceptance split at a cap of {confirmation.cap:.2f}; the "
        "re-swept one was chosen on the holdout itself. Bound: one-sided upper bound of the false-alarm rate at 95%."
    )
    return Table("Detection and false alarms on the holdout", columns, rows, note)


def _classes(confirmation: Confirmation) -> Table:
    readings = {role: reading for role, _, reading in sides(confirmation.primary)}
    groups = {"class": "by_class", "severity": "by_severity"}
    rows = tuple(
        (kind, name, *(_counted(getattr(reading, attribute).get(name)) for reading in readings.values()))
        for kind, attribute in groups.items()
        for name in sorted({name for reading in readings.values() for name in getattr(reading, attribute)})
    )
    caption = f"By class and severity at effort {effort(confirmation.primary)}"
    return Table(caption, ("by", "", *readings), rows, "Severity: omission pairs only. Failures are losses.")


def _costs(confirmation: Confirmation) -> Table:
    rows = tuple(
        (
            effort(rung),
            role,
            f"{reading.judgements:,}",
            number(reading.tokens_per_note, 0),
            NONE if reading.dollars_per_note is None else f"${reading.dollars_per_note:.5f}",
            number(reading.mean_latency, 2),
        )
        for rung in confirmation.rungs
        for role, _, reading in sides(rung)
    )
    columns = ("effort", "candidate", "n judgements", "tokens per note", "dollars per note", "seconds per note")
    return Table("What a judgement costs", columns, rows)


def _counted(paired: Paired | None) -> str:
    if paired is None:
        return NONE
    return f"{paired.value:.3f} ({paired.wins} / {paired.ties} / {paired.losses}, n {paired.n})"


def _operating(point: OperatingReading | None) -> tuple[str, str, str]:
    if point is None:
        return NONE, NONE, NONE
    return _rate(point.detection), _rate(point.false_alarms), number(point.false_alarms.upper)


def _rate(rate: Rate) -> str:
    return f"{rate.value:.3f} ({rate.count} of {rate.n})"
