"""Read MTS-Dialog's correlation study: machine summaries of dialogues, with scores that people counted.

Two files with a byte order mark in ``correlation-study/``. The summaries come in blocks, one block for each unnamed
system over the same dialogues; the score file has no id and matches **by row number**, so it must have exactly as
many rows. Scores are shares in [0, 1]; -1 marks an invalid one, whose row is left out as ``invalid_score``. A row
whose FactualF1 is not the harmonic mean of its precision and recall is an error: columns or rows are mixed up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.data.aci_bench import clean_note
from harness.data.imported import Refusal
from harness.data.mts_dialog import consultation_id
from harness.data.table import TableRow, read_table
from harness.data.turns import read_turns
from harness.errors import DataError
from harness.types import Consultation, Note

STUDY = "mts-dialog"
# Measure -> +1 where a better summary has more of it, -1 where it has less.
MEASURES: Mapping[str, int] = {
    "OmissionRate": -1,
    "FactualRecall": 1,
    "HallucinationRate": -1,
    "FactualPrecision": 1,
    "FactualF1": 1,
}
_FOLDER = "correlation-study"
_SUMMARIES = "MTS-Dialog-Automatic-Summaries-ValidationSet.csv"
_SCORES = "MTS-Dialog-Manual-Scores4CorrelationStudy.csv"
_TOLERANCE = 1e-3
_SHIFTED = "Take both files from the source again: they match by row number alone."


@dataclass(frozen=True, slots=True)
class Summary:
    """One machine summary as a note of its dialogue; ``human`` maps a measure to its share in [0, 1]."""

    consultation: Consultation
    note: Note
    system: str
    human: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Study:
    """The usable summaries, row by row, and the rows that were left out."""

    summaries: tuple[Summary, ...]
    refused: tuple[Refusal, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in file order."""
        return tuple(dict.fromkeys(summary.system for summary in self.summaries))


def read_study(directory: Path) -> Study:
    """Read the study from an MTS-Dialog folder; DataError names file, line and reason."""
    folder = directory / _FOLDER if (directory / _FOLDER).is_dir() else directory
    texts = read_table(folder / _SUMMARIES, ("ID", "Dialogue", "Automatic Summary"))
    scores = read_table(folder / _SCORES, tuple(MEASURES))
    if len(texts) != len(scores) or not texts:
        found = f"{len(texts)} summaries and {len(scores)} rows of scores in {folder / _SCORES}"
        raise DataError(f"reading {folder / _SUMMARIES}", found, _SHIFTED)
    summaries: list[Summary] = []
    refused: list[Refusal] = []
    for system, text, score in zip(_systems(texts), texts, scores, strict=True):
        human = _shares(score)
        summary = _summary(text, system, human or {})
        if human is None:
            refused.append(Refusal("invalid_score", summary.note.id, f"{score.where} holds -1"))
        else:
            summaries.append(summary)
    return Study(tuple(summaries), tuple(refused))


def _systems(rows: list[TableRow]) -> list[str]:
    """The system of each row: the blocks repeat the ids, the order and the dialogues of the first."""
    ids = [row.cells["ID"].strip() for row in rows]
    size = next((n for n in range(1, len(ids)) if ids[n] == ids[0]), len(ids))
    for number, row in enumerate(rows):
        first = rows[number % size]
        if ids[number] != ids[number % size] or row.cells["Dialogue"].split() != first.cells["Dialogue"].split():
            raise row.refuse(f"dialogue {ids[number]!r} where block 1 has {ids[number % size]!r}", _SHIFTED)
    if len(set(ids[:size])) != size or len(rows) % size:
        raise rows[-1].refuse(f"{len(rows)} rows are no whole blocks of {size} dialogues", _SHIFTED)
    return [f"system-{number // size + 1}" for number in range(len(rows))]


def _summary(row: TableRow, system: str, human: Mapping[str, float]) -> Summary:
    key = consultation_id("validation", row.cells["ID"].strip())
    transcript = read_turns(row.cells["Dialogue"]).transcript
    text = clean_note(row.cells["Automatic Summary"])
    if not transcript or not text:
        raise row.refuse("an empty summary" if transcript else "a dialogue in which no line names a speaker", _SHIFTED)
    return Summary(Consultation(key, STUDY, transcript), Note(f"{key}-{system}", key, text), system, human)


def _shares(row: TableRow) -> dict[str, float] | None:
    """The scores of a row; None where one of them is marked invalid."""
    found = {measure: _number(row, measure) for measure in MEASURES}
    if -1 in found.values():
        return None
    outside = next((measure for measure, value in found.items() if not 0 <= value <= 1), None)
    if outside:
        raise row.refuse(f"{outside} {found[outside]:g}, outside 0 to 1", _SHIFTED)
    precision, recall = found["FactualPrecision"], found["FactualRecall"]
    harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    if abs(harmonic - found["FactualF1"]) > _TOLERANCE:
        raise row.refuse(f"FactualF1 {found['FactualF1']:g} where precision and recall give {harmonic:.4f}", _SHIFTED)
    return found


def _number(row: TableRow, measure: str) -> float:
    try:
        value = float(row.cells[measure])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise row.refuse(f"{measure} {row.cells[measure]!r} is no number", _SHIFTED)
    return value
