"""The nouns: every frozen value that crosses a module border."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, get_args

from harness.errors import DataError

Severity = Literal["critical", "supporting", "peripheral"]
DefectKind = Literal["omission", "addition", "alteration"]
Trace = Literal["complete", "fragment", "restated"]
Aspect = Literal["dose", "laterality", "negation", "timing", "certainty", "subject", "value"]
SplitName = Literal["training", "acceptance", "holdout"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
TRACES: tuple[Trace, ...] = get_args(Trace)


def digest(value: object) -> str:
    """Return the sha256 hex digest of a JSON-serialisable value in canonical form."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def fields_of(value: Any) -> dict[str, Any]:
    """One level of a dataclass by name: a ``default`` for ``json.dumps``, which spares the copies of ``asdict``."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


def _require(condition: bool, what: str, found: str, todo: str) -> None:
    if not condition:
        raise DataError(what, found, todo)


@dataclass(frozen=True, slots=True)
class Fact:
    """One clinical fact that the transcript establishes.

    ``text`` states the fact; ``evidence`` is the transcript wording that establishes it.
    """

    id: str
    text: str
    evidence: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Consultation:
    """One encounter and its transcript: the unit of independence.

    ``transcript`` is one turn a line, ``doctor: ...`` or ``patient: ...``.
    ``group`` names what must stay together beyond the consultation (a patient, an
    encounter with several transcripts); empty means the consultation itself.
    """

    id: str
    source: str
    transcript: str
    facts: tuple[Fact, ...] = ()
    stratum: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        _require(bool(self.id.strip()), "reading a consultation", "an empty id", "Give every consultation an id.")
        _require(
            bool(self.transcript.strip()),
            f"reading consultation {self.id!r}",
            "an empty transcript",
            "Add the transcript or leave the consultation out.",
        )
        ids = [fact.id for fact in self.facts]
        _require(
            len(set(ids)) == len(ids),
            f"reading consultation {self.id!r}",
            "two facts with one id",
            "Give every fact of a consultation its own id.",
        )

    @property
    def cluster(self) -> str:
        """The key that splits and statistics treat as independent: the group, else the id."""
        return self.group or self.id


@dataclass(frozen=True, slots=True)
class Defect:
    """What was planted in a flawed note.

    ``fact_text``/``evidence`` say what is affected and where the transcript says it;
    ``before``/``after`` are the note's wording around the edit ("" where there is none);
    ``surviving`` quotes what still mentions an omitted fact in the flawed note.
    """

    kind: DefectKind
    fact_text: str
    trace: Trace | None = None
    aspect: Aspect | None = None
    severity: Severity | None = None
    evidence: str = ""
    before: str = ""
    after: str = ""
    surviving: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = "reading a defect"
        omission = self.kind == "omission"
        _require(
            omission == (self.trace is not None),
            where,
            f"kind {self.kind!r} with trace {self.trace!r}",
            "Give omissions a trace, and nothing else.",
        )
        _require(bool(self.fact_text.strip()), where, "an empty fact text", "State the fact that the defect is about.")

    @property
    def pair_class(self) -> str:
        """``omission-<trace>``, ``addition`` or ``alteration``."""
        return f"{self.kind}-{self.trace}" if self.trace else self.kind


@dataclass(frozen=True, slots=True)
class Note:
    """A clinical note of one consultation; ``defect`` is None for a clean note."""

    id: str
    consultation_id: str
    text: str
    defect: Defect | None = None

    def __post_init__(self) -> None:
        _require(bool(self.id.strip()), "reading a note", "an empty id", "Give every note an id.")
        _require(
            bool(self.text.strip()),
            f"reading note {self.id!r}",
            "an empty text",
            "Leave empty notes out; a note needs at least one word.",
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A clean note and the same note with one planted defect."""

    id: str
    consultation_id: str
    clean: Note
    flawed: Note

    def __post_init__(self) -> None:
        where = f"reading pair {self.id!r}"
        owners = {self.consultation_id, self.clean.consultation_id, self.flawed.consultation_id}
        _require(
            len(owners) == 1, where, f"consultations {sorted(owners)}", "Both notes must be of the pair's consultation."
        )
        _require(self.clean.defect is None, where, "a clean note with a defect", "Swap the sides or fix the defect.")
        _require(
            self.flawed.defect is not None, where, "a flawed note without a defect", "Say what is wrong with the note."
        )
        _require(
            self.clean.text.split() != self.flawed.text.split(),
            where,
            "two sides with equal text",
            "Remove the pair: an edit that changes nothing cannot be detected.",
        )

    @property
    def defect(self) -> Defect:
        """The planted defect of the flawed side."""
        assert self.flawed.defect is not None
        return self.flawed.defect

    @property
    def pair_class(self) -> str:
        """``omission-<trace>``, ``addition`` or ``alteration``."""
        return self.defect.pair_class


