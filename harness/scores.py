"""ScoreTable: the scores of one candidate as arrays, the only shape that metrics and statistics read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.errors import DataError, MetricUndefined
from harness.types import Judgement, Outcome, PairSet

OMISSION_CLASSES = ("omission-complete", "omission-fragment", "omission-restated")
COMMISSION_CLASSES = ("addition", "alteration")
PAIR_CLASSES = OMISSION_CLASSES + COMMISSION_CLASSES
_FOREIGN_CLASSES = {
    "add": "addition",
    "change": "alteration",
    "omit-complete": "omission-complete",
    "omit-partial-weak": "omission-fragment",
    "omit-partial-strong": "omission-restated",
}
_COLUMNS = ("candidate", "note_key", "consultation", "note_role", "pair_class", "score")
_ROLES = ("clean", "errored", "flawed")

Scores = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores of one candidate on one set of pairs; higher = better note, NaN = a failure.

    Row i of the pair arrays is pair i: ``pair_class`` and ``severity`` ("" = not graded) are
    strings, ``cluster`` points into ``clusters`` (the independent units) and ``clean_of`` into
    the clean notes. ``flawed`` is (pairs, flawed replicates); ``clean`` is (clean notes, clean
    replicates), one row a note however many pairs share it. The two replicate counts may differ.
    """

    pair_ids: tuple[str, ...]
    pair_class: NDArray[np.str_]
    severity: NDArray[np.str_]
    cluster: NDArray[np.intp]
    clean_of: NDArray[np.intp]
    clusters: tuple[str, ...]
    flawed: NDArray[np.float64]
    clean_ids: tuple[str, ...]
    clean: NDArray[np.float64]
    clean_cluster: NDArray[np.intp]


class _Row(NamedTuple):
    pair_id: str
    pair_class: str
    severity: str
    cluster: str
    flawed_id: str
    clean_id: str


def tabulate(pair_set: PairSet, outcomes: Iterable[Outcome]) -> ScoreTable:
    """Arrange one candidate's outcomes by pair; outcomes of notes that are in no pair are left out.

    Replicates are ordered by their number. DataError names the note where an outcome is missing,
    comes twice, or where notes of one role have unequal numbers of outcomes; MetricUndefined
    for a set without pairs.
    """
    scores: dict[str, dict[int, float]] = {}
    candidates: set[str] = set()
    for outcome in outcomes:
        candidates.add(outcome.candidate_id)
        score = outcome.score if isinstance(outcome, Judgement) else math.nan
        if isinstance(outcome, Judgement) and not math.isfinite(score):
            raise DataError(
                f"tabulating note {outcome.note_id!r}", f"a score of {score}", "Return a Failure for an unusable score."
            )
        _record(scores, outcome.note_id, outcome.replicate, score)
    if len(candidates) > 1:
        raise DataError("tabulating outcomes", f"candidates {sorted(candidates)[:3]}", "Tabulate one at a time.")
    rows = [
        _Row(p.id, p.pair_class, p.defect.severity or "", pair_set.cluster(p), p.flawed.id, p.clean.id)
        for p in pair_set.pairs
    ]
    return _assemble(rows, scores, f"tabulating {pair_set.name!r}")


def select(table: ScoreTable, mask: NDArray[np.bool_]) -> ScoreTable:
    """The pairs where ``mask`` is true, with all clean notes and clusters of the table."""
    return replace(
        table,
        pair_ids=tuple(np.array(table.pair_ids, dtype=object)[mask]),
        pair_class=table.pair_class[mask],
        severity=table.severity[mask],
        cluster=table.cluster[mask],
        clean_of=table.clean_of[mask],
        flawed=table.flawed[mask],
    )


def is_omission(table: ScoreTable) -> NDArray[np.bool_]:
    """True for each pair whose flawed note leaves something out."""
    return np.isin(table.pair_class, OMISSION_CLASSES)


def is_commission(table: ScoreTable) -> NDArray[np.bool_]:
    """True for each pair whose flawed note adds or alters something."""
    return np.isin(table.pair_class, COMMISSION_CLASSES)


