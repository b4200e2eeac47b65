"""One campaign as a report, and as six lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.report.document import Document, Figure, Label, Paragraph, Section, render_markdown
from harness.report.html import render_html
from harness.report.tables import Table
from optimiser.confirmation import Confirmation
from optimiser.freeze import winners_curse
from optimiser.history import History
from optimiser.records import FinishReason, Row
from optimiser.report_calls import UNKNOWN, Bought, calls_lines, calls_sections
from optimiser.report_holdout import confirmed, failure_table
from optimiser.report_noise import WITHIN, noise_floor, within_band
from optimiser.report_search import (
    failures,
    money,
    proposals,
    searched,
    signed,
    standings,
    texts,
    times,
)

ENDINGS: dict[FinishReason, str] = {
    "completed": "all proposals were made",
    "stalled": "stopped after too many proposals in a row without an accepted one",
    "budget": "stopped because the next step would have passed a cap",
    "time": "stopped by the cap in seconds",
    "stop-file": "stopped by the stop file",
    "interrupted": "interrupted",
    "reflector-failed": "stopped after too many failed reflection calls in a row",
    "no-valid-proposal": "every proposal was invalid",
    "endpoint-failed": "the judge's endpoint failed for good",
}
SIMULATED = Label(
    "SIMULATED",
    "A simulated model answered. These numbers show that the machinery works; they say nothing about any real judge.",
    "danger",
)
UNVERIFIED = Label(
    "unverified clean twin",
    "Clean notes were not checked against their transcripts: an alarm on one may be right.",
    "caution",
)


@dataclass(frozen=True)
class Report:
    """The report in both forms, and its figures by name as PNG bytes."""

    html: str
    markdown: str
    plots: Mapping[str, bytes]


def campaign_report(rows: Sequence[Row], confirmation: Confirmation | None, bought: Bought | None = None) -> Report:
    """Report on a campaign at any stage; what has not happened is said, not left out.

    ``bought``: what was really bought, where that is known.
    """
    history = History.of(rows)
    document = Document(
        title=f"Campaign {history.start.campaign}",
        labels=labels(history),
        facts=tuple(_facts(history, confirmation)),
        sections=(
            searched(history, confirmation),
            *(calls_sections(bought) if bought else ()),
            texts(history),
            noise_floor(history),
            proposals(history),
            standings(history),
            confirmed(confirmation),
            _failed(history, confirmation),
            _provenance(history, confirmation),
        ),
    )
    plots = {part.name: part.png for section in document.sections for part in section.parts if isinstance(part, Figure)}
    return Report(render_html(document), render_markdown(document), plots)


def labels(history: History) -> tuple[Label, ...]:
    """What a reader must know before any number."""
    start = history.start
    return (*((SIMULATED,) if start.simulated else ()), *(() if start.clean_verified else (UNVERIFIED,)))


def summary_lines(
    rows: Sequence[Row],
    confirmation: Confirmation | None,
    report: str = "report.html in the campaign's folder",
    bought: Bought = UNKNOWN,
) -> tuple[str, ...]:
    """Six plain lines: what was searched, what was found, what the holdout said, cost, report, honesty."""
    history = History.of(rows)
    counts, start, spend = history.counts, history.start, history.spend
    sizes = ", ".join(f"{name} {part.get('pairs', 0)} pairs" for name, part in start.splits.items())
    honest = "; ".join(f"{label.name}: {label.meaning}" for label in labels(history))
    price = "no price known" if spend.dollars is None else money(spend.dollars)
    cost = f"Cost: {spend.calls:,} calls, {spend.tokens:,} tokens, {price} for the search."
    return (
        f"Searched: {sum(counts.values())} proposals for {start.campaign} ({counts['accepted']} accepted, "
        f"{counts['rejected']} rejected, {counts['invalid']} invalid) over {sizes}; {_ending(history)}.",
        f"Found: {_found(history)}.",
        f"Holdout: {_holdout(confirmation)}.",
        " ".join((cost, *calls_lines(bought))),
        f"Report: {report}",
        f"Honesty: {honest or 'real model, verified clean notes'}",
    )


def _facts(history: History, confirmation: Confirmation | None) -> Iterator[tuple[str, str]]:
    yield "Ending", _ending(history)
    yield "Found", _found(history)
    yield "Holdout", _holdout(confirmation)
    openings = confirmation.opening.number if confirmation else 0
    yield "Holdout openings", times(openings) if openings else "never opened for this campaign"
    spend = history.spend
    price = "" if spend.dollars is None else f", {money(spend.dollars)}"
    yield "Spend of the search", f"{spend.calls:,} calls, {spend.tokens:,} tokens{price}"


def _ending(history: History) -> str:
    return "not finished" if history.finish is None else ENDINGS[history.finish.reason]


def _found(history: History) -> str:
    freeze = history.freeze
    if freeze is None:
        return "nothing is frozen yet"
    if freeze.seed_kept:
        return f"the seed {history.label(freeze.baseline)} was kept, no finalist was shown to be better"
    winner = history.standing(freeze.winner)
    label = history.label(freeze.winner)
    if winner is None:
        return f"{label} won"
    pairs = next((t.on("acceptance") for t in history.tries if t.label == label), None)
    n = f", n {history.pairs_at_freeze(pairs)} pairs" if pairs else ""
    curse = winners_curse(freeze)
    small = pairs is not None and within_band(history, winner.difference, history.pairs_at_freeze(pairs))
    caveats = (f"; winner's curse: {curse}" if curse else "") + (f"; {WITHIN}" if small else "")
    return (
        f"{label} beats the seed by {signed(winner.difference)} on the acceptance split "
        f"(simultaneous lower bound {signed(winner.lower)}{n}){caveats}"
    )


def _holdout(confirmation: Confirmation | None) -> str:
    if confirmation is None:
        return "not opened, so nothing is confirmed"
    rung, opened = confirmation.primary, f"holdout opened {times(confirmation.opening.number)}"
    if rung.comparison is None:
        return f"{confirmation.verdict}, {opened}"
    gain = rung.comparison.omissions
    return (
        f"{confirmation.verdict}, winner minus seed {signed(gain.value)} "
        f"({signed(gain.low)} to {signed(gain.high)}, n {rung.baseline.omissions.worst_case.n} pairs), {opened}"
    )


def _failed(history: History, confirmation: Confirmation | None) -> Section:
    tables = (failures(history), *((failure_table(confirmation),) if confirmation else ()))
    return Section("Failures", tuple(t if t.rows else Paragraph(f"{t.caption}: none.") for t in tables))


def _provenance(history: History, confirmation: Confirmation | None) -> Section:
    rows = [*history.start.fingerprint.items()]
    rows.append(("campaign", history.key))
    if confirmation:
        rows += [("confirmed with", confirmation.model), ("holdout ledger entry", confirmation.opening.hash)]
    return Section("Provenance", (Table("Fingerprints and versions", ("what", "value"), tuple(rows)),))
