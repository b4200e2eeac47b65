"""Published figures of four real candidates on a real acceptance split, reproduced from their per-note scores."""

import random
from pathlib import Path

import numpy as np
import pytest

from harness.metrics import by_class, measure, note_scores, pair_outcomes, paired_discrimination
from harness.scorefile import read_scores_csv
from harness.scores import ScoreTable, is_commission, is_omission, select
from harness.stats.bootstrap import Resampling, bootstrap_difference
from harness.stats.compare import compare
from harness.stats.intervals import clopper_pearson_upper
from harness.stats.paired import mcnemar, sign_test

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "omissionbench"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/omissionbench is not on this machine")

# candidate: paired, (wins, ties, losses), detected, false alarms, threshold, complete, weak, strong, commissions
PUBLISHED = {
    "seed_check_binary": (0.7917, (31, 14, 3), 16, 2, 0.909091, 0.9074, 0.6923, 0.5625, 0.5811),
    "v3p-01": (0.84375, (35, 11, 2), 16, 1, 0.909091, 0.9444, 0.8846, 0.4375, 0.6486),
    "seed_fc_score": (0.6146, (18, 23, 7), 1, 1, 8.0, 0.6852, 0.5385, 0.5, 0.8919),
    "v3m-08": (0.6875, (19, 28, 1), 12, 1, 9.0, 0.7037, 0.5385, 0.875, 0.9595),
}
MEANS = {  # clean, omission; with the digits that were printed
    "seed_check_binary": ("0.9463", "0.926934875"),
    "v3p-01": ("0.9476687", "0.924018042"),
    "seed_fc_score": ("8.95", "8.729166667"),
    "v3m-08": ("9.35", "8.979166667"),
}
# (candidate, baseline): difference, low, high, decimals of the bounds, sign wins : losses, p; flags a : b, p
COMPARISONS = {
    ("v3p-01", "seed_check_binary"): (0.0521, -0.0417, 0.1622, 4, 8, 3, 0.2266, 0, 0, 1.0),
    ("v3m-08", "seed_fc_score"): (0.0729, -0.070, 0.250, 3, 13, 10, 0.678, 11, 0, 0.00098),
}


@pytest.fixture(scope="module")
def tables() -> dict[str, ScoreTable]:
    return {
        name: table
        for leg in ("pipeline", "mono")
        for name, table in read_scores_csv(FOLDER / f"valid_scores_{leg}.csv").tables.items()
    }


def test_the_files_hold_four_candidates_on_one_split(tables: dict[str, ScoreTable]) -> None:
    assert set(tables) == set(PUBLISHED)
    for table in tables.values():
        assert len(table.clusters) == len(table.clean_ids) == 20
        assert is_omission(table).sum() == 48
        assert is_commission(table).sum() == 37


@pytest.mark.parametrize("name", PUBLISHED)
def test_paired_discrimination_is_as_published(tables: dict[str, ScoreTable], name: str) -> None:
    value, counts, *_ = PUBLISHED[name]
    found = measure(tables[name], 0.10)
    for reading in (found.omissions, found.omissions_dropped):
        assert reading is not None
        assert reading.value == pytest.approx(value, abs=5e-5)
        assert (reading.wins, reading.ties, reading.losses) == counts
        assert reading.n == 48


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_operating_point_is_as_published(tables: dict[str, ScoreTable], name: str) -> None:
    _, _, detected, alarms, threshold, *_ = PUBLISHED[name]
    point = measure(tables[name], 0.10).operating
    assert point is not None
    assert (point.detected, point.n_flawed, point.false_alarms, point.n_clean) == (detected, 48, alarms, 20)
    assert point.threshold == threshold
    assert point.false_alarm_upper95 == clopper_pearson_upper(alarms, 20)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_class_breakdown_is_as_published(tables: dict[str, ScoreTable], name: str) -> None:
    table = tables[name]
    *_, complete, weak, strong, commissions = PUBLISHED[name]
    outcomes = pair_outcomes(table)
    classes = by_class(table, outcomes)
    assert classes["omission-complete"].value == pytest.approx(complete, abs=5e-5)
    assert classes["omission-fragment"].value == pytest.approx(weak, abs=5e-5)
    assert classes["omission-restated"].value == pytest.approx(strong, abs=5e-5)
    assert paired_discrimination(outcomes[is_commission(table)]).value == pytest.approx(commissions, abs=5e-5)
    assert [paired.n for paired in classes.values()] == [27, 13, 8, 17, 20]


