"""The parts of a sealed split that a search may see, addressed by independent unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.types import PairSet
from partitions.splits import Splits


@dataclass(frozen=True)
class Part:
    """A pair set with its units (clusters of consultations) in a fixed order."""

    pair_set: PairSet

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units that have at least one pair, sorted."""
        return tuple(sorted({self.pair_set.cluster(pair) for pair in self.pair_set.pairs}))

    def of(self, units: Iterable[str]) -> PairSet:
        """The pair set of some units."""
        return self.pair_set.of(c for unit in units for c in self._members[unit])

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        members: dict[str, list[str]] = {}
        for consultation in self.pair_set.consultations:
            members.setdefault(consultation.cluster, []).append(consultation.id)
        return members


@dataclass(frozen=True)
class Folds:
    """Reflection and frontier fold of the training split, and the acceptance split."""

    reflection: Part
    frontier: Part
    acceptance: Part


def folds_of(splits: Splits) -> Folds:
    """The folds of an opened split."""
    return Folds(Part(splits.reflection), Part(splits.frontier), Part(splits.acceptance))


def minibatch(units: Sequence[str], size: int, seed: int, iteration: int) -> tuple[str, ...]:
    """The units of one iteration (1-based): a walk through reshuffled passes, a function of (seed, iteration) alone.

    Every pass shows each unit once; a minibatch that spans two passes never holds a unit twice.
    """
    size = min(size, len(units))
    epoch, offset = divmod((iteration - 1) * size, len(units))
    order = _pass(len(units), size, seed, epoch)
    if offset + size > len(units):
        order += _pass(len(units), size, seed, epoch + 1)
    return tuple(units[i] for i in order[offset : offset + size])


def race_order(units: Sequence[str], opening: Sequence[str], seed: int, iteration: int) -> tuple[str, ...]:
    """All units with the minibatch first, the rest shuffled by (seed, iteration)."""
    rest = [unit for unit in units if unit not in set(opening)]
    order = np.random.default_rng([seed, iteration, 1]).permutation(len(rest))
    return (*opening, *(rest[int(i)] for i in order))


def _pass(n: int, size: int, seed: int, epoch: int) -> list[int]:
    """The order of one pass: shuffled, but what shares a minibatch with the end of the pass before waits its turn."""
    order: list[int] = []
    for number in range(epoch + 1):
        shared = number * n % size  # units of the pass before in the minibatch that spans both
        held = set(order[n - shared :])
        drawn = [int(i) for i in np.random.default_rng([seed, number, 0]).permutation(n)]
        head = [i for i in drawn if i not in held][: size - shared if shared else 0]
        order = head + [i for i in drawn if i not in set(head)]
    return order
