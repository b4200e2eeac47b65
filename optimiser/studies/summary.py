"""What a study found: records, a table, a picture and a page, written into a folder. All of it labelled simulated."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.data.pairs import write_atomically
from harness.report.document import Document, Figure, Label, Paragraph, Section, render_markdown
from harness.report.html import render_html
from harness.report.tables import Table
from harness.stats.intervals import Interval, wilson

SIMULATED = Label(
    "SIMULATED",
    "Simulated judges on made-up notes. These rates say how often the lab's own procedure errs; they say nothing about "
    "any real judge.",
    "danger",
)
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """One study. ``records`` are plain rows, all with the same keys; ``words`` the finding in sentences."""

    title: str
    words: tuple[str, ...]
    records: tuple[Record, ...]
    table: Table
    figure: Figure
    facts: tuple[tuple[str, str], ...] = ()

    def document(self) -> Document:
        """The study as a report."""
        found = Section("What was found", (*(Paragraph(text) for text in self.words), self.table, self.figure))
        return Document(self.title, (SIMULATED,), self.facts, (found,))


def share(count: int, n: int) -> dict[str, Any]:
    """A rate with its counts and its 95% Wilson bounds, as the keys of a record; None where nothing was counted."""
    if n == 0:
        return {"count": 0, "n": 0, "rate": None, "low": None, "high": None}
    found = wilson(count, n)
    return {"count": count, "n": n, "rate": found.value, "low": found.low, "high": found.high}


def show(found: Mapping[str, Any]) -> str:
    """A rate in words: its percentage, bounds and counts.

    >>> show(share(16, 48))
    '33.3% (21.7 to 47.5; 16 of 48)'
    """
    if found["rate"] is None:
        return "none counted"
    percent = [f"{100 * found[key]:.1f}" for key in ("rate", "low", "high")]
    return f"{percent[0]}% ({percent[1]} to {percent[2]}; {found['count']} of {found['n']})"


def interval(found: Mapping[str, Any]) -> Interval:
    """The same as an interval."""
    return Interval(found["rate"], found["low"], found["high"])


def write_summary(summary: Summary, folder: Path) -> tuple[Path, ...]:
    """Write table.csv, table.json, report.md, report.html and the picture; return their paths."""
    document = summary.document()
    records = {"simulated": True, "title": summary.title, "facts": dict(summary.facts), "rows": list(summary.records)}
    contents = {
        "table.csv": _csv(summary.records).encode(),
        "table.json": (json.dumps(records, indent=2, allow_nan=False) + "\n").encode(),
        "report.md": render_markdown(document).encode(),
        "report.html": render_html(document).encode(),
        f"{summary.figure.name}.png": summary.figure.png,
    }
    for name, data in contents.items():
        write_atomically(folder / name, data)
    return tuple(folder / name for name in contents)


def _csv(records: Sequence[Record]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*records[0], "simulated"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({**record, "simulated": True} for record in records)
    return stream.getvalue()
