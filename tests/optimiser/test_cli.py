from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.tracking import Store
from optimiser.cli.app import build_app
from optimiser.cli.evidence import register_winner
from optimiser.confirmation import read_confirmation
from support.cli import judgelab

ROOT = Path(__file__).parents[2]
TINY = """
name: tiny
data: {source: synthetic, consultations: 24}
underpowered: true
seeds: [SEED]
model: {model: sim-judge, base_url: "simulated:", effort: none}
reflector: {model: sim-reflector, base_url: "simulated:", max_tokens: 4000}
engine: {proposals: 2, minibatch: 2, stall: 9}
acceptance: {clean_replicates: 1, training_clean_replicates: 1}
confirm: {efforts: [none], replicates: [11], resamples: 300}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY.replace("SEED", str(ROOT / "seeds/score/bare.md")))
    return path


def test_one_command_goes_from_data_to_verdict_and_a_second_run_buys_nothing(config: Path, tmp_path: Path) -> None:
    first = judgelab("run", config, "--confirm", "--json", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    summary = json.loads(first.stdout)
    assert summary["simulated"]
    assert summary["confirmed"]
    assert len(summary["lines"]) == 6
    folder = tmp_path / "campaigns/tiny"
    for name in ("dataset.jsonl", "split/manifest.json", "ledger.jsonl", "frozen.json", "confirmation.json"):
        assert (folder / name).stat().st_size > 0
    assert "SIMULATED" in (folder / "report.html").read_text()
    again = judgelab("run", config, "--confirm", "--json", "--out", "campaigns/again", cwd=tmp_path)
    assert json.loads(again.stdout)["bought"]["calls"] == 0
    assert (tmp_path / "campaigns/again/ledger.jsonl").read_bytes() == (folder / "ledger.jsonl").read_bytes()
    gate = judgelab("gate", folder, "--junit", "gate.xml", "--markdown", "gate.md", cwd=tmp_path)
    assert gate.returncode in (0, 1)
    assert "imulated" in (tmp_path / "gate.md").read_text()
    synced = judgelab("mlflow-sync", folder, "--store", "other", "--json", cwd=tmp_path)
    assert json.loads(synced.stdout)["rows"] == len((folder / "ledger.jsonl").read_text().splitlines())


def test_plan_buys_nothing(config: Path, tmp_path: Path) -> None:
    found = judgelab("plan", config, "--json", cwd=tmp_path)
    shown = json.loads(found.stdout)
    assert shown["search, typical"]["calls"] > 0
    assert shown["acceptance"]["resolves that gain"] == "no"
    assert not (tmp_path / "campaigns/cache.sqlite").exists()


def broken(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("proposals: 2", "propsals: 2", "Did you mean 'proposals'?"),
        ("source: synthetic", "source: primock57", "needs a path"),
        ("name: tiny", "name: ../tiny", "name"),
        ("bare.md", "bear.md", "no file"),
        ('base_url: "simulated:", effort', 'base_url: "http://127.0.0.1:9/v1", effort', "127.0.0.1:9"),
        ("effort: none}", "key_env: NO_SUCH_KEY}", "NO_SUCH_KEY"),
        ("underpowered: true", "underpowered: false", "run with --underpowered"),
        ("engine: {", "budget: {calls: 40}\nengine: {", "the caps buy"),
        ("engine: {", "budget: {dollars: 1}\nengine: {", "prices"),
        ("engine: {", "engine: {kind: gape, ", "Did you mean 'gepa'?"),
    ],
)
def test_a_mistake_is_named_with_what_to_do_and_leaves_no_ledger(
    config: Path, tmp_path: Path, old: str, new: str, wanted: str
) -> None:
    config.write_text(broken(config.read_text(), old, new))
    found = judgelab("run", config, cwd=tmp_path)
    assert found.returncode == 3
    assert wanted in found.stderr
    assert "to do:" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "campaigns/tiny/ledger.jsonl").exists()


def test_a_byte_changed_after_sealing_stops_the_next_run(config: Path, tmp_path: Path) -> None:
    judgelab("plan", config, cwd=tmp_path)
    sealed = tmp_path / "campaigns/tiny/split/acceptance.jsonl"
    sealed.chmod(0o644)
    sealed.write_text(sealed.read_text().replace("doctor", "docter", 1))
    found = judgelab("run", config, cwd=tmp_path)
    assert found.returncode == 3
    assert "acceptance.jsonl" in found.stderr.replace(" ", "")


def test_gate_without_a_confirmation_is_misuse(tmp_path: Path) -> None:
    found = judgelab("gate", "nowhere.json", cwd=tmp_path)
    assert found.returncode == 3
    assert "nowhere.json" in found.stdout + found.stderr


COMMANDS = [
    "split",
    "plan",
    "run",
    "confirm",
    "gate",
    "report",
    "judge",
    "ui",
    "serve-sim",
    "serve-local",
    "mlflow-sync",
]
GROUPED = [
    "holdout status",
    "external mts-dialog",
    "prompts import",
    *(f"data {name}" for name in ("synth", "import", "defects", "describe")),
]


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPED])
def test_every_command_has_help_with_an_example(name: str) -> None:
    found = CliRunner().invoke(build_app(), [*name.split(), "--help"])
    assert found.exit_code == 0
    assert f"Example: judgelab {name}" in found.output


def test_a_pair_whose_sides_are_equal_is_refused_with_its_line(tmp_path: Path) -> None:
    made = judgelab("data", "synth", "--consultations", 6, "--out", "d", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    path = tmp_path / "d/dataset.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    notes = {record["id"]: record for record in records if record["type"] == "note"}
    pair = next(record for record in records if record["type"] == "pair")
    notes[pair["flawed"]]["text"] = notes[pair["clean"]]["text"]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = judgelab("split", "d", "--out", "s", cwd=tmp_path)
    assert found.returncode == 3
    assert "equal text" in found.stderr
    assert not (tmp_path / "s").exists()


def test_only_a_confirmed_improvement_of_a_real_model_becomes_champion(tmp_path: Path) -> None:
    kept = read_confirmation(ROOT / "tests/golden/reports/confirmation.json")
    improved = kept.model_copy(update={"verdict": "improved", "simulated": False})
    for other in (
        improved.model_copy(update={"simulated": True}),
        improved.model_copy(update={"verdict": "regressed"}),
    ):
        register_winner(other, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    register_winner(improved, tmp_path / "store")
    tags = {"simulated": "false"}
    for block, text in improved.winner.blocks.items():
        assert Store(tmp_path / "store").register_champion(f"{improved.campaign}-{block}", text, tags) == 1
