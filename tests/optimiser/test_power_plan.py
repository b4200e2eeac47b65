from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import CampaignError
from harness.metrics import paired_discrimination
from harness.stats.power import minimum_detectable, required_clusters
from optimiser.config import CampaignConfig, PowerConfig
from optimiser.folds import Folds, Part
from optimiser.power_plan import (
    PowerPlan,
    Spread,
    assumed_spread,
    check_power,
    objective_sizes,
    plan_power,
    replicated,
    split_power,
)
from support.bench import pair_set

WHOLE = pair_set(60)


def part(start: int, size: int) -> Part:
    return Part(WHOLE.of(c.id for c in WHOLE.consultations[start : start + size]))


def config(**changes: Any) -> CampaignConfig:
    model = {"model": "m", "base_url": "simulated:"}
    raw: dict[str, Any] = {"name": "p", "data": {"source": "synthetic"}, "seeds": ["a.md"]}
    return CampaignConfig.model_validate(raw | {"model": model, "reflector": model} | changes)


def plan(size: int = 30, **changes: Any) -> PowerPlan:
    return plan_power(config(**changes), Folds(part(0, 12), part(12, 6), part(18, size)), (40, 160))


def test_sizes_count_the_pairs_of_the_objective() -> None:
    assert objective_sizes(part(0, 5).pair_set, config().acceptance) == [3] * 5
    assert objective_sizes(part(0, 5).pair_set, config(acceptance={"objective": "all"}).acceptance) == [4] * 5
    assert plan().holdout.pairs == 40 * 3


def test_planned_and_observed_power_agree_where_the_plan_assumes_what_is_observed() -> None:
    rng = np.random.default_rng(1)
    shared, own = rng.normal(0, 0.2, (4000, 1)), rng.normal(0, 0.3, (4000, 3))
    differences = np.clip(shared + own, -1, 1)
    clusters = np.repeat(np.arange(4000), 3)
    spread = Spread(float(differences.var()), 0.04 / 0.13)
    found = split_power([3] * 4000, spread, 0.05, 0.02)
    assert found.detectable == pytest.approx(minimum_detectable(differences.ravel(), clusters), rel=0.05)
    assert found.needed == pytest.approx(required_clusters(differences.ravel(), clusters, 0.02), rel=0.1)


@given(st.lists(st.integers(1, 6), min_size=2, max_size=40), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_pairs_of_one_consultation_never_say_more_than_independent_ones_nor_less_than_one(
    sizes: list[int], correlation: float
) -> None:
    found = split_power(sizes, Spread(0.2, correlation), 0.05, 0.1)
    assert found.effective <= found.pairs + 1e-9
    assert found.effective >= sum(sizes) ** 2 / sum(s * s for s in sizes) - 1e-9


@given(st.integers(3, 80), st.floats(0.02, 0.5))
@settings(max_examples=40, deadline=None)
def test_with_the_consultations_that_a_gain_needs_it_is_detectable(size: int, gain: float) -> None:
    spread = Spread(0.2, 0.3)
    needed = split_power([3] * size, spread, 0.05, gain).needed
    found = split_power([3] * needed, spread, 0.05, gain).detectable
    assert found is not None
    assert found <= gain + 1e-9


def test_scoring_clean_twins_more_often_resolves_more() -> None:
    once, thrice = (plan(acceptance={"clean_replicates": n}) for n in (1, 3))
    assert thrice.acceptance.detectable < once.acceptance.detectable  # type: ignore[operator]  # both have a number
    assert replicated(Spread(0.2, 0.0), 9) == Spread(0.2, 0.0)


def test_the_assumed_spread_is_that_of_wins_ties_and_losses() -> None:
    rng = np.random.default_rng(3)
    moved, half = rng.random(200_000) < 0.35, rng.random(200_000) < 0.84
    drawn = np.where(moved, rng.choice([-1.0, 1.0], 200_000) * np.where(half, 0.5, 1.0), 0.0)
    assert assumed_spread(PowerConfig()).variance == pytest.approx(drawn.var(), rel=0.02)
    assert paired_discrimination((drawn + 1) / 2).value == pytest.approx(0.5, abs=0.01)


def test_an_underpowered_acceptance_split_needs_consent() -> None:
    small = plan(6)
    with pytest.raises(CampaignError, match="underpowered: 6 acceptance consultations with 18 pairs") as refused:
        check_power(config(), small, accepted=False)
    assert f"about {small.acceptance.needed} acceptance consultations" in refused.value.todo
    check_power(config(), small, accepted=True)
    check_power(config(underpowered=True), small, accepted=False)
    check_power(config(), plan(40), accepted=False)


def test_one_consultation_resolves_nothing() -> None:
    found = plan(1)
    assert found.acceptance.detectable is None
    with pytest.raises(CampaignError, match="resolve nothing"):
        check_power(config(), found, accepted=False)


def test_an_equal_child_gets_in_less_often_than_alpha_and_the_plain_sum_lets_it_in_more_often() -> None:
    races = plan().races
    assert races.accepted <= races.alpha < races.plain_sum
    assert races.judgements == pytest.approx(races.consultations * 2 * (2 + 4), rel=1e-3)


def test_a_winner_that_is_no_better_is_called_improved_less_often_than_it_passes_as_non_inferior() -> None:
    found = plan()
    assert found.improved_null <= 0.025
    assert found.improved_null < found.passed_null < 1
    assert plan(confirm={"margin": 0.2}).passed_null > found.passed_null
