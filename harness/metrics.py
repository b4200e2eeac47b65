"""Point measures of one candidate: arrays in, frozen values out.

Scores are on the judge's native scale, higher = better note; a note is flagged iff its score is
strictly below the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import MetricUndefined
from harness.scores import PAIR_CLASSES, ScoreTable, is_commission, is_omission, select
from harness.stats.intervals import clopper_pearson_upper
from harness.types import SEVERITIES

SEVERITY_WEIGHTS: Mapping[str, float] = {"critical": 1.0, "supporting": 0.5, "peripheral": 0.25}
CAP_TOLERANCE = 1e-12  # a rate equal to the cap is within it whatever the rounding

Failures = Literal["worst", "dropped"]


@dataclass(frozen=True, slots=True)
class Paired:
    """Paired discrimination in [0, 1]: 0.5 is a coin flip, higher is better; with the pairs behind it.

    A pair is a win where its outcome is above 0.5, a loss where it is below, a tie at 0.5.
    """

    value: float
    wins: int
    ties: int
    losses: int
    n: int


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A threshold with the notes that it flags."""

    threshold: float
    detected: int
    n_flawed: int
    false_alarms: int
    n_clean: int

    @property
    def detection(self) -> float:
        """Flagged share of flawed notes, in [0, 1]; higher is better."""
        return self.detected / self.n_flawed

    @property
    def false_alarm_rate(self) -> float:
        """Flagged share of clean notes, in [0, 1]; lower is better."""
        return self.false_alarms / self.n_clean

    @property
    def false_alarm_upper95(self) -> float:
        """One-sided 95% Clopper-Pearson upper bound of the false-alarm rate."""
        return clopper_pearson_upper(self.false_alarms, self.n_clean)


@dataclass(frozen=True, slots=True)
class Measures:
    """All point measures of one candidate on one set; None where the number does not exist.

    ``*_dropped`` leave unreadable pairs out; everything else reads failures as the worst case.
    Severity, operating point, AUC and weighted detection are of omission notes, the latter three against
    all clean notes.
    """

    consultations: int
    pairs: int
    clean_notes: int
    omissions: Paired | None
    commissions: Paired | None
    omissions_dropped: Paired | None
    commissions_dropped: Paired | None
    by_class: Mapping[str, Paired]
    by_severity: Mapping[str, Paired]
    operating: OperatingPoint | None
    auc: float | None
    weighted_detection: float | None
    failed_flawed: int
    failed_clean: int


def pair_outcomes(table: ScoreTable, failures: Failures = "worst") -> NDArray[np.float64]:
    """Outcome of each pair, (pairs,), in [0, 1]: the mean over all flawed x clean replicates of 1, 1/2 or 0.

    1 where the flawed note scores below its clean twin, 1/2 where they tie, 0 otherwise.
    A combination with a failure counts 0 (``worst``) or is left out (``dropped``: NaN where
    nothing is left).
    """
    flawed, clean = table.flawed[:, :, None], table.clean[table.clean_of][:, None, :]
    won = np.sum((flawed < clean) + 0.5 * (flawed == clean), axis=(1, 2))
    if failures == "worst":
        return np.asarray(won / (flawed.shape[1] * clean.shape[2]), dtype=np.float64)
    readable = np.sum(~np.isnan(flawed) & ~np.isnan(clean), axis=(1, 2))
    return np.where(readable > 0, won / np.maximum(readable, 1), np.nan)


def paired_discrimination(outcomes: ArrayLike) -> Paired:
    """Mean of pair outcomes (n,), NaN left out; MetricUndefined where nothing is left.

    >>> paired_discrimination([1.0, 0.5, 0.0, 1.0])
    Paired(value=0.625, wins=2, ties=1, losses=1, n=4)
    """
    values = np.asarray(outcomes, dtype=np.float64)
    values = values[~np.isnan(values)]
    if not values.size:
        raise MetricUndefined("paired discrimination", "no readable pair", "At least one pair is needed.")
    wins, losses = int((values > 0.5).sum()), int((values < 0.5).sum())
    return Paired(float(values.mean()), wins, values.size - wins - losses, losses, values.size)


