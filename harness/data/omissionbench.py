"""Import OmissionBench: consultations, clean notes and notes with one planted error (CC BY 4.0).

``pairs/dataset_v2.json`` holds the pairs (an object with ``pairs``, ``items`` or ``data``, or a bare list),
``transcripts/<stratum>/<id>.txt`` the conversations, and JSON files below ``fact_sheets/`` the facts, where they are
there. A consultation is named ``stratum|id``, a clean note by the digest of its text and a flawed one by its
pair, as in the published judgement files, so that published scores can be joined.

Only pairs of the evaluation set are kept. Omit, add and change become omission, addition and alteration. The trace
of an omission is ``residual_level``: complete, partial-weak (a fragment is left) or partial-strong (the fact is
restated). It is never read from the id: a plain ``omit`` may be complete or partial. ``surviving`` holds the
verified mentions that stand in the flawed note. A fact's load_bearing ``high`` becomes critical, ``medium``
supporting. That clean notes were checked is not stated in the files, so the set is labelled.

Refused by name: ``not_in_eval_set``, ``missing_transcript``, ``empty_transcript``. Told in ``details``:
``mention_not_in_note``, ``no_fact_sheet``. A record that contradicts itself is an error with file, record and reason.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.data.aci_bench import plain
from harness.data.fact_sheets import read_facts
from harness.data.imported import PairedImport, Refusal, imported, read_json, read_text, require_folder
from harness.errors import DataError
from harness.types import Consultation, Defect, DefectKind, Note, Pair, Severity, Trace

SOURCE = "omissionbench"
PAIRS = Path("pairs") / "dataset_v2.json"
_KINDS: Mapping[str, DefectKind] = {"omit": "omission", "add": "addition", "change": "alteration"}
_TRACES: Mapping[str, Trace] = {"complete": "complete", "partial-weak": "fragment", "partial-strong": "restated"}
Text = Field(pattern=r"\S")


class Mention(BaseModel):
    """One mention of an omitted fact that is left in the flawed note."""

    quote: str


class Residual(BaseModel):
    """What is left of an omitted fact."""

    verified_sites: tuple[Mention, ...] = ()


class PairRecord(BaseModel):
    """The keys of a pair that are read; all others are left alone."""

    model_config = ConfigDict(frozen=True)

    id: str = Text
    type: Literal["omit", "add", "change"]
    clean: str = Text
    errored: str = Text
    stratum: str = Field("authored", pattern=r"^[^|/\s]+$")
    pair_id: str = ""
    class_: str | None = Field(None, alias="class")
    residual_level: Literal["complete", "partial-weak", "partial-strong"] | None = None
    severity: Severity | None = None
    fact: str | None = None
    what: str | None = None
    change: str | None = None
    residual: Residual | None = None
    eval_set: bool = True

    @property
    def key(self) -> str:
        """The consultation's id."""
        return f"{self.stratum}|{self.id}"

    @property
    def name(self) -> str:
        """The pair's id."""
        return self.pair_id or f"{self.key}|{self.type}"


def import_omissionbench(directory: Path) -> PairedImport:
    """Read an OmissionBench folder; DataError for a file or record that is not what it should be."""
    todo = f"Point at the folder that holds {PAIRS} and transcripts/."
    require_folder(directory / "transcripts", SOURCE, todo)
    refusals: list[Refusal] = []
    warnings: list[Refusal] = []
    kept: dict[str, tuple[str, PairRecord]] = {}
    for where, record in _records(directory / PAIRS):
        if record.name in kept:
            raise DataError(
                f"reading {where}", f"pair id {record.name!r} twice", "Take the file from the source again."
            )
        kept[record.name] = (where, record)
    consultations = _consultations(directory, [record for _, record in kept.values()], refusals, warnings)
    pairs = [
        _pair(where, record, warnings) for where, record in kept.values() if _wanted(record, consultations, refusals)
    ]
    used = {pair.consultation_id for pair in pairs}
    clean = {pair.clean.id: pair.clean for pair in pairs}
    parts = [c for c in consultations.values() if c.id in used]
    return PairedImport(imported(parts, list(clean.values()), refusals, warnings), tuple(pairs))