@pytest.mark.parametrize("name", PUBLISHED)
def test_mean_scores_are_as_published(tables: dict[str, ScoreTable], name: str) -> None:
    flawed, clean = note_scores(select(tables[name], is_omission(tables[name])))
    for scores, printed in zip((clean, flawed), MEANS[name], strict=True):
        assert f"{scores.mean():.{len(printed.split('.')[1])}f}" == printed


@pytest.mark.parametrize("names", COMPARISONS)
def test_differences_and_exact_tests_are_as_published(tables: dict[str, ScoreTable], names: tuple[str, str]) -> None:
    difference, _, _, _, wins, losses, p, candidate_only, baseline_only, p_flags = COMPARISONS[names]
    found = compare(tables[names[0]], tables[names[1]], 0.10, np.random.default_rng(1), resamples=500)
    assert found.omissions.value == pytest.approx(difference, abs=5e-5)
    assert (found.sign.wins, found.sign.losses) == (wins, losses)
    assert found.sign.p == pytest.approx(p, abs=5e-4 if p == 0.678 else 5e-5)
    assert found.flags is not None
    assert (found.flags.candidate_only, found.flags.baseline_only) == (candidate_only, baseline_only)
    assert found.flags.p == pytest.approx(p_flags, abs=5e-6)


@pytest.mark.parametrize("names", COMPARISONS)
def test_the_published_resampling_procedure_gives_the_published_bounds(
    tables: dict[str, ScoreTable], names: tuple[str, str]
) -> None:
    difference, clusters = _differences(tables, names)
    low, high = _published_bounds(difference, clusters)
    _, published_low, published_high, decimals, *_ = COMPARISONS[names]
    assert round(low, decimals) == published_low
    assert round(high, decimals) == published_high


@pytest.mark.parametrize("names", COMPARISONS)
def test_our_percentiles_agree_with_the_published_ones_within_monte_carlo_error(
    tables: dict[str, ScoreTable], names: tuple[str, str]
) -> None:
    difference, clusters = _differences(tables, names)
    low, high = _published_bounds(difference, clusters)
    plan = Resampling(40_000, method="percentile")
    ours = bootstrap_difference(difference, np.zeros(len(difference)), clusters, np.random.default_rng(3), plan)
    # A 2.5% quantile of 4,000 draws has a standard error of about 0.003 here.
    assert ours.low == pytest.approx(low, abs=0.012)
    assert ours.high == pytest.approx(high, abs=0.012)


@pytest.mark.parametrize("names", COMPARISONS)
def test_our_own_bounds_are_the_published_ones_widened_by_a_tenth_for_twenty_consultations(
    tables: dict[str, ScoreTable], names: tuple[str, str]
) -> None:
    difference, clusters = _differences(tables, names)
    low, high = _published_bounds(difference, clusters)
    ours = bootstrap_difference(
        difference, np.zeros(len(difference)), clusters, np.random.default_rng(3), Resampling(40_000)
    )
    # 2.093 * sqrt(20 / 19) / 1.96 = 1.096, for draws that are nearly normal.
    assert (ours.high - ours.low) / (high - low) == pytest.approx(1.096, abs=0.06)


@pytest.mark.parametrize(
    ("wins", "losses", "p", "digits"), [(8, 13, 0.38, 2), (40, 36, 0.73, 2), (3, 2, 1.0, 1), (2, 8, 0.11, 2)]
)
def test_published_holdout_p_values_follow_from_their_counts(wins: int, losses: int, p: float, digits: int) -> None:
    candidate = np.repeat([1.0, 0.0, 1.0], [wins, losses, 5])
    baseline = np.repeat([0.0, 1.0, 1.0], [wins, losses, 5])
    assert round(sign_test(candidate, baseline).p, digits) == p
    assert round(mcnemar(candidate > 0, baseline > 0).p, digits) == p


def _differences(tables: dict[str, ScoreTable], names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    left, right = (select(tables[name], is_omission(tables[name])) for name in names)
    return pair_outcomes(left) - pair_outcomes(right), left.cluster


def _published_bounds(difference: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """The published procedure, written as a plain loop: 4,000 draws, sorted, indices 100 and 3,900."""
    members: dict[int, list[float]] = {}
    for cluster, value in zip(clusters.tolist(), difference.tolist(), strict=True):
        members.setdefault(cluster, []).append(value)
    order, source, draws = list(members), random.Random(11), []
    for _ in range(4000):
        values = [value for cluster in source.choices(order, k=len(order)) for value in members[cluster]]
        draws.append(sum(values) / len(values))
    draws.sort()
    return draws[100], draws[3900]
