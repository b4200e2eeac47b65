"""Score tables of one rung -> the readings of a candidate, the comparison of two, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness import metrics
from harness.errors import MetricUndefined
from harness.outcomes import Failure, Outcome, Usage
from harness.scores import ScoreTable, is_commission, is_omission, select
from harness.stats.bootstrap import Resampling, bootstrap_mean, false_alarm_upper
from harness.stats.holm import holm
from harness.stats.intervals import Interval, clopper_pearson_upper
from harness.stats.paired import mcnemar, sign_flip, sign_test
from harness.stats.power import minimum_detectable
from harness.stats.resweep import require_same_notes
from harness.stats.spending import share_of
from optimiser.confirmation import (
    CandidateReading,
    Comparison,
    Difference,
    OperatingReading,
    Paired,
    PairedReadings,
    PrimaryTest,
    Rate,
    SplitTest,
    Verdict,
)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One candidate's outcomes on one set, as arrays; ``threshold`` was fixed elsewhere (None = none feasible)."""

    candidate: str
    table: ScoreTable
    outcomes: tuple[Outcome, ...]
    threshold: float | None


def read_candidate(found: Measured, cap: float, rng: np.random.Generator, plan: Resampling) -> CandidateReading:
    """All figures of one candidate; MetricUndefined for a set without omission pairs."""
    table = found.table
    measures = metrics.measure(table, cap)
    omissions = _readings(measures.omissions, measures.omissions_dropped)
    if omissions is None:
        raise MetricUndefined("reading a candidate", "no omission pair", "Confirm on a set with omission pairs.")
    omitted = select(table, is_omission(table))
    frozen = None if found.threshold is None else _operating(omitted, found.threshold, rng, plan)
    swept = None if measures.operating is None else _operating(omitted, measures.operating.threshold, rng, plan)
    usage = sum((outcome.usage for outcome in found.outcomes), Usage())
    asked = len(found.outcomes)
    return CandidateReading(
        candidate=found.candidate,
        omissions=omissions,
        commissions=_readings(measures.commissions, measures.commissions_dropped),
        by_class=_each(measures.by_class),
        by_severity=_each(measures.by_severity),
        frozen=frozen,
        re_swept=swept,
        auc=measures.auc,
        judgements=asked,
        failures=sum(isinstance(outcome, Failure) for outcome in found.outcomes),
        tokens_per_note=(usage.prompt_tokens + usage.completion_tokens) / asked,
        dollars_per_note=None if usage.cost is None else usage.cost / asked,
        mean_latency=usage.latency / asked,
    )


def compare_candidates(
    winner: Measured, baseline: Measured, alpha: float, rng: np.random.Generator, plan: Resampling
) -> Comparison:
    """Winner minus baseline, failures read as the worst case; ``adjusted_p`` is still the plain p.

    Raises DataError for different notes and MetricUndefined without omission pairs of two consultations.
    """
    require_same_notes(winner.table, baseline.table)
    mask = is_omission(winner.table)
    left, right = select(winner.table, mask), select(baseline.table, mask)
    a, b = metrics.pair_outcomes(left), metrics.pair_outcomes(right)
    flip, sign = sign_flip(a - b, left.cluster, rng), sign_test(a, b)
    flags, detection = _flag_tests(winner, baseline, rng, plan)
    return Comparison(
        omissions=_difference(bootstrap_mean(a - b, left.cluster, rng, plan)),
        primary=PrimaryTest(p=flip.p, adjusted_p=flip.p, n_informative=flip.n_informative),
        sign=SplitTest(winner_only=sign.wins, baseline_only=sign.losses, p=sign.p),
        mcnemar=flags,
        commissions=_commissions(winner.table, baseline.table, rng, plan),
        detection=detection,
        band=_band(right),
        minimum_detectable=_detectable(a - b, left.cluster, alpha),
    )


