from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from harness.scores import ScoreTable
from harness.types import Candidate
from optimiser.freeze import freeze, winners_curse
from optimiser.records import FreezeRow, Spend, Standing

CONSULTATIONS, PER = 20, 2
PAIRS = CONSULTATIONS * PER
ALPHA = 0.05


def table(outcomes: np.ndarray) -> ScoreTable:
    """Scores whose pair outcomes are the given ones: 1, 1/2 or 0."""
    cluster = np.repeat(np.arange(CONSULTATIONS), PER)
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(PAIRS)),
        pair_class=np.array(["omission-complete"] * PAIRS),
        severity=np.array([""] * PAIRS),
        cluster=cluster,
        clean_of=cluster,
        clusters=tuple(f"c{i}" for i in range(CONSULTATIONS)),
        flawed=6.0 - 2.0 * outcomes[:, None],
        clean_ids=tuple(f"n{i}" for i in range(CONSULTATIONS)),
        clean=np.full((CONSULTATIONS, 1), 5.0),
        clean_cluster=np.arange(CONSULTATIONS),
    )


def candidate(number: int, length: int = 1) -> Candidate:
    return Candidate("score", (("instruction", f"{number:02d}{'x' * length}"),))


def run(outcomes: list[np.ndarray], lengths: list[int] | None = None, seed: int = 7) -> tuple[FreezeRow, list[str]]:
    pool = [candidate(n, (lengths or [1] * len(outcomes))[n]) for n in range(len(outcomes))]
    tables = {c.id: table(values) for c, values in zip(pool, outcomes, strict=True)}
    return freeze(pool, tables, ALPHA, seed, Spend()), [c.id for c in pool]


def noisy(rng: np.random.Generator, chance: float) -> np.ndarray:
    return rng.binomial(1, chance, PAIRS).astype(float)


def test_the_seed_is_kept_at_least_one_minus_alpha_of_the_time_where_nothing_is_better() -> None:
    """Best of six candidates that are equal in law: choosing among them must not turn luck into a winner."""
    simulations, frozen, looked = 100, 0, []
    for number in range(simulations):
        rng = np.random.default_rng(number)
        row, _ = run([noisy(rng, 0.5) for _ in range(7)], seed=number)
        frozen += not row.seed_kept
        looked.append(max(s.difference for s in row.standings))
    assert frozen <= binom.ppf(0.999, simulations, ALPHA)
    assert np.mean(looked) > 0.08  # the best of them looks this much better than the seed


def test_a_candidate_with_a_real_gain_wins() -> None:
    rng = np.random.default_rng(1)
    row, ids = run([noisy(rng, 0.4), noisy(rng, 0.4), noisy(rng, 0.9), noisy(rng, 0.5)])
    assert row.winner == ids[2]
    assert not row.seed_kept
    assert row.baseline == ids[0]


def test_a_seed_alone_is_kept_and_promises_nothing() -> None:
    row, ids = run([np.ones(PAIRS)])
    assert (row.winner, row.seed_kept, row.expected_gain) == (ids[0], True, None)


def test_a_kept_seed_promises_no_gain() -> None:
    row, _ = run([np.tile([1.0, 0.0], CONSULTATIONS)] * 3)
    assert row.seed_kept
    assert row.expected_gain is None


@pytest.mark.parametrize(("lengths", "winner"), [([1, 5, 2, 2], 2), ([1, 2, 2, 2], 1), ([1, 9, 9, 3], 3)])
def test_among_equals_the_shorter_and_then_the_older_wins(lengths: list[int], winner: int) -> None:
    better = np.tile([1.0, 0.5], CONSULTATIONS)
    row, ids = run([np.tile([0.5, 0.0], CONSULTATIONS), better, better, better], lengths)
    assert row.winner == ids[winner]


def test_the_expected_gain_is_less_than_the_gain_that_was_looked_at() -> None:
    differences = []
    for number in range(40):
        rng = np.random.default_rng(number)
        row, _ = run([noisy(rng, 0.4)] + [noisy(rng, 0.7) for _ in range(6)], seed=number)
        if row.seed_kept:
            continue
        looked = next(s.difference for s in row.standings if s.candidate == row.winner)
        assert row.expected_gain is not None
        assert row.expected_gain <= looked + 0.005  # the optimism is a mean over resamples
        differences.append((looked, row.expected_gain))
    found = np.array(differences)
    assert len(found) > 20
    assert abs(found[:, 1].mean() - 0.3) < abs(found[:, 0].mean() - 0.3)  # nearer to the truth, which is 0.3


def test_every_member_of_the_pool_stands_in_the_row_with_its_difference_to_the_seed() -> None:
    rng = np.random.default_rng(3)
    outcomes = [noisy(rng, chance) for chance in (0.4, 0.5, 0.9)]
    row, ids = run(outcomes)
    assert [s.candidate for s in row.standings] == ids
    for standing, values in zip(row.standings, outcomes, strict=True):
        assert standing.value == pytest.approx(values.mean())
        assert standing.difference == pytest.approx(values.mean() - outcomes[0].mean())
        assert standing.lower <= standing.difference
    assert row.standings[0].lower == 0


def test_the_row_says_what_the_plain_maximum_would_have_chosen() -> None:
    even, odd = np.tile([1.0, 0.0], CONSULTATIONS), np.tile([0.0, 1.0], CONSULTATIONS)
    lucky = even.copy()
    lucky[1] = 1.0
    row, ids = run([even, odd, lucky])
    assert row.seed_kept
    assert ids[2] in row.runner_up_reading
    assert "not shown to be better" in row.runner_up_reading


def test_of_equal_values_the_plain_maximum_is_the_winner_itself() -> None:
    better = np.tile([1.0, 0.5], CONSULTATIONS)
    row, ids = run([np.tile([0.5, 0.0], CONSULTATIONS), better, better], [1, 9, 2])
    assert row.winner == ids[2]
    assert "the same candidate" in row.runner_up_reading


def test_a_larger_but_less_certain_gain_is_not_called_none() -> None:
    """The steady gain has the higher bound, the larger one excludes zero too: the words must say which it is."""
    seed = np.zeros(PAIRS)
    steady = np.tile([0.5, 0.5], CONSULTATIONS)
    large = np.repeat([1.0, 1.0, 1.0, 0.0, 0.0] * (CONSULTATIONS // 5), PER)
    row, ids = run([seed, steady, large])
    assert row.winner == ids[1]
    assert row.standings[2].difference > row.standings[1].difference
    assert row.standings[2].lower > 0
    assert "less surely better" in row.runner_up_reading


def test_the_same_seed_gives_the_same_row() -> None:
    outcomes = [noisy(np.random.default_rng(n), 0.5 + n / 10) for n in range(4)]
    assert run(outcomes, seed=3)[0] == run(outcomes, seed=3)[0]


def test_the_winners_curse_is_said_of_a_winner_and_not_of_a_kept_seed() -> None:
    row = FreezeRow(
        winner="w",
        baseline="s",
        seed_kept=False,
        standings=(Standing(candidate="w", value=0.773, difference=0.073, lower=0.01),),
        expected_gain=0.02,
        runner_up_reading="",
        spend=Spend(),
    )
    assert winners_curse(row) == "looked +0.073, expect +0.020"
    assert winners_curse(row.model_copy(update={"seed_kept": True, "winner": "s", "expected_gain": None})) == ""
