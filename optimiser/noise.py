"""The noise floor: the baseline judge against itself, before anything is compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from harness.errors import MetricUndefined
from harness.metrics import apply_threshold, note_scores, run_values, sweep_threshold
from harness.outcomes import Judgement, Outcome
from harness.scores import ScoreTable, tabulate
from harness.types import PairSet
from optimiser.config import CampaignConfig
from optimiser.folds import Part
from optimiser.null_races import RACES, simulate_races
from optimiser.records import NoiseRow, Spend

Floats = NDArray[np.float64]
PER_UNIT = 2  # pairs of one consultation: the fewest that show what a shared clean twin does


@dataclass(frozen=True, slots=True)
class Variances:
    """Variance of a consultation's mean pair outcome over reruns, by what was rerun; all >= 0."""

    flawed: float
    clean: float
    both: float

    def with_clean_scored(self, times: int) -> float:
        """The variance when every clean twin is scored ``times`` times."""
        return self.flawed + (self.clean + self.both) / times


def sample_pairs(fold: Part, omissions_only: bool, notes: int, seed: int) -> PairSet:
    """At most ``notes`` clean and flawed notes: whole consultations by seed, two pairs of the objective each."""
    chosen = []
    left = notes
    for index in np.random.default_rng([seed, 4]).permutation(len(fold.units)):
        pairs = [p for p in fold.of([fold.units[index]]).pairs if not omissions_only or p.defect.kind == "omission"]
        pairs = pairs[:PER_UNIT]
        left -= len(pairs) + len({p.clean.id for p in pairs})
        if left < 0:
            break
        chosen += pairs
    return replace(fold.pair_set.of(p.consultation_id for p in chosen), pairs=tuple(chosen))


def noise_row(
    config: CampaignConfig, pair_set: PairSet, outcomes: Sequence[Outcome], fold: Part, reasoning: Mapping[str, float]
) -> NoiseRow:
    """Read the repeats of one candidate on a sample; ``spend`` is filled in by whoever paid.

    ``outcomes`` hold ``noise.replicates`` readings of every note, clean and flawed alike; ``fold`` is where children
    will race; ``reasoning`` is effort -> mean reasoning tokens where efforts were probed.
    """
    table = tabulate(pair_set, outcomes)
    means, rerun = _tables(table), _rerun(table)
    parts = variance_parts(means)
    return NoiseRow(
        candidate=outcomes[0].candidate_id,
        consultations=len(means),
        pairs=len(table.pair_ids),
        notes=len(table.pair_ids) + len(table.clean_ids),
        replicates=table.flawed.shape[1],
        equal_repeats=_round(_equal_repeats(table)),
        tied_pairs=_round(float(np.mean(table.flawed[:, :, None] == table.clean[table.clean_of][:, None, :]))),
        paired_runs=tuple(_round(value) for value in run_values(table)),
        detection_runs=_detection_runs(table, config.acceptance.cap),
        clean_replicates=config.acceptance.clean_replicates,
        variance_once=_round(parts.with_clean_scored(1)),
        variance_replicated=_round(parts.with_clean_scored(config.acceptance.clean_replicates)),
        rerun_variance=_round(rerun[0]),
        rerun_correlation=_round(rerun[1]),
        races=simulate_races(
            _null_streams(means, len(fold.units), config.seed),
            config.engine.minibatch,
            judgements_per_unit(config, fold),
            config.acceptance,
        ),
        failures=sum(not isinstance(outcome, Judgement) for outcome in outcomes),
        reasoning={effort: _round(tokens) for effort, tokens in reasoning.items()},
        ignored=ignored_parameters(config, outcomes, reasoning),
        spend=Spend(),
    )


def judgements_per_unit(config: CampaignConfig, fold: Part) -> float:
    """Judgements that one racing consultation takes, child and parent together."""
    clean = len({pair.clean.id for pair in fold.pair_set.pairs})
    settings = config.acceptance
    notes = clean * settings.training_clean_replicates + len(fold.pair_set.pairs) * settings.training_flawed_replicates
    return 2 * notes / max(len(fold.units), 1)