def by_class(table: ScoreTable, outcomes: NDArray[np.float64]) -> dict[str, Paired]:
    """Paired discrimination of each pair class that has a readable pair, in the canonical order."""
    return _by(table.pair_class, PAIR_CLASSES, outcomes)


def by_severity(table: ScoreTable, outcomes: NDArray[np.float64]) -> dict[str, Paired]:
    """Paired discrimination of each severity that has a readable pair, from critical down."""
    return _by(table.severity, SEVERITIES, outcomes)


def note_scores(table: ScoreTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """One score a note, flawed (pairs,) and clean (clean notes,): below a threshold iff most replicates are.

    It is element R // 2 of the R sorted replicates, so half is not a majority. A failure is the worst case:
    +inf (never flagged) on a flawed note, -inf (always flagged) on a clean one.
    """
    flawed = np.sort(np.where(np.isnan(table.flawed), np.inf, table.flawed), axis=1)
    clean = np.sort(np.where(np.isnan(table.clean), -np.inf, table.clean), axis=1)
    return flawed[:, flawed.shape[1] // 2], clean[:, clean.shape[1] // 2]


def sweep_threshold(flawed: ArrayLike, clean: ArrayLike, cap: float) -> OperatingPoint:
    """The operating point with the highest detection whose false-alarm rate is at most ``cap``.

    Candidates are the distinct finite scores and one value above the largest; ties go to the lower
    false-alarm rate, then to the lower threshold. The rates are of the very notes that chose the
    threshold, hence optimistic. MetricUndefined without notes on either side, or where failures alone exceed the cap.
    """
    low, high = _sides(flawed, clean)
    observed = np.unique(np.concatenate([low, high]))
    observed = observed[np.isfinite(observed)]
    if not observed.size:
        raise MetricUndefined("sweeping the threshold", "no readable score", "At least one note must be readable.")
    thresholds = np.append(observed, np.nextafter(observed[-1], np.inf))
    detected = np.searchsorted(np.sort(low), thresholds, side="left")
    alarms = np.searchsorted(np.sort(high), thresholds, side="left")
    feasible = np.flatnonzero(alarms / high.size <= cap + CAP_TOLERANCE)
    if not feasible.size:
        raise MetricUndefined(
            "sweeping the threshold",
            f"{alarms[0]} of {high.size} clean notes without a readable score",
            f"No threshold can keep the false-alarm rate at {cap:g}; mend the failures first.",
        )
    best = min(feasible, key=lambda i: (-detected[i], alarms[i], thresholds[i]))
    return OperatingPoint(float(thresholds[best]), int(detected[best]), low.size, int(alarms[best]), high.size)


def apply_threshold(flawed: ArrayLike, clean: ArrayLike, threshold: float) -> OperatingPoint:
    """The operating point of a threshold that was fixed beforehand; MetricUndefined without notes on either side."""
    low, high = _sides(flawed, clean)
    return OperatingPoint(threshold, int((low < threshold).sum()), low.size, int((high < threshold).sum()), high.size)


def detection_by_class(table: ScoreTable, threshold: float) -> dict[str, tuple[int, int]]:
    """Pair class -> (flagged, flawed notes) at a threshold; quote it beside the false-alarm rate only."""
    flags = note_scores(table)[0] < threshold
    masks = {name: table.pair_class == name for name in PAIR_CLASSES}
    return {name: (int(flags[mask].sum()), int(mask.sum())) for name, mask in masks.items() if mask.any()}


def auc(flawed: ArrayLike, clean: ArrayLike) -> float:
    """Share of flawed x clean combinations with the flawed note below, ties half; in [0, 1], higher is better.

    >>> auc([1, 2], [2, 3])
    0.875
    """
    low, high = _sides(flawed, clean)
    ordered = np.sort(high)
    not_above = np.searchsorted(ordered, low, side="right")
    below = np.searchsorted(ordered, low, side="left")
    return float((high.size - not_above + 0.5 * (not_above - below)).sum() / (low.size * high.size))


def separation(scores: ArrayLike, is_flawed: ArrayLike) -> float:
    """AUC over the notes of one minibatch: ``scores`` and ``is_flawed`` are (notes,)."""
    values, mask = np.asarray(scores, dtype=np.float64), np.asarray(is_flawed, dtype=np.bool_)
    return auc(values[mask], values[~mask])


def severity_weighted_detection(flags: ArrayLike, severity: NDArray[np.str_]) -> float:
    """Flagged share of notes (n,) with weights critical 1, supporting 0.5, peripheral 0.25.

    MetricUndefined where a note is not graded or there is none.
    """
    ungraded = [name for name in severity.tolist() if name not in SEVERITY_WEIGHTS]
    if ungraded or not severity.size:
        raise MetricUndefined(
            "severity-weighted detection", f"{len(ungraded)} of {severity.size} notes not graded", "Grade every defect."
        )
    weights = np.array([SEVERITY_WEIGHTS[name] for name in severity.tolist()])
    return float(weights @ np.asarray(flags, dtype=np.float64) / weights.sum())


def run_values(table: ScoreTable) -> tuple[float, ...]:
    """Paired discrimination of each replicate alone, worst case; their range is the run-to-run band.

    Flawed replicate r meets clean replicate r; MetricUndefined where the two counts differ.
    """
    runs = table.flawed.shape[1]
    if runs != table.clean.shape[1]:
        raise MetricUndefined(
            "the run-to-run band", f"{runs} flawed and {table.clean.shape[1]} clean replicates", "Use equal counts."
        )
    clean = table.clean[table.clean_of]
    return tuple(
        paired_discrimination((table.flawed[:, r] < clean[:, r]) + 0.5 * (table.flawed[:, r] == clean[:, r])).value
        for r in range(runs)
    )


def measure(table: ScoreTable, cap: float) -> Measures:
    """All point measures of a table; ``cap`` is the false-alarm rate at most, in (0, 1)."""
    worst, dropped = pair_outcomes(table), pair_outcomes(table, "dropped")
    omission, commission = is_omission(table), is_commission(table)
    flawed, clean = note_scores(select(table, omission))
    operating = _operating(flawed, clean, cap)
    return Measures(
        consultations=len(table.clusters),
        pairs=len(table.pair_ids),
        clean_notes=len(table.clean_ids),
        omissions=_paired(worst[omission]),
        commissions=_paired(worst[commission]),
        omissions_dropped=_paired(dropped[omission]),
        commissions_dropped=_paired(dropped[commission]),
        by_class=by_class(table, worst),
        by_severity=_by(table.severity[omission], SEVERITIES, worst[omission]),
        operating=operating,
        auc=auc(flawed, clean) if flawed.size else None,
        weighted_detection=_weighted(flawed, table.severity[omission], operating),
        failed_flawed=int(np.isnan(table.flawed).sum()),
        failed_clean=int(np.isnan(table.clean).sum()),
    )


def _by(labels: NDArray[np.str_], names: tuple[str, ...], outcomes: NDArray[np.float64]) -> dict[str, Paired]:
    groups = {name: _paired(outcomes[labels == name]) for name in names}
    return {name: paired for name, paired in groups.items() if paired is not None}


def _paired(outcomes: NDArray[np.float64]) -> Paired | None:
    return None if np.isnan(outcomes).all() else paired_discrimination(outcomes)


def _operating(flawed: NDArray[np.float64], clean: NDArray[np.float64], cap: float) -> OperatingPoint | None:
    try:
        return sweep_threshold(flawed, clean, cap)
    except MetricUndefined:
        return None


def _weighted(
    flawed: NDArray[np.float64], severity: NDArray[np.str_], operating: OperatingPoint | None
) -> float | None:
    if operating is None or not np.isin(severity, tuple(SEVERITY_WEIGHTS)).all():
        return None
    return severity_weighted_detection(flawed < operating.threshold, severity)


def _sides(flawed: ArrayLike, clean: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = np.asarray(flawed, dtype=np.float64), np.asarray(clean, dtype=np.float64)
    if not low.size or not high.size:
        raise MetricUndefined(
            "comparing flawed with clean notes", f"{low.size} flawed, {high.size} clean", "Both sides need a note."
        )
    if np.isnan(low).any() or np.isnan(high).any():
        raise MetricUndefined("comparing flawed with clean notes", "a NaN score", "Read failures with note_scores.")
    return low, high
