"""Timings of the resampling statistics; printed, never asserted."""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from harness.scores import ScoreTable
from harness.stats.compare import compare
from harness.stats.resweep import detection_difference
from harness.stats.simultaneous import simultaneous_bounds

PAIRS, CONSULTATIONS, RESAMPLES = 151, 47, 10_000


def _table(rng: np.random.Generator) -> ScoreTable:
    cluster = np.sort(np.concatenate([np.arange(CONSULTATIONS), rng.integers(0, CONSULTATIONS, PAIRS - CONSULTATIONS)]))
    return ScoreTable(
        pair_ids=tuple(f"p{i}" for i in range(PAIRS)),
        pair_class=np.full(PAIRS, "omission-complete"),
        severity=np.full(PAIRS, ""),
        cluster=cluster,
        clean_of=cluster,
        clusters=tuple(f"c{i}" for i in range(CONSULTATIONS)),
        flawed=rng.random((PAIRS, 3)),
        clean_ids=tuple(f"n{i}" for i in range(CONSULTATIONS)),
        clean=rng.random((CONSULTATIONS, 3)) + 0.1,
        clean_cluster=np.arange(CONSULTATIONS),
    )


def _report(what: str, run: Callable[[], object]) -> None:
    start = time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\n{what}: {seconds:.3f} s, peak {peak / 2**20:.0f} MiB")


def test_difference_of_detection_with_the_threshold_reswept() -> None:
    first, second = _table(np.random.default_rng(0)), _table(np.random.default_rng(0))
    _report(
        f"{RESAMPLES} resamples of a re-swept detection difference, {PAIRS} pairs / {CONSULTATIONS} consultations",
        lambda: detection_difference(first, second, 0.1, np.random.default_rng(1)),
    )
    _report("the whole comparison of two candidates", lambda: compare(first, second, 0.1, np.random.default_rng(1)))


def test_simultaneous_bounds_of_thirty_candidates() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(150), 3)
    differences = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=(30, 450))
    _report(
        f"simultaneous bounds of 30 candidates, 150 consultations, {RESAMPLES} resamples",
        lambda: simultaneous_bounds(differences, clusters, rng),
    )
