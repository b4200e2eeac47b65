"""Confirmation: what the one look at the holdout found, as versioned JSON.

Paired figures are in [0, 1], 0.5 = coin flip, higher is better; differences are winner minus
baseline. Rates are counts over their denominators; a rate never stands without its count.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from harness.config import Settings
from harness.errors import DataError
from harness.llm.client import Effort
from harness.stats.spending import share_of
from optimiser.records import CandidateRecord

FORMAT = "judgelab.confirmation/1"
FILE_NAME = "confirmation.json"

Verdict = Literal["improved", "non-inferior", "regressed", "inconclusive", "seed-kept"]


class Part(Settings):
    """Base of every part: frozen, no unknown keys, no NaN and no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Paired(Part):
    """Paired discrimination over ``n`` pairs: ``value`` = (wins + ties / 2) / n."""

    value: float = Field(ge=0, le=1)
    wins: int = Field(ge=0)
    ties: int = Field(ge=0)
    losses: int = Field(ge=0)
    n: int = Field(ge=1)


class PairedReadings(Part):
    """The two readings of failures; ``dropped`` is None where every pair holds a failure."""

    worst_case: Paired = Field(description="a failure on either side counts as a loss; the reading that decides")
    dropped: Paired | None = Field(description="pairs with a failure leave the denominator")


class Rate(Part):
    """``count`` of ``n`` notes, with a one-sided 95% upper bound of the rate.

    The bound is Clopper-Pearson's; for false alarms the larger of it and the clustered bootstrap's.
    """

    count: int = Field(ge=0)
    n: int = Field(ge=1)
    upper: float = Field(ge=0, le=1)

    @property
    def value(self) -> float:
        """The observed rate in [0, 1]."""
        return self.count / self.n


class OperatingReading(Part):
    """Flagged notes at one threshold: a note is flagged iff its score < threshold."""

    threshold: float
    detection: Rate = Field(description="flagged omission notes, higher is better")
    false_alarms: Rate = Field(description="flagged clean notes, lower is better")


class OperatingPoint(Part):
    """A threshold that was fixed on the acceptance split, at this effort, before the holdout was opened."""

    effort: Effort | None
    candidate: str
    threshold: float
    cap: float = Field(description="false-alarm rate at most, on the acceptance split")
    detected: int
    n_flawed: int
    false_alarms: int
    n_clean: int


class CandidateReading(Part):
    """All figures of one candidate on one rung."""

    candidate: str
    omissions: PairedReadings
    commissions: PairedReadings | None = Field(description="None where the holdout has no commission pair")
    by_class: dict[str, Paired] = Field(description="omission-<trace>, addition, alteration; worst case")
    by_severity: dict[str, Paired] = Field(description="omission pairs by severity; worst case")
    frozen: OperatingReading | None = Field(
        description="at the threshold fixed on the acceptance split: the headline; None where none was feasible"
    )
    re_swept: OperatingReading | None = Field(description="threshold re-swept on the holdout: optimistic")
    auc: float | None = Field(description="omission notes x clean notes, tie-adjusted; None where undefined")
    judgements: int = Field(ge=0, description="outcomes asked for, failures included")
    failures: int = Field(ge=0, description="outcomes without a score")
    tokens_per_note: float = Field(description="prompt + completion tokens per judgement")
    dollars_per_note: float | None = Field(description="US dollars per judgement; None where no price is known")
    mean_latency: float = Field(description="seconds per judgement")


class Difference(Part):
    """Winner minus baseline, with an interval clustered by consultation, at level 1 - alpha x this opening's share."""

    value: float
    low: float
    high: float


class PrimaryTest(Part):
    """Sign-flip permutation over consultations; ``adjusted_p`` is Holm's over the ladder, divided by the share."""

    p: float = Field(ge=0, le=1)
    adjusted_p: float = Field(ge=0, le=1)
    n_informative: int = Field(ge=0, description="consultations whose summed difference is not zero")


class SplitTest(Part):
    """An exact paired test on the units where the two candidates differ."""

    winner_only: int = Field(ge=0, description="units that only the winner gets right")
    baseline_only: int = Field(ge=0, description="units that only the baseline gets right")
    p: float = Field(ge=0, le=1)


