"""The rows of a published CSV file, each with the line it starts at."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from harness.data.imported import read_text
from harness.errors import DataError


@dataclass(frozen=True, slots=True)
class TableRow:
    """One record: its cells by column, and the file and line it starts at (the header is line 1)."""

    where: str
    cells: dict[str, str]

    @property
    def empty(self) -> bool:
        """True where no cell holds anything but blanks."""
        return not any(cell.strip() for cell in self.cells.values())

    def refuse(self, found: str, todo: str) -> DataError:
        """The error that names this row."""
        return DataError(f"reading {self.where}", found, todo)


def read_table(path: Path, columns: Collection[str]) -> list[TableRow]:
    """All rows of a CSV file with a header, empty ones too; UTF-8 with or without a BOM, any line end.

    DataError names file, line and reason: no such file, not UTF-8, a missing or repeated column, a broken quote,
    too many or too few fields, no row at all.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    header: list[str] = []
    rows: list[TableRow] = []
    start = 1
    try:
        for cells in reader:
            where = f"{path}:{start}"
            if not header:
                header = cells
                _check_header(header, columns, where)
            elif cells and len(cells) != len(header):
                raise DataError(f"reading {where}", "too many or too few fields", "Mend the row.")
            elif cells:
                rows.append(TableRow(where, dict(zip(header, cells, strict=True))))
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"reading {path}:{start}", f"not CSV: {error}", "Mend the row.") from None
    if not header:
        raise DataError(f"reading {path}", "an empty file", "Take the file from the source again.")
    return rows


def _check_header(header: list[str], columns: Collection[str], where: str) -> None:
    todo = "Take the file from the source again."
    missing = sorted(set(columns) - set(header))
    if missing:
        raise DataError(f"reading {where}", f"no column {', '.join(missing)}", todo)
    repeated = sorted({name for name in columns if header.count(name) > 1})
    if repeated:
        raise DataError(f"reading {where}", f"column {repeated[0]!r} twice", todo)
