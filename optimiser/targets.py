"""Which of several blocks under search a proposal changes."""

from __future__ import annotations

from collections.abc import Sequence

from harness.types import Candidate


def block_to_change(targets: Sequence[str], iteration: int, merge_every: int) -> str:
    """The targets take turns, mutations among themselves and merges among themselves.

    ``iteration`` counts from 1; every ``merge_every``-th one may be a merge (0 = none is). A common
    round would give merges the same block again and again where the two numbers share a factor.

    >>> [block_to_change(("extract", "check"), i, 4) for i in (1, 2, 3, 5, 6)]
    ['extract', 'check', 'extract', 'check', 'extract']
    >>> [block_to_change(("extract", "check"), i, 4) for i in (4, 8, 12)]
    ['extract', 'check', 'extract']
    """
    merges = iteration // merge_every if merge_every else 0
    merging = merge_every > 0 and iteration % merge_every == 0
    earlier = merges - 1 if merging else iteration - merges - 1
    return targets[earlier % len(targets)]


def block_to_merge(targets: Sequence[str], first: str, parents: tuple[Candidate, Candidate]) -> str:
    """The block whose turn it is, or the next one in which the parents differ: two equal texts cannot be crossed."""
    start = targets.index(first)
    ordered = (*targets[start:], *targets[:start])
    return next(name for name in ordered if parents[0].block(name) != parents[1].block(name))
