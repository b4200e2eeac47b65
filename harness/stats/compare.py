"""Comparison: everything that is said about one candidate against another on the same notes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.errors import MetricUndefined
from harness.metrics import OperatingPoint, apply_threshold, note_scores, pair_outcomes, sweep_threshold
from harness.scores import ScoreTable, is_commission, is_omission, select
from harness.stats.bootstrap import Resampling, bootstrap_mean
from harness.stats.intervals import Interval
from harness.stats.paired import McNemar, SignFlip, SignTest, mcnemar, sign_flip, sign_test
from harness.stats.power import minimum_detectable
from harness.stats.resweep import detection_difference, require_same_notes

RESWEPT_NOTES = 10_000_000  # notes whose flags are counted anew over all resamples; half a second of work or so
RESWEPT_FLOOR = 1_000  # resamples of detection at least


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate minus baseline, failures read as the worst case; positive = the candidate is better.

    ``omissions`` and ``commissions`` are differences in paired discrimination, ``detection`` one in
    detection at the cap, re-swept inside each resample. ``flip`` is the primary test; ``sign`` and
    ``flags`` ignore clustering. The operating points stand at the frozen thresholds where given, else at
    swept (optimistic) ones, which ``swept`` tells. ``detection_resamples`` is lower than
    asked where notes are many: re-sweeping costs time for each note and resample. None = the number does not
    exist for these notes.
    """

    pairs: int
    consultations: int
    omissions: Interval
    flip: SignFlip
    sign: SignTest
    commissions: Interval | None
    swept: bool
    candidate_point: OperatingPoint | None
    baseline_point: OperatingPoint | None
    flags: McNemar | None
    detection: Interval | None
    detection_resamples: int
    minimum_detectable: float | None


def compare(
    candidate: ScoreTable,
    baseline: ScoreTable,
    cap: float,
    rng: np.random.Generator,
    resamples: int = 10_000,
    thresholds: tuple[float, float] | None = None,
) -> Comparison:
    """Compare two candidates on the same pairs; ``thresholds`` are frozen ones, (candidate, baseline).

    ``pairs`` and ``consultations`` count the omission pairs and where they come from. DataError where the tables
    hold different notes; MetricUndefined without omission pairs of two consultations.
    """
    require_same_notes(candidate, baseline)
    plan = Resampling(resamples)
    omission, commission = is_omission(candidate), is_commission(candidate)
    left, right = select(candidate, omission), select(baseline, omission)
    a, b = pair_outcomes(left), pair_outcomes(right)
    fewer = Resampling(_affordable(left, resamples))
    all_differences = pair_outcomes(candidate) - pair_outcomes(baseline)
    frozen = thresholds or (None, None)
    points = _point(left, cap, frozen[0]), _point(right, cap, frozen[1])
    return Comparison(
        pairs=len(left.pair_ids),
        consultations=len(np.unique(left.cluster)),
        omissions=bootstrap_mean(a - b, left.cluster, rng, plan),
        flip=sign_flip(a - b, left.cluster, rng),
        sign=sign_test(a, b),
        commissions=_mean_or_none(all_differences[commission], candidate.cluster[commission], rng, plan),
        swept=thresholds is None,
        candidate_point=points[0],
        baseline_point=points[1],
        flags=_flags(left, right, points),
        detection=_detection(left, right, cap, rng, fewer),
        detection_resamples=fewer.resamples,
        minimum_detectable=_detectable(a - b, left.cluster),
    )


def _affordable(table: ScoreTable, resamples: int) -> int:
    notes = len(table.pair_ids) + len(table.clean_ids)
    return min(resamples, max(RESWEPT_FLOOR, RESWEPT_NOTES // notes))


def _point(table: ScoreTable, cap: float, threshold: float | None) -> OperatingPoint | None:
    flawed, clean = note_scores(table)
    if threshold is not None:
        return apply_threshold(flawed, clean, threshold)
    try:
        return sweep_threshold(flawed, clean, cap)
    except MetricUndefined:
        return None


def _flags(
    left: ScoreTable, right: ScoreTable, points: tuple[OperatingPoint | None, OperatingPoint | None]
) -> McNemar | None:
    if points[0] is None or points[1] is None:
        return None
    return mcnemar(note_scores(left)[0] < points[0].threshold, note_scores(right)[0] < points[1].threshold)


def _mean_or_none(
    values: NDArray[np.float64], clusters: NDArray[np.intp], rng: np.random.Generator, plan: Resampling
) -> Interval | None:
    try:
        return bootstrap_mean(values, clusters, rng, plan)
    except MetricUndefined:
        return None


def _detection(
    left: ScoreTable, right: ScoreTable, cap: float, rng: np.random.Generator, plan: Resampling
) -> Interval | None:
    try:
        return detection_difference(left, right, cap, rng, plan)
    except MetricUndefined:
        return None


def _detectable(differences: NDArray[np.float64], clusters: NDArray[np.intp]) -> float | None:
    try:
        return minimum_detectable(differences, clusters)
    except MetricUndefined:
        return None
