from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from optimiser.cli.app import build_app


def test_a_null_study_from_the_command_line_writes_its_report_and_resumes(tmp_path: Path) -> None:
    arguments = ["study", "null", "--campaigns", "1", "--workers", "1", "--out", str(tmp_path), "--json"]
    first = CliRunner().invoke(build_app(), arguments)
    assert first.exit_code == 0, first.output
    found = json.loads(first.stdout)
    assert found["simulated"]
    assert {row["measure"] for row in found["rows"]} >= {"campaign says improved", "naive rule says improved"}
    assert all(Path(path).stat().st_size > 0 for path in found["files"])
    lines = (tmp_path / "null/lines.jsonl").read_bytes()
    assert json.loads(CliRunner().invoke(build_app(), arguments).stdout)["rows"] == found["rows"]
    assert (tmp_path / "null/lines.jsonl").read_bytes() == lines


def test_help_of_every_study_shows_an_example() -> None:
    for name in ("null", "planted", "coverage"):
        assert f"judgelab study {name}" in CliRunner().invoke(build_app(), ["study", name, "--help"]).stdout
