import hashlib
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.config import JudgeConfig, ModelConfig
from harness.errors import ConfigError, EndpointUnreachable, HoldoutSpent, SealBroken, SplitError
from harness.judges.base import FakeJudge
from harness.judges.build import envelope_of
from harness.outcomes import Failure, Usage
from harness.stats.spending import share_of
from harness.types import SEVERITIES, TRACES, Candidate, Consultation, Defect, Note, Pair, PairSet
from optimiser.config import ConfirmConfig
from optimiser.confirm import Means, confirm, settle
from optimiser.confirmation import Comparison, Difference, PrimaryTest, SplitTest, dump_confirmation, read_confirmation
from optimiser.ladder import build_ladder
from optimiser.records import CandidateRecord, Frozen
from optimiser.rung import adjust, decide
from partitions.config import SplitConfig
from partitions.holdout import holdout_status
from partitions.seal import seal
from partitions.splits import open_splits

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
SEED = CandidateRecord.of(Candidate("score", (("instruction", "seed text"),)))
WINNER = CandidateRecord.of(Candidate("score", (("instruction", "winner text"),)))
CONFIG = ConfirmConfig(efforts=("none", "low"), resamples=400)


def pair_set(n: int = 40) -> PairSet:
    consultations, pairs = [], []
    for index in range(n):
        name = f"c{index:02d}"
        words = random.Random(name).choices([f"w{k}" for k in range(2000)], k=30)
        consultations.append(Consultation(name, "made", "doctor: " + " ".join(words)))
        clean = Note(f"{name}-clean", name, " ".join(reversed(words)))
        omission = Defect("omission", "a fact", trace=TRACES[index % 3], severity=SEVERITIES[index % 3])
        alteration = Defect("alteration", "a dose", aspect="dose")
        for k, defect in enumerate((omission, omission, alteration)):
            pairs.append(
                Pair(f"{name}-p{k}", name, clean, Note(f"{name}-f{k}", name, " ".join(words[: 9 + k]), defect))
            )
    return PairSet("made", tuple(consultations), tuple(pairs))


def score_like(skill: float, seed: str):
    """A judge's scores: clean notes 7, a flawed note 3 with chance ``skill``, else 7."""

    def score(consultation, note, replicate):
        if note.defect is None:
            return 7.0
        return 3.0 if random.Random(f"{seed}{note.id}{replicate}").random() < skill else 7.0

    return score


class Bench:
    """A judge family that knows who is asked, at which effort, on which note."""

    def __init__(self, winner, seed):
        self.scores = {WINNER.id: winner, SEED.id: seed}
        self.asked = []
        self.kept = []

    def judge_for(self, record, judge):
        def score(consultation, note, replicate):
            self.asked.append((record.id, judge.effort, note.consultation_id, note.id, replicate))
            return self.scores[record.id](consultation, note, replicate)

        usage = Usage(calls=1, bought=1, prompt_tokens=90, completion_tokens=10, cost=0.002, latency=0.5)
        return FakeJudge(score, record.id, usage)

    def means(self, keep=None):
        return Means(self.judge_for, 2, 5, keep or self.kept.append)


@pytest.fixture
def split(tmp_path):
    seal(pair_set(), SplitConfig(), tmp_path / "split")
    return tmp_path / "split"


def frozen_for(split, winner=WINNER, **judge) -> Frozen:
    config = JudgeConfig(effort="none", **judge)
    return Frozen(
        campaign="made",
        simulated=False,
        clean_verified=True,
        seed_kept=winner.id == SEED.id,
        winner=winner,
        baseline=SEED,
        judge=config,
        model=ModelConfig(model="m", base_url="http://localhost:1/v1"),
        cap=0.1,
        thresholds={},
        envelope=envelope_of(config),
        manifest=open_splits(split).manifest.digest,
        ledger="0" * 64,
    )


def better() -> Bench:
    return Bench(score_like(0.95, "w"), score_like(0.2, "s"))


def test_a_much_better_winner_is_improved_on_every_rung(split):
    found = confirm(frozen_for(split), split, CONFIG, better().means(), WHEN)
    assert (found.verdict, [rung.verdict for rung in found.rungs]) == ("improved", ["improved", "improved"])
    assert found.primary.comparison.omissions.low > 0
    assert found.primary.comparison.primary.adjusted_p < 0.05


