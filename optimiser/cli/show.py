"""What the terminal shows: values as tables or JSON, errors in three parts, progress with calls, spend and ETA."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from harness.errors import LabError

out = Console()
err = Console(stderr=True)


def emit(value: Mapping[str, Any], as_json: bool, title: str = "") -> None:
    """Print a mapping: as one JSON document, or as a two-column table with nested mappings indented."""
    if as_json:
        print(json.dumps(value, ensure_ascii=False, indent=2))
        return
    table = Table(title=title or None, show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for key, shown in _flat(value):
        table.add_row(key, shown)
    out.print(table)


def rows(title: str, header: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    """Print a table."""
    table = Table(*header, title=title, title_justify="left")
    for line in lines:
        table.add_row(*(str(cell) for cell in line))
    out.print(table)


def say_error(error: LabError) -> None:
    """Print an error in its three parts."""
    err.print(f"[bold red]error[/] while {error.tried}", highlight=False)
    err.print(f"  found: {error.found}", highlight=False, markup=False)
    err.print(f"  to do: {error.todo}", highlight=False, markup=False)


def progress() -> Progress:
    """A bar with calls, spend, elapsed and remaining time; rows of text scroll above it."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TextColumn("{task.fields[spend]}"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    )


def money(dollars: float | None) -> str:
    """Dollars for people; a dash where no price is known."""
    return "-" if dollars is None else f"${dollars:,.4f}" if dollars < 1 else f"${dollars:,.2f}"


def duration(seconds: float) -> str:
    """Seconds for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _flat(value: Mapping[str, Any], depth: int = 0) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, shown in value.items():
        if isinstance(shown, Mapping) and shown:
            found += [("  " * depth + str(key), ""), *_flat(shown, depth + 1)]
        else:
            text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
            found.append(("  " * depth + str(key), text))
    return found
