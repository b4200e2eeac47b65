"""The one door to the holdout. Every opening is appended to a hash-chained ledger.

``holdout-ledger.jsonl`` starts with a row written at sealing time; each later row carries the hash
of the row before it. ``holdout-ledger.head`` repeats the last hash, so that rows cut off the end
are missed too. Whoever rewrites both files can still forge the record: commit them, or keep the
head elsewhere, where that matters.

An opening without a recorded result is an interrupted confirmation. The same question may then
be opened again without a reason; a ``resumption`` row says so, and the opening keeps its number.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from harness.config import Settings
from harness.data.pairs import write_atomically
from harness.errors import HoldoutSpent, SealBroken
from harness.types import PairSet, digest
from partitions.manifest import Manifest, read_manifest, read_sealed

LEDGER = "holdout-ledger.jsonl"
HEAD = "holdout-ledger.head"
LOCK = ".holdout-ledger.lock"


class Question(Settings):
    """What one opening is for. Equal questions have equal digests; the order of candidates means nothing."""

    baseline: str = Field(description="candidate id of the baseline")
    candidates: tuple[str, ...] = Field(description="ids of the candidates compared with it")
    judge: str = Field(description="judge kind, or a digest of its configuration")
    model: str
    efforts: tuple[str | None, ...]
    token_caps: tuple[int | None, ...] = ()
    replicates: tuple[int, ...]

    def digest(self) -> str:
        """The digest under which a second opening is recognised."""
        return digest(self.model_copy(update={"candidates": tuple(sorted(self.candidates))}).model_dump(mode="json"))


class LedgerRow(Settings):
    """One row; which fields are filled depends on ``type``."""

    type: Literal["sealed", "opening", "resumption", "result"]
    previous: str = Field(description="hash of the row before; the manifest's digest in the first row")
    number: int = Field(0, description="openings so far, this one included; a resumption keeps its opening's")
    question: Question | None = None
    question_digest: str = ""
    time: datetime | None = None
    reason: str | None = None
    result: str = Field("", description="digest of what was found")
    hash: str = ""

    def own_hash(self) -> str:
        """The digest of everything else in the row."""
        return digest(self.model_dump(mode="json", exclude={"hash"}))


ROW: TypeAdapter[LedgerRow] = TypeAdapter(LedgerRow)


@dataclass(frozen=True, slots=True)
class OpenHoldout:
    """The holdout pairs with the ledger row that let them out."""

    pairs: PairSet
    opening: LedgerRow


@dataclass(frozen=True, slots=True)
class HoldoutStatus:
    """How often a holdout was looked at."""

    openings: int
    resumptions: int
    results: int
    rows: tuple[LedgerRow, ...]


def start_ledger(directory: Path, manifest: Manifest) -> None:
    """Write the first row of an unopened holdout; for sealing only."""
    _append(directory, [], LedgerRow(type="sealed", previous=manifest.digest))


def open_holdout(directory: Path, question: Question, when: datetime, reason: str | None = None) -> OpenHoldout:
    """Log an opening, then return the holdout pairs; safe against concurrent callers.

    Raises SealBroken where manifest, holdout file or ledger are not as written, and HoldoutSpent where
    this question has a recorded result and no reason is given.
    """
    with _locked(directory):
        manifest = read_manifest(directory)
        pairs = read_sealed(directory, manifest, "holdout")
        rows = _read_rows(directory, manifest)
        asked = question.digest()
        before = [row for row in rows if row.type == "opening" and row.question_digest == asked]
        reason = (reason or "").strip() or None
        if before and _result(rows, before[-1].number) and reason is None:
            raise _spent(directory, before[-1])
        resumed = bool(before) and reason is None
        opening = LedgerRow(
            type="resumption" if resumed else "opening",
            previous=rows[-1].hash,
            number=before[-1].number if resumed else _openings(rows) + 1,
            question=question,
            question_digest=asked,
            time=when,
            reason=reason,
        )
        return OpenHoldout(pairs, _append(directory, rows, opening))


def record_result(directory: Path, opening: LedgerRow, result: str) -> LedgerRow:
    """Append the digest of what an opening found: from now on its question is answered.

    Recording the same result again changes nothing. Raises SealBroken where the ledger is not as
    written or does not hold the opening, and HoldoutSpent where it already has another result.
    """
    with _locked(directory):
        rows = _read_rows(directory, read_manifest(directory))
        if opening not in rows:
            raise SealBroken(
                f"recording a result in {directory / LEDGER}", "no such opening", "Open the holdout first."
            )
        if known := _result(rows, opening.number):
            if known.result != result:
                raise _spent(directory, opening)
            return known
        row = LedgerRow(
            type="result",
            previous=rows[-1].hash,
            number=opening.number,
            question_digest=opening.question_digest,
            result=result,
        )
        return _append(directory, rows, row)


def holdout_status(directory: Path) -> HoldoutStatus:
    """Count what the ledger holds without opening the holdout; SealBroken where the chain is broken."""
    rows = tuple(_read_rows(directory, read_manifest(directory)))
    kinds = [row.type for row in rows]
    return HoldoutStatus(_openings(rows), kinds.count("resumption"), kinds.count("result"), rows)


def _result(rows: Sequence[LedgerRow], number: int) -> LedgerRow | None:
    return next((row for row in rows if row.type == "result" and row.number == number), None)


def _openings(rows: Sequence[LedgerRow]) -> int:
    return sum(row.type == "opening" for row in rows)


def _spent(directory: Path, before: LedgerRow) -> HoldoutSpent:
    return HoldoutSpent(
        f"opening the holdout in {directory}",
        f"this question was answered in opening {before.number} of {before.time}",
        "Read that confirmation. To look again, give a reason: it is logged and counted.",
    )


def _read_rows(directory: Path, manifest: Manifest) -> list[LedgerRow]:
    """All rows, with shape, hashes, chain and head verified."""
    path = directory / LEDGER
    tried, todo = f"reading {path}", "Restore the ledger; without it nobody knows how often the holdout was opened."
    try:
        data = path.read_bytes()
        head = (directory / HEAD).read_bytes()
    except FileNotFoundError as error:
        raise SealBroken(tried, f"no file {error.filename}", todo) from None
    rows: list[LedgerRow] = []
    previous = manifest.digest
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            row = ROW.validate_json(line)
        except ValidationError:
            raise SealBroken(tried, f"row {number} is not a ledger row", todo) from None
        if row.previous != previous or row.hash != row.own_hash() or _line(row) != line:
            raise SealBroken(tried, f"row {number} does not follow from the row before", todo)
        rows.append(row)
        previous = row.hash
    # A crash between the two writes leaves the head one row behind, which hides nothing.
    heads = [_head(row) for row in rows[-2:]]
    if not rows or rows[0].type != "sealed" or head not in heads:
        raise SealBroken(tried, f"{len(rows)} rows, and a head that is not the last of them", todo)
    return rows


def _append(directory: Path, rows: Sequence[LedgerRow], row: LedgerRow) -> LedgerRow:
    """Write ledger and head anew, each atomically; return the row with its hash."""
    sealed = row.model_copy(update={"hash": row.own_hash()})
    write_atomically(directory / LEDGER, b"".join(_line(r) for r in (*rows, sealed)))
    write_atomically(directory / HEAD, _head(sealed))
    return sealed


def _line(row: LedgerRow) -> bytes:
    return (json.dumps(row.model_dump(mode="json"), ensure_ascii=False) + "\n").encode()


def _head(row: LedgerRow) -> bytes:
    return f"{row.hash}\n".encode()


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the folder's lock: one opening at a time, across processes and threads."""
    read_manifest(directory)
    with (directory / LOCK).open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
