from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from harness.types import Candidate
from optimiser.acceptance import Verdict, race
from optimiser.config import AcceptanceConfig

CONFIG = AcceptanceConfig(alpha=0.1)
OPENING = 4
UNITS = tuple(f"u{i}" for i in range(24))
PARENT, PARTNER = (Candidate("score", (("instruction", text),)) for text in ("parent", "partner"))
RACES = 2_000


def differences_of(values: dict[str, Sequence[float]]) -> Callable[[Candidate, Sequence[str]], tuple[float, ...]]:
    place = {unit: i for i, unit in enumerate(UNITS)}
    return lambda parent, units: tuple(float(values[parent.id][place[unit]]) for unit in units)


def run(values: Sequence[float], partner: Sequence[float] | None = None, config: AcceptanceConfig = CONFIG) -> Verdict:
    parents = (PARENT,) if partner is None else (PARENT, PARTNER)
    table = {PARENT.id: values, PARTNER.id: values if partner is None else partner}
    return race(parents, UNITS, OPENING, differences_of(table), config)


def noisy_races(gain: float, seed: int) -> np.ndarray:
    """(races, units): difference of two judges of three pairs a unit; the child's chance at a pair is 0.4 + gain."""
    rng = np.random.default_rng(seed)
    parent = rng.binomial(3, 0.4, (RACES, len(UNITS)))
    child = rng.binomial(3, 0.4 + gain, (RACES, len(UNITS)))
    return (child - parent) / 3


@pytest.mark.parametrize(("alpha", "races"), [(0.05, 500), (0.1, RACES), (0.3, 500)])
def test_a_child_that_is_equal_in_law_is_accepted_at_most_alpha_of_the_time(alpha: float, races: int) -> None:
    """B31"""
    config = AcceptanceConfig(alpha=alpha)
    accepted = sum(run(row, config=config).accepted for row in noisy_races(0.0, seed=11)[:races])
    assert accepted <= binom.ppf(0.999, races, alpha)


def test_the_plain_rule_sum_went_up_accepts_the_same_children_several_times_as_often() -> None:
    races = noisy_races(0.0, seed=11)[:800]
    ours = sum(run(row).accepted for row in races)
    plain = int((races[:, :OPENING].sum(axis=1) > 0).sum())
    assert plain > 0.3 * len(races)
    assert plain > 4 * ours


def test_a_real_gain_is_mostly_accepted() -> None:
    some = 200
    accepted = sum(run(row).accepted for row in noisy_races(0.35, seed=12)[:some])
    assert accepted > 0.8 * some


def test_a_larger_gain_is_accepted_more_often_and_a_loss_hardly_ever() -> None:
    some = 200
    rates = [
        sum(run(row).accepted for row in noisy_races(gain, seed=13)[:some]) / some for gain in (-0.2, 0.0, 0.2, 0.4)
    ]
    assert rates == sorted(rates)
    assert rates[0] < 0.01


def test_an_equal_child_without_noise_is_dropped_on_the_minibatch() -> None:
    verdict = run([0.0] * len(UNITS))
    assert (verdict.accepted, verdict.reason) == (False, "no gain on the minibatch")
    assert verdict.evidence[PARENT.id] == {"consultations": OPENING, "mean_difference": 0.0}


def test_a_child_that_wins_everywhere_needs_few_consultations() -> None:
    verdict = run([1.0] * len(UNITS))
    assert verdict.accepted
    assert verdict.evidence[PARENT.id]["consultations"] == 2 * OPENING
    assert verdict.evidence[PARENT.id]["wealth"] >= 1 / CONFIG.alpha


def test_a_merged_child_must_beat_both_parents() -> None:
    """The wrong parent as the only opponent is how a merged child once got in."""
    wins, loses = [1.0] * len(UNITS), [1.0] + [-1.0] * (len(UNITS) - 1)
    assert run(wins, wins).accepted
    for pair in ((wins, loses), (loses, wins)):
        assert not run(*pair).accepted
    level = [0.25, 0.0, 0.0, 0.0] + [0.0] * (len(UNITS) - OPENING)
    assert not run(wins, level).accepted


def test_a_merged_child_that_only_equals_one_parent_on_the_minibatch_goes_no_further() -> None:
    wins, equals = [1.0] * len(UNITS), [0.0] * OPENING + [1.0] * (len(UNITS) - OPENING)
    for pair in ((wins, equals), (equals, wins)):
        verdict = run(*pair)
        assert verdict.reason == "no gain on the minibatch"
        assert {found["consultations"] for found in verdict.evidence.values()} == {OPENING}


def test_of_two_parents_the_one_that_is_beaten_already_costs_nothing_more() -> None:
    asked: list[tuple[str, int]] = []
    values = {PARENT.id: [1.0] * len(UNITS), PARTNER.id: [0.5, -0.25] * (len(UNITS) // 2)}
    answer = differences_of(values)

    def differences(parent: Candidate, units: Sequence[str]) -> tuple[float, ...]:
        asked.append((parent.id, len(units)))
        return answer(parent, units)

    verdict = race((PARENT, PARTNER), UNITS, OPENING, differences, CONFIG)
    assert sum(n for parent, n in asked if parent == PARENT.id) == 2 * OPENING
    assert sum(n for parent, n in asked if parent == PARTNER.id) > 2 * OPENING
    assert set(verdict.evidence) == {PARENT.id, PARTNER.id}


values = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=len(UNITS), max_size=len(UNITS))


@given(values)
@settings(max_examples=100, deadline=None)
def test_what_was_not_looked_at_cannot_change_the_verdict(row: list[float]) -> None:
    verdict = run(row)
    seen = verdict.evidence[PARENT.id]["consultations"]
    for other in (-1.0, 1.0):
        assert run(row[:seen] + [other] * (len(UNITS) - seen)) == verdict or not settled(verdict)


def settled(verdict: Verdict) -> bool:
    return "ran out" not in verdict.reason


@given(values)
@settings(max_examples=150, deadline=None)
def test_the_evidence_is_of_the_consultations_that_were_seen_and_agrees_with_the_verdict(row: list[float]) -> None:
    verdict = run(row)
    evidence = verdict.evidence[PARENT.id]
    seen = row[: evidence["consultations"]]
    assert evidence["mean_difference"] == pytest.approx(sum(seen) / len(seen), abs=1e-6)
    if verdict.accepted:
        assert evidence["wealth"] >= 1 / CONFIG.alpha - 1e-6
        assert evidence["state"] == "accept"
    assert verdict.accepted <= (sum(row[:OPENING]) > 0)
    if verdict.reason.endswith("before a gain was shown"):
        assert evidence["consultations"] == len(UNITS)


def test_a_hopeless_child_is_given_up_before_the_fold_is_used_up() -> None:
    row = [1.0, 0.0, 0.0, 0.0] + [-1.0] * (len(UNITS) - OPENING)
    verdict = run(row)
    assert "given up early" in verdict.reason
    assert verdict.evidence[PARENT.id]["consultations"] < len(UNITS)
