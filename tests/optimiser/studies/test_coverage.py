from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.metrics import pair_outcomes
from harness.stats.bootstrap import Resampling, bootstrap_difference
from optimiser.studies.coverage import CASES, Case, CoverageJob, CoverageStudy, coverage_chunk, run_coverage
from optimiser.studies.latent import NOISY
from optimiser.studies.worlds import draw_tables

STUDY = CoverageStudy(sets=4, sizes=(12, 20), chunk=2)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_chunk_counts_what_its_seed_draws(case: Case) -> None:
    job = CoverageJob(STUDY, case.name, 20, 0)
    line = coverage_chunk(job)
    assert line == coverage_chunk(job)
    assert 0 <= line["held"] <= line["sets"] == 2
    assert line["width"] > 0


def test_a_study_has_one_line_for_each_interval_and_size(tmp_path: Path) -> None:
    lines = run_coverage(STUDY, tmp_path / "lines.jsonl", 1)
    assert {(line.case, line.size) for line in lines} == {(case.name, n) for case in CASES for n in STUDY.sizes}
    assert {line.sets for line in lines} == {4}
    assert STUDY.jobs == 2 * len(lines)


def test_intervals_for_few_consultations_hold_the_truth_more_often_than_plain_percentiles() -> None:
    rng, held = np.random.default_rng(5), {"expanded": 0, "percentile": 0}
    sets, plans = 300, (Resampling(400), Resampling(400, method="percentile"))
    for number in range(sets):
        a, b = draw_tables(12, (0.3, 0.3), NOISY, rng)
        for plan in plans:
            draws = np.random.default_rng(number)
            found = bootstrap_difference(pair_outcomes(a), pair_outcomes(b), a.cluster, draws, plan)
            held[plan.method] += found.low <= 0 <= found.high
    assert held["expanded"] > held["percentile"]
    assert 0.92 <= held["expanded"] / sets <= 0.98
