"""Import MEDEC (MS collection): single notes, each right or with one planted error (CC BY 4.0).

Every text with an error becomes one pair: the flawed note is ``Text``, its clean twin ``Corrected Text``, the defect
an alteration with the corrected sentence before and the error sentence after. The error types (diagnosis,
management, treatment, pharmacotherapy, causal organism) are kinds of content, none of them one of our aspects, so
the aspect stays open and the type is the stratum; severity is not stated.

There is no conversation: the transcript is a stand-in line, and the set says that only commissions can be read.
Nearly every vignette comes twice; versions of one vignette (more than half of the 5-word windows of the shorter one
are shared) are one group. Mojibake is undone where that is exact. Lost degree signs stay lost.

Refused by name: ``empty_row``, ``text_without_error`` (a right text has no twin of its own), ``mojibake`` (what
cannot be undone) and ``corrected_elsewhere`` (the two texts differ in more than the named sentence). Repaired and
told in ``details``: ``mojibake_undone``. A row that contradicts itself is an error with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from harness.data.aci_bench import clean_note
from harness.data.imported import PairedImport, Refusal, imported, require_folder
from harness.data.repair import mangled, unmangle
from harness.data.standin import STAND_IN
from harness.data.table import TableRow, read_table
from harness.data.windows import families
from harness.errors import DataError
from harness.types import Consultation, Defect, Note, Pair

SOURCE = "medec"
TYPES = ("diagnosis", "management", "treatment", "pharmacotherapy", "causalOrganism")
SAME_VIGNETTE = 0.5
_TEXTS = ("Text", "Sentences", "Error Sentence", "Corrected Sentence", "Corrected Text")
_COLUMNS = ("Text ID", "Error Flag", "Error Type", "Error Sentence ID", *_TEXTS)
_FLAGS = {"0": False, "0.0": False, "1": True, "1.0": True}
_BLANK = ("", "NA")


def import_medec(directory: Path) -> PairedImport:
    """Read every ``MEDEC-MS-*.csv`` of a folder; DataError for a file that is not what it should be."""
    todo = "Point at the folder that holds MEDEC-MS-*.csv."
    require_folder(directory, SOURCE, todo)
    files = sorted(directory.glob("MEDEC-MS-*.csv"))
    refusals: list[Refusal] = []
    warnings: list[Refusal] = []
    kept: dict[str, TableRow] = {}
    seen: set[str] = set()
    for row in (row for path in files for row in read_table(path, _COLUMNS)):
        if row.empty:
            refusals.append(Refusal("empty_row", row.where, "every cell is empty"))
            continue
        name = row.cells["Text ID"].strip()
        if not name or name in seen:
            raise row.refuse(f"text id {name!r}" + (" twice" if name else ""), "Take the file from the source again.")
        seen.add(name)
        row = _unmangled(row, warnings)
        if reason := _unusable(row):
            refusals.append(reason)
        else:
            kept[name] = row
    if not seen:
        raise DataError(f"importing {SOURCE}", f"no texts in {directory}", todo)
    return _paired(kept, refusals, warnings)


def numbered(sentences: str) -> list[str]:
    """The sentences of a ``<id> <sentence>`` listing, counted from 0.

    A line that does not start with the next number continues the sentence before, even where it starts with digits.

    >>> numbered("0 He is\\n1 120/70 mm\\nHg tall.\\r\\n7 of them.\\n2 End.")
    ['He is', '120/70 mm Hg tall. 7 of them.', 'End.']
    """
    found: list[str] = []
    for line in sentences.replace("\r\n", "\n").split("\n"):
        number, _, rest = line.strip().partition(" ")
        if number == str(len(found)):
            found.append(rest)
        elif found:
            found[-1] = f"{found[-1]} {line.strip()}".strip()
    return found


def _unmangled(row: TableRow, warnings: list[Refusal]) -> TableRow:
    repaired = {name: unmangle(row.cells[name]) for name in _TEXTS}
    if count := repaired["Text"][1]:
        warnings.append(Refusal("mojibake_undone", row.cells["Text ID"], f"{count} runs of characters put back"))
    return TableRow(row.where, row.cells | {name: text for name, (text, _) in repaired.items()})


def _unusable(row: TableRow) -> Refusal | None:
    """Why a sound row gives no pair; DataError for a row that is not sound."""
    cells, name = row.cells, row.cells["Text ID"]
    flag = _FLAGS.get(cells["Error Flag"].strip())
    if flag is None:
        raise row.refuse(f"error flag {cells['Error Flag']!r}", "Write 0 or 1.")
    if not flag:
        _check_right(row)
        return Refusal("text_without_error", name, "a right text has no flawed twin of its own")
    _check_wrong(row)
    if any(mangled(cells[column]) for column in _TEXTS):
        return Refusal("mojibake", name, "characters of another encoding that cannot be put back")
    error, correction = _flat(cells["Error Sentence"]), _flat(cells["Corrected Sentence"])
    if _flat(cells["Text"]).replace(error, correction, 1) != _flat(cells["Corrected Text"]):
        return Refusal("corrected_elsewhere", name, "the texts differ in more than the named sentence")
    return None


def _check_right(row: TableRow) -> None:
    cells = row.cells
    if not cells["Text"].strip():
        raise row.refuse("an empty text", "Take the file from the source again.")
    stated = [c for c in ("Error Type", "Error Sentence", "Corrected Sentence") if cells[c].strip() not in _BLANK]
    if stated or cells["Error Sentence ID"].strip() not in ("-1", "-1.0"):
        column = (stated or ["Error Sentence ID"])[0]
        raise row.refuse(f"flag 0 with {column} {cells[column][:60]!r}", "Correct the flag, or empty the cell.")


def _check_wrong(row: TableRow) -> None:
    cells, todo = row.cells, "Take the file from the source again: its columns or rows may be shifted."
    if cells["Error Type"].strip() not in TYPES:
        raise row.refuse(f"flag 1 with error type {cells['Error Type']!r}", f"Use one of {', '.join(TYPES)}.")
    number = re.fullmatch(r"(\d+)(?:\.0)?", cells["Error Sentence ID"].strip())
    listed = numbered(cells["Sentences"])
    if number is None or int(number[1]) >= len(listed):
        found = f"error sentence id {cells['Error Sentence ID']!r} of {len(listed)} sentences"
        raise row.refuse(found, todo)
    error, correction = _flat(cells["Error Sentence"]), _flat(cells["Corrected Sentence"])
    if not error or _flat(listed[int(number[1])]) != error:
        raise row.refuse(f"sentence {number[1]} is not the error sentence {error[:60]!r}", todo)
    if error not in _flat(cells["Text"]):
        raise row.refuse(f"the error sentence {error[:60]!r} is not in the text", todo)
    if not correction or correction not in _flat(cells["Corrected Text"]):
        raise row.refuse(f"the corrected sentence {correction[:60]!r} is not in the corrected text", todo)
    if error == correction:
        raise row.refuse("an error sentence that equals its correction", todo)


def _paired(kept: Mapping[str, TableRow], refusals: list[Refusal], warnings: list[Refusal]) -> PairedImport:
    names = list(kept)
    vignette = families([[kept[name].cells["Corrected Text"]] for name in names], SAME_VIGNETTE)
    pairs = [_pair(kept[name].cells) for name in names]
    consultations = [
        Consultation(
            id=pair.consultation_id,
            source=SOURCE,
            transcript=STAND_IN,
            stratum=kept[name].cells["Error Type"].strip(),
            group=f"{SOURCE}-{names[first]}",
        )
        for name, pair, first in zip(names, pairs, vignette, strict=True)
    ]
    whole = imported(consultations, [pair.clean for pair in pairs], refusals, warnings)
    return PairedImport(whole, tuple(pairs))


def _pair(cells: Mapping[str, str]) -> Pair:
    key = f"{SOURCE}-{cells['Text ID'].strip()}"
    before, after = clean_note(cells["Corrected Sentence"]), clean_note(cells["Error Sentence"])
    defect = Defect("alteration", before, before=before, after=after)
    clean = Note(f"{key}-clean", key, clean_note(cells["Corrected Text"]))
    flawed = Note(f"{key}-flawed", key, clean_note(cells["Text"]), defect)
    return Pair(f"{key}--alteration", key, clean, flawed)


def _flat(text: str) -> str:
    return " ".join(text.split())
