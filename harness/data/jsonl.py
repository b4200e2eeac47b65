"""A user's own consultations and notes: JSONL, UTF-8, one object on each line, blank lines ignored.

Put one or more ``*.jsonl`` files in a folder (or name one file). Records may stand in any order and
be spread over the files. Every record has a ``type``; keys not listed here are errors.

dataset (optional, at most one)
    name             a short name for the set; default: the folder's or file's name
    clean_verified   true only if somebody checked every clean note against its transcript and found
                     nothing left out, added or changed; default false. While false, everything built
                     on the set is labelled "unverified clean twin"

consultation
    id               unique
    transcript       one turn a line, each starting with the speaker: "doctor: ...\\npatient: ..."
    note             optional: the text of its clean note, which then gets the id "<id>-clean"
    stratum          optional: a kind of consultation, kept in proportion when a set is divided
    group            optional: what must stay on one side of a split beyond the consultation, e.g. a patient
    facts            optional list of {"id", "text", "evidence", "severity"}; severity is critical,
                     supporting or peripheral

note
    id               unique
    consultation_id  the consultation it was written about
    text             the note
    defect           only for a flawed note: what is wrong with it, see below
    clean            only for a flawed note: the id of its clean twin; may be left out where the
                     consultation has one clean note

defect
    kind             omission, addition or alteration
    fact_text        what was left out, added or changed, in words
    trace            for omissions, and only for them: complete (nothing of the fact is left in the
                     note), fragment (a part is) or restated (it is still said elsewhere)
    aspect           optional, for alterations: dose, laterality, negation, timing, certainty, subject, value
    severity         optional: critical, supporting or peripheral
    evidence         optional: the words of the transcript
    before, after    optional: the note's wording before and after the edit
    surviving        optional list of quotes of the flawed note that still mention an omitted fact

Where a set holds flawed notes, pairs are formed from them and none is planted. Where it holds only clean
notes, defects are planted in those. Refused and counted: ``empty_transcript``, ``empty_note``,
``note_without_consultation``, ``quote_not_in_note``; and when pairs are formed ``no_clean_note``
and ``several_clean_notes``. Anything else that does not fit is an error with file and line.

Example
    {"type": "dataset", "name": "clinic-a", "clean_verified": false}
    {"type": "consultation", "id": "c1", "transcript": "doctor: Any pain?\\npatient: My knee.", "note": "Knee pain."}
    {"type": "note", "id": "c1-bad", "consultation_id": "c1", "text": "Hip pain.",
     "defect": {"kind": "alteration", "fact_text": "Knee pain", "before": "Knee", "after": "Hip"}}
    (a record is one line in a file; the last one is broken here to fit)
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from harness.config import Settings
from harness.data.imported import Imported, Refusal, imported
from harness.data.pairs import parse_lines, read_bytes
from harness.errors import DataError
from harness.types import Aspect, Consultation, Defect, DefectKind, Fact, Note, Pair, Severity, Trace

SOURCE = "jsonl"


class FactRecord(Settings):
    """One fact as bytes."""

    id: str
    text: str
    evidence: str = ""
    severity: Severity


class DefectRecord(Settings):
    """One defect as bytes."""

    kind: DefectKind
    fact_text: str
    trace: Trace | None = None
    aspect: Aspect | None = None
    severity: Severity | None = None
    evidence: str = ""
    before: str = ""
    after: str = ""
    surviving: tuple[str, ...] = ()


class DatasetRecord(Settings):
    """The optional header."""

    type: Literal["dataset"]
    name: str = Field("", pattern=r"^[A-Za-z0-9._-]*$")
    clean_verified: bool = False


class ConsultationRecord(Settings):
    """One consultation as bytes."""

    type: Literal["consultation"]
    id: str = Field(pattern=r"\S")
    transcript: str
    note: str | None = None
    stratum: str = ""
    group: str = ""
    facts: tuple[FactRecord, ...] = ()


class NoteRecord(Settings):
    """One note as bytes."""

    type: Literal["note"]
    id: str = Field(pattern=r"\S")
    consultation_id: str
    text: str
    defect: DefectRecord | None = None
    clean: str | None = None


_RECORD: TypeAdapter[DatasetRecord | ConsultationRecord | NoteRecord] = TypeAdapter(
    Annotated[DatasetRecord | ConsultationRecord | NoteRecord, Field(discriminator="type")]
)


@dataclass(frozen=True, slots=True)
class JsonlSource:
    """What the files say: the import, the header, and for flawed notes the id of the clean twin (where named)."""

    imported: Imported
    name: str
    clean_verified: bool
    twins: Mapping[str, str]


def format_help() -> str:
    """The description of the format, for people."""
    return inspect.getdoc(sys.modules[__name__]) or ""


def import_jsonl(directory: Path) -> Imported:
    """Read the JSONL files of a folder, or one file; DataError for a line that does not fit the format."""
    return read_jsonl(directory).imported


def read_jsonl(path: Path, beside: Sequence[Path] = ()) -> JsonlSource:
    """Read the JSONL files of a folder, or one file, with their header and the twins they name.

    ``beside`` are more files or folders of the same set, e.g. the consultations of the notes in ``path``.
    """
    header = DatasetRecord(type="dataset")
    consultations: dict[str, Consultation] = {}
    notes: dict[str, Note] = {}
    twins: dict[str, str] = {}
    refusals: list[Refusal] = []
    headers = 0
    for where, record in chain.from_iterable(_records(part) for part in (path, *beside)):
        try:
            if isinstance(record, DatasetRecord):
                headers += 1
                header = record
                if headers > 1:
                    raise DataError("reading the header", "a second dataset record", "Keep one.")
                continue
            if isinstance(record, ConsultationRecord):
                _add_consultation(record, consultations, notes, refusals)
            else:
                _add_note(record, notes, refusals)
                if record.clean is not None:
                    twins[record.id] = record.clean
        except DataError as error:
            raise DataError(f"reading {where}", f"{error.tried}: {error.found}", error.todo) from None
    kept = []
    for note in notes.values():
        if note.consultation_id in consultations:
            kept.append(note)
        else:
            explanation = f"its consultation {note.consultation_id!r} is not in the set"
            refusals.append(Refusal("note_without_consultation", note.id, explanation))
    whole = imported(list(consultations.values()), kept, refusals, [])
    return JsonlSource(whole, header.name or path.resolve().stem, header.clean_verified, twins)


def pair_up(source: JsonlSource) -> tuple[tuple[Pair, ...], Mapping[str, int]]:
    """Pair every flawed note with its clean twin; flawed notes without one are counted by reason.

    DataError where a named twin does not exist, is flawed itself, or equals the flawed note.
    """
    notes = source.imported.notes
    clean = {note.id: note for note in notes if note.defect is None}
    refused: Counter[str] = Counter()
    pairs = []
    for note in notes:
        if note.defect is None:
            continue
        named = source.twins.get(note.id)
        own = [n for n in clean.values() if n.consultation_id == note.consultation_id]
        if named is not None and named not in clean:
            found = f"note {note.id!r} names {named!r} as its clean twin, which is no clean note of the set"
            raise DataError("pairing notes", found, "Correct the id under 'clean'.")
        if named is None and len(own) != 1:
            refused["several_clean_notes" if own else "no_clean_note"] += 1
            continue
        twin = clean[named] if named is not None else own[0]
        pairs.append(Pair(f"{note.id}--pair", note.consultation_id, twin, note))
    return tuple(pairs), dict(sorted(refused.items()))


def _records(path: Path) -> Iterator[tuple[str, DatasetRecord | ConsultationRecord | NoteRecord]]:
    if not path.exists():
        raise DataError("importing jsonl", f"no file or folder {path}", "Check the path.")
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataError(
            "importing jsonl", f"no *.jsonl file in {path}", "Point at the folder or file with the records."
        )
    for file in files:
        for number, raw in parse_lines(read_bytes(file), file):
            where = f"{file}:{number}"
            try:
                yield where, _RECORD.validate_python(raw)
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(str(part) for part in first["loc"][1:]) or "type"
                todo = "`judgelab data import jsonl DIR --out DIR --format` prints the keys of each record."
                raise DataError(f"reading {where}", f"{key}: {first['msg']}", todo) from None


def _add_consultation(
    record: ConsultationRecord,
    consultations: dict[str, Consultation],
    notes: dict[str, Note],
    refusals: list[Refusal],
) -> None:
    if record.id in consultations:
        raise DataError("reading a consultation", f"id {record.id!r} twice", "Make consultation ids unique.")
    if not record.transcript.strip():
        refusals.append(Refusal("empty_transcript", record.id, "the transcript has no words"))
        return
    facts = tuple(Fact(**fact.model_dump()) for fact in record.facts)
    transcript = _lines(record.transcript).strip()
    consultations[record.id] = Consultation(record.id, SOURCE, transcript, facts, record.stratum, record.group)
    if record.note is not None:
        clean = NoteRecord(type="note", id=f"{record.id}-clean", consultation_id=record.id, text=record.note)
        _add_note(clean, notes, refusals)


def _add_note(record: NoteRecord, notes: dict[str, Note], refusals: list[Refusal]) -> None:
    if record.id in notes:
        raise DataError("reading a note", f"id {record.id!r} twice", "Make note ids unique.")
    if record.clean is not None and record.defect is None:
        raise DataError(
            "reading a note", "'clean' without 'defect'", "Say what is wrong with the note, or drop 'clean'."
        )
    text = _lines(record.text)
    if not text.strip():
        refusals.append(Refusal("empty_note", record.id, "the note has no words"))
        return
    defect = Defect(**record.defect.model_dump()) if record.defect else None
    lost = [quote for quote in (defect.surviving if defect else ()) if _lines(quote) not in text]
    if lost:
        refusals.append(Refusal("quote_not_in_note", record.id, f"surviving quote {lost[0]!r} is not in the note"))
        return
    notes[record.id] = Note(record.id, record.consultation_id, text, defect)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
