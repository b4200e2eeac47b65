"""What a running campaign shows: a bar with calls, spend and ETA, a line per row, and MLflow kept up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from rich.markup import escape

from harness.llm.store import Spent
from harness.outcomes import Outcome
from harness.runs import NullStore, RunLog, Tracker
from harness.tracking import Store
from optimiser.cli.show import err, money, progress
from optimiser.freeze import winners_curse
from optimiser.projection import records_of
from optimiser.records import FinishRow, FreezeRow, Measured, NoiseRow, ProposalRow, Row, SeedRow
from optimiser.report_noise import acceptance_words, noise_words

# Seconds between two writings to MLflow: a row of a real endpoint takes longer, a replayed one a few milliseconds.
PACE = 5.0
COLOURS = {"accepted": "green", "rejected": "yellow", "invalid": "red"}


def open_tracker(root: Path | None) -> RunLog:
    """The MLflow store below ``root`` that never stops a campaign; '-' or None keeps nothing."""
    if root is None or str(root) == "-":
        return NullStore()
    return Tracker(Store(root), lambda text: err.print(f"[bold yellow]MLflow[/] {escape(text)}"))


class Live:
    """Context of one running phase with about ``total`` judge calls."""

    def __init__(self, total: int, spent: Callable[[], Spent], tracker: RunLog, label: str = "search") -> None:
        self._spent, self._tracker = spent, tracker
        self._bar = progress()
        self._task = self._bar.add_task(label, total=max(total, 1), spend="")
        self._shown = 0
        self._logged: dict[str, str] = {}
        self._rows: tuple[Row, ...] = ()
        self._due = 0.0

    def __enter__(self) -> Live:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        self._log()

    def on_outcome(self, _outcome: Outcome) -> None:
        """Move the bar by one judgement."""
        spent = self._spent()
        text = f"{spent.calls:,} calls {money(spent.dollars)}"
        self._bar.update(self._task, advance=1, spend=text)

    def on_rows(self, rows: tuple[Row, ...]) -> None:
        """Print rows not printed yet, and log them: now and then, and all of them in the end."""
        for row in rows[self._shown :]:
            line = _line(row)
            if isinstance(row, NoiseRow):
                self._bar.console.print(line, highlight=False, soft_wrap=not err.is_terminal)
            elif line:
                self._bar.console.print(line, highlight=False, no_wrap=True, overflow="ellipsis", crop=err.is_terminal)
        self._shown, self._rows = len(rows), rows
        if time.monotonic() >= self._due:
            self._log()

    def _log(self) -> None:
        for record in records_of(self._rows) if self._rows else ():
            if self._logged.get(record.key) != record.digest:
                self._tracker.log(record)
                self._logged[record.key] = record.digest
        self._due = time.monotonic() + PACE


def _line(row: Row) -> str:
    if isinstance(row, NoiseRow):
        return "\n".join(f"noise  {escape(words)}" for words in (*noise_words(row), acceptance_words(row.races)))
    if isinstance(row, SeedRow):
        return f"seed   {row.candidate.id[:8]}  {_reading(row.measured)}  {escape(row.candidate.origin)}"
    if isinstance(row, ProposalRow):
        name = row.candidate.id[:8] if row.candidate else "-" * 8
        score = "" if row.before is None or row.after is None else f"{row.before:g} -> {row.after:g}  "
        colour = COLOURS[row.status]
        reading = _reading(row.measured) + "  " if row.measured else ""
        return (
            f"{row.iteration:4d}   {name}  [{colour}]{row.status}[/] {row.kind}  {score}{reading}{escape(row.reason)}"
        )
    if isinstance(row, FreezeRow):
        kept = "the seed is kept" if row.seed_kept else f"winner {row.winner[:8]} ({winners_curse(row)})"
        return f"freeze {kept}; {row.runner_up_reading}"
    if isinstance(row, FinishRow):
        return f"finish {row.reason}: {row.accepted} accepted, {row.rejected} rejected, {row.invalid} invalid"
    return ""


def _reading(measured: tuple[Measured, ...]) -> str:
    values = [f"{m.split} {m.paired_omissions:.3f}" for m in measured if m.paired_omissions is not None]
    return "omissions " + ", ".join(values)