class Comparison(Part):
    """Winner against baseline on one rung."""

    omissions: Difference
    primary: PrimaryTest
    sign: SplitTest = Field(description="exact sign test on omission pairs whose outcome differs; ignores clustering")
    mcnemar: SplitTest | None = Field(description="flag decisions on omission notes at the frozen thresholds")
    commissions: Difference | None
    detection: Difference | None = Field(description="detection rate at the frozen thresholds")
    band: float | None = Field(description="baseline's largest minus smallest paired omissions over replicates")
    minimum_detectable: float | None = Field(description="difference found with 80% power at this size")

    @property
    def within_band(self) -> bool:
        """True where the difference is no larger than what a rerun of the baseline moves by."""
        return self.band is not None and abs(self.omissions.value) <= self.band


class Rung(Part):
    """One reasoning effort, both candidates side by side."""

    effort: Effort | None
    token_cap: int | None
    primary: bool = Field(description="the effort that the search used; its verdict is the verdict")
    n_consultations: int
    n_pairs: int
    baseline: CandidateReading
    winner: CandidateReading | None = Field(description="None where the seed was kept")
    comparison: Comparison | None = Field(description="None where the seed was kept")
    verdict: Verdict


class OpeningRecord(Part):
    """The entry of the holdout ledger that this confirmation used."""

    number: int = Field(ge=1, description="how many times this holdout had been opened, this time included")
    hash: str
    time: datetime
    resumed: bool = False
    reason: str | None = None

    @property
    def share(self) -> float:
        """The share of alpha that this opening may spend."""
        return share_of(self.number)


class Confirmation(Part):
    """What was fixed, what was measured, what follows."""

    format: Literal["judgelab.confirmation/1"] = "judgelab.confirmation/1"
    campaign: str
    simulated: bool
    clean_verified: bool
    judge: str = Field(description="judge kind")
    model: str
    manifest: str = Field(description="digest of the sealed manifest")
    baseline: CandidateRecord
    winner: CandidateRecord
    seed_kept: bool
    opening: OpeningRecord
    replicates: tuple[int, ...]
    cap: float
    margin: float
    alpha: float
    operating_points: tuple[OperatingPoint, ...]
    rungs: tuple[Rung, ...] = Field(min_length=1)
    verdict: Verdict
    words: tuple[str, ...] = Field(description="the findings as plain sentences")

    @model_validator(mode="after")
    def _hangs_together(self) -> Confirmation:
        if [rung.primary for rung in self.rungs].count(True) != 1:
            raise ValueError("exactly one rung must be primary")
        if self.verdict != self.primary.verdict:
            raise ValueError("the verdict must be the primary rung's")
        if self.seed_kept != (self.winner.id == self.baseline.id):
            raise ValueError("seed_kept must say whether winner and baseline are one candidate")
        for rung in self.rungs:
            absent = rung.comparison is None and rung.winner is None
            present = rung.comparison is not None and rung.winner is not None
            claims = rung.verdict != "seed-kept"
            if not (absent and not claims if self.seed_kept else present and claims):
                raise ValueError("a kept seed has no comparison, and any other winner has one on every rung")
        return self

    @property
    def primary(self) -> Rung:
        """The rung at the effort that the search used."""
        return next(rung for rung in self.rungs if rung.primary)


def schema() -> dict[str, Any]:
    """The JSON schema of a confirmation, as committed in schemas/confirmation-1.json."""
    return Confirmation.model_json_schema(mode="serialization")


def dump_confirmation(confirmation: Confirmation) -> bytes:
    """The bytes of confirmation.json: stable for equal values, UTF-8, LF."""
    return (json.dumps(confirmation.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n").encode()


def read_confirmation(path: Path) -> Confirmation:
    """Read a confirmation; DataError for no file, no JSON, another version or a changed shape."""
    tried = f"reading confirmation {path}"
    try:
        raw = json.loads(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(tried, "no such file", "Run `judgelab confirm` first.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(tried, f"not JSON: {error}", "Confirm again; do not edit the file.") from None
    found = raw.get("format") if isinstance(raw, dict) else None
    if found != FORMAT:
        raise DataError(tried, f"format {found!r}", f"This version reads {FORMAT!r}.")
    try:
        return Confirmation.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise DataError(tried, f"{where}: {first['msg']}", "Confirm again; do not edit the file.") from None
