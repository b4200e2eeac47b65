from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.errors import ConfigError
from harness.judges.build import blocks_of
from optimiser.candidates import load_seeds
from optimiser.config import CampaignConfig, load_campaign

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path for path in (ROOT / "configs").glob("*.yaml") if "reflector:" in path.read_text())


def raw(**changes: Any) -> dict[str, Any]:
    least: dict[str, Any] = {
        "name": "mine",
        "data": {"source": "synthetic"},
        "seeds": ["seed.md"],
        "model": {"model": "m", "base_url": "simulated:"},
        "reflector": {"model": "r", "base_url": "simulated:"},
    }
    return least | changes


def load(folder: Path, value: object, data: Path | None = None) -> CampaignConfig:
    path = folder / "campaign.yaml"
    path.write_text(yaml.safe_dump(value), encoding="utf-8")
    return load_campaign(path, data)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_campaign_reads_and_names_seeds_that_exist(path: Path) -> None:
    config = load_campaign(path)
    seeds = load_seeds(config)  # reads every file
    assert {name for name, _ in seeds[0].blocks} == set(blocks_of(config.judge.kind))


@pytest.mark.parametrize(
    ("changes", "key", "meant"),
    [
        ({"engine": {"proposal": 5}}, "engine.proposal", "proposals"),
        ({"engine": {"minibach": 5}}, "engine.minibach", "minibatch"),
        ({"acceptance": {"aplha": 0.1}}, "acceptance.aplha", "alpha"),
        ({"budget": {"dollar": 5}}, "budget.dollar", "dollars"),
        ({"split": {"hold_out": 0.3}}, "split.hold_out", "holdout"),
        ({"confirm": {"effort": ["low"]}}, "confirm.effort", "efforts"),
        ({"data": {"sorce": "synthetic"}}, "data.sorce", "source"),
        (
            {"model": {"model": "m", "base_url": "simulated:", "prices": {"imput": 1, "output": 2}}},
            "prices.imput",
            "input",
        ),
        ({"model": {"model": "m", "base_url": "simulated:", "timeouts": {"conect": 3}}}, "timeouts.conect", "connect"),
        ({"sead": 3}, "sead", "seed"),
    ],
)
def test_a_typo_in_a_key_is_an_error_that_says_where_and_what_was_meant(
    tmp_path: Path, changes: dict[str, Any], key: str, meant: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, raw(**changes))
    assert key in caught.value.found
    assert caught.value.todo == f"Did you mean {meant!r}?"
    assert "campaign.yaml" in caught.value.tried


@pytest.mark.parametrize("missing", ["name", "data", "seeds", "model", "reflector"])
def test_a_missing_key_is_an_error_that_names_it(tmp_path: Path, missing: str) -> None:
    value = raw()
    del value[missing]
    with pytest.raises(ConfigError, match=f"{missing}: Field required"):
        load(tmp_path, value)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"split": {"training": 0.5, "acceptance": 0.5, "holdout": 0.3}}, "must be 1"),
        ({"engine": {"proposals": 0}}, "engine.proposals"),
        ({"engine": {"minibatch": 1}}, "engine.minibatch"),
        ({"acceptance": {"alpha": 0.5}}, "acceptance.alpha"),
        ({"acceptance": {"alpha": 0}}, "acceptance.alpha"),
        ({"budget": {"calls": 0}}, "budget.calls"),
        ({"confirm": {"replicates": []}}, "confirm.replicates"),
        ({"confirm": {"efforts": ["enormous"]}}, "confirm.efforts"),
        ({"seeds": []}, "seeds"),
        ({"name": "../elsewhere"}, "name"),
        ({"name": "a b"}, "name"),
        ({"data": {"source": "jsonl"}}, "needs a path"),
        ({"seed": "seven"}, "seed"),
        ({"target": []}, "needs one block name"),
        ({"target": ["check", "check"], "seeds": [{"check": "c.md"}]}, "several different ones"),
        ({"target": "check", "blocks": {"check": "c.md"}}, "frozen.*searched"),
        ({"target": ["extract", "check"]}, "seed 1 is one file for 2 targets"),
        ({"target": ["extract", "check"], "seeds": [{"check": "c.md"}]}, "seed 1 has blocks.*targets are"),
        ({"target": "check", "seeds": [{"chek": "c.md"}]}, "seed 1 has blocks"),
    ],
)
def test_a_value_out_of_range_is_an_error_that_names_its_key(
    tmp_path: Path, changes: dict[str, Any], found: str
) -> None:
    with pytest.raises(ConfigError, match=found):
        load(tmp_path, raw(**changes))


