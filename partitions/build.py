"""A pair set -> training, acceptance and holdout, disjoint by cluster and alike in what they hold."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from harness.errors import LeakFound, SplitError
from harness.types import PairSet, SplitName
from partitions.config import SplitConfig
from partitions.given import given_parts
from partitions.leakage import Leakage, Likeness, find_leaks
from partitions.manifest import (
    SPLITS,
    LikenessRecord,
    Manifest,
    Overlap,
    SplitRecord,
    canonical,
    pair_set_digest,
    split_bytes,
)
from partitions.stratify import Cluster, Parts, deal

# A clustered test needs two independent units; so do the two folds of the training split.
LEAST = 2


def build_split(pair_set: PairSet, config: SplitConfig) -> Manifest:
    """Divide a pair set and describe the division; the same set and seed give the same manifest.

    Clusters (a consultation, or the group it belongs to) stay together. Parts are stratified by
    source, stratum, pair class (omission by trace, addition, alteration) and severity; where a label
    is too rare to reach every split, ``absent`` says so. The group of an excluded consultation goes with it.

    With ``config.given`` nothing is drawn but the two folds of training: the lists of the file are the splits.

    Raises SplitError where the set is too small, an exclusion is unknown or a given division does not fit; and
    LeakFound where texts of two splits (or of an excluded consultation and a split that decides) are
    near-duplicates, unless ``config.near_duplicates`` is "warn".
    """
    pair_set = canonical(pair_set)
    clusters, excluded = _clusters(pair_set, config)
    rng = np.random.default_rng(config.seed)
    parts = _divided(clusters, excluded, config, rng)
    for name, part in parts.items():
        _require_enough(pair_set.name, name, part, clusters)
    folds = deal(parts["training"], {"frontier": config.frontier, "reflection": 1 - config.frontier}, 1, rng)
    ids = {name: _members(parts[name]) for name in SPLITS}
    leakage = find_leaks(pair_set, _sides(ids, excluded))
    if leakage.leaks and config.near_duplicates == "error":
        raise _leak_found(leakage, _sides(ids, excluded))
    labels = sorted({label for cluster in clusters for label in cluster.labels})
    records = _records(pair_set, parts, ids)
    manifest = Manifest(
        dataset=pair_set.name,
        clean_verified=pair_set.clean_verified,
        simulated=pair_set.simulated,
        pair_set=pair_set_digest(pair_set),
        config=_portable(config),
        splits=records,
        frontier=_members(folds["frontier"]),
        excluded=excluded,
        absent={n: tuple(label for label in labels if label not in records[n].labels) for n in SPLITS},
        overlap=Overlap(closest=_written(leakage.closest), near_duplicates=_written(leakage.leaks)),
    )
    return manifest.model_copy(update={"digest": manifest.own_digest()})


def _clusters(pair_set: PairSet, config: SplitConfig) -> tuple[list[Cluster], tuple[str, ...]]:
    unknown = sorted(set(config.exclude) - set(pair_set.by_id))
    if unknown:
        found = f"{len(unknown)} unknown consultations, e.g. {unknown[0]!r}"
        raise SplitError(f"excluding consultations from {pair_set.name!r}", found, "Correct `split.exclude`.")
    labels: dict[str, set[str]] = defaultdict(set)
    members: dict[str, list[str]] = defaultdict(list)
    for c in pair_set.consultations:
        members[c.cluster].append(c.id)
        labels[c.cluster] |= {f"source:{c.source}", f"stratum:{c.source}/{c.stratum}"}
    for pair in pair_set.pairs:
        severity = {f"severity:{pair.defect.severity}"} if pair.defect.severity else set()
        labels[pair_set.cluster(pair)] |= {"pairs", f"class:{pair.pair_class}"} | severity
    out = {pair_set.by_id[name].cluster for name in config.exclude}
    kept = [
        Cluster(name, tuple(sorted(ids)), frozenset(labels[name])) for name, ids in members.items() if name not in out
    ]
    return kept, tuple(sorted(name for cluster in out for name in members[cluster]))


def _divided(
    clusters: Sequence[Cluster], excluded: Sequence[str], config: SplitConfig, rng: np.random.Generator
) -> Parts:
    if config.given is not None:
        return given_parts(config.given, clusters, excluded)
    shares: dict[str, float] = {name: float(getattr(config, name)) for name in SPLITS}
    return deal(clusters, shares, LEAST, rng)


def _portable(config: SplitConfig) -> SplitConfig:
    """The configuration without the folder of a given division: its lists stand in the manifest anyway."""
    return config if config.given is None else config.model_copy(update={"given": Path(config.given.name)})


def _require_enough(dataset: str, name: str, part: Sequence[Cluster], clusters: Sequence[Cluster]) -> None:
    usable = sum("pairs" in cluster.labels for cluster in part)
    if usable < LEAST:
        whole = sum("pairs" in cluster.labels for cluster in clusters)
        found = f"{usable} independent consultations with pairs for {name}, {whole} in all; {LEAST} needed in each"
        raise SplitError(f"splitting {dataset!r}", found, "Add consultations, or exclude fewer.")


def _members(part: Sequence[Cluster]) -> tuple[str, ...]:
    return tuple(sorted(name for cluster in part for name in cluster.members))


def _sides(ids: Mapping[SplitName, Sequence[str]], excluded: Sequence[str]) -> dict[str, str]:
    """Excluded consultations were trained on before, so they stand on the side of training."""
    sides = {consultation: str(name) for name, part in ids.items() for consultation in part}
    return sides | dict.fromkeys(excluded, "training")


def _leak_found(leakage: Leakage, sides: Mapping[str, str]) -> LeakFound:
    worst = leakage.leaks[0]
    found = (
        f"{len(leakage.leaks)} near-duplicates; the {worst.kind}s of {worst.first!r} ({sides[worst.first]}) and "
        f"{worst.second!r} ({sides[worst.second]}) share {worst.jaccard:.0%} of their 5-word windows, and "
        f"{worst.contained:.0%} of the shorter one's rare windows"
    )
    todo = "Give such consultations one `group`, drop one of them, or set `split.near_duplicates: warn`."
    return LeakFound("looking for near-duplicates across splits", found, todo)


def _records(
    pair_set: PairSet, parts: Mapping[str, Sequence[Cluster]], ids: Mapping[SplitName, tuple[str, ...]]
) -> dict[SplitName, SplitRecord]:
    split_of = {consultation: name for name, part in ids.items() for consultation in part}
    pairs = Counter(split_of.get(pair.consultation_id) for pair in pair_set.pairs)
    return {
        name: SplitRecord(
            consultations=ids[name],
            clusters=len(parts[name]),
            pairs=pairs[name],
            labels=dict(sorted(Counter(label for cluster in parts[name] for label in cluster.labels).items())),
            sha256=hashlib.sha256(data).hexdigest(),
        )
        for name, data in split_bytes(pair_set, ids).items()
    }


def _written(likenesses: Sequence[Likeness]) -> tuple[LikenessRecord, ...]:
    return tuple(
        LikenessRecord(kind=x.kind, first=x.first, second=x.second, jaccard=x.jaccard, contained=x.contained)
        for x in likenesses
    )
