"""What an importer hands on: consultations and notes, and what it refused by name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import DataError
from harness.types import Consultation, Note, Pair


@dataclass(frozen=True, slots=True)
class Refusal:
    """One item that was left out, or kept with a warning: ``reason`` is a short fixed word, ``item`` what it names."""

    reason: str
    item: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Consultations with their clean notes, as a source holds them.

    ``refused`` counts left-out items by reason. ``details`` explains each of them, and also every
    item that was kept after a repair or with a warning, whose reason is then absent from ``refused``.
    """

    consultations: tuple[Consultation, ...]
    notes: tuple[Note, ...]
    refused: Mapping[str, int]
    details: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class PairedImport:
    """What a source that already holds flawed notes hands on: its clean notes, and the pairs with the flawed ones."""

    imported: Imported
    pairs: tuple[Pair, ...]


def imported(
    consultations: list[Consultation],
    notes: list[Note],
    refusals: list[Refusal],
    warnings: list[Refusal],
) -> Imported:
    """Assemble an ``Imported``: ``refusals`` are counted, ``warnings`` only explained."""
    refused = dict(sorted(Counter(r.reason for r in refusals).items()))
    return Imported(tuple(consultations), tuple(notes), refused, tuple(refusals + warnings))


def require_folder(path: Path, what: str, todo: str) -> None:
    """DataError unless ``path`` is a folder."""
    if not path.is_dir():
        raise DataError(f"importing {what}", f"no folder {path}", todo)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, a leading BOM removed; DataError where there is none or where it is not UTF-8."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"reading {path}", "no such file", "Take the file from the source again.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"not UTF-8 at byte {error.start}"
        raise DataError(f"reading {path}:{line}", found, "Save the file as UTF-8.") from None


def read_json(path: Path) -> Any:
    """The value of a JSON file; DataError names file, line and reason."""
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"reading {path}:{error.lineno}", f"not JSON: {error.msg}", "Mend the file.") from None