def test_models_may_stand_in_files_of_their_own_and_paths_count_from_the_campaign_file(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "judge.yaml").write_text("model: m\nbase_url: 'simulated:'\n")
    value = raw(model="models/judge.yaml", data={"source": "jsonl", "path": "notes"})
    config = load(tmp_path, value)
    assert config.model.model == "m"
    assert config.seeds == (tmp_path / "seed.md",)
    assert config.data.path == tmp_path / "notes"


def test_block_files_and_models_of_stages_count_from_the_campaign_file_too(tmp_path: Path) -> None:
    (tmp_path / "fast.yaml").write_text("model: small\nbase_url: 'simulated:'\n")
    stages = {"extract": {"model": "fast.yaml"}, "check": {"effort": "low"}}
    value = raw(
        judge={"kind": "two-stage", "stages": stages},
        target=["audit", "check"],
        blocks={"extract": "e.md"},
        seeds=[{"audit": "a.md", "check": "c.md"}],
    )
    config = load(tmp_path, value)
    assert config.blocks == {"extract": tmp_path / "e.md"}
    assert config.seeds == ({"audit": tmp_path / "a.md", "check": tmp_path / "c.md"},)
    assert config.targets == ("audit", "check")
    model = config.judge.stages["extract"].model
    assert model is not None
    assert model.model == "small"


def test_a_simulated_stage_makes_the_campaign_simulated(tmp_path: Path) -> None:
    real = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    stage = {"extract": {"model": {"model": "sim-extractor", "base_url": "simulated:"}}}
    judge = {"kind": "two-stage", "stages": stage}
    assert load(tmp_path, raw(model=real, reflector=real, judge=judge)).simulated


def test_a_data_folder_given_by_hand_replaces_the_configured_one(tmp_path: Path) -> None:
    value = raw(data={"source": "jsonl", "path": "notes"})
    assert load(tmp_path, value, data=tmp_path / "others").data.path == tmp_path / "others"
    assert load(tmp_path, raw(data={"source": "jsonl"}), data=tmp_path / "others").data.path == tmp_path / "others"


@pytest.mark.parametrize("text", ["", "- a list\n", "just words\n", "name: [unclosed\n", "a: b: c\n"])
def test_what_is_no_mapping_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "campaign.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"campaign\.yaml"):
        load_campaign(path)


def test_a_key_that_resembles_none_of_its_section_is_an_error_that_names_the_section(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="see the fields of EngineConfig"):
        load(tmp_path, raw(engine={"dollars": 5}))


def test_a_missing_campaign_or_model_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no file .*nowhere\.yaml"):
        load_campaign(tmp_path / "nowhere.yaml")
    with pytest.raises(ConfigError, match=r"no file .*judge\.yaml"):
        load(tmp_path, raw(model="judge.yaml"))


def test_defaults_are_those_of_the_fields_and_a_configuration_reads_back_from_its_own_json(tmp_path: Path) -> None:
    config = load(tmp_path, raw())
    assert CampaignConfig.model_validate_json(config.model_dump_json()) == config
    assert config.simulated


def test_one_simulated_model_makes_the_campaign_simulated(tmp_path: Path) -> None:
    real = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    assert not load(tmp_path, raw(model=real, reflector=real)).simulated
    assert load(tmp_path, raw(model=real)).simulated
    assert load(tmp_path, raw(reflector=real)).simulated
