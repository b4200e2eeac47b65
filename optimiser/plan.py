"""Calls, tokens, money and time of a campaign, before anything is bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.config import ModelConfig
from harness.errors import CampaignError
from harness.types import PairSet
from optimiser.config import CampaignConfig
from optimiser.folds import Folds
from optimiser.noise_floor import PROBES, noise_calls, probed_efforts
from optimiser.plan_stages import calls_per_sample, once_per_consultation

# What a typical campaign does with a child; the worst case is 1 for both. Measured on simulated campaigns.
RACED = 0.5  # share of children that beat their parent on the minibatch
ACCEPTED = 0.2  # share of children that join the pool
CHARS_PER_TOKEN = 4.0
BLOCK_TOKENS = 500
ANSWER_TOKENS = 150
PREPARED_TOKENS = 1500  # a list of facts or questions
EFFORT_TOKENS = {None: 0, "none": 0, "minimal": 100, "low": 400, "medium": 1500, "high": 4000}
SECONDS_PER_CALL = 3.0  # without reasoning; each 50 completion tokens beyond the answer add a second
SIMULATED_SECONDS = 0.004  # of one core, whatever the concurrency


@dataclass(frozen=True)
class Bill:
    """Judge calls with their tokens; a rung or a phase of the campaign."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Bill) -> Bill:
        return Bill(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def times(self, factor: float) -> Bill:
        """The bill multiplied, rounded up to whole calls."""
        return Bill(
            *(int(-(-value * factor // 1)) for value in (self.calls, self.prompt_tokens, self.completion_tokens))
        )

    def dollars(self, model: ModelConfig) -> float | None:
        """US dollars at the model's prices without any cached prefix; None without prices."""
        if model.prices is None:
            return None
        return (self.prompt_tokens * model.prices.input + self.completion_tokens * model.prices.output) / 1e6

    def seconds(self, model: ModelConfig) -> float:
        """Seconds at the model's concurrency and rate limits."""
        if not self.calls:
            return 0.0
        if model.in_process:
            return self.calls * SIMULATED_SECONDS
        extra = max(self.completion_tokens / self.calls - ANSWER_TOKENS, 0) / 50
        bounds = [self.calls * (SECONDS_PER_CALL + extra) / model.concurrency]
        if model.requests_per_minute:
            bounds.append(self.calls / model.requests_per_minute * 60)
        if model.tokens_per_minute:
            bounds.append((self.prompt_tokens + self.completion_tokens) / model.tokens_per_minute * 60)
        return max(bounds)


@dataclass(frozen=True)
class Plan:
    """The bills of a campaign: ``search`` is typical, ``search_worst`` the most; ``affordable`` counts proposals."""

    noise: Bill
    seeds: Bill
    proposal: Bill
    proposal_worst: Bill
    search: Bill
    search_worst: Bill
    reflection: Bill
    confirmation: Bill
    proposals: int
    affordable: int


def plan_campaign(config: CampaignConfig, folds: Folds, holdout_notes: tuple[int, int]) -> Plan:
    """Count what a campaign buys; ``holdout_notes`` = (clean, flawed) notes of the holdout.

    CampaignError where the caps buy fewer proposals than ``budget.floor``.
    """
    per_call = _per_call(config, (folds.reflection.pair_set, folds.acceptance.pair_set))
    settings = config.acceptance
    training = settings.training_clean_replicates, settings.training_flawed_replicates
    one = config.judge.samples
    frontier = per_call.times(one * _notes(folds.frontier.pair_set, training))
    accept = per_call.times(
        one * _notes(folds.acceptance.pair_set, (settings.clean_replicates, settings.flawed_replicates))
    )
    reflection_fold = _notes(folds.reflection.pair_set, training)
    share = min(config.engine.minibatch / max(len(folds.reflection.units), 1), 1.0)
    batch = per_call.times(one * 2 * reflection_fold * share)
    rest = per_call.times(one * 2 * reflection_fold * (1 - share))
    reflection = Bill(1, _reflection_tokens(config), 1500)
    proposal = frontier + batch + rest.times(RACED / 2) + (frontier + accept).times(ACCEPTED)
    worst = frontier + batch + rest + frontier + accept
    seeds = (frontier + accept).times(len(config.seeds)) + _preparing(config, folds)
    merges = config.engine.proposals // config.engine.merge_every if config.engine.merge_every else 0
    partners = (batch + rest).times(merges / 2)  # a merge has a second parent on the same consultations
    noise = _noise(config, folds, per_call)
    affordable = _affordable(config, noise + seeds, proposal, reflection)
    proposals = min(config.engine.proposals, affordable)
    return Plan(
        noise=noise,
        seeds=seeds,
        proposal=proposal,
        proposal_worst=worst,
        search=noise + seeds + proposal.times(proposals),
        search_worst=noise + seeds + worst.times(config.engine.proposals) + partners,
        reflection=reflection.times(proposals),
        confirmation=_confirmation(config, folds, holdout_notes, per_call),
        proposals=proposals,
        affordable=affordable,
    )


def check_affordable(config: CampaignConfig, plan: Plan) -> None:
    """CampaignError where the caps buy fewer proposals than the floor."""
    floor = min(config.budget.floor, config.engine.proposals)
    if plan.affordable < floor:
        raise CampaignError(
            "planning the campaign",
            f"the caps buy about {plan.affordable} proposals (the noise floor takes "
            f"{plan.noise.calls} calls, seeds take {plan.seeds.calls} calls, a proposal about {plan.proposal.calls})",
            f"Raise the budget, shrink the splits, or lower budget.floor (now {config.budget.floor}).",
        )


def _noise(config: CampaignConfig, folds: Folds, per_call: Bill) -> Bill:
    total = per_call.times(noise_calls(config, folds.reflection) * config.judge.samples)
    thinking = sum(EFFORT_TOKENS[effort] for effort in probed_efforts(config)) * PROBES
    return total + Bill(0, 0, thinking) if total.calls else total


def _confirmation(config: CampaignConfig, folds: Folds, holdout_notes: tuple[int, int], per_call: Bill) -> Bill:
    passes = len(config.confirm.replicates)
    total = Bill()
    for effort in config.confirm.efforts:
        answers = per_call.calls * (ANSWER_TOKENS + EFFORT_TOKENS[effort])
        call = Bill(per_call.calls, per_call.prompt_tokens, answers)
        notes = sum(holdout_notes) + _notes(folds.acceptance.pair_set, (1, 1))
        total += call.times(2 * passes * notes * config.judge.samples)
    return total


def _affordable(config: CampaignConfig, seeds: Bill, proposal: Bill, reflection: Bill) -> int:
    caps = config.budget
    limits = [10**9]
    if caps.calls is not None:
        limits.append((caps.calls - seeds.calls) // (proposal.calls + reflection.calls))
    if caps.tokens is not None:
        spent, each = (b.prompt_tokens + b.completion_tokens for b in (seeds, proposal + reflection))
        limits.append((caps.tokens - spent) // each)
    if caps.dollars is not None:
        first, each_judge = seeds.dollars(config.model), proposal.dollars(config.model)
        each_reflection = reflection.dollars(config.reflector)
        if first is None or each_judge is None or each_reflection is None:
            raise CampaignError(
                "planning a cap in dollars", "a model without prices", "Give `prices` for model and reflector."
            )
        limits.append(int((caps.dollars - first) // (each_judge + each_reflection)))
    return max(min(limits), 0)


def _notes(pair_set: PairSet, replicates: tuple[int, int]) -> int:
    """Judgements of a pair set; ``replicates`` of clean and of flawed notes."""
    clean = len({pair.clean.id for pair in pair_set.pairs})
    return clean * replicates[0] + len(pair_set.pairs) * replicates[1]


def _per_call(config: CampaignConfig, parts: Sequence[PairSet]) -> Bill:
    lengths = [
        len(part.by_id[pair.consultation_id].transcript) + len(pair.flawed.text)
        for part in parts
        for pair in part.pairs
    ]
    prompt = int(sum(lengths) / max(len(lengths), 1) / CHARS_PER_TOKEN) + BLOCK_TOKENS
    effort, calls = config.judge.effort or config.model.effort, calls_per_sample(config)
    return Bill(calls, calls * prompt, calls * (ANSWER_TOKENS + EFFORT_TOKENS[effort]))


def _preparing(config: CampaignConfig, folds: Folds) -> Bill:
    """What the frozen stages that see no note take, once for every consultation of the search."""
    consultations = [
        c for part in (folds.reflection, folds.frontier, folds.acceptance) for c in part.pair_set.consultations
    ]
    each = once_per_consultation(config)
    prompt = sum(len(c.transcript) for c in consultations) / CHARS_PER_TOKEN + BLOCK_TOKENS * len(consultations)
    return Bill(len(consultations), int(prompt), PREPARED_TOKENS * len(consultations)).times(each)


def _reflection_tokens(config: CampaignConfig) -> int:
    engine = config.engine
    return int((engine.cases * engine.case_chars + 2 * BLOCK_TOKENS * CHARS_PER_TOKEN) / CHARS_PER_TOKEN)
