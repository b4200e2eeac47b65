from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import DataError
from harness.report.tables import markdown_table
from harness.runs import NullStore, RunRecord
from harness.tracking import Store
from optimiser.grid.projection import records_of_grid, sync_grid
from optimiser.grid.records import Grid, dump_grid, read_grid
from optimiser.grid.report import grid_report, summary_lines
from optimiser.grid.tables import main_table
from optimiser.reporting import Report
from support.grid_bench import GridBench

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"


@pytest.fixture(scope="module")
def grid() -> Grid:
    return read_grid(GOLDEN / "grid.json")


@pytest.fixture(scope="module")
def report(grid: Grid) -> Report:
    return grid_report(grid)


def test_the_report_of_the_handmade_grid_is_as_agreed(report: Report) -> None:
    assert report.markdown == (GOLDEN / "grid.md").read_text(encoding="utf-8")


def test_a_grid_reads_back_as_the_bytes_that_were_written(grid: Grid) -> None:
    assert dump_grid(grid) == (GOLDEN / "grid.json").read_bytes()


def test_the_handmade_grid_is_what_its_cells_measure_today(grid_bench: GridBench, grid: Grid) -> None:
    cells = [*grid_bench.config().model_dump()["cells"], {"name": "free", "judge": {"kind": "lexical"}}]
    _, now = grid_bench.run(config=grid_bench.config(cells=cells))
    for old, new in zip(grid.cells, now.cells, strict=True):
        assert (new.name, new.omissions, new.by_class, new.own) == (old.name, old.omissions, old.by_class, old.own)
        assert (new.at_cap, new.auc, new.failures, new.costs) == (old.at_cap, old.auc, old.failures, old.costs)


def test_html_and_markdown_hold_the_same_figures(report: Report) -> None:
    assert len(report.plots) == report.markdown.count("*Figure: ") == report.html.count("<img ") == 5


def test_a_cell_beats_the_floor_where_the_interval_of_its_gain_excludes_zero(grid: Grid) -> None:
    check = next(cell for cell in grid.cells if cell.name == "check")
    assert check.against_floor is not None
    assert check.beats_floor == (check.against_floor.omissions.low > 0)
    gain = check.against_floor.omissions
    for low, word in ((0.01, "| +0.241 beaten |"), (0.0, "| +0.241 NOT beaten |")):
        over = check.against_floor.model_copy(update={"omissions": gain.model_copy(update={"low": low})})
        others = [cell for cell in grid.cells if cell.name != "check"]
        changed = grid.model_copy(update={"cells": (check.model_copy(update={"against_floor": over}), *others)})
        table = markdown_table(main_table(changed))
        assert word in table
        assert table.count("| is the floor |") == 1
        assert f"Floor: {int(low > 0)} of 3 cells beat free" in "\n".join(summary_lines(changed))


@pytest.mark.parametrize(
    ("changes", "present", "absent"),
    [
        ({"simulated": False, "clean_verified": True}, "real model, verified clean notes", "SIMULATED"),
        ({"clean_verified": False}, "unverified clean twin", "real model"),
        ({"simulated": True}, "SIMULATED", "real model"),
    ],
)
def test_what_a_reader_must_know_stands_in_report_and_summary(
    grid: Grid, changes: dict[str, Any], present: str, absent: str
) -> None:
    changed = grid.model_copy(update=changes)
    text = "\n".join(summary_lines(changed))
    assert present in text
    assert absent not in text
    assert ("SIMULATED" in grid_report(changed).html) == changed.simulated
    assert ("unverified clean twin" in grid_report(changed).html) != changed.clean_verified


def test_marks_that_were_chosen_on_the_same_notes_are_called_optimistic(report: Report) -> None:
    assert report.markdown.count("re-swept (optimistic)") == 2


