"""The outcomes of one cell -> its figures, and its figures against another cell's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from harness import metrics
from harness.errors import MetricUndefined
from harness.joint import joint_flags, joint_point
from harness.judges.build import score_range
from harness.outcomes import Failure, Judgement, Outcome, Usage
from harness.scores import ScoreTable, is_commission, is_omission, select, tabulate
from harness.stats.bootstrap import Resampling, bootstrap_mean, false_alarm_upper
from harness.stats.intervals import Interval, clopper_pearson_upper
from harness.stats.paired import sign_flip
from harness.types import PairSet
from optimiser.confirmation import Difference, Paired, Rate
from optimiser.grid.cells import Cell
from optimiser.grid.levers import Measure, Profile
from optimiser.grid.records import Bounded, CellReading, Contrast, Costs, Flagged
from optimiser.records import CandidateRecord

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A cell with its outcomes on the notes that all cells judged: as scores, and as flags of its own rule.

    ``ruled`` holds 0 where a note is flagged and 1 where it is not; None where the judge has no rule.
    """

    cell: Cell
    outcomes: tuple[Outcome, ...]
    pair_set: PairSet
    table: ScoreTable
    ruled: ScoreTable | None


def see_cell(cell: Cell, outcomes: Sequence[Outcome], pair_set: PairSet) -> Seen:
    """Arrange a cell's outcomes; MetricUndefined for a set without pairs."""
    ids = {note.id for pair in pair_set.pairs for note in (pair.clean, pair.flawed)}
    here = tuple(outcome for outcome in outcomes if outcome.note_id in ids)
    scored = [outcome for outcome in here if isinstance(outcome, Judgement)]
    ruled = None
    if scored and all(outcome.flagged is not None for outcome in scored):
        ruled = _retabulated(pair_set, here, [0.0 if o.flagged else 1.0 for o in scored])
    return Seen(cell, here, pair_set, tabulate(pair_set, here), ruled)


def unread_cell(cell: Cell, outcomes: Sequence[Outcome], wanted: int, bought: Mapping[str, int]) -> CellReading:
    """A cell's identity and counts, without figures."""
    return CellReading(
        name=cell.name,
        id=cell.id,
        model=cell.model.model,
        settings=cell.judge.model_dump(mode="json"),
        candidate=CandidateRecord.of(cell.candidate),
        levers=dict(cell.levers),
        judged=len(outcomes),
        wanted=wanted,
        failures=dict(sorted(Counter(o.reason for o in outcomes if isinstance(o, Failure)).items())),
        bought=dict(bought),
    )


def read_cell(unread: CellReading, seen: Seen, cap: float, rng: np.random.Generator, plan: Resampling) -> CellReading:
    """The cell with its figures; failures are read as the worst case."""
    table, measures = seen.table, metrics.measure(seen.table, cap)
    omission, commission = is_omission(table), is_commission(table)
    own = _own(seen, rng, plan)
    figures = {
        "omissions": _bounded(table, omission, rng, plan),
        "commissions": _bounded(table, commission, rng, plan),
        "by_class": _each(measures.by_class),
        "by_severity": _each(measures.by_severity),
        "own": own,
        "at_cap": _at_cap(seen, cap, rng, plan),
        "at_own": None if own is None else _at_cap(seen, own.false_alarms.value, rng, plan),
        "auc": measures.auc,
        "costs": _costs(seen.outcomes),
    }
    return unread.model_copy(update=figures)


def contrast(seen: Seen, other: Seen, rng: np.random.Generator, plan: Resampling) -> Contrast | None:
    """One cell minus another on the same pairs; None where no interval exists (fewer than two consultations)."""
    differences = metrics.pair_outcomes(seen.table) - metrics.pair_outcomes(other.table)
    mask, clusters = is_omission(seen.table), seen.table.cluster
    omissions = _difference(differences[mask], clusters[mask], rng, plan)
    if omissions is None:
        return None
    rest = is_commission(seen.table)
    flip = sign_flip(differences[mask], clusters[mask], rng)
    return Contrast(
        omissions=omissions,
        commissions=_difference(differences[rest], clusters[rest], rng, plan),
        p=flip.p,
        adjusted_p=None,
        n_informative=flip.n_informative,
    )


def profile_of(seen: Seen) -> Profile:
    """The cell as lever attribution sees it."""
    table, outcomes = seen.table, metrics.pair_outcomes(seen.table)
    omission, commission = is_omission(table), is_commission(table)
    low, high = score_range(seen.cell.judge.kind)
    clean = (table.clean.mean(axis=1) - low) / (high - low)  # a clean note with a failure has no mean
    clean = np.where(math.isfinite(high - low), clean, np.nan)
    flags = _own_flags(seen)
    return Profile(
        name=seen.cell.name,
        levers=seen.cell.levers,
        omissions=Measure(outcomes[omission], table.cluster[omission]),
        commissions=Measure(outcomes[commission], table.cluster[commission]),
        clean_score=Measure(clean, table.clean_cluster),
        false_alarms=None if flags is None else Measure(flags[1].astype(np.float64), table.clean_cluster),
        detection=None if flags is None else Measure(flags[0].astype(np.float64), table.cluster[omission]),
    )


