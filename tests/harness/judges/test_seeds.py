from pathlib import Path

import pytest
import yaml

from harness.config import JudgeConfig
from harness.judges.build import KINDS, blocks_of, build_judge
from harness.judges.envelope import MARK
from harness.llm.client import FakeClient
from harness.types import Candidate

SEEDS = Path(__file__).parents[3] / "seeds"
FILES = sorted(SEEDS.glob("*/*.md"))


def read(path):
    """(front matter, block) of a seed file."""
    empty, front, block = path.read_text(encoding="utf-8").split("---\n", 2)
    assert empty == ""
    return yaml.safe_load(front), block.strip()


def test_every_block_of_every_kind_has_a_seed_and_the_scored_judge_has_three_of_different_length():
    written = {(kind, front["block"]) for path in FILES for front, _ in [read(path)] for kind in front["for"]}
    assert written == {(kind, block) for kind in KINDS for block in blocks_of(kind)}
    assert len({len(read(path)[1]) for path in FILES if path.parent.name == "score"}) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_seed_says_what_it_is_and_builds_a_judge(path):
    front, block = read(path)
    assert set(front) == {"id", "for", "block", "origin", "summary"}
    assert front["id"] == path.stem
    for kind in front["for"]:
        candidate = Candidate(kind, tuple((name, block) for name in blocks_of(kind)))
        build_judge(JudgeConfig(kind=kind), candidate, FakeClient(lambda _request: ""))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_seed_holds_the_task_and_nothing_of_envelope_or_contract(path):
    block = read(path)[1].lower()
    assert not [mark for mark in (MARK, "json", '"', "answer format", "0 to 10", "{") if mark in block]
