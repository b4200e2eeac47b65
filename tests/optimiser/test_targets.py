from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.types import Candidate
from optimiser.targets import block_to_change, block_to_merge

names = st.lists(st.sampled_from(["extract", "audit", "check", "second_look"]), min_size=1, max_size=4, unique=True)


@given(names, st.integers(0, 6), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_mutations_and_merges_each_give_every_block_its_turn(targets: list[str], every: int, last: int) -> None:
    iterations = range(1, last + 1)
    merges = [i for i in iterations if every and i % every == 0]
    mutations = [i for i in iterations if i not in merges]
    for some in (merges, mutations):
        counts = Counter(dict.fromkeys(targets, 0))
        counts.update(block_to_change(targets, i, every) for i in some)
        assert max(counts.values()) - min(counts.values()) <= 1


def candidate(extract: str, check: str) -> Candidate:
    return Candidate("two-stage", (("extract", extract), ("check", check)))


def test_a_merge_passes_over_a_block_that_its_parents_share() -> None:
    targets = ("extract", "check")
    same_extract = (candidate("a", "b"), candidate("a", "c"))
    assert [block_to_merge(targets, first, same_extract) for first in targets] == ["check", "check"]
    both_differ = (candidate("a", "b"), candidate("x", "c"))
    assert [block_to_merge(targets, first, both_differ) for first in targets] == ["extract", "check"]
