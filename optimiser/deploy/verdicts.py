"""Verdicts on notes as JSON lines: one a note, appended as it arrives, gone on with by the same command."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from pydantic import Field, ValidationError

from harness.config import Settings
from harness.data.pairs import write_atomically
from harness.errors import DataError
from harness.outcomes import Failure, Outcome, Ruling
from harness.types import Consultation, Note, Severity, digest
from optimiser.deploy.judge import Deployed

PASSING = frozenset({"call-failed"})  # failures of the endpoint, not of the note: tried again


class MissingFact(Settings):
    """One thing that the note leaves out. What the judge does not say is null."""

    fact: str
    severity: Severity | None = None
    verdict: str | None = Field(None, description="a word of the judge's contract: absent, partial, displaced, ...")
    evidence: str | None = Field(None, description="the transcript's words")
    quote: str | None = Field(None, description="the note's words that come nearest")


class Verdict(Settings):
    """One judged note. ``flag`` and ``score`` are null where it could not be scored: read that as a flag."""

    format: Literal["judgelab.verdict/1"] = "judgelab.verdict/1"
    note: str
    consultation: str
    flag: bool | None
    score: float | None
    threshold: float
    own_rule: bool | None = Field(None, description="the judge's own rule, where it has one")
    missing: tuple[MissingFact, ...] = ()
    unsupported: tuple[str, ...] = ()
    failure: str | None = None
    simulated: bool = False
    usage: dict[str, int | float | None] = Field(default_factory=dict)
    text: str = Field(description="digest of note, transcript and given facts")
    judge: dict[str, Any] = Field(description="who judged: what may not change within one file")


def verdict_of(deployed: Deployed, consultation: Consultation, note: Note, outcome: Outcome) -> Verdict:
    """The verdict that an outcome comes to."""
    base: dict[str, Any] = {
        "note": note.id,
        "consultation": consultation.id,
        "threshold": deployed.threshold,
        "simulated": outcome.simulated,
        "usage": asdict(outcome.usage),
        "text": text_digest(consultation, note),
        "judge": deployed.identity,
    }
    if isinstance(outcome, Failure):
        return Verdict(**base, flag=None, score=None, failure=outcome.reason)
    ruled = [_ruled(ruling) for ruling in outcome.rulings]
    known = {fact.fact for fact in ruled}
    named = [MissingFact(fact=text) for text in map(_sound, outcome.missing) if text not in known]
    return Verdict(
        **base,
        flag=outcome.score < deployed.threshold,
        score=outcome.score,
        own_rule=outcome.flagged,
        missing=(*ruled, *named),
        unsupported=tuple(map(_sound, outcome.wrong)),
    )


def _ruled(ruling: Ruling) -> MissingFact:
    fact = ruling.fact
    return MissingFact(
        fact=_sound(fact.text),
        severity=fact.severity,
        verdict=ruling.verdict,
        evidence=_sound(fact.evidence) or None,
        quote=_sound(ruling.quote) or None,
    )


def _sound(text: str) -> str:
    """Without halves of characters, which a token cap can leave and no file can hold."""
    return text.encode("utf-8", "replace").decode()


def text_digest(consultation: Consultation, note: Note) -> str:
    """Identifies what the judge is shown of a note."""
    return digest([note.text, consultation.transcript, [asdict(fact) for fact in consultation.facts]])[:16]


class VerdictFile:
    """A file of verdicts by one judge; ``known`` are those that are there already, by note id.

    Opening cuts a torn last line and drops verdicts on calls that failed, which are tried again. Raises DataError,
    and changes nothing, for a file that holds anything else, or verdicts of another judge (with what differs).
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = self._open()
        try:
            self.known = self._load(identity)
        except BaseException:
            self._stream.close()
            raise

    def _load(self, identity: Mapping[str, Any]) -> dict[str, Verdict]:
        lines = self._whole_lines()
        read = [self._read(number, line, identity) for number, line in enumerate(lines, start=1)]
        kept = [(line, verdict) for line, verdict in zip(lines, read, strict=True) if verdict.failure not in PASSING]
        data = "".join(line + "\n" for line, _ in kept).encode()
        if data != self._path.read_bytes():
            write_atomically(self._path, data)
            before, self._stream = self._stream, self._open()
            before.close()  # only now: its lock kept others out until the new file was locked
        return {verdict.note: verdict for _, verdict in kept}

    def append(self, verdict: Verdict) -> None:
        """Write one line whole and make it durable."""
        self._stream.write((verdict.model_dump_json() + "\n").encode())
        os.fsync(self._stream.fileno())

    def __enter__(self) -> VerdictFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def _whole_lines(self) -> list[str]:
        data = self._path.read_bytes()
        try:
            return data[: data.rfind(b"\n") + 1].decode().split("\n")[:-1]
        except UnicodeDecodeError as error:
            raise self._refused(f"not UTF-8 at byte {error.start}") from None

    def _read(self, number: int, line: str, identity: Mapping[str, Any]) -> Verdict:
        try:
            verdict = Verdict.model_validate_json(line)
        except ValidationError:
            raise self._refused(f"line {number} is no verdict on a note") from None
        differing = [
            f"{name}: {verdict.judge.get(name)} -> {identity.get(name)}"
            for name in sorted({*verdict.judge, *identity})
            if verdict.judge.get(name) != identity.get(name)
        ]
        if differing:
            raise self._refused(f"verdicts of another judge ({'; '.join(differing)})")
        return verdict

    def _refused(self, found: str) -> DataError:
        return DataError(f"going on with {self._path}", found, "Give another --out, or the settings it began with.")

    def _open(self) -> FileIO:
        stream = self._path.open("ab", buffering=0)
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.close()
            raise self._refused("another process is writing to it") from None
        return stream
