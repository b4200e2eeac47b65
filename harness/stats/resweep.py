"""Bootstrap of detection at the cap, with the threshold chosen again inside each resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.errors import DataError
from harness.metrics import CAP_TOLERANCE, note_scores, sweep_threshold
from harness.scores import ScoreTable
from harness.stats.bootstrap import DEFAULT, Resampling, percentile_interval
from harness.stats.clusters import CHUNK_CELLS, resample_counts
from harness.stats.common import same_notes
from harness.stats.intervals import Interval

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """The cluster of each note, notes by ascending score; and how many notes lie below each threshold, ascending.

    ``flawed`` (pairs,) and ``clean`` (clean notes,) hold cluster codes, ``flawed_below`` and ``clean_below``
    (thresholds,) counts of notes, ``n_flawed`` and ``n_clean`` (clusters,) the notes of each cluster.
    """

    flawed: Codes
    clean: Codes
    flawed_below: Codes
    clean_below: Codes
    n_flawed: Floats
    n_clean: Floats


def detection_interval(table: ScoreTable, cap: float, rng: np.random.Generator, plan: Resampling = DEFAULT) -> Interval:
    """Percentile interval of the detection rate at false-alarm cap ``cap``, over all pairs of the table.

    MetricUndefined where the whole table has no operating point.
    """
    value = sweep_threshold(*note_scores(table), cap).detection
    draws = _draws([count_flags(table)], cap, rng, plan.resamples)
    return percentile_interval(value, draws[0], plan.level)


def detection_difference(
    candidate: ScoreTable, baseline: ScoreTable, cap: float, rng: np.random.Generator, plan: Resampling = DEFAULT
) -> Interval:
    """Percentile interval of detection(candidate) - detection(baseline), each at its own re-swept threshold.

    Both tables hold the same pairs in the same order (else DataError), and every resample draws the same
    consultations for both. A resample in which failures alone exceed the cap detects nothing.
    """
    require_same_notes(candidate, baseline)
    value = (
        sweep_threshold(*note_scores(candidate), cap).detection - sweep_threshold(*note_scores(baseline), cap).detection
    )
    draws = _draws([count_flags(candidate), count_flags(baseline)], cap, rng, plan.resamples)
    return percentile_interval(value, draws[0] - draws[1], plan.level)


def require_same_notes(candidate: ScoreTable, baseline: ScoreTable) -> None:
    """DataError unless both tables hold the same pairs, twins and consultations in the same order."""
    if not same_notes(candidate, baseline):
        raise DataError(
            "comparing two candidates",
            f"{len(candidate.pair_ids)} and {len(baseline.pair_ids)} pairs that are not the same",
            "Judge the same pairs with both.",
        )


def count_flags(table: ScoreTable) -> Flags:
    """Order the notes of a table by score and count what each useful threshold flags.

    The false-alarm rate only changes just above a clean score, so the distinct clean scores and one
    value above all scores reach every best operating point of every resample.
    """
    flawed, clean = note_scores(table)
    everything = np.concatenate([flawed, clean])
    top = np.nextafter(np.max(everything, where=np.isfinite(everything), initial=-np.inf), np.inf)
    thresholds = np.append(np.unique(clean[np.isfinite(clean)]), top)
    n = len(table.clusters)
    low, high = np.argsort(flawed, kind="stable"), np.argsort(clean, kind="stable")
    return Flags(
        flawed=table.cluster[low],
        clean=table.clean_cluster[high],
        flawed_below=np.searchsorted(flawed[low], thresholds, side="left"),
        clean_below=np.searchsorted(clean[high], thresholds, side="left"),
        n_flawed=np.bincount(table.cluster, minlength=n).astype(np.float64),
        n_clean=np.bincount(table.clean_cluster, minlength=n).astype(np.float64),
    )


def swept_detection(flags: Flags, counts: Floats, cap: float) -> Floats:
    """Detection at the cap in each resample, (resamples,); NaN where a resample has no note of a side.

    ``counts`` (resamples, clusters) says how often each consultation is drawn. Both rates rise with the
    threshold, so the best feasible threshold is the highest one.
    """
    n_flawed, n_clean = counts @ flags.n_flawed, counts @ flags.n_clean
    rows = max(1, CHUNK_CELLS // max(flags.flawed.size, flags.clean.size))
    starts = range(0, len(counts), rows)
    detected = np.concatenate([_detected(flags, counts[start : start + rows], cap) for start in starts])
    defined = (n_flawed > 0) & (n_clean > 0)
    return np.where(defined, detected / np.maximum(n_flawed, 1), np.nan)


def _draws(flags: list[Flags], cap: float, rng: np.random.Generator, resamples: int) -> list[Floats]:
    blocks = [
        [swept_detection(one, counts, cap) for one in flags]
        for counts in resample_counts(len(flags[0].n_clean), resamples, rng)
    ]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _detected(flags: Flags, counts: Floats, cap: float) -> Floats:
    """How many flawed notes the best feasible threshold of each resample flags, (resamples,); 0 without one."""
    alarms = _running(counts, flags.clean)
    feasible = (alarms[:, flags.clean_below] <= (cap + CAP_TOLERANCE) * alarms[:, -1:]).sum(axis=1)
    below = flags.flawed_below[np.maximum(feasible - 1, 0)]
    found = _running(counts, flags.flawed[: below.max()])[np.arange(len(counts)), below]
    return np.where(feasible > 0, found, 0.0)


def _running(counts: Floats, codes: Codes) -> Floats:
    """Running totals of how often notes are drawn, from none on: (resamples, notes + 1)."""
    totals = np.zeros((len(counts), codes.size + 1))
    np.cumsum(counts[:, codes], axis=1, out=totals[:, 1:])
    return totals
