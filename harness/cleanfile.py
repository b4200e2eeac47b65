"""Clean notes of a deployment: any CSV with scores, read for calibration."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.csvfile import number_of, read_rows
from harness.errors import DataError
from harness.scorefile import ROLES

OPTIONAL_COLUMNS = ("consultation", "note_key", "note_role", "candidate")


@dataclass(frozen=True, slots=True, eq=False)
class CleanScores:
    """Scores (rows,), NaN = a failure, and the consultation of each; flawed notes were left out and counted."""

    candidate: str
    scores: NDArray[np.float64]
    clusters: tuple[str, ...]
    flawed_left_out: int


def read_clean_csv(path: Path, candidate: str | None = None) -> CleanScores:
    """Read the clean rows of one candidate; every row is a judgement.

    Column: score (empty = a failure). Optional: consultation (else note_key, else every row is its own), note_role
    (only clean rows are read) and candidate (needed as argument where the file has several). DataError
    names the row and the column.
    """
    rows = [(f"reading {path}, row {row}", cells) for row, cells in read_rows(path, ("score",), OPTIONAL_COLUMNS)]
    name = _candidate(path, dict.fromkeys(cells[4] for _, cells in rows), candidate)
    own = [(where, cells) for where, cells in rows if cells[4] == name]
    for where, cells in own:
        if cells[3].lower() not in (*ROLES, ""):
            raise DataError(f"{where}, column 'note_role'", repr(cells[3]), f"Use one of {', '.join(ROLES)}.")
    clean = [(where, cells) for where, cells in own if cells[3].lower() in ("clean", "")]
    if not clean:
        raise DataError(f"reading {path}", "no clean notes", "Give one row for each clean note.")
    scores = [number_of(cells[0], f"{where}, column 'score'") for where, cells in clean]
    return CleanScores(name, np.array(scores), _clusters(clean), len(own) - len(clean))


def _candidate(path: Path, names: Collection[str], wanted: str | None) -> str:
    """Whose rows are meant; "" where the file names nobody."""
    if set(names) <= {""}:
        return ""
    if wanted is None and len(names) == 1:
        return next(iter(names))
    if wanted is None or wanted not in names:
        known = ", ".join(map(repr, names))
        found = "several candidates" if wanted is None else f"no candidate {wanted!r}"
        raise DataError(f"reading {path}", found, f"Name one with --candidate: {known}.")
    return wanted


def _clusters(rows: list[tuple[str, list[str]]]) -> tuple[str, ...]:
    """The consultation of each row; two rows without any name are two consultations."""
    for place in (1, 2):
        named = [cells[place] for _, cells in rows]
        if all(named):
            return tuple(named)
        if any(named):
            where = f"{rows[named.index('')][0]}, column {OPTIONAL_COLUMNS[place - 1]!r}"
            raise DataError(where, "an empty cell", "Fill it in, or leave the column out.")
    return tuple(where for where, _ in rows)
