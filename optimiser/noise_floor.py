"""Buying the noise floor: repeats of the baseline on training text, and two calls at each effort of the ladder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from harness.llm.client import Effort
from harness.outcomes import Judgement, Usage
from harness.types import Candidate, PairSet
from optimiser.config import CampaignConfig
from optimiser.folds import Part
from optimiser.measuring import Measurer, Replicates
from optimiser.noise import noise_row, sample_pairs
from optimiser.records import NoiseRow

PROBES = 2  # calls at each effort
FIRST_PROBE = 900_000  # far from the replicates of any iteration
BUDGET_SHARE = 100  # efforts are probed where a cap in calls is this many times the probes


def measure_noise(
    config: CampaignConfig,
    baseline: Candidate,
    fold: Part,
    measurer: Measurer,
    at_effort: Callable[[Effort], Measurer] | None,
) -> NoiseRow | None:
    """Buy (or read from the journal) what the noise row needs; None where the configuration or the fold gives nothing.

    ``at_effort`` measures with the judge at another effort; None = efforts cannot be set here.
    """
    omissions_only = config.acceptance.objective == "omissions"
    sample = sample_pairs(fold, omissions_only, config.noise.notes, config.seed)
    if not sample.pairs:
        return None
    runs = tuple(range(config.noise.replicates))
    outcomes = measurer.outcomes(baseline, sample, Replicates(runs, runs))
    reasoning: dict[str, float] = {}
    if at_effort is not None:
        one = replace(sample, pairs=sample.pairs[:1])
        for number, effort in enumerate(probed_efforts(config)):
            found, usage = _reasoning(at_effort(effort), baseline, one, number)
            measurer.spend(usage)
            if found is not None:
                reasoning[effort] = found
    row = noise_row(config, sample, outcomes, fold, reasoning)
    return row.model_copy(update={"spend": measurer.take_spend()})


def noise_calls(config: CampaignConfig, fold: Part) -> int:
    """Judgements that the noise floor takes."""
    sample = sample_pairs(fold, config.acceptance.objective == "omissions", config.noise.notes, config.seed)
    notes = len(sample.pairs) + len({pair.clean.id for pair in sample.pairs})
    return notes * config.noise.replicates + (PROBES * len(probed_efforts(config)) if notes else 0)


def probed_efforts(config: CampaignConfig) -> tuple[Effort, ...]:
    """The efforts of a ladder with several, where the cap in calls leaves room; else none."""
    efforts = tuple(effort for effort in config.confirm.efforts if effort is not None)
    room = config.budget.calls is None or config.budget.calls >= BUDGET_SHARE * PROBES * len(efforts)
    return efforts if len(efforts) > 1 and room else ()


def _reasoning(measurer: Measurer, candidate: Candidate, one: PairSet, number: int) -> tuple[float | None, Usage]:
    first = FIRST_PROBE + 10 * number
    outcomes = measurer.outcomes(candidate, one, Replicates((), tuple(range(first, first + PROBES))))
    measurer.settle()
    tokens = [outcome.usage.reasoning_tokens for outcome in outcomes if isinstance(outcome, Judgement)]
    return float(np.mean(tokens)) if tokens else None, measurer.total
