from difflib import SequenceMatcher
from itertools import combinations
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
SCORED = [path for path in FILES if path.parent.name == "score"]


def read(path):
    """(front matter, block) of a seed file."""
    empty, front, block = path.read_text(encoding="utf-8").split("---\n", 2)
    assert empty == ""
    return yaml.safe_load(front), block.strip()


def test_every_block_of_every_kind_has_a_seed_and_every_seed_a_kind():
    written = {(kind, front["block"]) for path in FILES for front, _ in [read(path)] for kind in front["for"]}
    assert written == {(kind, block) for kind in KINDS for block in blocks_of(kind)}


def test_the_scored_judge_has_seeds_of_every_character():
    named = {path.stem for path in SCORED}
    assert named >= {"bare", "faithful", "procedure", "severity", "few-shots", "high-recall", "engineered", "evolved"}


@pytest.mark.parametrize(("one", "other"), list(combinations(SCORED, 2)), ids=lambda path: path.stem)
def test_no_two_seeds_of_the_scored_judge_share_more_than_a_few_words_in_a_row(one, other):
    """Variants of one text would all search one neighbourhood."""
    words, others = (read(path)[1].lower().split() for path in (one, other))
    shared = SequenceMatcher(None, words, others, autojunk=False).find_longest_match()
    assert shared.size <= 8, words[shared.a : shared.a + shared.size]


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
