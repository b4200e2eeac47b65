"""ScoreFile: any user's CSV of judgements as one ScoreTable for each candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.csvfile import number_of, read_rows
from harness.errors import DataError
from harness.scores import PAIR_CLASSES, PairRow, ScoreTable, assemble

COLUMNS = ("candidate", "note_key", "consultation", "note_role", "pair_class", "score")
OPTIONAL_COLUMNS = ("clean_key", "replicate", "severity")
FOREIGN_CLASSES: Mapping[str, str] = {
    "add": "addition",
    "change": "alteration",
    "omit-complete": "omission-complete",
    "omit-partial-weak": "omission-fragment",
    "omit-partial-strong": "omission-restated",
    "omitc": "omission-complete",
    "omitpw": "omission-fragment",
    "omitps": "omission-restated",
}
ROLES = ("clean", "errored", "flawed")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFile:
    """The tables of a file by candidate, in order of appearance; and how the file writes each pair class.

    Tables of candidates that judged the same notes hold them in the same order, whatever the order of the rows.
    ``class_names`` maps a canonical pair class to the name that stands first in the file.
    """

    tables: Mapping[str, ScoreTable]
    class_names: Mapping[str, str]


class _Note(NamedTuple):
    """What every row of a note says alike; ``pair_class`` is "" for a clean note."""

    id: str
    consultation: str
    pair_class: str
    clean_key: str
    severity: str
    row: int


_Scores = dict[str, dict[int, float]]


def read_scores_csv(path: Path) -> ScoreFile:
    """Read judgements: one row for each candidate and note (and replicate).

    Columns: candidate, note_key, consultation, note_role (clean, flawed or errored), pair_class (a pair class of
    this project, or add, change, omit-complete, omit-partial-weak, omit-partial-strong, omitc, omitpw, omitps;
    anything on clean rows) and score (empty = a failure). Optional: clean_key (the clean twin's note_key; needed
    where a consultation has several clean notes), replicate (whole number) and severity. A note is known by its
    consultation and key together; clean notes without a flawed twin are kept. DataError names the row and the column.
    """
    notes: dict[tuple[str, str], _Note] = {}
    taken: set[str] = set()
    names: dict[str, str] = {}
    scores: dict[str, _Scores] = {}
    for row, cells in read_rows(path, COLUMNS, OPTIONAL_COLUMNS):
        where = f"reading {path}, row {row}"
        candidate, key, consultation, written = cells[0], cells[1], cells[2], cells[4].lower()
        pair_class = _class_of(cells, where)
        note = notes.get((consultation, key))
        if note is None:
            name = f"{consultation}|{key}" if key in taken else key
            taken.add(name)
            note = _Note(name, consultation, pair_class, cells[6], cells[8], row)
            notes[consultation, key] = note
            if pair_class:
                names.setdefault(pair_class, written)
        else:
            _require_alike(note, pair_class, cells, where)
        replicates = scores.setdefault(candidate, {}).setdefault(note.id, {})
        replicate = _whole(cells[7], where) if cells[7] else 0
        if replicate in replicates:
            raise DataError(
                f"{where}, column 'note_key'",
                f"replicate {replicate} twice: {key!r} of candidate {candidate!r}",
                "Keep one row, or number repeats in a column 'replicate'.",
            )
        replicates[replicate] = number_of(cells[5], f"{where}, column 'score'")
    if not scores:
        raise DataError(f"reading {path}", "no rows", "Write one row for each note and candidate.")
    return ScoreFile(_tables(notes, scores, path), names)


def _class_of(cells: list[str], where: str) -> str:
    """The canonical pair class of a row, "" on a clean one; DataError for cells that cannot be used."""
    if not (cells[0] and cells[1] and cells[2]):
        raise DataError(f"{where}, column {COLUMNS[cells.index('')]!r}", "an empty cell", "Fill it in.")
    role, written = cells[3].lower(), cells[4].lower()
    if role == "clean":
        return ""
    if role not in ROLES:
        raise DataError(f"{where}, column 'note_role'", repr(cells[3]), f"Use one of {', '.join(ROLES)}.")
    pair_class = FOREIGN_CLASSES.get(written, written)
    if pair_class not in PAIR_CLASSES:
        todo = f"Use one of {', '.join((*PAIR_CLASSES, *FOREIGN_CLASSES))}."
        raise DataError(f"{where}, column 'pair_class'", repr(cells[4]), todo)
    return pair_class


def _require_alike(note: _Note, pair_class: str, cells: list[str], where: str) -> None:
    if note.pair_class == pair_class and note.clean_key == cells[6] and note.severity == cells[8]:
        return
    if note.pair_class != pair_class:
        column = "pair_class" if note.pair_class and pair_class else "note_role"
    else:
        column = "clean_key" if note.clean_key != cells[6] else "severity"
    shown = cells[(*COLUMNS, *OPTIONAL_COLUMNS).index(column)]
    raise DataError(f"{where}, column {column!r}", f"{shown!r}, not as in row {note.row}", "One note has one answer.")


def _whole(cell: str, where: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise DataError(f"{where}, column 'replicate'", repr(cell), "Write a whole number.") from None


def _tables(notes: Mapping[tuple[str, str], _Note], scores: Mapping[str, _Scores], path: Path) -> dict[str, ScoreTable]:
    tables: dict[str, ScoreTable] = {}
    laid_out: _Scores = {}
    for candidate, found in scores.items():
        if found.keys() != laid_out.keys():  # candidates with the same notes share the arrangement
            laid_out, (rows, owners) = found, _arranged(notes, found, path)
        tables[candidate] = assemble(rows, owners, found, f"reading {path}, candidate {candidate!r}")
    return tables


def _arranged(
    notes: Mapping[tuple[str, str], _Note], scores: _Scores, path: Path
) -> tuple[list[PairRow], dict[str, str]]:
    """The pairs that a candidate judged, and the consultation of each clean note, in the order of the file."""
    cleans = {place: note for place, note in notes.items() if not note.pair_class and note.id in scores}
    keys: dict[str, list[str]] = {}
    for consultation, key in cleans:
        keys.setdefault(consultation, []).append(key)
    rows: list[PairRow] = []
    for note in notes.values():
        if note.pair_class and note.id in scores:
            twin = cleans[note.consultation, _twin(note, keys.get(note.consultation, []), path)]
            rows.append(PairRow(note.id, note.pair_class, note.severity, note.consultation, note.id, twin.id))
    return rows, {note.id: note.consultation for note in cleans.values()}


def _twin(note: _Note, keys: list[str], path: Path) -> str:
    """The key of a flawed note's clean twin."""
    where = f"reading {path}, row {note.row}"
    if note.clean_key:
        if note.clean_key in keys:
            return note.clean_key
        found = f"{note.clean_key!r} is no clean note of {note.consultation!r}"
        raise DataError(f"{where}, column 'clean_key'", found, "Mend the key.")
    if len(keys) != 1:
        raise DataError(
            f"{where}, column 'consultation'",
            f"{len(keys)} clean notes of {note.consultation!r}",
            "Give exactly one, or say which with the column 'clean_key'.",
        )
    return keys[0]