def adjust(comparisons: Sequence[Comparison], opening: int) -> list[Comparison]:
    """Holm's adjustment over the ladder, divided by this opening's share of alpha (see ``harness.stats.spending``)."""
    adjusted = np.minimum(holm([c.primary.p for c in comparisons]) / share_of(opening), 1.0)
    return [
        c.model_copy(update={"primary": c.primary.model_copy(update={"adjusted_p": float(p)})})
        for c, p in zip(comparisons, adjusted, strict=True)
    ]


def decide(comparison: Comparison, margin: float, alpha: float) -> Verdict:
    """The verdict of one rung, by these rules in this order (d = difference, p = adjusted p).

    - improved: p < alpha, d > 0 and the interval's low > 0
    - regressed: p < alpha and the interval's high < 0; or high < -margin
    - non-inferior: low > -margin
    - inconclusive: anything else
    """
    difference, p = comparison.omissions, comparison.primary.adjusted_p
    if p < alpha and difference.value > 0 and difference.low > 0:
        return "improved"
    if (p < alpha and difference.high < 0) or difference.high < -margin:
        return "regressed"
    return "non-inferior" if difference.low > -margin else "inconclusive"


def _operating(omitted: ScoreTable, threshold: float, rng: np.random.Generator, plan: Resampling) -> OperatingReading:
    flawed, clean = metrics.note_scores(omitted)
    point = metrics.apply_threshold(flawed, clean, threshold)
    upper = false_alarm_upper(clean < threshold, omitted.clean_cluster, rng, plan)
    return OperatingReading(
        threshold=threshold,
        detection=Rate(
            count=point.detected, n=point.n_flawed, upper=clopper_pearson_upper(point.detected, point.n_flawed)
        ),
        false_alarms=Rate(count=point.false_alarms, n=point.n_clean, upper=upper),
    )


def _flag_tests(
    winner: Measured, baseline: Measured, rng: np.random.Generator, plan: Resampling
) -> tuple[SplitTest | None, Difference | None]:
    if winner.threshold is None or baseline.threshold is None:
        return None, None
    mask = is_omission(winner.table)
    a = metrics.note_scores(winner.table)[0][mask] < winner.threshold
    b = metrics.note_scores(baseline.table)[0][mask] < baseline.threshold
    test = mcnemar(a, b)
    difference = bootstrap_mean(a.astype(float) - b.astype(float), winner.table.cluster[mask], rng, plan)
    flags = SplitTest(winner_only=test.candidate_only, baseline_only=test.baseline_only, p=test.p)
    return flags, _difference(difference)


def _commissions(
    winner: ScoreTable, baseline: ScoreTable, rng: np.random.Generator, plan: Resampling
) -> Difference | None:
    mask = is_commission(winner)
    values = (metrics.pair_outcomes(winner) - metrics.pair_outcomes(baseline))[mask]
    if len(np.unique(winner.cluster[mask])) < 2:
        return None
    return _difference(bootstrap_mean(values, winner.cluster[mask], rng, plan))


def _band(omitted: ScoreTable) -> float | None:
    if omitted.flawed.shape[1] < 2:
        return None
    values = metrics.run_values(omitted)
    return max(values) - min(values)


def _detectable(differences: NDArray[np.float64], clusters: NDArray[np.intp], alpha: float) -> float | None:
    try:
        return minimum_detectable(differences, clusters, alpha)
    except MetricUndefined:
        return None


def _difference(interval: Interval) -> Difference:
    return Difference(value=interval.value, low=interval.low, high=interval.high)


def _readings(worst: metrics.Paired | None, dropped: metrics.Paired | None) -> PairedReadings | None:
    if worst is None:
        return None
    return PairedReadings(worst_case=_paired(worst), dropped=None if dropped is None else _paired(dropped))


def _each(found: Mapping[str, metrics.Paired]) -> dict[str, Paired]:
    return {name: _paired(paired) for name, paired in found.items()}


def _paired(found: metrics.Paired) -> Paired:
    return Paired(value=found.value, wins=found.wins, ties=found.ties, losses=found.losses, n=found.n)