def test_a_much_worse_winner_is_regressed(split):
    bench = Bench(score_like(0.2, "w"), score_like(0.95, "s"))
    assert confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN).verdict == "regressed"


def test_a_winner_that_scores_like_the_seed_is_non_inferior_and_within_the_band(split):
    bench = Bench(score_like(0.6, "same"), score_like(0.6, "same"))
    found = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    assert found.verdict == "non-inferior"
    assert found.primary.comparison.within_band
    assert found.primary.comparison.primary.p == 1.0


def test_a_winner_that_differs_by_chance_alone_on_few_consultations_is_inconclusive(split):
    bench = Bench(score_like(0.5, "one"), score_like(0.5, "two"))
    found = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    assert found.verdict == "inconclusive"
    assert any("80% power" in sentence for sentence in found.words)


def test_every_judgement_before_the_opening_is_on_acceptance_and_none_is_on_training(split):
    bench = better()
    events = []

    def judge_for(record, judge):
        inner = bench.judge_for(record, judge)

        def score(consultation, note, replicate):
            events.append((holdout_status(split).openings, consultation.id))
            return inner.judge(consultation, note, replicate).score

        return FakeJudge(score, record.id)

    confirm(frozen_for(split), split, CONFIG, Means(judge_for, 1, 5, bench.kept.append), WHEN)
    splits = open_splits(split)
    acceptance = {c.id for c in splits.acceptance.consultations}
    assert {name for openings, name in events if openings == 0} == acceptance
    assert {name for openings, name in events if openings == 1} == set(splits.manifest.splits["holdout"].consultations)
    # Never back to acceptance once the holdout is open: thresholds cannot follow it.
    assert [openings for openings, _ in events] == sorted(openings for openings, _ in events)


def test_both_candidates_get_the_same_notes_replicates_and_efforts(split):
    bench = better()
    confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    asked = {name: sorted(x[1:] for x in bench.asked if x[0] == name) for name in (SEED.id, WINNER.id)}
    assert asked[SEED.id] == asked[WINNER.id]
    assert {x[1] for x in bench.asked} == {"none", "low"}
    assert {x[4] for x in bench.asked} == {11, 22, 33}


def test_the_holdout_is_opened_once_and_the_result_is_the_digest_of_what_was_kept(split):
    bench = better()
    found = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    status = holdout_status(split)
    assert (status.openings, status.results) == (1, 1)
    assert bench.kept == [found]
    assert status.rows[-1].result == hashlib.sha256(dump_confirmation(found)).hexdigest()


def test_the_same_question_is_not_confirmed_twice_without_a_reason(split):
    bench = better()
    confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    with pytest.raises(HoldoutSpent):
        confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    again = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN, reason="the endpoint was swapped")
    assert again.opening.number == 2
    assert any("opening 2" in sentence for sentence in again.words)


def test_a_second_look_pays_in_p_and_in_the_width_of_the_interval(split):
    bench = Bench(score_like(0.7, "w"), score_like(0.5, "s"))
    first = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN).primary.comparison
    second = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN, reason="again").primary.comparison
    assert second.primary.p == first.primary.p
    assert second.primary.adjusted_p == pytest.approx(min(1, 5 * first.primary.adjusted_p))
    assert second.omissions.low < first.omissions.low
    assert second.omissions.high > first.omissions.high


def test_a_confirmation_killed_before_its_result_resumes_as_the_same_opening(split):
    def killed(_):
        raise KeyboardInterrupt

    bench = better()
    with pytest.raises(KeyboardInterrupt):
        confirm(frozen_for(split), split, CONFIG, bench.means(keep=killed), WHEN)
    found = confirm(frozen_for(split), split, CONFIG, bench.means(), WHEN)
    assert (found.opening.number, found.opening.resumed) == (1, True)
    assert holdout_status(split).results == 1


def test_settling_records_the_result_that_a_crash_left_out(split):
    kept = []

    def crash(found):
        kept.append(found)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        confirm(frozen_for(split), split, CONFIG, better().means(keep=crash), WHEN)
    assert holdout_status(split).results == 0
    settle(split, kept[0])
    settle(split, kept[0])
    assert holdout_status(split).results == 1


