"""Deal clusters into parts so that every part looks like the whole.

Iterative stratification (Sechidis, Tsoumakas and Vlahavas 2011, "On the stratification of
multi-label data"): the label that fewest undealt clusters carry is dealt first, each of its
clusters to the part that still wants most of that label. Parts have fixed sizes, so the shares
hold first and the labels as well as they can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


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


def deal(
    clusters: Sequence[Cluster], shares: Mapping[str, float], least: int, rng: np.random.Generator
) -> dict[str, list[Cluster]]:
    """Deal clusters into the named parts; ``rng`` decides between equals.

    ``shares`` count clusters, the independent units, however many members each has. The order of
    ``clusters`` does not matter: they are sorted by name before the first draw.
    """
    ordered = sorted(clusters, key=lambda cluster: cluster.name)
    waiting = [ordered[index] for index in rng.permutation(len(ordered))]
    room = sizes(len(waiting), shares, least)
    counts = Counter(label for cluster in waiting for label in cluster.labels)
    wanted = {part: {label: shares[part] * n for label, n in counts.items()} for part in shares}
    parts: dict[str, list[Cluster]] = {part: [] for part in shares}
    while waiting:
        label = _rarest(waiting)
        batch = [cluster for cluster in waiting if label in cluster.labels or not label]
        for cluster in batch:
            part = max(shares, key=lambda name: (room[name] > 0, wanted[name].get(label, 0.0), room[name]))
            parts[part].append(cluster)
            room[part] -= 1
            for carried in cluster.labels:
                wanted[part][carried] -= 1
        dealt = {cluster.name for cluster in batch}
        waiting = [cluster for cluster in waiting if cluster.name not in dealt]
    return parts


def _rarest(waiting: Sequence[Cluster]) -> str:
    """The label that fewest waiting clusters carry; "" where none carries any."""
    counts = Counter(label for cluster in waiting for label in cluster.labels)
    return min(counts, key=lambda label: (counts[label], label)) if counts else ""
