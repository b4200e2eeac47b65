"""The append-only record of a campaign: the source of truth, and the way it resumes.

A campaign is deterministic given its outcomes, so a resumed campaign runs again from its start:
outcomes come from the journal instead of the endpoint, and every row it would write is compared
with the row that is there already. Only then are new rows appended.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.errors import LedgerError
from optimiser.records import ROW, Row

FILE_NAME = "ledger.jsonl"


class Ledger:
    """Rows of one campaign, in order. A failed write raises LedgerError and stops the campaign."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._lines = _whole_lines(path, cut_torn=True)
        self.rows: list[Row] = []

    @property
    def replaying(self) -> bool:
        """True while rows of an earlier process are still ahead."""
        return self._position < len(self._lines)

    def append(self, row: Row) -> None:
        """Write a row, or check it against the row that an earlier process wrote at this place."""
        line = row.model_dump_json()
        if self.replaying:
            self._check(line)
        else:
            self._write(line)
            self._lines.append(line)
        self._position += 1
        self.rows.append(row)

    def digest(self) -> str:
        """The sha256 of all rows so far."""
        text = "".join(line + "\n" for line in self._lines[: self._position])
        return hashlib.sha256(text.encode()).hexdigest()

    def _check(self, line: str) -> None:
        before = self._lines[self._position]
        if before == line:
            return
        raise LedgerError(
            f"resuming at row {self._position + 1} of {self._path}",
            f"this run differs from the recorded one in {_differing_keys(before, line)}",
            "Use the software and settings that the campaign began with, or start a new one with another --out.",
        )

    def _write(self, line: str) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise LedgerError(
                f"writing row {self._position + 1} to {self._path}",
                str(error),
                "Free the disk or mend its permissions, then run the same command again: nothing bought is lost.",
            ) from error


def read_ledger(path: Path) -> tuple[Row, ...]:
    """All whole rows of a ledger file, which stays as it is; LedgerError names a row that cannot be read."""
    if not path.exists():
        raise LedgerError("reading a ledger", f"no file {path}", "Check the campaign folder, or run the campaign.")
    rows: list[Row] = []
    for number, line in enumerate(_whole_lines(path), start=1):
        try:
            rows.append(ROW.validate_json(line))
        except ValidationError as error:
            found = f"row {number} does not read: {error.errors()[0]['msg']}"
            raise LedgerError(f"reading {path}", found, "Restore the file; rows are never edited by hand.") from None
    return tuple(rows)


def _whole_lines(path: Path, cut_torn: bool = False) -> list[str]:
    """The lines of a file without a torn last one (a killed write), which only the writer may cut off on disk.

    A reader must not: the torn line may be a row that a running campaign is just writing.
    """
    if not path.exists():
        return []
    try:
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1
        if cut_torn and end != len(data):
            os.truncate(path, end)
        return data[:end].decode("utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"reading {path}", str(error), "Restore the file; rows are never edited by hand.") from error


def _differing_keys(before: str, after: str) -> str:
    try:
        old = json.loads(before)
    except json.JSONDecodeError:
        return "the whole row (it is not JSON)"
    return "; ".join(list(_differences("", old, json.loads(after)))[:6])


def _differences(path: str, old: Any, new: Any) -> Iterator[str]:
    """Yield ``path: old -> new`` for every leaf in which two JSON values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(set(old) | set(new)):
            yield from _differences(f"{path}.{key}" if path else key, old.get(key), new.get(key))
    elif old != new:
        yield f"{path}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."
