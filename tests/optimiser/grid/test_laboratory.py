from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import BudgetExhausted, CampaignError, ConfigError
from harness.outcomes import Judgement
from optimiser.grid.cells import cells_of
from optimiser.grid.config import GridConfig
from optimiser.grid.laboratory import open_grid
from optimiser.grid.unchanged import require_same_notes
from optimiser.workspace import Workspace
from partitions.splits import open_splits
from support.bench import pair_set
from support.grid_bench import GridBench

SEEDS = Path(__file__).parents[3] / "seeds"
PAIRS = pair_set(2)
EXTRACTOR = {"model": "sim-extractor", "base_url": "simulated:"}
PLAIN = {"name": "plain", "blocks": {"instruction": SEEDS / "score/bare.md"}}
STAGED = {
    "name": "staged",
    "judge": {"kind": "two-stage", "stages": {"extract": {"model": EXTRACTOR}}},
    "blocks": {"extract": SEEDS / "stages/extract.md", "check": SEEDS / "two-stage/check.md"},
}


def config(*cells: dict[str, Any], **changes: Any) -> GridConfig:
    raw = {
        "name": "g",
        "data": {"source": "synthetic"},
        "model": {"model": "sim-judge", "base_url": "simulated:"},
        "cells": cells,
    }
    return GridConfig.model_validate(raw | changes)


def test_the_bill_tells_cells_and_stages_apart_and_outlives_the_process(tmp_path: Path) -> None:
    grid = config(PLAIN, STAGED)
    plain, staged = cells_of(grid)
    for bought in (True, False):
        with open_grid(grid, (plain, staged), "a", tmp_path / "calls.sqlite") as lab:
            for pair in PAIRS.pairs[:3]:
                for cell in (plain, staged):
                    judged = lab.judge_for(cell).judge(PAIRS.consultations[0], pair.flawed, 0)
                    assert isinstance(judged, Judgement)
                    assert (judged.usage.bought > 0) == bought
            bill = lab.bill
        assert bill.by_cell == {plain.id: {"judge": 3}, staged.id: {"check": 3, "extract": 1}}
        assert bill.spent.calls == 7


def test_all_cells_pay_from_one_budget(tmp_path: Path) -> None:
    grid = config(PLAIN | {"samples": [1, 8]}, budget={"calls": 3})
    one, eight = cells_of(grid)
    with open_grid(grid, (one, eight), "a", tmp_path / "calls.sqlite") as lab:
        lab.judge_for(one).judge(PAIRS.consultations[0], PAIRS.pairs[0].clean, 0)
        with pytest.raises(BudgetExhausted):
            lab.judge_for(eight).judge(PAIRS.consultations[0], PAIRS.pairs[0].clean, 0)
        assert lab.spent.calls == 3
        # The first of eight samples is the one sample of the other cell.
        assert lab.bill.by_cell == {one.id: {"judge": 1}, eight.id: {"judge": 2}}


def test_a_mistake_in_any_cell_is_found_before_a_call_is_bought(tmp_path: Path) -> None:
    wrong = STAGED | {"judge": {"kind": "two-stage", "stages": {"audit": {"effort": "low"}}}}
    grid = config(PLAIN, wrong)
    with (
        pytest.raises(ConfigError, match="audit"),
        open_grid(grid, cells_of(grid), "a", tmp_path / "calls.sqlite"),
    ):
        pass
    priceless = config(PLAIN, budget={"dollars": 1})
    with pytest.raises(ConfigError), open_grid(priceless, cells_of(priceless), "a", tmp_path / "calls.sqlite"):
        pass


def test_a_folder_keeps_to_the_notes_it_was_begun_with(grid_bench: GridBench, tmp_path: Path) -> None:
    manifest = open_splits(grid_bench.folder / "split").manifest
    workspace, begun = Workspace(tmp_path / "g"), grid_bench.config()
    require_same_notes(workspace, begun, manifest)
    require_same_notes(workspace, grid_bench.config(replicates=2, cells=begun.model_dump()["cells"][:1]), manifest)
    with pytest.raises(CampaignError, match=r"data\.consultations is 12 and was 96"):
        require_same_notes(workspace, grid_bench.config(data={"source": "synthetic", "consultations": 12}), manifest)
    resealed = manifest.model_copy(update={"digest": "another"})
    with pytest.raises(CampaignError, match="manifest is 'another'"):
        require_same_notes(workspace, begun, resealed)
