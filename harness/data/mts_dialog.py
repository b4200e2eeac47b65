"""Import MTS-Dialog: short visit dialogues, each with one section of a note (CC BY 4.0).

``MTS-Dialog-{TrainingSet,ValidationSet,TestSet-1*,TestSet-2*}.csv``; ids restart in every file, so a consultation is
named by its file and its id. A note is its section's text under the section's full heading; the section is the
stratum. Dialogues become ``doctor:``, ``patient:``, ``guest:`` and ``clinician:`` lines (see ``turns``).

Dialogues and notes repeat, within files and across them: items with equal words, or with a dialogue or a note of at
least 20 windows that shares more than 40% of them, are one group and stay on one side of a split.

Refused by name: ``short_note`` (fewer than five words, "Noncontributory.": nothing can be left out of it, and dozens
are equal word for word), ``repeated_item`` (dialogue and note both equal to an earlier one), ``empty_note`` and
``empty_transcript``. Kept and told in ``details``: ``speaker_misspelt``, ``speaker_mid_line`` and
``line_without_speaker``. A file, column, id or section that does not belong is an error with file and line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from harness.data.aci_bench import clean_note
from harness.data.imported import Imported, Refusal, imported, require_folder
from harness.data.table import TableRow, read_table
from harness.data.turns import read_turns
from harness.data.windows import families, words_of
from harness.errors import DataError
from harness.types import Consultation, Note

SOURCE = "mts-dialog"
PARTS = {
    "train": "MTS-Dialog-TrainingSet*.csv",
    "validation": "MTS-Dialog-ValidationSet*.csv",
    "test1": "MTS-Dialog-TestSet-1*.csv",
    "test2": "MTS-Dialog-TestSet-2*.csv",
}
HEADINGS = {
    "FAM/SOCHX": "FAMILY HISTORY/SOCIAL HISTORY",
    "GENHX": "HISTORY OF PRESENT ILLNESS",
    "PASTMEDICALHX": "PAST MEDICAL HISTORY",
    "CC": "CHIEF COMPLAINT",
    "PASTSURGICAL": "PAST SURGICAL HISTORY",
    "ALLERGY": "ALLERGIES",
    "ROS": "REVIEW OF SYSTEMS",
    "MEDICATIONS": "MEDICATIONS",
    "ASSESSMENT": "ASSESSMENT",
    "EXAM": "EXAM",
    "DIAGNOSIS": "DIAGNOSIS",
    "DISPOSITION": "DISPOSITION",
    "PLAN": "PLAN",
    "EDCOURSE": "EMERGENCY DEPARTMENT COURSE",
    "IMMUNIZATIONS": "IMMUNIZATIONS",
    "IMAGING": "IMAGING",
    "GYNHX": "GYNECOLOGIC HISTORY",
    "PROCEDURES": "PROCEDURES",
    "OTHER_HISTORY": "OTHER HISTORY",
    "LABS": "LABS",
}
SHORTEST = 5
ALIKE = 0.4
WINDOWS = 20
_COLUMNS = ("ID", "section_header", "section_text", "dialogue")


@dataclass(frozen=True, slots=True)
class _Item:
    consultation: Consultation
    note: Note


def import_mts_dialog(directory: Path) -> Imported:
    """Read an MTS-Dialog folder; DataError for a file that is not what it should be."""
    todo = "Point at the folder that holds MTS-Dialog-TrainingSet.csv."
    require_folder(directory, SOURCE, todo)
    refusals: list[Refusal] = []
    warnings: list[Refusal] = []
    items: list[_Item] = []
    for part, pattern in PARTS.items():
        for path in sorted(directory.glob(pattern)):
            items += _read_part(path, part, refusals, warnings)
    if not items:
        raise DataError(f"importing {SOURCE}", f"no dialogue with a note in {directory}", todo)
    kept = _grouped(_without_repeats(items, refusals))
    return imported([item.consultation for item in kept], [item.note for item in kept], refusals, warnings)


def consultation_id(part: str, number: str) -> str:
    """The id of a dialogue: its file and its number there."""
    return f"{SOURCE}-{part}-{number}"


def _read_part(path: Path, part: str, refusals: list[Refusal], warnings: list[Refusal]) -> list[_Item]:
    found: dict[str, _Item | None] = {}
    for row in read_table(path, _COLUMNS):
        if row.empty:
            refusals.append(Refusal("empty_row", row.where, "every cell is empty"))
            continue
        number = row.cells["ID"].strip()
        if not number.isdecimal() or number in found:
            todo = "Take the file from the source again: its columns or rows may be shifted."
            raise row.refuse(f"id {number!r}" + (" twice" if number in found else " is no number"), todo)
        found[number] = _item(row, consultation_id(part, number), refusals, warnings)
    return [item for item in found.values() if item]


def _item(row: TableRow, key: str, refusals: list[Refusal], warnings: list[Refusal]) -> _Item | None:
    header = row.cells["section_header"].strip()
    if header not in HEADINGS:
        todo = "Take the file from the source again: its columns or rows may be shifted."
        raise row.refuse(f"unknown section {header[:60]!r}", todo)
    turns = read_turns(row.cells["dialogue"])
    text = clean_note(row.cells["section_text"])
    if row.cells["dialogue"].strip() and not turns.transcript:
        raise row.refuse("a dialogue in which no line names a speaker", "Start every turn with its speaker.")
    reason = "empty_transcript" if not turns.transcript else _too_short(text)
    if reason:
        refusals.append(Refusal(reason, key, f"the note says {text[:60]!r}"))
        return None
    warnings += [Refusal(what, key, f"{times} times; kept") for what, times in sorted(turns.mended.items())]
    note = Note(f"{key}-clean", key, f"{HEADINGS[header]}\n{text}")
    return _Item(Consultation(key, SOURCE, turns.transcript, stratum=header), note)


def _too_short(text: str) -> str:
    words = len(words_of(text))
    return "" if words >= SHORTEST else "short_note" if words else "empty_note"


def _without_repeats(items: list[_Item], refusals: list[Refusal]) -> list[_Item]:
    first: dict[tuple[str, ...], _Item] = {}
    for item in items:
        words = (*words_of(item.consultation.transcript), "/", *words_of(item.note.text))
        if words in first:
            explanation = f"dialogue and note as in {first[words].consultation.id}"
            refusals.append(Refusal("repeated_item", item.consultation.id, explanation))
        else:
            first[words] = item
    return list(first.values())


def _grouped(items: list[_Item]) -> list[_Item]:
    relatives = families([[item.consultation.transcript, item.note.text] for item in items], ALIKE, WINDOWS)
    return [
        replace(item, consultation=replace(item.consultation, group=items[first].consultation.id))
        for item, first in zip(items, relatives, strict=True)
    ]
