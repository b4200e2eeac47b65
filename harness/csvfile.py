"""Rows of a CSV file: the wanted columns as text, with the row number for the error of whoever reads them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from harness.errors import DataError


def read_rows(path: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[int, list[str]]]:
    """Yield each row's number and its stripped cells, in the order ``needed`` + ``optional`` ("" = no such column).

    UTF-8 with or without a byte order mark, any line end, quoted cells, columns in any order, other columns left out.
    Row numbers are those of the file's lines: the header is row 1; a cell with line breaks in it counts at its
    last line. Empty rows are passed over. DataError names the file, the row and the reason.
    """
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    header: list[str] = []
    try:
        for cells in reader:
            if not any(cells):
                continue
            if not header:
                header = [name.strip() for name in cells]
                pick = _picker(header, needed, optional, path)
                continue
            if len(cells) != len(header):
                _refuse_width(cells, header, f"reading {path}, row {reader.line_num}")
            cells.append("")  # where a column that the file does not have is read
            yield reader.line_num, [cell.strip() for cell in pick(cells)]
    except csv.Error as error:
        raise DataError(f"reading {path}, row {reader.line_num}", f"not CSV: {error}", "Mend the quotes.") from None
    if not header:
        raise DataError(f"reading {path}", "an empty file", f"Give the columns {', '.join(needed)}.")


def number_of(cell: str, where: str) -> float:
    """A cell as a finite number, NaN where it is empty; DataError for anything else."""
    if not cell:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(where, repr(cell), "Write a finite number, or nothing for a failure.")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # as bytes: line ends inside quotes stay as they are
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"reading {path}", f"no file {path}", "Check the path.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"reading {path}", f"not UTF-8 at byte {error.start}", "Save the file as UTF-8.") from None


def _picker(
    header: list[str], needed: Sequence[str], optional: Sequence[str], path: Path
) -> Callable[[list[str]], tuple[str, ...]]:
    for name in (*needed, *optional):
        if header.count(name) > 1:
            raise DataError(f"reading {path}, row 1", f"column {name!r} twice", "Keep one.")
    missing = [name for name in needed if name not in header]
    if missing:
        todo = f"Give the columns {', '.join(needed)}, separated by commas."
        raise DataError(f"reading {path}, row 1", f"no column {missing[0]!r}", todo)
    return itemgetter(*(header.index(name) if name in header else -1 for name in (*needed, *optional)))


def _refuse_width(cells: list[str], header: list[str], where: str) -> None:
    if len(cells) > len(header):
        raise DataError(where, "more cells than columns", "Quote cells that hold commas.")
    raise DataError(f"{where}, column {header[len(cells)]!r}", "no cell", "Write every cell, empty ones too.")
