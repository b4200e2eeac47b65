from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.errors import SealBroken
from optimiser.cli.app import build_app
from partitions.holdout import LEDGER, Question, open_holdout, record_result

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def split(sealed: Path, tmp_path: Path) -> Path:
    """A copy of the sealed split whose holdout was opened twice, resumed once, and answered once."""
    folder = tmp_path / "campaign" / "split"
    folder.mkdir(parents=True)
    for path in (sealed / "split").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    one = Question(baseline="s", candidates=("w",), judge="score", model="m", efforts=("none",), replicates=(11,))
    open_holdout(folder, one, WHEN)
    record_result(folder, open_holdout(folder, one, WHEN).opening, "found")
    open_holdout(folder, one, WHEN, reason="the endpoint was swapped")
    return folder


def shown(*arguments: str) -> dict[str, object]:
    found = CliRunner().invoke(build_app(), ["holdout", "status", *arguments, "--json"], catch_exceptions=False)
    assert found.exit_code == 0
    document = json.loads(found.stdout)
    assert isinstance(document, dict)
    return document


def test_status_counts_openings_resumptions_and_results_and_shows_every_question(split: Path) -> None:
    found = shown(str(split.parent))
    assert (found["openings"], found["resumptions"], found["results"]) == (2, 1, 1)
    first, second = found["questions"]["opening 1"], found["questions"]["opening 2"]  # type: ignore[index]  # JSON
    assert (first["candidates"], first["result"], len(first["resumed"])) == (["w"], "found", 1)
    assert (second["reason"], second["verdict"]) == ("the endpoint was swapped", "none yet")


def test_what_is_spent_and_left_of_alpha_adds_up_to_it(split: Path) -> None:
    alpha = shown(str(split), "--alpha", "0.1")["alpha"]
    assert alpha["spent"] + alpha["left"] == pytest.approx(0.1)  # type: ignore[index]  # JSON
    assert alpha["next opening"] < alpha["left"]  # type: ignore[index]  # JSON


def test_status_opens_nothing(split: Path) -> None:
    before = (split / LEDGER).read_bytes()
    shown(str(split))
    assert (split / LEDGER).read_bytes() == before


def test_a_broken_chain_is_an_error_and_no_status(split: Path) -> None:
    data = (split / LEDGER).read_bytes()
    (split / LEDGER).write_bytes(data.replace(b"swapped", b"changed"))
    with pytest.raises(SealBroken, match="row 5 does not follow"):
        shown(str(split))
