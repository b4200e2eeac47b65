from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.errors import ConfigError
from optimiser.grid.cells import Cell, baseline_of, cells_of
from optimiser.grid.config import load_grid

ROOT = Path(__file__).parents[3]
SEED = "---\nid: plain\n---\nJudge the note.\n"
RAW: dict[str, Any] = {
    "name": "g",
    "data": {"source": "synthetic"},
    "model": "models/sim.yaml",
    "cells": [{"name": "plain", "blocks": {"instruction": "seeds/plain.md"}}],
}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    (tmp_path / "seeds").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "seeds/plain.md").write_text(SEED)
    (tmp_path / "seeds/other.md").write_text(SEED.replace("Judge", "Rate"))
    (tmp_path / "models/sim.yaml").write_text('{model: sim-judge, base_url: "simulated:"}')

    def written(**changes: Any) -> Path:
        path = tmp_path / "grid.yaml"
        path.write_text(yaml.safe_dump(RAW | changes))
        return path

    return written


def cell(**changes: Any) -> dict[str, Any]:
    return RAW["cells"][0] | changes


def cells(write: Any, **changes: Any) -> tuple[Cell, ...]:
    return cells_of(load_grid(write(**changes)))


def test_paths_and_models_are_read_beside_the_grid_file(write: Any, tmp_path: Path) -> None:
    stages = {"extract": {"model": "models/sim.yaml"}}
    config = load_grid(write(cells=[cell(model="models/sim.yaml", judge={"kind": "two-stage", "stages": stages})]))
    entry = config.cells[0]
    assert config.model.model == "sim-judge"
    assert entry.model is not None
    assert entry.judge.stages["extract"].model == entry.model
    assert entry.blocks["instruction"] == tmp_path / "seeds/plain.md"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"replicas": 2}, "replicates"),
        ({"cells": [{"name": "a", "bocks": {}}]}, "blocks"),
        ({"cells": [{"name": "a", "judge": {"sample": 2}}]}, "samples"),
        ({"cells": [{"name": "a", "judge": {"stages": {"check": {"effrt": "low"}}}}]}, "effort"),
        ({"model": {"model": "m", "base_ulr": "x"}}, "base_url"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(write: Any, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_grid(write(**changes))
    assert caught.value.todo == f"Did you mean {words!r}?"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parts": ["holdout"]}, "holdout can be looked at once"),
        ({"parts": "holdout"}, "holdout can be looked at once"),
        ({"parts": ["training", "training"]}, "one part twice"),
        ({"parts": ["test"]}, "parts.0"),
        ({"budget": {"floor": 2}}, "a grid makes none"),
        ({"cells": []}, "cells"),
        ({"cells": [cell(samples=[0])]}, "cells.0.samples.0"),
        ({"cells": [cell(efforts=["huge"])]}, "cells.0.efforts.0"),
    ],
)
def test_what_no_grid_may_do_is_refused_and_named(write: Any, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_grid(write(**changes))


@pytest.mark.parametrize("content", ["- a\n- b\n", ""])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "grid.yaml").write_text(content)
    with pytest.raises(ConfigError, match="not a mapping"):
        load_grid(tmp_path / "grid.yaml")


def test_an_entry_becomes_a_cell_for_each_sample_count_at_each_effort(write: Any) -> None:
    found = cells(write, cells=[cell(samples=[1, 8], efforts=["none", "high"])])
    assert [c.name for c in found] == ["plain-k1-none", "plain-k1-high", "plain-k8-none", "plain-k8-high"]
    assert [(c.judge.samples, c.judge.effort) for c in found] == [(1, "none"), (1, "high"), (8, "none"), (8, "high")]
    assert len({c.id for c in found}) == 4


def test_a_single_value_adds_nothing_to_the_name(write: Any) -> None:
    (only,) = cells(write, cells=[cell(samples=[8], efforts=["high"])])
    assert (only.name, only.judge.samples, only.judge.effort) == ("plain", 8, "high")


def test_levers_are_the_settings_and_what_is_declared_and_what_is_declared_wins(write: Any) -> None:
    declared = cell(levers={"kind": "single call", "scope": "faithful"})
    (first, second) = cells(write, cells=[declared, cell(name="other", blocks={"instruction": "seeds/other.md"})])
    assert first.levers == {"kind": "single call", "samples": "1", "effort": "default", "scope": "faithful"}
    assert second.levers == {"kind": "score", "samples": "1", "effort": "default", "design": "other"}


def test_the_id_of_a_cell_depends_on_what_is_asked_and_not_on_how_fast(write: Any) -> None:
    model = {"model": "sim-judge", "base_url": "simulated:"}
    (base,) = cells(write)
    (fast,) = cells(write, model=model | {"concurrency": 64, "retries": 9})
    (warm,) = cells(write, model=model | {"temperature": 0.3})
    (renamed,) = cells(write, cells=[cell(name="renamed", levers={"a": "b"})])
    (other,) = cells(write, cells=[cell(judge={"flag_below": 8})])
    assert base.id == fast.id == renamed.id
    assert len({base.id, warm.id, other.id}) == 3


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([cell(), cell()], "two cells named 'plain'"),
        ([cell(), cell(name="again")], "are the same judge"),
        ([cell(judge={"kind": "binry"})], "unknown kind 'binry'"),
        ([cell(blocks={})], "blocks \\[\\], and kind 'score' has \\['instruction'\\]"),
        ([cell(blocks={"instruction": "seeds/none.md"})], "no file"),
        (
            [
                cell(levers={"scope": "f"}),
                cell(name="other", blocks={"instruction": "seeds/other.md"}, levers={"scope": "f"}),
            ],
            "equal levers",
        ),
    ],
)
def test_cells_that_cannot_be_told_apart_or_built_are_refused(
    write: Any, entries: list[dict[str, Any]], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        cells(write, cells=entries)


def test_the_baseline_is_the_first_cell_or_the_named_one(write: Any) -> None:
    for name, expected in ((None, "plain-k1"), ("plain-k8", "plain-k8")):
        config = load_grid(write(cells=[cell(samples=[1, 8])], baseline=name))
        assert baseline_of(config, cells_of(config)).name == expected


def test_a_baseline_that_is_no_cell_is_refused_with_the_nearest(write: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        cells(write, cells=[cell(samples=[1, 8])], baseline="plain-k9")
    assert caught.value.todo.startswith("Did you mean 'plain-k")


def test_the_shipped_grid_loads_and_holds_every_published_design_and_ours() -> None:
    found = cells_of(load_grid(ROOT / "configs/grid.yaml"))
    published = {"binary", "score", "faithfulness", "dimensions", "checklist", "coverage", "two-stage", "pipeline"}
    ours = {"fact-list", "sectioned", "log-odds", "combined", "lexical"}
    assert {c.judge.kind for c in found} == published | ours
    assert len(found) == 27
