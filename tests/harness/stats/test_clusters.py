"""The faster draws among many clusters have the distribution of the plain ones."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from harness.stats.clusters import MANY, Clusters, random_signs, resample_counts, resample_sums, signed_sums
from harness.stats.paired import sign_flip

N = 2 * MANY


def lattice(seed: int) -> Clusters:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, N)
    return Clusters(np.round(rng.normal(0.2, 1, N) * sizes * 2) / 2, sizes.astype(np.float64))


def test_among_many_clusters_every_resample_still_draws_as_many_as_there_are() -> None:
    counts = np.concatenate(list(resample_counts(N, 50, np.random.default_rng(0))))
    assert counts.shape == (50, N)
    assert set(counts.sum(axis=1)) == {N}
    assert counts.var() == pytest.approx(1 - 1 / N, abs=0.03)


def test_drawing_kinds_of_clusters_spreads_the_mean_as_drawing_clusters_does() -> None:
    grouped = lattice(1)
    drawn = np.concatenate(list(resample_sums(grouped, 4_000, np.random.default_rng(2))))
    means = drawn[:, 0] / drawn[:, 1]
    assert kstest(means, norm(grouped.mean, grouped.error).cdf).pvalue > 1e-3


def test_signs_drawn_together_spread_the_total_as_single_signs_do() -> None:
    sums = lattice(3).sums
    together = np.concatenate(list(signed_sums(sums, 4_000, np.random.default_rng(4))))
    assert together.std() == pytest.approx(np.sqrt((sums**2).sum()), rel=0.05)
    single = np.concatenate([signs @ sums for signs in random_signs(N, 2_000, np.random.default_rng(5))])
    assert kstest(together, single).pvalue > 1e-3


def test_totals_under_signs_reach_what_a_shift_of_all_clusters_gives_only_by_chance() -> None:
    rng = np.random.default_rng(6)
    noise = np.round(rng.normal(0, 1, N) * 2) / 2
    assert sign_flip(noise, np.arange(N), rng).p > 0.001
    assert sign_flip(noise + 0.5, np.arange(N), rng).p < 0.001
