from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judges.base import FakeJudge
from harness.llm.client import Effort
from harness.outcomes import Judgement, Outcome, Usage
from harness.types import Candidate, Consultation, Note
from optimiser.acceptance import race
from optimiser.campaign import Lab, run_campaign
from optimiser.config import AcceptanceConfig, CampaignConfig
from optimiser.folds import Part
from optimiser.history import History
from optimiser.noise import noise_row, sample_pairs, variance_parts
from optimiser.null_races import simulate_races
from optimiser.records import NoiseRow
from optimiser.report_noise import acceptance_words, noise_floor, noise_words, within_band
from optimiser.workspace import Workspace
from partitions.splits import open_splits
from support.bench import BLOCKS, Bench, BlockJudge, Reflections, chance, pair_set

FOLD = Part(pair_set(12))


def outcomes(score: object, notes: int = 24, runs: int = 3) -> tuple[Outcome, ...]:
    judge = FakeJudge(score, "c")  # type: ignore[arg-type]  # a plain function of (consultation, note, replicate)
    sample = sample_pairs(FOLD, True, notes, 7)
    seen = {n.id: (sample.by_id[p.consultation_id], n) for p in sample.pairs for n in (p.clean, p.flawed)}
    return tuple(judge.judge(c, n, r) for c, n in seen.values() for r in range(runs))


def row(score: object, bench_config: CampaignConfig) -> NoiseRow:
    return noise_row(bench_config, sample_pairs(FOLD, True, 24, 7), outcomes(score), FOLD, {})


def steady(consultation: Consultation, note: Note, replicate: int) -> float:
    return 3.0 if note.defect else 7.0


def noisy(consultation: Consultation, note: Note, replicate: int) -> float:
    return float(int(4 * chance(note.id, replicate)))


def twin_noise(consultation: Consultation, note: Note, replicate: int) -> float:
    return 5.0 if note.defect else 4.0 + 2.0 * round(chance(note.id, replicate))


def test_the_sample_keeps_to_its_number_of_notes_and_to_the_objective() -> None:
    sample = sample_pairs(FOLD, True, 24, 7)
    assert len(sample.pairs) + len({p.clean.id for p in sample.pairs}) == 24
    assert {p.defect.kind for p in sample.pairs} == {"omission"}
    assert sample_pairs(FOLD, True, 24, 7) == sample != sample_pairs(FOLD, True, 24, 8)
    assert sample_pairs(FOLD, True, 0, 7).pairs == ()


def test_a_judge_without_noise_has_no_band_and_no_child_is_accepted(bench: Bench) -> None:
    found = row(steady, bench.config())
    assert (found.equal_repeats, found.band, found.detection_band, found.saved) == (1.0, 0.0, 0.0, None)
    assert found.races.accepted == found.races.plain_sum == 0


def test_where_all_noise_is_the_clean_twins_scoring_it_three_times_saves_two_thirds(bench: Bench) -> None:
    found = row(twin_noise, bench.config())
    assert found.saved == pytest.approx(2 / 3, abs=1e-4)
    assert found.rerun_correlation == pytest.approx(1)


def test_an_equal_child_is_accepted_at_most_alpha_of_the_time_and_less_than_by_the_plain_sum(bench: Bench) -> None:
    found = row(noisy, bench.config())
    assert found.band > 0
    assert found.races.accepted <= found.races.alpha == 0.2
    assert found.races.plain_sum > 2 * found.races.accepted
    assert "at most 20%" in acceptance_words(found.races)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(5, 15))
@settings(max_examples=40, deadline=None)
def test_a_simulated_race_ends_as_the_real_one(seed: int, opening: int, length: int) -> None:
    values = np.random.default_rng(seed).choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=length)
    parent = Candidate("score", (("instruction", "p"),))
    order = [f"u{i}" for i in range(length)]
    config = AcceptanceConfig()
    verdict = race([parent], order, opening, lambda _p, units: tuple(values[order.index(u)] for u in units), config)
    found = simulate_races(values[None, :], opening, 2.0, config)
    assert bool(found.accepted) == verdict.accepted
    assert found.consultations == verdict.evidence[parent.id]["consultations"]
    assert found.judgements == 2 * found.consultations