def _records(path: Path) -> Iterator[tuple[str, PairRecord]]:
    whole = read_json(path)
    held = whole
    if isinstance(whole, dict):
        held = next((whole[key] for key in ("pairs", "items", "data") if key in whole), None)
    if not isinstance(held, list) or not held:
        raise DataError(f"reading {path}", "no list of pairs", "Take the file from the source again.")
    for number, raw in enumerate(held, start=1):
        where = f"{path}, pair {number}"
        if isinstance(raw, dict) and raw.get("pair_id"):
            where += f" ({raw['pair_id']})"
        try:
            record = PairRecord.model_validate(raw)
        except ValidationError as error:
            raise _unfit(where, error) from None
        if record.eval_set:
            _check(where, record)
        yield where, record


def _unfit(where: str, error: ValidationError) -> DataError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "record"
    return DataError(f"reading {where}", f"{key}: {first['msg']}", "Take the file from the source again.")


def _check(where: str, record: PairRecord) -> None:
    todo = "Take the file from the source again; the trace is never guessed from the id."
    level, kind = record.residual_level, record.type
    if kind == "omit" and level is None:
        raise DataError(f"reading {where}", "an omission without residual_level", todo)
    if kind != "omit" and level is not None:
        raise DataError(f"reading {where}", f"type {kind!r} with residual_level {level!r}", todo)
    wanted = kind if level is None else f"omit-{level.partition('-')[0]}"
    if record.class_ is not None and record.class_ != wanted:
        raise DataError(f"reading {where}", f"class {record.class_!r} with residual_level {level!r}", todo)
    if record.clean.split() == record.errored.split():
        raise DataError(f"reading {where}", "clean and errored are the same text", todo)
    if not _stated(record):
        raise DataError(f"reading {where}", "no fact: what was left out, added or changed is not said", todo)


def _consultations(
    directory: Path, records: list[PairRecord], refusals: list[Refusal], warnings: list[Refusal]
) -> dict[str, Consultation]:
    facts = read_facts(directory, {record.key for record in records})
    found: dict[str, Consultation] = {}
    for key in dict.fromkeys(record.key for record in records if record.eval_set):
        stratum, _, name = key.partition("|")
        path = directory / "transcripts" / stratum / f"{name}.txt"
        if not path.is_file():
            refusals.append(Refusal("missing_transcript", key, f"no file {path}; its pairs are left out"))
            continue
        transcript = plain(read_text(path)).strip()
        if not re.search(r"\w", transcript):
            refusals.append(Refusal("empty_transcript", key, "its pairs are left out"))
            continue
        if facts and key not in facts:
            warnings.append(Refusal("no_fact_sheet", key, "kept without facts"))
        found[key] = Consultation(key, SOURCE, transcript, facts.get(key, ()), stratum=stratum, group=key)
    return found


def _wanted(record: PairRecord, consultations: Mapping[str, Any], refusals: list[Refusal]) -> bool:
    if not record.eval_set:
        refusals.append(Refusal("not_in_eval_set", record.name, "eval_set is false"))
    return record.eval_set and record.key in consultations


def _pair(where: str, record: PairRecord, warnings: list[Refusal]) -> Pair:
    clean, errored = plain(record.clean), plain(record.errored)
    sites = record.residual.verified_sites if record.residual else ()
    quotes = tuple(site.quote for site in sites if record.type == "omit" and site.quote.strip())
    held = tuple(quote for quote in quotes if " ".join(quote.split()) in " ".join(errored.split()))
    if lost := len(quotes) - len(held):
        warnings.append(Refusal("mention_not_in_note", record.name, f"{lost} verified mentions are not in the note"))
    defect = Defect(
        kind=_KINDS[record.type],
        fact_text=_stated(record),
        trace=_TRACES[record.residual_level] if record.residual_level else None,
        severity=record.severity,
        surviving=held,
    )
    digest = hashlib.sha256(record.clean.encode()).hexdigest()[:12]
    try:
        return Pair(
            record.name,
            record.key,
            Note(f"{record.key}|clean|{digest}", record.key, clean),
            Note(f"{record.name}|err", record.key, errored, defect),
        )
    except DataError as error:
        raise DataError(f"reading {where}", f"{error.tried}: {error.found}", error.todo) from None


def _stated(record: PairRecord) -> str:
    """What was left out, added or changed, in the first words that say it."""
    return next((text.strip() for text in (record.fact, record.what, record.change) if text and text.strip()), "")
