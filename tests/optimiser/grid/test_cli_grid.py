from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.tracking import Store
from optimiser.grid.projection import records_of_grid
from optimiser.grid.records import read_grid
from optimiser.grid.report import grid_report
from support.cli import judgelab

SEEDS = Path(__file__).parents[3] / "seeds"
TINY = f"""
name: tiny
data: {{source: synthetic, consultations: 24}}
model: {{model: sim-judge, base_url: "simulated:", effort: none}}
resamples: 300
cells:
  - name: bare
    judge: {{flag_below: 8}}
    blocks: {{instruction: {SEEDS}/score/bare.md}}
    samples: [1, 2]
  - name: staged
    judge:
      kind: two-stage
      stages: {{extract: {{model: {{model: sim-extractor, base_url: "simulated:"}}}}}}
    blocks: {{extract: {SEEDS}/stages/extract.md, check: {SEEDS}/two-stage/check.md}}
  - name: lexical
    judge: {{kind: lexical}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return path


def test_one_command_judges_all_cells_and_a_second_run_buys_nothing(config: Path, tmp_path: Path) -> None:
    code, shown, messages = judgelab("grid", config, "--json", cwd=tmp_path)
    assert code == 0, messages
    found = json.loads(shown)
    folder = tmp_path / "grids/tiny"
    assert found == json.loads((folder / "grid.json").read_text())
    assert found["simulated"]
    assert [cell["name"] for cell in found["cells"]] == ["bare-k1", "bare-k2", "staged", "lexical"]
    assert found["floor"] == "lexical"
    assert found["cells"][3]["bought"] == {}
    assert found["cells"][2]["bought"]["extract"] == found["consultations"]
    for name in ("report.html", "report.md", "status.json", "dataset.jsonl", "split/manifest.json"):
        assert (folder / name).stat().st_size > 0
    assert "SIMULATED" in (folder / "report.html").read_text()
    grid = read_grid(folder / "grid.json")
    parent = records_of_grid(grid, grid_report(grid))[0].key
    assert len(Store(tmp_path / "mlruns").children(parent)) == 4
    code, again, _ = judgelab("grid", config, "--json", "--mlflow", "-", cwd=tmp_path)
    assert code == 0
    assert again == shown


def test_the_table_stands_on_the_terminal_with_its_caveats(config: Path, tmp_path: Path) -> None:
    code, shown, messages = judgelab("grid", config, "--mlflow", "-", cwd=tmp_path)
    assert code == 0, messages
    for words in ("bare-k2", "is the floor", "re-swept (optimistic)", "SIMULATED", "grids/tiny/report.html"):
        assert words in shown


def test_a_spent_budget_is_reported_as_unfinished_and_a_higher_cap_goes_on(config: Path, tmp_path: Path) -> None:
    capped = tmp_path / "capped.yaml"
    capped.write_text(TINY + "budget: {calls: 40}\n")
    code, shown, messages = judgelab("grid", capped, "--json", "--mlflow", "-", cwd=tmp_path)
    assert code == 11
    assert "the same command goes on" in messages
    part = json.loads(shown)
    assert part["reason"] == "budget"
    assert part["spent"]["calls"] == 40
    assert part["consultations"] < part["wanted_consultations"]
    assert "## Unfinished" in (tmp_path / "grids/tiny/report.md").read_text()
    code, shown, _ = judgelab("grid", config, "--json", "--mlflow", "-", cwd=tmp_path)
    assert code == 0
    fresh, whole, _ = judgelab("grid", config, "--json", "--mlflow", "-", "--out", "f/tiny", cwd=tmp_path)
    assert fresh == 0
    resumed, unbroken = json.loads(shown), json.loads(whole)
    assert resumed["spent"]["calls"] == unbroken["spent"]["calls"]
    for one, other in zip(resumed["cells"], unbroken["cells"], strict=True):
        for name in ("omissions", "commissions", "own", "at_cap", "by_class", "against_baseline", "failures"):
            assert one[name] == other[name]


def test_a_stop_file_ends_a_grid_with_its_own_code(config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "grids/tiny"
    folder.mkdir(parents=True)
    (folder / "STOP").touch()
    code, shown, _ = judgelab("grid", config, "--json", "--mlflow", "-", cwd=tmp_path)
    assert code == 21
    assert json.loads(shown)["consultations"] == 0
    assert "nothing to compare" in (folder / "report.md").read_text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TINY + "parts: [holdout]\n", "the holdout can be looked at once"),
        (TINY.replace("resamples", "resample"), "Did you mean 'resamples'?"),
        (TINY + "baseline: bare\n", "Did you mean 'bare-k"),
    ],
)
def test_a_mistake_is_explained_and_leaves_no_folder(config: Path, tmp_path: Path, text: str, words: str) -> None:
    config.write_text(text)
    code, _, messages = judgelab("grid", config, cwd=tmp_path)
    assert code == 3
    assert words in messages
    assert not (tmp_path / "grids").exists()


def test_another_division_in_the_same_folder_is_refused(config: Path, tmp_path: Path) -> None:
    assert judgelab("grid", config, "--json", "--mlflow", "-", cwd=tmp_path)[0] == 0
    config.write_text(TINY + "split: {seed: 8}\n")
    code, _, messages = judgelab("grid", config, "--mlflow", "-", cwd=tmp_path)
    assert code == 3
    assert "split.seed is 8 and was 7" in messages