def variance_parts(means: Floats) -> Variances:
    """Components of (consultations, flawed runs, clean runs), two-way random effects pooled over consultations.

    Method of moments (Searle, Casella and McCulloch 1992, "Variance Components", chapter 4), cut off at zero.
    """
    runs = means.shape[1]
    rows, columns = means.mean(axis=2), means.mean(axis=1)
    grand = means.mean(axis=(1, 2), keepdims=True)
    rest = means - rows[:, :, None] - columns[:, None, :] + grand
    both = float((rest**2).sum(axis=(1, 2)).mean()) / (runs - 1) ** 2
    flawed = float(rows.var(axis=1, ddof=1).mean()) - both / runs
    clean = float(columns.var(axis=1, ddof=1).mean()) - both / runs
    return Variances(max(flawed, 0.0), max(clean, 0.0), both)


def ignored_parameters(
    config: CampaignConfig, outcomes: Sequence[Outcome], reasoning: Mapping[str, float]
) -> tuple[str, ...]:
    """What was asked for and visibly changes nothing, in words."""
    found = []
    texts: dict[str, set[str]] = {}
    for outcome in outcomes:
        texts.setdefault(outcome.note_id, set()).add(outcome.text)
    temperature = config.model.temperature if config.judge.temperature is None else config.judge.temperature
    if temperature and all(len(replies) == 1 and "" not in replies for replies in texts.values()):
        found.append(
            f"seed: every repeat came back word for word at temperature {temperature:g}, so repeats measure no noise"
        )
    if len(reasoning) > 1 and len(set(reasoning.values())) == 1:
        tokens = next(iter(reasoning.values()))
        found.append(
            f"effort: {tokens:g} reasoning tokens at each of {', '.join(reasoning)}; the ladder compares equal things"
        )
    return tuple(found)


def _outcomes(table: ScoreTable) -> Floats:
    """Each pair's outcome by (pair, flawed run, clean run); a failure is a loss."""
    flawed, clean = table.flawed[:, :, None], table.clean[table.clean_of][:, None, :]
    return np.asarray((flawed < clean) + 0.5 * (flawed == clean), dtype=np.float64)


def _tables(table: ScoreTable) -> Floats:
    """Mean outcome by (consultation, flawed run, clean run)."""
    outcomes = _outcomes(table)
    return np.stack([outcomes[table.cluster == code].mean(axis=0) for code in np.unique(table.cluster)])


def _reruns(values: Floats) -> Floats:
    """Differences between all pairs of runs that share no reading: (rows, runs, runs) -> (rows, differences)."""
    runs = range(values.shape[1])
    moves = [(a, b, c, d) for a in runs for b in runs if a != b for c in runs for d in runs if c != d]
    return np.stack([values[:, a, c] - values[:, b, d] for a, b, c, d in moves], axis=1)


def _rerun(table: ScoreTable) -> tuple[float, float]:
    """Variance of a pair's difference between two reruns, and the correlation inside consultations (0 if unseen)."""
    differences = _reruns(_outcomes(table))
    variance = float((differences**2).mean())
    codes, sizes = np.unique(table.cluster, return_counts=True)
    combinations_ = float((sizes * (sizes - 1)).sum())
    if not variance or not combinations_:
        return variance, 0.0
    sums = np.stack([differences[table.cluster == code].sum(axis=0) for code in codes])
    products = float((sums**2).mean(axis=1).sum()) - float((differences**2).mean(axis=1).sum())
    return variance, products / combinations_ / variance


def _null_streams(means: Floats, length: int, seed: int) -> Floats:
    """Differences of an equal child: drawn from those between reruns of the same judge."""
    pool = _reruns(means).ravel()
    return np.random.default_rng([seed, 5]).choice(pool, size=(RACES, length))


def _equal_repeats(table: ScoreTable) -> float:
    pairs = list(combinations(range(table.flawed.shape[1]), 2))
    same = [scores[:, a] == scores[:, b] for scores in (table.flawed, table.clean) for a, b in pairs]
    return float(np.concatenate(same).mean())


def _detection_runs(table: ScoreTable, cap: float) -> tuple[float, ...]:
    try:
        threshold = sweep_threshold(*note_scores(table), cap).threshold
    except MetricUndefined:
        return ()
    runs = range(table.flawed.shape[1])
    single = [replace(table, flawed=table.flawed[:, [r]], clean=table.clean[:, [r]]) for r in runs]
    return tuple(_round(apply_threshold(*note_scores(run), threshold).detection) for run in single)


def _round(value: float) -> float:
    return round(float(value), 6)