def read_scores_csv(path: Path) -> dict[str, ScoreTable]:
    """Read per-note scores: one table for each value of the column ``candidate``, in order of appearance.

    Columns: candidate, note_key, consultation, note_role (clean, flawed or errored), pair_class
    (a pair class, or add, change, omit-complete, omit-partial-weak, omit-partial-strong; anything on clean
    rows) and score (empty = a failure). Optional: clean_key (the clean twin's note_key; needed where a
    consultation has several clean notes), replicate (whole number) and severity. DataError names
    the file, the line and the column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise DataError("reading scores", f"no file {path}", "Check the path.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"reading {path}", f"not UTF-8 at byte {error.start}", "Save the file as UTF-8.") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
    missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise DataError(f"reading {path}", f"no column {missing[0]!r}", f"Give the columns {', '.join(_COLUMNS)}.")
    by_candidate: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for record in reader:
        where = f"reading {path}:{reader.line_num}"
        _check_record(record, where)
        by_candidate.setdefault(record["candidate"], []).append((reader.line_num, record))
    if not by_candidate:
        raise DataError(f"reading {path}", "no rows", "Write one row for each note and candidate.")
    return {name: _candidate_table(lines, path) for name, lines in by_candidate.items()}


def _check_record(record: dict[str, str], where: str) -> None:
    if None in record:  # csv keeps surplus cells under the key None
        raise DataError(where, "more cells than columns", "Quote cells that hold commas.")
    for column in ("candidate", "note_key", "consultation"):
        if not record[column].strip():
            raise DataError(f"{where}, column {column!r}", "an empty cell", "Fill it in.")
    role = record["note_role"]
    if role not in _ROLES:
        raise DataError(f"{where}, column 'note_role'", repr(role), f"Use one of {', '.join(_ROLES)}.")
    if role != "clean" and _canonical(record["pair_class"]) not in PAIR_CLASSES:
        todo = f"Use one of {', '.join((*PAIR_CLASSES, *_FOREIGN_CLASSES))}."
        raise DataError(f"{where}, column 'pair_class'", repr(record["pair_class"]), todo)


def _canonical(pair_class: str) -> str:
    return _FOREIGN_CLASSES.get(pair_class, pair_class)


def _candidate_table(lines: list[tuple[int, dict[str, str]]], path: Path) -> ScoreTable:
    scores: dict[str, dict[int, float]] = {}
    cleans: dict[str, list[str]] = {}
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    for number, record in lines:
        where, key = f"reading {path}:{number}", record["note_key"]
        _record(scores, key, _whole(record.get("replicate") or "0", where), _score(record["score"], where))
        if record["note_role"] == "clean":
            known = cleans.setdefault(record["consultation"], [])
            if key not in known:
                known.append(key)
        else:
            rows.setdefault(key, (number, record))
    owners = {key: consultation for consultation, keys in cleans.items() for key in keys}
    pairs = [_csv_row(record, owners, cleans, f"reading {path}:{number}") for number, record in rows.values()]
    return _assemble(pairs, scores, f"reading {path}")


def _csv_row(record: dict[str, str], owners: dict[str, str], cleans: dict[str, list[str]], where: str) -> _Row:
    consultation, key = record["consultation"], record["note_key"]
    named = record.get("clean_key") or ""
    twins = [named] if named else cleans.get(consultation, [])
    if len(twins) != 1:
        raise DataError(
            f"{where}, column 'consultation'",
            f"{len(twins)} clean notes of {consultation!r}",
            "Give exactly one, or say which with the column 'clean_key'.",
        )
    if owners.get(twins[0]) != consultation:
        raise DataError(
            f"{where}, column 'clean_key'", f"{twins[0]!r} is no clean note of {consultation!r}", "Mend the key."
        )
    return _Row(key, _canonical(record["pair_class"]), record.get("severity") or "", consultation, key, twins[0])


def _score(cell: str, where: str) -> float:
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{where}, column 'score'", repr(cell), "Write a finite number, or nothing for a failure.")
    return value


def _whole(cell: str, where: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise DataError(f"{where}, column 'replicate'", repr(cell), "Write a whole number.") from None


def _record(scores: dict[str, dict[int, float]], note_id: str, replicate: int, score: float) -> None:
    known = scores.setdefault(note_id, {})
    if replicate in known:
        raise DataError(f"arranging the scores of note {note_id!r}", f"replicate {replicate} twice", "Keep one.")
    known[replicate] = score


def _assemble(rows: list[_Row], scores: Scores, where: str) -> ScoreTable:
    if not rows:
        raise MetricUndefined(where, "no pairs", "Nothing can be measured without a pair.")
    clean_cluster = {row.clean_id: row.cluster for row in rows}
    clusters = {name: i for i, name in enumerate(dict.fromkeys(row.cluster for row in rows))}
    cleans = {note_id: i for i, note_id in enumerate(clean_cluster)}
    return ScoreTable(
        pair_ids=tuple(row.pair_id for row in rows),
        pair_class=np.array([row.pair_class for row in rows], dtype=np.str_),
        severity=np.array([row.severity for row in rows], dtype=np.str_),
        cluster=np.array([clusters[row.cluster] for row in rows], dtype=np.intp),
        clean_of=np.array([cleans[row.clean_id] for row in rows], dtype=np.intp),
        clusters=tuple(clusters),
        flawed=_matrix([row.flawed_id for row in rows], scores, f"{where}, flawed notes"),
        clean_ids=tuple(cleans),
        clean=_matrix(list(cleans), scores, f"{where}, clean notes"),
        clean_cluster=np.array([clusters[name] for name in clean_cluster.values()], dtype=np.intp),
    )


def _matrix(note_ids: list[str], scores: Scores, where: str) -> NDArray[np.float64]:
    expected = len(scores.get(note_ids[0], ()))
    for note_id in note_ids:
        found = len(scores.get(note_id, ()))
        if found == 0 or found != expected:
            raise DataError(
                where,
                f"{found} outcomes of note {note_id!r}, {expected} of note {note_ids[0]!r}",
                "Judge every note of a role equally often; keep failures as outcomes.",
            )
    return np.array([[scores[n][r] for r in sorted(scores[n])] for n in note_ids], dtype=np.float64)
