"""MLflow runs as plain values, and where they go: a protocol, its fake, and a wrapper that never raises."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from harness.errors import ConfigError, TrackingError
from harness.types import digest, fields_of

RunStatus = Literal["RUNNING", "FINISHED", "FAILED", "KILLED"]

MAX_PARAM = 6_000  # MLflow cuts longer values without an error
MAX_TAG = 8_000  # the same, on sqlite
RESYNC = "The ledger is whole; run `judgelab mlflow-sync` to write what is missing."


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a metric at a step. None, NaN and infinities are stored as the flag ``<name>_undefined`` = 1."""

    name: str
    value: float | None
    step: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One MLflow run as a value.

    ``key`` is unique in a store; ``parent_key`` nests the run.
    ``texts`` and ``images`` map an artifact path to a text or to PNG bytes. ``started`` and
    ``ended`` are milliseconds since 1970; None = when it is written. ``description`` is the
    Markdown at the top of the run's page.
    """

    key: str
    name: str
    parent_key: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[Point, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)
    status: RunStatus = "FINISHED"
    started: int | None = None
    ended: int | None = None
    description: str = ""

    def __post_init__(self) -> None:
        where = f"building the run record {self.key!r}"
        if not self.key or set(self.key) & set("'\"`"):
            raise ConfigError(where, "an empty key or one with quotes", "Use letters, digits, spaces and / . - _.")
        for kind, values, limit in (("parameter", self.params, MAX_PARAM), ("tag", self.tags, MAX_TAG)):
            for name, value in values.items():
                if len(value) > limit:
                    found = f"{kind} {name!r} with {len(value)} characters; MLflow keeps {limit}"
                    raise ConfigError(where, found, "Put the text in `texts` and its sha256 in a tag.")
        for path in (*self.texts, *self.images):
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise ConfigError(where, f"the artifact path {path!r}", "Use a path below the run's folder.")

    @property
    def digest(self) -> str:
        """Equal for equal records."""
        value = fields_of(self)
        value["images"] = {path: sha256(png).hexdigest() for path, png in self.images.items()}
        value["metrics"] = [[p.name, repr(p.value), p.step] for p in self.metrics]
        return digest(value)


class RunLog(Protocol):
    """Where run records go."""

    def log(self, record: RunRecord) -> None:
        """Write one record; the same key again updates it. A parent comes before its children."""


class NullStore:
    """The shipped fake: keeps the records in memory and writes nothing."""

    def __init__(self) -> None:
        self.records: dict[str, RunRecord] = {}

    def log(self, record: RunRecord) -> None:
        """Keep the record under its key."""
        self.records[record.key] = record


class Tracker:
    """A run log that never stops a campaign: a failure is retried, then reported once and left to a re-sync."""

    def __init__(self, inner: RunLog, warn: Callable[[str], None], wait: Callable[[float], None] = time.sleep) -> None:
        self._inner = inner
        self._warn = warn
        self._wait = wait
        self.missed: set[str] = set()

    def log(self, record: RunRecord) -> None:
        """Write the record; three attempts while all went well before, one after a failure."""
        pauses = (0.2, 1.0) if not self.missed else ()
        for pause in (*pauses, None):
            try:
                self._inner.log(record)
                self.missed.discard(record.key)
                return
            except TrackingError as error:
                if pause is not None:
                    self._wait(pause)
                    continue
                if not self.missed:
                    self._warn(f"{error.tried}: {error.found}. {RESYNC}")
                self.missed.add(record.key)