def test_a_confirmation_that_is_not_what_was_found_does_not_settle(split):
    found = confirm(frozen_for(split), split, CONFIG, better().means(), WHEN)
    with pytest.raises(HoldoutSpent):
        settle(split, found.model_copy(update={"campaign": "another"}))
    elsewhere = found.opening.model_copy(update={"hash": "0" * 64})
    with pytest.raises(SealBroken, match="no such opening"):
        settle(split, found.model_copy(update={"opening": elsewhere}))


def test_a_kept_seed_is_measured_alone_and_claims_nothing(split):
    bench = better()
    found = confirm(frozen_for(split, winner=SEED), split, CONFIG, bench.means(), WHEN)
    assert (found.verdict, found.seed_kept) == ("seed-kept", True)
    assert all(rung.comparison is None and rung.winner is None for rung in found.rungs)
    assert {x[0] for x in bench.asked} == {SEED.id}
    assert any("no difference is claimed" in sentence for sentence in found.words)


def test_the_frozen_threshold_is_the_acceptance_splits_and_not_the_holdouts(split):
    """Scores shift by consultation split, so a threshold swept on the holdout would be another one."""
    acceptance = {c.id for c in open_splits(split).acceptance.consultations}

    def shifted(consultation, note, replicate):
        base = 5.0 if consultation.id in acceptance else 9.0
        return base if note.defect is None else base - 1

    found = confirm(frozen_for(split), split, CONFIG, Bench(shifted, shifted).means(), WHEN)
    reading = found.primary.winner
    assert [point.threshold for point in found.operating_points] == [5.0] * 4
    assert reading.frozen.threshold == 5.0
    assert (reading.frozen.detection.count, reading.re_swept.detection.count) == (0, reading.re_swept.detection.n)


def test_failures_count_as_losses_and_are_shown_both_ways(split):
    def half(consultation, note, replicate):
        return None if note.id.endswith("f0") else score_like(1.0, "x")(consultation, note, replicate)

    found = confirm(frozen_for(split), split, CONFIG, Bench(half, score_like(1.0, "x")).means(), WHEN)
    reading = found.primary.winner
    assert (reading.omissions.worst_case.value, reading.omissions.dropped.value) == (0.5, 1.0)
    assert reading.omissions.worst_case.n == 2 * reading.omissions.dropped.n
    assert reading.failures == 3 * reading.omissions.dropped.n
    assert found.verdict == "regressed"


def test_tokens_dollars_and_seconds_are_per_judgement(split):
    reading = confirm(frozen_for(split), split, CONFIG, better().means(), WHEN).primary.baseline
    assert (reading.tokens_per_note, reading.mean_latency) == (100, 0.5)
    assert reading.dollars_per_note == pytest.approx(0.002)


def test_simulated_outcomes_make_a_simulated_confirmation_that_says_so_first(split):
    found = confirm(frozen_for(split), split, CONFIG, better().means(), WHEN)
    assert found.simulated
    assert found.words[0].startswith("SIMULATED")


def test_a_lost_endpoint_ends_the_confirmation_without_a_result(split):
    class Lost:
        def judge(self, consultation, note, replicate):
            return Failure(note.id, SEED.id, replicate, "call-failed")

    means = Means(lambda record, judge: Lost(), 1, 5, lambda _: None)
    with pytest.raises(EndpointUnreachable):
        confirm(frozen_for(split, winner=SEED), split, CONFIG, means, WHEN)
    assert holdout_status(split).openings == 0


@pytest.mark.parametrize("change", [{"manifest": "0" * 64}, {"envelope": "0" * 64}])
def test_another_split_or_other_prompts_than_frozen_are_refused_unopened(split, change):
    with pytest.raises(SealBroken, match="frozen with"):
        confirm(frozen_for(split).model_copy(update=change), split, CONFIG, better().means(), WHEN)
    assert holdout_status(split).openings == 0


def test_a_holdout_without_omissions_is_refused_unopened(tmp_path):
    made = pair_set()
    altered = replace(made, pairs=tuple(pair for pair in made.pairs if pair.pair_class == "alteration"))
    seal(altered, SplitConfig(), tmp_path / "split")
    bench = better()
    with pytest.raises(SplitError, match="without omission pairs"):
        confirm(frozen_for(tmp_path / "split"), tmp_path / "split", CONFIG, bench.means(), WHEN)
    assert bench.asked == []
    assert holdout_status(tmp_path / "split").openings == 0


