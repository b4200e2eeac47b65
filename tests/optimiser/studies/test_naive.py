from __future__ import annotations

import pytest

from harness.judges.base import FakeJudge
from harness.types import Candidate, Consultation, Note
from optimiser.studies.naive import pick
from optimiser.studies.paper import paper_set

PAIRS = paper_set(12)


def candidate(name: str) -> Candidate:
    return Candidate("score", (("instruction", name),))


def judge_for(candidate: Candidate) -> FakeJudge:
    """Sees as many of the three omissions of every consultation as its instruction has letters."""
    seen = [pair.flawed.id for i, pair in enumerate(PAIRS.pairs) if i % 3 < len(candidate.block("instruction")) - 1]

    def score(_consultation: Consultation, note: Note, _replicate: int) -> float:
        return 5.0 if note.id in seen else 8.0

    return FakeJudge(score, candidate.id)


def test_the_pick_is_the_rival_with_the_highest_plain_mean() -> None:
    found = pick(candidate("a"), [candidate("b"), candidate("ccc"), candidate("bb")], judge_for, PAIRS)
    assert found.rival == candidate("ccc")
    assert found.gain == pytest.approx(1 / 3)


def test_of_equal_rivals_the_older_is_picked_and_a_worse_one_shows_a_loss() -> None:
    found = pick(candidate("aaa"), [candidate("bb"), candidate("cc")], judge_for, PAIRS)
    assert found.rival == candidate("bb")
    assert found.gain < 0
