"""A division that somebody else made, as lists of consultations in a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from harness.data.imported import read_json
from harness.errors import SplitError
from harness.types import SplitName
from partitions.manifest import SPLITS
from partitions.stratify import Cluster, Parts

# What OmissionBench's own partition file calls the three.
_THEIRS: Mapping[SplitName, str] = {"training": "reflect", "acceptance": "valid", "holdout": "test"}


def read_given(path: Path) -> dict[SplitName, tuple[str, ...]]:
    """The consultations of each split.

    The file is ``{"training": [...], "acceptance": [...], "holdout": [...]}``, or OmissionBench's partition file,
    whose ``consultations`` are ``reflect``, ``valid`` and ``test``. DataError where it cannot be read, SplitError
    where a list is missing, is not of ids, repeats one or shares one with another.
    """
    whole = read_json(path)
    lists = whole.get("consultations", whole) if isinstance(whole, dict) else None
    if not isinstance(lists, dict):
        raise _refused(path, "no lists of consultations", "Write training, acceptance and holdout.")
    given = {name: _listed(path, lists, name) for name in SPLITS}
    for (first, these), (second, those) in combinations(given.items(), 2):
        if shared := sorted(set(these) & set(those)):
            raise _refused(path, f"{first} and {second} share {_some(shared)}", "Keep each consultation in one list.")
    return given


def given_parts(path: Path, clusters: Sequence[Cluster], excluded: Sequence[str]) -> Parts:
    """The clusters of each split as the file gives them; SplitError where it does not fit the pair set.

    Every consultation that is not excluded has to be listed, and a group must stand whole in one list.
    """
    given = read_given(path)
    split_of = {name: split for split, ids in given.items() for name in ids}
    known = {member for cluster in clusters for member in cluster.members}
    if out := sorted(set(split_of) & set(excluded)):
        raise _refused(
            path, f"excluded and yet listed: {_some(out)}", "Drop them from the list or from `split.exclude`."
        )
    if unknown := sorted(set(split_of) - known):
        raise _refused(
            path, f"unknown consultations: {_some(unknown)}", "Use the pair set that the lists were made for."
        )
    if missing := sorted(known - set(split_of)):
        raise _refused(path, f"consultations in no list: {_some(missing)}", "List them, or exclude them.")
    parts: Parts = {name: [] for name in SPLITS}
    for cluster in sorted(clusters, key=lambda c: c.name):
        sides = sorted({split_of[member] for member in cluster.members})
        if len(sides) > 1:
            found = f"group {cluster.name!r} stands in {' and '.join(sides)}: {_some(cluster.members)}"
            raise _refused(path, found, "Keep what belongs together in one list.")
        parts[sides[0]].append(cluster)
    return parts


def _listed(path: Path, lists: Mapping[str, Any], name: SplitName) -> tuple[str, ...]:
    key = name if name in lists else _THEIRS[name]
    ids = lists.get(key)
    if not isinstance(ids, list) or not ids or not all(isinstance(one, str) and one.strip() for one in ids):
        raise _refused(path, f"no list of consultation ids for {name}", "Write training, acceptance and holdout.")
    if repeated := sorted({one for one in ids if ids.count(one) > 1}):
        raise _refused(path, f"{name} lists twice: {_some(repeated)}", "List each consultation once.")
    return tuple(ids)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(repr(name) for name in names[:3]) + more


def _refused(path: Path, found: str, todo: str) -> SplitError:
    return SplitError(f"dividing as {path} says", found, todo)
