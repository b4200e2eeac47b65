from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ConfigError
from harness.evaluate import evaluate, tasks_for
from harness.metrics import note_scores, pair_outcomes
from harness.outcomes import Judgement
from harness.scores import tabulate
from harness.types import Candidate
from optimiser.studies.latent import NOISY, STEADY, Perception, flag_rates, paired_value, seen_value, skill_after
from optimiser.studies.paper import PaperJudge, block, paper_set, skill_of
from optimiser.studies.worlds import draw_tables, true_detection, true_threshold

BOTH = pytest.mark.parametrize("perception", [STEADY, NOISY])


@BOTH
def test_shares_of_variance_sum_to_one(perception: Perception) -> None:
    assert perception.shared + perception.own + perception.run == pytest.approx(1.0)


@BOTH
@settings(max_examples=30, deadline=None)
@given(skill=st.floats(0.05, 0.5), gain=st.floats(0.0, 0.15))
def test_a_planted_gain_is_that_gain_in_paired_discrimination(
    perception: Perception, skill: float, gain: float
) -> None:
    raised = skill_after(skill, gain, perception)
    assert paired_value(raised, perception) - paired_value(skill, perception) == pytest.approx(gain)
    assert 0.5 < seen_value(perception) <= 1


@BOTH
def test_drawn_tables_have_the_true_values_that_the_model_states(perception: Perception) -> None:
    (table,) = draw_tables(8000, (0.3,), perception, np.random.default_rng(0))
    flawed, clean = note_scores(table)
    # About 24,000 clustered pairs: a standard error below 0.005.
    assert pair_outcomes(table).mean() == pytest.approx(paired_value(0.3, perception), abs=0.015)
    assert (clean < 8).mean() == pytest.approx(flag_rates(8.0, perception)[0], abs=0.02)
    assert (flawed < 8).mean() == pytest.approx(true_detection(0.3, 8.0, perception), abs=0.02)


@BOTH
def test_the_true_threshold_is_the_highest_that_keeps_the_cap(perception: Perception) -> None:
    threshold = true_threshold(0.1, perception)
    assert flag_rates(threshold, perception)[0] <= 0.1 < flag_rates(threshold + 1, perception)[0]


def test_scores_are_whole_points_with_ties_that_hang_together_within_a_consultation() -> None:
    (table,) = draw_tables(2000, (0.3,), STEADY, np.random.default_rng(1))
    assert set(np.unique(table.flawed)) <= set(range(11))
    outcomes = pair_outcomes(table)
    assert (outcomes == 0.5).mean() > 0.2
    first = {int(c): i for i, c in reversed(list(enumerate(table.cluster)))}
    others = [(i, first[int(c)]) for i, c in enumerate(table.cluster) if first[int(c)] != i]
    here, there = np.array(others).T
    assert np.corrcoef(outcomes[here], outcomes[there])[0, 1] > 0.1


def test_the_paper_judge_reaches_the_paired_discrimination_that_its_block_states() -> None:
    pairs = paper_set(400)
    candidate = Candidate("score", (("instruction", block(0.5, 1)),))
    judge = PaperJudge(candidate, skill_of(candidate), STEADY, world=3)
    outcomes = evaluate(judge, tasks_for(pairs, (0,), (0,)), 1, lambda _outcome: None)
    assert pair_outcomes(tabulate(pairs, outcomes)).mean() == pytest.approx(paired_value(0.5, STEADY), abs=0.045)


def test_the_paper_judge_repeats_itself_and_varies_with_replicate_world_and_wording() -> None:
    pairs = paper_set(40)
    notes = [(pairs.by_id[p.consultation_id], p.flawed) for p in pairs.pairs]

    def scores(wording: int, world: int, replicate: int) -> list[float]:
        candidate = Candidate("score", (("instruction", block(0.5, wording)),))
        judge = PaperJudge(candidate, 0.5, NOISY, world)
        found = [judge.judge(consultation, note, replicate) for consultation, note in notes]
        return [outcome.score for outcome in found if isinstance(outcome, Judgement)]

    base = scores(1, 1, 0)
    assert base == scores(1, 1, 0)
    assert all(base != other for other in (scores(2, 1, 0), scores(1, 2, 0), scores(1, 1, 1)))


def test_a_block_without_a_skill_is_refused() -> None:
    with pytest.raises(ConfigError):
        skill_of(Candidate("score", (("instruction", "Judge kindly."),)))
