from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from optimiser.studies.coverage import CASES, CoverageLine, CoverageStudy
from optimiser.studies.null import NullLine, NullStudy
from optimiser.studies.planted import Cell, PlantedLine, PlantedStudy
from optimiser.studies.readings import coverage_summary, null_summary, planted_summary, reading
from optimiser.studies.summary import Summary, share, show, write_summary

PNG = b"\x89PNG"


def null() -> Summary:
    kept = NullLine("seed-kept", False, 6, 1, 700, True, False, 0.1, "improved", 0.2, 0.1, 0.3, 0.01)
    lines = [kept, NullLine("improved", True, 4, 1, 700), NullLine("seed-kept", False, 0, 0, 500)]
    return null_summary(NullStudy(campaigns=3), lines)


def planted() -> Summary:
    cells = (Cell((45, 20, 47), 0.05), Cell((45, 20, 47), 0.10))
    lines = [
        PlantedLine(cell.key, found, found and i > 0, False, 3, 1, 1000)
        for cell in cells
        for i, found in enumerate((True, True, False))
    ]
    return planted_summary(PlantedStudy(campaigns=3), cells, lines)


def coverage() -> Summary:
    lines = [CoverageLine(case.name, n, 100, 95 if n > 20 else 90, 30.0) for case in CASES for n in (20, 47)]
    return coverage_summary(CoverageStudy(sets=100), lines)


def test_null_rates_are_counted_over_what_could_have_gone_wrong() -> None:
    rates = {record["measure"]: (record["count"], record["n"]) for record in null().records}
    assert rates["campaign says improved"] == (1, 3)
    assert rates["naive rule says improved"] == (1, 3)
    assert rates["confirmation alone, forced on the best-looking"] == (1, 1)
    assert rates["equal child joins the pool"] == (2, 10)


def test_planted_rates_are_counted_for_each_cell() -> None:
    for record in planted().records:
        assert (record["found_count"], record["confirmed_count"], record["campaigns"]) == (2, 1, 3)
        assert record["calls"] == 1000


def test_coverage_below_the_wanted_band_is_named_in_words() -> None:
    summary = coverage()
    assert all(
        record["reading"] == ("too seldom" if record["consultations"] == 20 else "right") for record in summary.records
    )
    assert "re-swept at 20" in summary.words[0]
    assert [reading(rate) for rate in (0.93, 0.935, 0.965, 0.97)] == ["too seldom", "right", "right", "conservative"]


@pytest.mark.parametrize("make", [null, planted, coverage])
def test_a_summary_is_written_as_table_page_and_picture_all_labelled_simulated(
    make: Callable[[], Summary], tmp_path: Path
) -> None:
    summary = make()
    paths = {path.name: path for path in write_summary(summary, tmp_path)}
    rows = list(csv.DictReader(paths["table.csv"].read_text().splitlines()))
    assert len(rows) == len(summary.records) == len(json.loads(paths["table.json"].read_text())["rows"])
    assert {row["simulated"] for row in rows} == {"True"}
    for name in ("report.md", "report.html"):
        assert "SIMULATED" in paths[name].read_text()
    assert paths[f"{summary.figure.name}.png"].read_bytes().startswith(PNG)


def test_a_rate_of_nothing_is_no_rate() -> None:
    assert share(0, 0)["rate"] is None
    assert show(share(0, 0)) == "none counted"
