import numpy as np
import pytest

from harness.errors import DataError, MetricUndefined
from harness.stats.simultaneous import simultaneous_bounds

STEPS = [-1.0, -0.5, 0.0, 0.5, 1.0]


def gains(candidates: int, consultations: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Null differences to one shared baseline: two pairs a consultation and some more, at random."""
    clusters = np.concatenate([np.arange(consultations), rng.integers(0, consultations, consultations)])
    baseline = rng.choice([0, 0.5, 1], size=len(clusters), p=[0.1, 0.3, 0.6])
    scores = rng.choice([0, 0.5, 1], size=(candidates, len(clusters)), p=[0.1, 0.3, 0.6])
    return scores - baseline, clusters


@pytest.mark.parametrize("candidates", [1, 20])
def test_equal_candidates_pass_about_as_often_as_alpha_allows(candidates: int) -> None:
    rng = np.random.default_rng(candidates)
    passed = 0
    for _ in range(400):
        differences, clusters = gains(candidates, 20, rng)
        passed += simultaneous_bounds(differences, clusters, rng, resamples=400).lower.max() > 0
    assert passed / 400 < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 400)
    assert passed > 0


def test_more_candidates_widen_every_bound() -> None:
    differences, clusters = gains(30, 20, np.random.default_rng(0))
    alone = simultaneous_bounds(differences[:1], clusters, np.random.default_rng(1))
    among = simultaneous_bounds(differences, clusters, np.random.default_rng(1))
    assert among.lower[0] < alone.lower[0]
    assert among.low[0] < alone.low[0] < alone.estimates[0] < alone.high[0] < among.high[0]


def test_estimates_are_means_over_pairs_and_bounds_enclose_them() -> None:
    differences, clusters = gains(5, 20, np.random.default_rng(0))
    found = simultaneous_bounds(differences, clusters, np.random.default_rng(1))
    assert found.estimates == pytest.approx(differences.mean(axis=1))
    assert np.all(found.low <= found.lower)
    assert np.all(found.lower <= found.estimates)
    assert np.all(found.estimates <= found.high)


def test_the_best_of_many_equal_candidates_is_shrunk_towards_nothing() -> None:
    rng = np.random.default_rng(0)
    raw, shrunken = [], []
    for _ in range(60):
        differences, clusters = gains(20, 20, rng)
        found = simultaneous_bounds(differences, clusters, rng, resamples=400)
        raw.append(found.estimates[found.winner])
        shrunken.append(found.shrunken)
    assert np.mean(raw) > 0.05
    assert abs(np.mean(shrunken)) < np.mean(raw) / 2


def test_a_single_candidate_is_hardly_shrunk() -> None:
    differences, clusters = gains(1, 20, np.random.default_rng(0))
    found = simultaneous_bounds(differences, clusters, np.random.default_rng(1))
    assert found.shrunken == pytest.approx(found.estimates[0], abs=0.01)


def test_a_gain_that_never_varies_is_its_own_bound_and_an_identical_candidate_gains_nothing() -> None:
    differences = np.array([np.full(12, 0.5), np.zeros(12), np.tile([1.0, -0.5, 0.0], 4)])
    found = simultaneous_bounds(differences, np.arange(12), np.random.default_rng(0))
    assert found.lower[:2].tolist() == found.high[:2].tolist() == [0.5, 0.0]
    assert found.winner == 0
    assert found.lower[2] < found.estimates[2]


def test_too_few_consultations_bound_nothing() -> None:
    found = simultaneous_bounds(np.full((1, 4), 0.5), np.arange(4), np.random.default_rng(0))
    assert (found.lower[0], found.low[0], found.high[0]) == (-1, -1, 1)


def test_a_real_gain_is_found() -> None:
    differences, clusters = gains(10, 40, np.random.default_rng(0))
    differences[3] = np.clip(differences[3] + 0.5, -1, 1)
    found = simultaneous_bounds(differences, clusters, np.random.default_rng(1))
    assert found.winner == 3
    assert found.lower[3] > 0
    assert 0 < found.shrunken <= found.estimates[3] + 0.01


def test_the_same_seed_gives_the_same_bounds() -> None:
    differences, clusters = gains(3, 12, np.random.default_rng(0))
    first, second = (simultaneous_bounds(differences, clusters, np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(first.lower, second.lower)


def test_unusable_differences_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DataError):
        simultaneous_bounds([[np.nan, 0.0]], [0, 1], rng)
    with pytest.raises(DataError):
        simultaneous_bounds([[2.0, 0.0]], [0, 1], rng)
    with pytest.raises(MetricUndefined):
        simultaneous_bounds([[0.5, 0.0]], [1, 1], rng)
    with pytest.raises(MetricUndefined):
        simultaneous_bounds(np.empty((0, 2)), [0, 1], rng)