def test_holm_leaves_no_p_smaller_and_is_over_all_cells_but_the_baseline(grid: Grid) -> None:
    compared = [cell.against_baseline for cell in grid.cells if cell.name != grid.baseline]
    assert all(c is not None and c.adjusted_p is not None and c.adjusted_p >= c.p for c in compared)
    smallest = min((c for c in compared if c), key=lambda c: c.p)
    assert smallest.adjusted_p == pytest.approx(min(1, len(compared) * smallest.p))
    assert next(cell for cell in grid.cells if cell.name == grid.baseline).against_baseline is None


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda raw: raw | {"format": "judgelab.grid/9"}, "format 'judgelab.grid/9'"),
        (lambda raw: raw | {"pairs": "many"}, "pairs"),
        (lambda raw: [raw], "format None"),
    ],
)
def test_a_file_that_is_no_grid_is_refused_and_says_why(
    tmp_path: Path, spoil: Callable[[Any], Any], words: str
) -> None:
    path = tmp_path / "grid.json"
    path.write_text(json.dumps(spoil(json.loads((GOLDEN / "grid.json").read_text()))))
    with pytest.raises(DataError, match=words):
        read_grid(path)


def test_no_file_and_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_grid(tmp_path / "grid.json")
    (tmp_path / "grid.json").write_text("{")
    with pytest.raises(DataError, match="not JSON"):
        read_grid(tmp_path / "grid.json")


def values(record: RunRecord) -> dict[str, float | None]:
    return {point.name: point.value for point in record.metrics}


def test_every_cell_is_a_run_with_its_settings_figures_and_texts(grid: Grid, report: Report) -> None:
    parent, *children = records_of_grid(grid, report)
    assert [child.name for child in children] == [cell.name for cell in grid.cells]
    assert {child.parent_key for child in children} == {parent.key}
    assert {record.tags["simulated"] for record in (parent, *children)} == {"true"}
    for cell, child in zip(grid.cells, children, strict=True):
        assert cell.omissions is not None
        assert values(child)["omissions.value"] == cell.omissions.value
        assert values(child)["failures"] == sum(cell.failures.values())
        assert child.params["kind"] == cell.settings["kind"]
        assert child.params["samples"] == str(cell.settings["samples"])
        assert child.params["lever.samples"] == cell.levers["samples"]
        assert {f"instruction/{b}.txt": t for b, t in cell.candidate.blocks.items()}.items() <= child.texts.items()
    plain = values(children[0])
    assert plain["own.detection_rate"] == pytest.approx(plain["own.detection.count"] / plain["own.detection.n"])


def test_a_raised_cap_goes_on_with_the_same_runs_and_another_cell_begins_others(grid: Grid, report: Report) -> None:
    def keys(one: Grid) -> set[str]:
        return {record.key for record in records_of_grid(one, report)}

    raised = grid.model_copy(update={"config": grid.config | {"budget": {"calls": 9}}})
    fewer = grid.model_copy(update={"cells": grid.cells[:-1], "floor": None})
    assert keys(raised) == keys(grid)
    assert keys(fewer).isdisjoint(keys(grid))


def test_an_unfinished_cell_is_no_finished_run(grid: Grid) -> None:
    cells = tuple(cell.model_copy(update={"judged": cell.judged - 1}) for cell in grid.cells)
    broken = grid.model_copy(update={"reason": "interrupted", "cells": cells})
    report = grid_report(broken)
    assert [record.status for record in records_of_grid(broken, report)] == ["KILLED"] * 5
    assert "## Unfinished" in report.markdown
    assert "NOT FINISHED, interrupted" in report.markdown


def test_mlflow_holds_one_run_per_cell_and_a_second_sync_adds_none(grid: Grid, report: Report, tmp_path: Path) -> None:
    store = Store(tmp_path / "mlruns")
    for _ in range(2):
        sync_grid(grid, report, store)
    parent = records_of_grid(grid, report)[0].key
    assert set(store.children(parent)) == {f"{parent}/{cell.id}" for cell in grid.cells}
    assert set(store.children(parent).values()) == {"FINISHED"}
    assert store.read_text(parent, "grid.json") == dump_grid(grid).decode()
    kept = NullStore()
    sync_grid(grid, report, kept)
    assert len(kept.records) == 1 + len(grid.cells)
