"""What a grid found, as versioned JSON.

Paired figures are in [0, 1], 0.5 = coin flip, higher is better, failures read as the worst case. Rates are
counts over their denominators. Intervals are clustered by consultation, at 95%.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from harness.errors import DataError
from optimiser.confirmation import Difference, Paired, Part, Rate
from optimiser.records import CandidateRecord, FinishReason, Spend

FORMAT = "judgelab.grid/1"
FILE_NAME = "grid.json"


class Bounded(Paired):
    """Paired discrimination with its interval; no interval for fewer than two consultations."""

    low: float | None
    high: float | None


class Flagged(Part):
    """Flagged notes: by the judge's own rule, or below marks that were chosen on the same notes."""

    marks: tuple[float, ...] = Field((), description="flagged iff a score lies below its mark; empty = own rule")
    detection: Rate = Field(description="flagged omission notes, higher is better")
    false_alarms: Rate = Field(description="flagged clean notes, lower is better")


class Contrast(Part):
    """This cell minus another on the same pairs."""

    omissions: Difference
    commissions: Difference | None
    p: float = Field(ge=0, le=1, description="sign-flip permutation over consultations, two-sided")
    adjusted_p: float | None = Field(description="Holm's, over all cells but the baseline; None outside that family")
    n_informative: int = Field(ge=0, description="consultations whose summed difference is not zero")


class Costs(Part):
    """What judging one note alone comes to, every call counted whether it was bought or cached."""

    calls: float
    tokens: float
    reasoning_tokens: float
    dollars: float | None = Field(description="None where no price is known")
    latency: float = Field(description="seconds of calls, one after the other")


class CellReading(Part):
    """One cell. Figures are None where no consultation is complete, or where the number does not exist."""

    name: str
    id: str
    model: str
    settings: dict[str, Any] = Field(description="the judge's configuration")
    candidate: CandidateRecord
    levers: dict[str, str]
    judged: int = Field(ge=0, description="judgements made, failures included")
    wanted: int = Field(ge=1)
    failures: dict[str, int] = Field(description="reason -> judgements without a score, never scored")
    omissions: Bounded | None = None
    commissions: Bounded | None = None
    by_class: dict[str, Paired] = Field(default_factory=dict)
    by_severity: dict[str, Paired] = Field(default_factory=dict, description="omission pairs")
    own: Flagged | None = Field(None, description="by the judge's own rule; None where it has none")
    at_cap: Flagged | None = Field(None, description="marks swept on these very notes: optimistic")
    at_own: Flagged | None = Field(None, description="the same with as many false alarms as the own rule at most")
    auc: float | None = None
    costs: Costs | None = None
    bought: dict[str, int] = Field(default_factory=dict, description="stage -> attempts this cell really sent")
    against_baseline: Contrast | None = None
    against_floor: Contrast | None = Field(None, description="minus the judge without a model, where there is one")

    @property
    def finished(self) -> bool:
        """True where every note was judged."""
        return self.judged == self.wanted

    @property
    def beats_floor(self) -> bool | None:
        """True where the gain in omissions over the floor excludes zero; None without a floor."""
        return None if self.against_floor is None else self.against_floor.omissions.low > 0


class LeverReading(Part):
    """What changing one label does, over all pairs of cells that differ in that label alone: ``after`` - ``before``."""

    lever: str
    before: str
    after: str
    cells: tuple[tuple[str, str], ...] = Field(min_length=1)
    omissions: Difference | None
    commissions: Difference | None
    clean_score: Difference | None = Field(description="mean score of clean notes, as a share of the scale")
    false_alarms: Difference | None = Field(
        description="by the judges' own rules, over pairs of cells where both have one"
    )
    detection: Difference | None = Field(description="flagged omission notes, by the same rules")


class Grid(Part):
    """All cells on one set of notes."""

    format: Literal["judgelab.grid/1"] = "judgelab.grid/1"
    name: str
    simulated: bool = Field(description="a simulated model answered")
    synthetic: bool = Field(description="the text is synthetic")
    clean_verified: bool
    manifest: str
    parts: tuple[str, ...]
    wanted_consultations: int
    consultations: int = Field(description="those that every cell has judged; all figures are of these")
    pairs: int
    clean_notes: int
    replicates: tuple[int, int] = Field(description="of a clean and of a flawed note")
    cap: float
    resamples: int
    seed: int
    baseline: str
    floor: str | None = Field(description="the cell without a model")
    reason: FinishReason
    detail: str
    spent: Spend = Field(description="really bought, over all processes of this grid")
    config: dict[str, Any]
    cells: tuple[CellReading, ...]
    levers: tuple[LeverReading, ...]


def dump_grid(grid: Grid) -> bytes:
    """The bytes of grid.json: stable for equal values, UTF-8, LF."""
    return (json.dumps(grid.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n").encode()


def read_grid(path: Path) -> Grid:
    """Read a grid; DataError for no file, no JSON, another version or a changed shape."""
    tried = f"reading grid {path}"
    try:
        raw = json.loads(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(tried, "no such file", "Run `judgelab grid` first.") from None
    except ValueError as error:
        raise DataError(tried, f"not JSON: {error}", "Run `judgelab grid` again; do not edit the file.") from None
    found = raw.get("format") if isinstance(raw, dict) else None
    if found != FORMAT:
        raise DataError(tried, f"format {found!r}", f"This version reads {FORMAT!r}.")
    try:
        return Grid.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise DataError(tried, f"{where}: {first['msg']}", "Run `judgelab grid` again.") from None
