"""ScoreTable: the scores of one candidate as arrays, the only shape that metrics and statistics read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.errors import DataError, MetricUndefined
from harness.outcomes import Judgement, Outcome
from harness.types import PairSet

OMISSION_CLASSES = ("omission-complete", "omission-fragment", "omission-restated")
COMMISSION_CLASSES = ("addition", "alteration")
PAIR_CLASSES = OMISSION_CLASSES + COMMISSION_CLASSES

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


class PairRow(NamedTuple):
    """What a table needs to know of a pair besides its scores; ``cluster`` is its independent unit."""

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
        PairRow(p.id, p.pair_class, p.defect.severity or "", pair_set.cluster(p), p.flawed.id, p.clean.id)
        for p in pair_set.pairs
    ]
    cleans = {row.clean_id: row.cluster for row in rows}
    return assemble(rows, cleans, scores, f"tabulating {pair_set.name!r}")


def assemble(rows: list[PairRow], cleans: Mapping[str, str], scores: Scores, where: str) -> ScoreTable:
    """Arrange the scores of notes, by replicate, as pairs and clean notes (note id -> cluster) in the order given.

    DataError where notes of one role have unequal numbers of scores; MetricUndefined without pairs.
    """
    if not rows:
        raise MetricUndefined(where, "no pairs", "Nothing can be measured without a pair.")
    clusters = {name: i for i, name in enumerate(dict.fromkeys([*(row.cluster for row in rows), *cleans.values()]))}
    positions = {note_id: i for i, note_id in enumerate(cleans)}
    return ScoreTable(
        pair_ids=tuple(row.pair_id for row in rows),
        pair_class=np.array([row.pair_class for row in rows], dtype=np.str_),
        severity=np.array([row.severity for row in rows], dtype=np.str_),
        cluster=np.array([clusters[row.cluster] for row in rows], dtype=np.intp),
        clean_of=np.array([positions[row.clean_id] for row in rows], dtype=np.intp),
        clusters=tuple(clusters),
        flawed=_matrix([row.flawed_id for row in rows], scores, f"{where}, flawed notes"),
        clean_ids=tuple(cleans),
        clean=_matrix(list(cleans), scores, f"{where}, clean notes"),
        clean_cluster=np.array([clusters[name] for name in cleans.values()], dtype=np.intp),
    )


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


def _record(scores: dict[str, dict[int, float]], note_id: str, replicate: int, score: float) -> None:
    known = scores.setdefault(note_id, {})
    if replicate in known:
        raise DataError(f"arranging the scores of note {note_id!r}", f"replicate {replicate} twice", "Keep one.")
    known[replicate] = score


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
    if expected == 1:
        return np.array([[*scores[n].values()] for n in note_ids], dtype=np.float64)
    return np.array([[scores[n][r] for r in sorted(scores[n])] for n in note_ids], dtype=np.float64)