@dataclass(frozen=True)
class PairSet:
    """Consultations with their notes and pairs, as read from one file.

    ``clean_verified`` is False where clean notes were written by people and not checked
    against the transcript; everything built on them is labelled "unverified clean twin".
    ``simulated`` is True where the text is synthetic. ``split`` is empty for a whole set.
    """

    name: str
    consultations: tuple[Consultation, ...]
    pairs: tuple[Pair, ...]
    notes: tuple[Note, ...] = ()
    clean_verified: bool = True
    simulated: bool = False
    split: str = ""

    def __post_init__(self) -> None:
        ids = [c.id for c in self.consultations]
        _require(len(set(ids)) == len(ids), f"reading {self.name!r}", "a consultation id twice", "Make ids unique.")
        pair_ids = [p.id for p in self.pairs]
        _require(
            len(set(pair_ids)) == len(pair_ids), f"reading {self.name!r}", "a pair id twice", "Make pair ids unique."
        )
        missing = sorted({p.consultation_id for p in self.pairs} - set(ids))
        _require(
            not missing,
            f"reading {self.name!r}",
            f"pairs of unknown consultations {missing[:3]}",
            "Add the consultations that the pairs belong to.",
        )

    @cached_property
    def by_id(self) -> Mapping[str, Consultation]:
        """Consultation id -> consultation."""
        return {c.id: c for c in self.consultations}

    def cluster(self, pair: Pair) -> str:
        """The independent unit a pair belongs to."""
        return self.by_id[pair.consultation_id].cluster

    def of(self, consultation_ids: Iterable[str]) -> PairSet:
        """The part of this set that belongs to the given consultations."""
        keep = set(consultation_ids)
        return PairSet(
            name=self.name,
            consultations=tuple(c for c in self.consultations if c.id in keep),
            pairs=tuple(p for p in self.pairs if p.consultation_id in keep),
            notes=tuple(n for n in self.notes if n.consultation_id in keep),
            clean_verified=self.clean_verified,
            simulated=self.simulated,
            split=self.split,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """The full set of texts under search for one judge.

    ``blocks`` are (name, text), sorted by name. ``id`` is the first 16 hex digits of the digest of judge and
    blocks, so equal text means equal id whatever the lineage.
    """

    judge: str
    blocks: tuple[tuple[str, str], ...]
    parents: tuple[str, ...] = ()
    origin: str = "seed"
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(sorted(self.blocks)))
        for name, text in self.blocks:
            _require(
                bool(text.strip()),
                f"building a candidate for judge {self.judge!r}",
                f"an empty block {name!r}",
                "Give the block a text.",
            )
        object.__setattr__(self, "id", digest([self.judge, [list(block) for block in self.blocks]])[:16])

    def block(self, name: str) -> str:
        """The text of one block; KeyError where the candidate has no such block."""
        return dict(self.blocks)[name]

    @property
    def length(self) -> int:
        """Characters over all blocks; a tie-breaker, smaller is better."""
        return sum(len(text) for _, text in self.blocks)
