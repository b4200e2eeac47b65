from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from optimiser.studies.null import NullJob, NullStudy, null_campaign, run_null
from optimiser.studies.planted import (
    Cell,
    PlantedJob,
    PlantedLine,
    PlantedStudy,
    default_cells,
    planted_campaign,
    run_planted,
)
from optimiser.studies.trial import seeds_of

SMALL = NullStudy(campaigns=2, training=10, acceptance=5, holdout=6, pairs=2, proposals=2)


def test_a_null_study_goes_on_where_it_was_and_reports_both_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    done: list[str] = []
    (first,) = run_null(replace(SMALL, campaigns=1), path, 1)
    again, second = run_null(SMALL, path, 1, done.append)
    assert done == ["000001"]
    assert again == first != second
    assert null_campaign(NullJob(SMALL, 0)) == asdict(first)
    for line in (first, second):
        assert line.frozen == (line.verdict != "seed-kept")
        assert 0 < line.children <= SMALL.proposals
        assert line.accepted <= line.children
        assert line.calls > 0
        assert line.naive_gain is not None
        assert line.forced_difference is not None
        assert line.forced_low is not None
        assert line.forced_high is not None
        assert line.naive_improved == (line.naive_gain > 0 and line.forced_difference > 0)
        assert line.forced_low <= line.forced_difference <= line.forced_high


def test_a_large_gain_on_steady_notes_is_found_and_confirmed() -> None:
    job = PlantedJob(PlantedStudy(share=1.0, proposals=3), Cell((24, 16, 24), 0.25), 0)
    line = PlantedLine(**planted_campaign(job))
    assert line.offered == 3
    assert (line.found, line.confirmed, line.wrong) == (True, True, False)
    assert line.accepted >= 1


def test_a_reflector_that_offers_no_gain_leaves_nothing_to_find(tmp_path: Path) -> None:
    cells = (Cell((12, 8, 8), 0.10, "noisy"),)
    (line,) = run_planted(PlantedStudy(campaigns=1, share=0.0, proposals=2), cells, tmp_path / "lines.jsonl", 1)
    assert (line.offered, line.found, line.confirmed) == (0, False, False)
    assert line.cell == cells[0].key


def test_the_cells_hold_four_gains_at_three_sizes() -> None:
    steady = [cell for cell in default_cells() if cell.judge == "steady"]
    assert len({cell.size for cell in steady}) == 3
    assert {cell.gain for cell in steady} == {0.02, 0.05, 0.10, 0.15}
    assert len({cell.key for cell in default_cells()}) == len(default_cells())


@pytest.mark.parametrize("study", [0, 2026])
def test_no_two_campaigns_share_a_seed(study: int) -> None:
    drawn = [seeds_of(study, number) for number in range(500)]
    assert drawn == [seeds_of(study, number) for number in range(500)]
    assert all(len({seeds[part] for seeds in drawn}) == 500 for part in (0, 1, 3))
