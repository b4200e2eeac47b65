"""Deal clusters into parts so that every part looks like the whole.

A greedy deal: clusters with rare labels come first, and each goes to the part that lacks most of
its labels, relative to what the part should hold (the idea of iterative stratification; Sechidis,
Tsoumakas and Vlahavas 2011, "On the stratification of multi-label data"). Of ``DEALS`` such deals
in random order the most even one is kept. Parts have fixed sizes, so the shares hold first and
the labels as well as they can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

DEALS = 30

Parts = dict[str, list["Cluster"]]


@dataclass(frozen=True, slots=True)
class Cluster:
    """What stays together: consultation ids, and the labels that any of them carries."""

    name: str
    members: tuple[str, ...]
    labels: frozenset[str]


def sizes(total: int, shares: Mapping[str, float], least: int) -> dict[str, int]:
    """Whole sizes that sum to ``total``: largest remainders, then parts below ``least`` raised from the largest.

    >>> sizes(6, {"training": 0.45, "acceptance": 0.25, "holdout": 0.30}, least=2)
    {'training': 2, 'acceptance': 2, 'holdout': 2}
    """
    exact = {name: share * total / sum(shares.values()) for name, share in shares.items()}
    size = {name: int(value) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (size[name] - exact[name], name))
    for name in by_remainder[: total - sum(size.values())]:
        size[name] += 1
    for name in size:
        while size[name] < least and max(size.values()) > least:
            size[max(size, key=lambda other: size[other])] -= 1
            size[name] += 1
    return size


def deal(clusters: Sequence[Cluster], shares: Mapping[str, float], least: int, rng: np.random.Generator) -> Parts:
    """Deal clusters into the named parts; ``rng`` shuffles before each deal.

    ``shares`` sum to 1 and count clusters, the independent units, however many members each has. The order
    of ``clusters`` does not matter: they are sorted by name before the first shuffle.
    """
    ordered = sorted(clusters, key=lambda cluster: cluster.name)
    # Sorted, because the order of a sum decides its rounding, and rounding decides between equals.
    counts = Counter(sorted(label for cluster in ordered for label in cluster.labels))
    due = {part: {label: share * n for label, n in counts.items()} for part, share in shares.items()}
    room = sizes(len(ordered), shares, least)
    deals = (_deal_once([ordered[i] for i in rng.permutation(len(ordered))], due, room, counts) for _ in range(DEALS))
    return min(deals, key=lambda parts: _unevenness(parts, due))


def _deal_once(
    shuffled: Sequence[Cluster],
    due: Mapping[str, Mapping[str, float]],
    sizes_of: Mapping[str, int],
    counts: Mapping[str, int],
) -> Parts:
    room = dict(sizes_of)
    lacking = {part: dict(labels) for part, labels in due.items()}
    parts: Parts = {part: [] for part in due}
    for cluster in sorted(shuffled, key=lambda c: min((counts[label] for label in c.labels), default=0)):
        carried = sorted(cluster.labels)

        def need(part: str, carried: Sequence[str] = carried) -> tuple[bool, float, int]:
            return (room[part] > 0, sum(lacking[part][label] / due[part][label] for label in carried), room[part])

        chosen = max(due, key=need)
        parts[chosen].append(cluster)
        room[chosen] -= 1
        for label in carried:
            lacking[chosen][label] -= 1
    return parts


def _unevenness(parts: Parts, due: Mapping[str, Mapping[str, float]]) -> float:
    """Chi-squared distance of the labels' counts from what is due; 0 = perfectly even."""
    total = 0.0
    for part, labels in due.items():
        held = Counter(label for cluster in parts[part] for label in cluster.labels)
        total += sum((held[label] - n) ** 2 / n for label, n in labels.items())
    return total