def test_only_one_of_many_simultaneous_confirmations_opens(split):
    def run(_):
        try:
            return confirm(frozen_for(split), split, CONFIG, better().means(), WHEN).opening.number
        except HoldoutSpent:
            return None

    with ThreadPoolExecutor(4) as pool:
        numbers = set(pool.map(run, range(4)))
    assert numbers <= {1, None}
    assert holdout_status(split).openings == 1
    assert holdout_status(split).results == 1


def test_a_confirmation_survives_its_file(split, tmp_path):
    found = confirm(frozen_for(split), split, CONFIG, better().means(), WHEN)
    (tmp_path / "confirmation.json").write_bytes(dump_confirmation(found))
    assert read_confirmation(tmp_path / "confirmation.json") == found


def test_the_same_inputs_give_the_same_confirmation(tmp_path):
    found = []
    for name in ("one", "two"):
        seal(pair_set(), SplitConfig(), tmp_path / name)
        found.append(confirm(frozen_for(tmp_path / name), tmp_path / name, CONFIG, better().means(), WHEN))
    assert found[0] == found[1]


def test_a_missing_search_effort_joins_the_ladder_as_its_primary_rung(split):
    frozen = frozen_for(split, max_tokens=300)
    ladder = build_ladder(frozen, ConfirmConfig(efforts=("low", "high")))
    assert [(s.effort, s.primary, s.token_cap) for s in ladder] == [
        ("none", True, 300),
        ("low", False, 300),
        ("high", False, 300),
    ]
    assert ladder[2].judge == frozen.judge.model_copy(update={"effort": "high"})


def test_the_models_own_effort_is_the_searchs_where_the_judge_names_none(split):
    frozen = frozen_for(split)
    model = frozen.model.model_copy(update={"effort": "low"})
    frozen = frozen.model_copy(update={"judge": JudgeConfig(), "model": model})
    assert [(s.effort, s.primary) for s in build_ladder(frozen, ConfirmConfig(efforts=("none", None)))] == [
        ("none", False),
        ("low", True),
    ]


@pytest.mark.parametrize(
    "config",
    [
        ConfirmConfig(efforts=("none", "low"), token_caps=(100,)),
        ConfirmConfig(efforts=("none", "none")),
        ConfirmConfig(efforts=("none", "low"), token_caps=(77, None)),
    ],
)
def test_a_ladder_that_compares_something_else_than_the_search_is_refused(split, config):
    with pytest.raises(ConfigError, match="ladder"):
        build_ladder(frozen_for(split), config)


def comparison(value: float, low: float, high: float, p: float) -> Comparison:
    return Comparison(
        omissions=Difference(value=value, low=low, high=high),
        primary=PrimaryTest(p=p, adjusted_p=p, n_informative=9),
        sign=SplitTest(winner_only=1, baseline_only=1, p=1),
        mcnemar=None,
        commissions=None,
        detection=None,
        band=None,
        minimum_detectable=None,
    )


@pytest.mark.parametrize(
    ("low", "high", "p", "verdict"),
    [
        (0.01, 0.09, 0.01, "improved"),
        (0.01, 0.09, 0.20, "non-inferior"),  # the interval alone is not enough
        (-0.02, 0.09, 0.01, "non-inferior"),  # nor is the p-value
        (-0.09, 0.09, 0.50, "inconclusive"),
        (-0.09, -0.01, 0.01, "regressed"),
        (-0.02, -0.01, 0.01, "regressed"),  # small, but shown
        (-0.02, -0.01, 0.20, "non-inferior"),
        (-0.09, -0.04, 0.20, "regressed"),  # beyond the margin whatever p says
        (0.0, 0.0, 1.0, "non-inferior"),
    ],
)
def test_the_verdict_follows_the_rules(low, high, p, verdict):
    assert decide(comparison((low + high) / 2, low, high, p), margin=0.03, alpha=0.05) == verdict


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_adjusting_never_lowers_p_and_never_passes_one(ps, openings):
    adjusted = [c.primary.adjusted_p for c in adjust([comparison(0, -1, 1, p) for p in ps], openings)]
    assert all(min(1, p / share_of(openings)) <= a + 1e-12 and a <= 1 for p, a in zip(ps, adjusted, strict=True))
    assert np.argsort(ps, kind="stable").tolist() == sorted(range(len(ps)), key=lambda i: (adjusted[i], ps[i], i))
