"""OmissionBench's fact sheets: what a note of each consultation must contain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from harness.data.imported import read_json
from harness.errors import DataError
from harness.types import Fact, Severity

FOLDER = "fact_sheets"
# How much of the note rests on a fact is what our severities grade; no sheet has a third, lower grade.
SEVERITY: Mapping[str, Severity] = {"high": "critical", "medium": "supporting"}


class SheetFact(BaseModel):
    """One fact that a note must contain."""

    fact: str = Field(pattern=r"\S")
    evidence: str = ""
    load_bearing: Literal["high", "medium"]


class Sheet(BaseModel):
    """The facts of one consultation."""

    must_contain: tuple[SheetFact, ...] = Field(min_length=1)


class SheetRecord(BaseModel):
    """A fact sheet with its consultation's id; other keys are left alone."""

    id: str = Field(pattern=r"\S")
    stratum: str = ""
    fact_sheet: Sheet


def read_facts(directory: Path, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
    """Consultation key ``stratum|id`` -> its facts; empty where there is no ``fact_sheets`` folder.

    A file holds one record or a list of them. The stratum is the record's, or that of a folder or file name of the
    path, or the only one that has the id; records of consultations not in ``keys`` are passed over. DataError names
    file, record and reason.
    """
    found: dict[str, tuple[Fact, ...]] = {}
    for path in sorted((directory / FOLDER).rglob("*.json")):
        for number, raw in _numbered(path):
            where = f"{path}, record {number}"
            try:
                record = SheetRecord.model_validate(raw)
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(str(part) for part in first["loc"]) or "record"
                raise DataError(
                    f"reading {where}", f"{key}: {first['msg']}", "Take the file from the source again."
                ) from None
            key = _key(record, path.relative_to(directory), keys, where)
            if key in found:
                raise DataError(f"reading {where}", f"a second fact sheet of {key!r}", "Keep one.")
            if key:
                found[key] = _facts(record)
    return found


def _numbered(path: Path) -> Iterator[tuple[int, Any]]:
    whole = read_json(path)
    yield from enumerate(whole if isinstance(whole, list) else [whole], start=1)


def _key(record: SheetRecord, path: Path, keys: Collection[str], where: str) -> str:
    """The consultation of a record; "" for one that no pair belongs to."""
    known = [key for key in keys if key.partition("|")[2] == record.id]
    if record.stratum:
        known = [key for key in known if key.partition("|")[0] == record.stratum]
    elif len(known) > 1:
        parts = {*path.parts, path.stem.removeprefix("fact_sheets_")}
        known = [key for key in known if key.partition("|")[0] in parts]
    if len(known) > 1:
        raise DataError(f"reading {where}", f"id {record.id!r} of several strata", "Say the stratum in the record.")
    return known[0] if known else ""


def _facts(record: SheetRecord) -> tuple[Fact, ...]:
    return tuple(
        Fact(f"f{number}", item.fact.strip(), item.evidence.strip(), SEVERITY[item.load_bearing])
        for number, item in enumerate(record.fact_sheet.must_contain, start=1)
    )
