"""What the splits at hand can resolve, before any judge call: detectable gains, sizes needed, false winners.

The pair counts per consultation are those of the actual splits; how much two candidates differ on a pair is assumed
(``PowerConfig``). The effective number of pairs follows from the design effect of unequal clusters (Kish 1965,
"Survey Sampling", section 5.4); detectable gains from the standard error and two t quantiles with consultations - 1
degrees of freedom (Bloom 1995, "Minimum detectable effects").
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from harness.errors import CampaignError
from harness.stats.spending import share_of
from harness.types import PairSet
from optimiser.config import AcceptanceConfig, CampaignConfig, PowerConfig
from optimiser.folds import Folds
from optimiser.noise import judgements_per_unit
from optimiser.null_races import RACES, simulate_races
from optimiser.records import NoiseRow, NullRaces

POWER = 0.8


@dataclass(frozen=True, slots=True)
class Spread:
    """Differences between two candidates on one pair: variance, and correlation inside consultations."""

    variance: float
    correlation: float


@dataclass(frozen=True, slots=True)
class SplitPower:
    """One split: its size, what it can resolve with 80% power, and the consultations that ``gain`` needs.

    ``effective`` is the number of independent pairs that would say as much. ``detectable`` is None for
    fewer than two consultations.
    """

    consultations: int
    pairs: int
    effective: float
    error: float
    alpha: float
    detectable: float | None
    gain: float
    needed: int


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Acceptance, holdout, races of equal children, and how a winner that is no better gets on.

    ``frozen_null`` bounds the chance that such a candidate is frozen, ``improved_null`` that the holdout then calls
    it improved, ``passed_null`` is the chance that it is called at least non-inferior.
    """

    assumed: PowerConfig
    acceptance: SplitPower
    holdout: SplitPower
    races: NullRaces
    frozen_null: float
    improved_null: float
    passed_null: float


def plan_power(config: CampaignConfig, folds: Folds, holdout: tuple[int, int]) -> PowerPlan:
    """Plan from the folds; ``holdout`` = its consultations and pairs, as the manifest counts them.

    Nothing of the holdout is read: its share of omission pairs is taken to be that of acceptance, and its
    consultations to be of equal size.

    Acceptance is judged one-sided at ``freeze_alpha`` for a single finalist (more finalists need a little more); the
    holdout two-sided at what its first opening may spend, shared by Holm's first step over the rungs.
    """
    settings, gain = config.acceptance, config.acceptance.gain
    accepted = replicated(assumed_spread(config.power), settings.clean_replicates)
    confirmed = replicated(assumed_spread(config.power), len(config.confirm.replicates))
    alpha = config.confirm.alpha * share_of(1)
    sizes = objective_sizes(folds.acceptance.pair_set, settings)
    omissions = sum(pair.defect.kind == "omission" for pair in folds.acceptance.pair_set.pairs)
    share = omissions / max(len(folds.acceptance.pair_set.pairs), 1)
    even = [holdout[1] * share / max(holdout[0], 1)] * holdout[0]
    found = split_power(even, confirmed, alpha / len(config.confirm.efforts), gain)
    return PowerPlan(
        assumed=config.power,
        acceptance=split_power(sizes, accepted, 2 * settings.freeze_alpha, gain),
        holdout=found,
        races=_races(config, folds),
        frozen_null=settings.freeze_alpha,
        improved_null=alpha / 2,
        passed_null=_passed(found, config.confirm.margin, alpha),
    )


def check_power(config: CampaignConfig, plan: PowerPlan, accepted: bool) -> None:
    """CampaignError where acceptance cannot resolve ``acceptance.gain`` and nobody ``accepted`` that."""
    found = plan.acceptance
    if accepted or config.underpowered or (found.detectable is not None and found.detectable <= found.gain):
        return
    if not found.pairs:
        raise CampaignError(
            "planning the campaign",
            f"no pair of the objective {config.acceptance.objective!r} on the acceptance split",
            "Bring pairs with omissions, or search over every kind of pair with acceptance.objective: all.",
        )
    limit = "nothing" if found.detectable is None else f"a gain of {found.detectable:.3f}"
    raise CampaignError(
        "planning the campaign",
        f"underpowered: {found.consultations} acceptance consultations with {found.pairs} pairs resolve {limit} with "
        f"{POWER:.0%} power, and acceptance.gain is {found.gain:g}",
        f"Use about {found.needed} acceptance consultations, raise acceptance.gain, or run with --underpowered "
        "(`underpowered: true`): then only larger gains can be found.",
    )