@given(st.integers(2, 5), st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_variance_parts_are_found_where_they_were_put(runs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = (4000, runs, runs)
    means = rng.normal(0, 0.3, (4000, runs, 1)) + rng.normal(0, 0.2, (4000, 1, runs)) + rng.normal(0, 0.1, size)
    found = variance_parts(means)
    assert (found.flawed, found.clean, found.both) == pytest.approx((0.09, 0.04, 0.01), abs=0.012)


def test_repeats_that_come_back_word_for_word_are_said_to_ignore_the_seed(bench: Bench) -> None:
    same = [replace(o, text="{}") for o in outcomes(steady) if isinstance(o, Judgement)]
    found = noise_row(bench.config(), sample_pairs(FOLD, True, 24, 7), same, FOLD, {})
    assert any("word for word" in words for words in noise_words(found))
    cold = bench.config(judge={"temperature": 0})
    assert noise_row(cold, sample_pairs(FOLD, True, 24, 7), same, FOLD, {}).ignored == ()
    varied = [replace(o, text=f"{{{o.replicate}}}") for o in same]
    assert noise_row(bench.config(), sample_pairs(FOLD, True, 24, 7), varied, FOLD, {}).ignored == ()


def with_efforts(bench: Bench, name: str, thinks: bool) -> NoiseRow:
    """A campaign of one proposal whose judge thinks more at higher effort, or pays no heed to it."""

    class Thinking(BlockJudge):
        effort: Effort = "none"

        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            tokens = 10 * len(self.effort) if thinks else 7
            outcome = super().judge(consultation, note, replicate)
            return replace(outcome, usage=Usage(calls=1, reasoning_tokens=tokens))

    def judge_at(candidate: Candidate, effort: Effort) -> Thinking:
        judge = Thinking(candidate, bench.asked)
        judge.effort = effort
        return judge

    lab = Lab(lambda c: BlockJudge(c, bench.asked), Reflections(BLOCKS), True, clock=lambda: 0.0, judge_at=judge_at)
    config = bench.config(engine={"proposals": 1}, confirm={"efforts": ["none", "medium"]})
    result = run_campaign(config, Workspace(bench.folder / name), open_splits(bench.folder / "split"), lab)
    return next(r for r in result.rows if isinstance(r, NoiseRow))


def test_an_effort_that_changes_no_reasoning_is_said_to_be_ignored_and_asked_for_once(bench: Bench) -> None:
    found = with_efforts(bench, "a", thinks=False)
    assert found.reasoning == {"none": 7.0, "medium": 7.0}
    assert any(words.startswith("effort") for words in found.ignored)
    bought = len(bench.asked)
    assert with_efforts(bench, "a", thinks=False) == found
    assert len(bench.asked) == bought
    assert found.spend.calls == 72 + 2 * 2


def test_an_effort_that_thinks_more_is_not_warned_of(bench: Bench) -> None:
    found = with_efforts(bench, "a", thinks=True)
    assert found.reasoning == {"none": 40.0, "medium": 60.0}
    assert not any(words.startswith("effort") for words in found.ignored)


def test_the_noise_row_follows_the_start_and_can_be_switched_off(bench: Bench) -> None:
    rows = bench.run("a").rows
    assert [r.type for r in rows[:3]] == ["start", "noise", "seed"]
    without = bench.run("b", config=bench.config(noise={"notes": 0})).rows
    assert [r.type for r in without[:2]] == ["start", "seed"]
    assert "not measured against itself" in str(noise_floor(History.of(without)))


def test_a_difference_is_called_small_against_the_band_for_as_many_pairs(bench: Bench) -> None:
    history = History.of(bench.run("a").rows)
    assert history.noise is not None
    band = history.noise.band
    assert band > 0
    assert within_band(history, -band, history.noise.pairs)
    assert not within_band(history, band, 4 * history.noise.pairs)
    assert within_band(history, band / 2, 4 * history.noise.pairs)
    assert not within_band(replace(history, noise=None), 0.0, 10)
