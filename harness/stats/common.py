"""What two candidates both judged: comparisons are made on these notes alone."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from harness.errors import DataError
from harness.scores import ScoreTable


def common_notes(first: ScoreTable, second: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """Both tables without the pairs and clean notes that the other does not hold, in the order of the first.

    A pair is held by both where it has the same clean twin in both. DataError where no pair is.
    """
    if same_notes(first, second):
        return first, second
    pairs = _pairs(first) & _pairs(second)
    if not pairs:
        raise DataError("comparing two candidates", "no pair that both judged", "Judge the same pairs with both.")
    cleans = set(first.clean_ids) & set(second.clean_ids)
    order = {name: i for i, name in enumerate((*first.pair_ids, *first.clean_ids))}
    return _only(first, pairs, cleans, order), _only(second, pairs, cleans, order)


def same_notes(first: ScoreTable, second: ScoreTable) -> bool:
    """True where both tables hold the same pairs, twins and consultations in the same order."""
    return (
        first.pair_ids == second.pair_ids
        and first.clean_ids == second.clean_ids
        and first.clusters == second.clusters
        and np.array_equal(first.clean_of, second.clean_of)
        and np.array_equal(first.cluster, second.cluster)
    )


def _pairs(table: ScoreTable) -> set[tuple[str, str]]:
    return {(pair, table.clean_ids[i]) for pair, i in zip(table.pair_ids, table.clean_of.tolist(), strict=True)}


def _only(table: ScoreTable, pairs: Set[tuple[str, str]], cleans: Set[str], order: dict[str, int]) -> ScoreTable:
    twins = [table.clean_ids[i] for i in table.clean_of.tolist()]
    kept = [i for i, pair in enumerate(zip(table.pair_ids, twins, strict=True)) if pair in pairs]
    kept.sort(key=lambda i: order[table.pair_ids[i]])
    kept_clean = [i for i, name in enumerate(table.clean_ids) if name in cleans]
    kept_clean.sort(key=lambda i: order[table.clean_ids[i]])
    positions = {table.clean_ids[i]: new for new, i in enumerate(kept_clean)}
    owners = [table.clusters[c] for c in (*table.cluster[kept].tolist(), *table.clean_cluster[kept_clean].tolist())]
    clusters = {name: i for i, name in enumerate(dict.fromkeys(owners))}
    codes = np.array([clusters[name] for name in owners], dtype=np.intp)
    return replace(
        table,
        pair_ids=tuple(table.pair_ids[i] for i in kept),
        pair_class=table.pair_class[kept],
        severity=table.severity[kept],
        cluster=codes[: len(kept)],
        clean_of=np.array([positions[twins[i]] for i in kept], dtype=np.intp),
        clusters=tuple(clusters),
        flawed=table.flawed[kept],
        clean_ids=tuple(table.clean_ids[i] for i in kept_clean),
        clean=table.clean[kept_clean],
        clean_cluster=codes[len(kept) :],
    )
