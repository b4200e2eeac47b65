"""A calibration on disk: versioned JSON that carries the scores it was made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from harness.config import Settings, parse_config
from harness.errors import DataError
from harness.stats.calibration import Calibration, calibrate


class StoredCalibration(Settings):
    """What a deployment needs to flag notes, and what a later drift check needs to compare with."""

    version: Literal[1] = 1
    candidate: str = Field("", description="whose scores these are; empty = the file named nobody")
    cap: float = Field(gt=0, lt=1, description="false-alarm rate at most")
    confidence: float | None = Field(None, gt=0, lt=1, description="None = the cap holds on average over calibrations")
    threshold: float = Field(description="a note is flagged iff its score is strictly below, or its judgement failed")
    rank: int = Field(ge=1, description="the threshold is the rank-th smallest score")
    consultations: int = Field(ge=1, description="consultations behind the threshold, failed ones included")
    failures: int = Field(ge=0, description="consultations with a failed judgement; they count as flagged")
    scores: tuple[float, ...] = Field(description="lowest clean score of each other consultation, ascending")
    guarantee: str = Field(description="what is promised, in words")

    def values(self) -> NDArray[np.float64]:
        """The scores with failures as -inf, (consultations,)."""
        return np.concatenate([np.full(self.failures, -np.inf), np.array(self.scores, dtype=np.float64)])


def store(candidate: str, found: Calibration, values: NDArray[np.float64]) -> StoredCalibration:
    """The stored form of a calibration made of ``values``, one a consultation, -inf = a failure."""
    return StoredCalibration(
        candidate=candidate,
        cap=found.cap,
        confidence=found.confidence,
        threshold=found.threshold,
        rank=found.rank,
        consultations=found.n,
        failures=found.failures,
        scores=tuple(np.sort(values[np.isfinite(values)]).tolist()),
        guarantee=guarantee(found),
    )


def guarantee(found: Calibration) -> str:
    """What a calibration promises, in words."""
    new = "a clean note of a new consultation, drawn as these were,"
    if found.confidence is None:
        return (
            f"Averaged over calibrations, {new} is flagged with probability at most "
            f"{found.rank}/{found.n + 1} = {found.expected_rate:.4g}. This one calibration may lie higher: "
            f"its rate is at most {found.rate_upper95:.4g} with 95% confidence."
        )
    return (
        f"With {found.confidence:.4g} confidence in this one calibration, {new} "
        f"is flagged with probability at most {found.cap:g}."
    )


def dump_calibration(stored: StoredCalibration) -> bytes:
    """The bytes of a stored calibration: stable for equal values."""
    return (stored.model_dump_json(indent=2) + "\n").encode()


def read_calibration(path: Path) -> StoredCalibration:
    """Read a stored calibration; DataError where it is missing or contradicts its own scores."""
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError("reading a calibration", f"no file {path}", "Check the path.") from None
    except ValueError as error:
        raise DataError(f"reading {path}", f"not JSON: {error}", "Calibrate again.") from None
    stored = parse_config(StoredCalibration, raw, str(path))
    values = stored.values()
    if values.size != stored.consultations:
        raise DataError(f"reading {path}", f"{values.size} scores of {stored.consultations}", "Calibrate again.")
    again = calibrate(values, stored.cap, stored.confidence)
    if (again.threshold, again.rank) != (stored.threshold, stored.rank):
        found = f"threshold {stored.threshold:g} where its scores give {again.threshold:g}"
        raise DataError(f"reading {path}", found, "Calibrate again; do not edit the file.")
    return stored
