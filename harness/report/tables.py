"""Tables as values, and their Markdown and terminal forms (the HTML form is in the page template)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import rich.table
from rich.text import Text

NUMBER = re.compile(r"[-+−]?[$]?[\d,]+(\.\d+)?%?( .*)?|–|")


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, one tuple per row, as many cells as columns. ``note`` explains below the table."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows} - {len(self.columns)}
        if widths:
            raise ValueError(f"table {self.caption!r} has {len(self.columns)} columns and rows of {sorted(widths)}")

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers only, and are set flush right."""
        return tuple(all(NUMBER.fullmatch(row[i]) for row in self.rows) for i in range(len(self.columns)))


def markdown_table(table: Table) -> str:
    """A pipe table with its caption above and its note below.

    >>> print(markdown_table(Table("Counts", ("what", "n"), (("a|b", "3"),), "One note.")))
    **Counts**
    <BLANKLINE>
    | what | n |
    | --- | ---: |
    | a\\|b | 3 |
    <BLANKLINE>
    One note.
    """
    lines = [_pipe(table.columns), _pipe(tuple("---:" if number else "---" for number in table.numeric))]
    lines += [_pipe(tuple(_escaped(cell) for cell in row)) for row in table.rows]
    blocks = [f"**{table.caption}**", "\n".join(lines)] + ([table.note] if table.note else [])
    return "\n\n".join(blocks)


def rich_table(table: Table) -> rich.table.Table:
    """The table for a terminal; cells are printed as they are, never read as markup."""
    shown = rich.table.Table(title=Text(table.caption), caption=Text(table.note) if table.note else None)
    for name, number in zip(table.columns, table.numeric, strict=True):
        shown.add_column(Text(name), justify="right" if number else "left")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    return shown


def _pipe(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