def assumed_spread(assumed: PowerConfig) -> Spread:
    """The spread before anything is measured, every clean twin scored once.

    >>> assumed_spread(PowerConfig(moved=0.4, half=0.5, correlation=0.5))
    Spread(variance=0.25, correlation=0.5)
    """
    return Spread(assumed.moved * (1 - 0.75 * assumed.half), assumed.correlation)  # a half step squared is a quarter


def replicated(spread: Spread, clean_replicates: int) -> Spread:
    """The spread when every clean twin is scored several times instead of once.

    The correlation inside consultations is taken to be the shared clean twin's noise, which R scores divide by R.

    >>> replicated(Spread(0.25, 0.5), 2)
    Spread(variance=0.1875, correlation=0.3333333333333333)
    """
    shared = spread.correlation / clean_replicates
    kept = 1 - spread.correlation + shared
    return Spread(spread.variance * kept, shared / kept)


def rerun_power(config: CampaignConfig, folds: Folds, row: NoiseRow) -> SplitPower:
    """Acceptance with the spread between reruns of the baseline: what no pair of candidates can fall below."""
    measured = Spread(row.rerun_variance, max(row.rerun_correlation, 0.0))
    sizes = objective_sizes(folds.acceptance.pair_set, config.acceptance)
    spread = replicated(measured, config.acceptance.clean_replicates)
    return split_power(sizes, spread, 2 * config.acceptance.freeze_alpha, config.acceptance.gain)


def split_power(sizes: Sequence[float], spread: Spread, alpha: float, gain: float) -> SplitPower:
    """Power of a split whose consultations hold ``sizes`` pairs; ``alpha`` is two-sided."""
    pairs = float(sum(sizes))
    clusters = len(sizes)
    weighted = sum(size * size for size in sizes) / pairs if pairs else 1.0
    effect = 1 + (weighted - 1) * spread.correlation
    error = math.sqrt(spread.variance * effect / pairs) if pairs else math.inf
    return SplitPower(
        consultations=clusters,
        pairs=round(pairs),
        effective=pairs / effect,
        error=error,
        alpha=alpha,
        detectable=error * _quantiles(clusters, alpha) if clusters > 1 else None,
        gain=gain,
        needed=_needed(error * math.sqrt(clusters), alpha, gain) if pairs else 0,
    )


def objective_sizes(pair_set: PairSet, settings: AcceptanceConfig) -> list[int]:
    """Pairs of the objective per consultation that has any."""
    counted = Counter(
        pair_set.cluster(pair)
        for pair in pair_set.pairs
        if settings.objective == "all" or pair.defect.kind == "omission"
    )
    return sorted(counted.values())


def _needed(spread: float, alpha: float, gain: float) -> int:
    n = 2
    while spread / math.sqrt(n) * _quantiles(n, alpha) > gain:
        n = max(n + 1, int(n * 1.02))
    return n


def _quantiles(clusters: int, alpha: float) -> float:
    return float(t.ppf(1 - alpha / 2, clusters - 1) + t.ppf(POWER, clusters - 1))


def _passed(found: SplitPower, margin: float, alpha: float) -> float:
    if found.consultations < 2:
        return 0.0
    free = found.consultations - 1
    return float(t.sf(t.ppf(1 - alpha / 2, free) - margin / found.error, free))


def _races(config: CampaignConfig, folds: Folds) -> NullRaces:
    """Equal children on the assumed outcomes: each pair its own part, each consultation its shared one."""
    part = folds.reflection
    sizes = np.array(objective_sizes(part.pair_set, config.acceptance) or [1])
    spread = replicated(assumed_spread(config.power), config.acceptance.training_clean_replicates)
    rng = np.random.default_rng([config.seed, 6])
    share = spread.variance / max(1 - 0.75 * config.power.half, 1e-9)  # of pairs that move, in the same steps
    drawn = [_consultation(rng, int(size), min(share, 1.0), config.power.half, spread.correlation) for size in sizes]
    streams = rng.permuted(np.stack(drawn, axis=1), axis=1)
    return simulate_races(streams, config.engine.minibatch, judgements_per_unit(config, part), config.acceptance)


def _consultation(
    rng: np.random.Generator, size: int, moved: float, half: float, correlation: float
) -> NDArray[np.float64]:
    """Mean differences (races,) of one consultation; a pair follows the shared draw with chance sqrt(correlation)."""

    def steps(columns: int) -> NDArray[np.float64]:
        shape = (RACES, columns)
        signs = rng.choice([-1.0, 1.0], size=shape)
        lengths = np.where(rng.random(shape) < half, 0.5, 1.0)
        return np.asarray(np.where(rng.random(shape) < moved, signs * lengths, 0.0), dtype=np.float64)

    shared = rng.random((RACES, size)) < math.sqrt(correlation)
    return np.asarray(np.where(shared, steps(1), steps(size)).mean(axis=1), dtype=np.float64)