def _bounded(table: ScoreTable, mask: Flags, rng: np.random.Generator, plan: Resampling) -> Bounded | None:
    outcomes = metrics.pair_outcomes(table)[mask]
    if not outcomes.size:
        return None
    paired = metrics.paired_discrimination(outcomes)
    interval = _interval(outcomes, table.cluster[mask], rng, plan)
    return Bounded(
        **_paired(paired).model_dump(),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )


def _own_flags(seen: Seen) -> tuple[Flags, Flags] | None:
    """Flagged omission notes and flagged clean notes by the judge's own rule."""
    if seen.ruled is None:
        return None
    flawed, clean = metrics.note_scores(select(seen.ruled, is_omission(seen.ruled)))
    return flawed < 0.5, clean < 0.5


def _own(seen: Seen, rng: np.random.Generator, plan: Resampling) -> Flagged | None:
    flags = _own_flags(seen)
    return None if flags is None else _flagged((), flags, seen.table, rng, plan)


def _at_cap(seen: Seen, cap: float, rng: np.random.Generator, plan: Resampling) -> Flagged | None:
    """Marks swept under the cap; a judge of two parts has a mark for each, chosen jointly."""
    try:
        joined = _parts(seen)
        if joined is not None:
            marks = joint_point(*joined, cap)
            flags = joint_flags(joined[0], marks), joint_flags(joined[1], marks)
            return _flagged(marks, flags, seen.table, rng, plan)
        flawed, clean = metrics.note_scores(select(seen.table, is_omission(seen.table)))
        mark = metrics.sweep_threshold(flawed, clean, cap).threshold
    except MetricUndefined:
        return None
    return _flagged((mark,), (flawed < mark, clean < mark), seen.table, rng, plan)


def _parts(seen: Seen) -> tuple[Floats, Floats] | None:
    """The two parts of each omission note and of each clean note, (notes, 2); None for a judge of one part."""
    scored = [outcome for outcome in seen.outcomes if isinstance(outcome, Judgement)]
    if not scored or any(len(outcome.parts) != 2 for outcome in scored):
        return None
    tables = [_retabulated(seen.pair_set, seen.outcomes, [o.parts[part] for o in scored]) for part in (0, 1)]
    sides = [metrics.note_scores(select(table, is_omission(table))) for table in tables]
    return np.column_stack([side[0] for side in sides]), np.column_stack([side[1] for side in sides])


def _retabulated(pair_set: PairSet, outcomes: Sequence[Outcome], values: Sequence[float]) -> ScoreTable:
    """The same table with other values for the judgements, in their order; failures stay failures."""
    waiting = iter(values)
    return tabulate(pair_set, [replace(o, score=next(waiting)) if isinstance(o, Judgement) else o for o in outcomes])


def _flagged(
    marks: tuple[float, ...], flags: tuple[Flags, Flags], table: ScoreTable, rng: np.random.Generator, plan: Resampling
) -> Flagged | None:
    detected, alarmed = flags
    if not detected.size or not alarmed.size:
        return None
    hits, alarms = int(detected.sum()), int(alarmed.sum())
    try:
        upper = false_alarm_upper(alarmed, table.clean_cluster, rng, plan)
    except MetricUndefined:
        upper = clopper_pearson_upper(alarms, alarmed.size)
    return Flagged(
        marks=marks,
        detection=Rate(count=hits, n=detected.size, upper=clopper_pearson_upper(hits, detected.size)),
        false_alarms=Rate(count=alarms, n=alarmed.size, upper=upper),
    )


def _costs(outcomes: Sequence[Outcome]) -> Costs:
    usage, n = sum((outcome.usage for outcome in outcomes), Usage()), len(outcomes)
    return Costs(
        calls=usage.calls / n,
        tokens=(usage.prompt_tokens + usage.completion_tokens) / n,
        reasoning_tokens=usage.reasoning_tokens / n,
        dollars=None if usage.cost is None else usage.cost / n,
        latency=usage.latency / n,
    )


def _each(measures: Mapping[str, metrics.Paired]) -> dict[str, Paired]:
    return {name: _paired(paired) for name, paired in measures.items()}


def _paired(paired: metrics.Paired) -> Paired:
    return Paired(value=paired.value, wins=paired.wins, ties=paired.ties, losses=paired.losses, n=paired.n)


def _interval(
    values: Floats, clusters: NDArray[np.intp], rng: np.random.Generator, plan: Resampling
) -> Interval | None:
    try:
        return bootstrap_mean(values, clusters, rng, plan)
    except MetricUndefined:
        return None


def _difference(
    values: Floats, clusters: NDArray[np.intp], rng: np.random.Generator, plan: Resampling
) -> Difference | None:
    found = _interval(values, clusters, rng, plan)
    return None if found is None else Difference(value=found.value, low=found.low, high=found.high)
