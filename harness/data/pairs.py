"""Read and write a pair set: one JSONL file, written whole or not at all.

The first line is ``{"type": "dataset", "format": "judgelab.dataset/1", ...}``; then come
``consultation``, ``note`` and ``pair`` records. A pair names its two notes by id.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.errors import DataError
from harness.types import Consultation, Defect, Fact, Note, Pair, PairSet, fields_of

FORMAT = "judgelab.dataset/1"
FILE_NAME = "dataset.jsonl"


def write_pairs(pair_set: PairSet, path: Path) -> str:
    """Write a pair set atomically and return the sha256 of its bytes."""
    data = dump_pairs(pair_set)
    write_atomically(path, data)
    return hashlib.sha256(data).hexdigest()


def dump_pairs(pair_set: PairSet) -> bytes:
    """The bytes of a pair set file: stable for equal values, UTF-8, LF."""
    return "".join(json.dumps(r, ensure_ascii=False, default=fields_of) + "\n" for r in _records(pair_set)).encode()


def read_pairs(path: Path) -> PairSet:
    """Read a pair set; DataError names the file, the line and the reason."""
    return parse_pairs(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """The bytes of a data file; DataError where there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise DataError("reading a pair set", f"no file {path}", "Check the path, or build it first.") from None


def parse_pairs(data: bytes, path: Path) -> PairSet:
    """Parse the bytes of a pair set file; ``path`` is for messages."""
    head: dict[str, Any] = {}
    consultations: list[Consultation] = []
    notes: dict[str, Note] = {}
    pairs: list[Pair] = []
    for number, record in parse_lines(data, path):
        kind = record.pop("type", None)
        try:
            if number == 1:
                head = _head(kind, record)
            elif kind == "consultation":
                consultations.append(consultation_of(record))
            elif kind == "note":
                note = note_of(record)
                if note.id in notes:
                    raise DataError("reading notes", f"note id {note.id!r} twice", "Make note ids unique.")
                notes[note.id] = note
            elif kind == "pair":
                pairs.append(_pair_of(record, notes))
            else:
                raise DataError("reading a record", f"type {kind!r}", "Use consultation, note or pair.")
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"reading {path}:{number}", f"bad {kind} record: {error!r}", "Mend the line.") from None
        except DataError as error:
            raise DataError(f"reading {path}:{number}", f"{error.tried}: {error.found}", error.todo) from None
    if not head:
        raise DataError(f"reading {path}", "an empty file", "Build the pair set again.")
    return PairSet(consultations=tuple(consultations), pairs=tuple(pairs), notes=tuple(notes.values()), **head)


def parse_lines(data: bytes, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, blank lines skipped; DataError for anything else."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"reading {path}", f"not UTF-8 at byte {error.start}", "Save the file as UTF-8.") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"reading {path}:{number}", f"not JSON: {error.msg}", "Mend the line.") from None
        if not isinstance(record, dict):
            raise DataError(f"reading {path}:{number}", "not a JSON object", "Put one object on each line.")
        yield number, record


def write_atomically(path: Path, data: bytes) -> None:
    """Write bytes so that a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def consultation_of(record: dict[str, Any]) -> Consultation:
    """A consultation from its JSON record."""
    facts = tuple(Fact(**fact) for fact in record.pop("facts", ()))
    return Consultation(facts=facts, **record)


def note_of(record: dict[str, Any]) -> Note:
    """A note from its JSON record."""
    raw = record.pop("defect", None)
    defect = Defect(**{**raw, "surviving": tuple(raw.get("surviving", ()))}) if raw else None
    return Note(defect=defect, **record)


def _pair_of(record: dict[str, Any], notes: dict[str, Note]) -> Pair:
    return Pair(record["id"], record["consultation_id"], notes[record["clean"]], notes[record["flawed"]])


def _head(kind: object, record: dict[str, Any]) -> dict[str, Any]:
    if kind != "dataset" or record.pop("format", None) != FORMAT:
        raise DataError("reading the first line", f"no {FORMAT!r} header", "Build the file with `judgelab data`.")
    return record


def _records(pair_set: PairSet) -> Iterator[dict[str, Any]]:
    yield {
        "type": "dataset",
        "format": FORMAT,
        "name": pair_set.name,
        "clean_verified": pair_set.clean_verified,
        "simulated": pair_set.simulated,
        "split": pair_set.split,
    }
    for consultation in pair_set.consultations:
        yield {"type": "consultation"} | fields_of(consultation)
    notes = {note.id: note for note in pair_set.notes}
    for pair in pair_set.pairs:
        for note in (pair.clean, pair.flawed):
            known = notes.setdefault(note.id, note)
            if known != note:
                raise DataError("writing a pair set", f"two notes with id {note.id!r}", "Give every note its own id.")
    for note in notes.values():
        yield {"type": "note"} | fields_of(note)
    for pair in pair_set.pairs:
        yield {
            "type": "pair",
            "id": pair.id,
            "consultation_id": pair.consultation_id,
            "clean": pair.clean.id,
            "flawed": pair.flawed.id,
        }
