"""Likeness of texts by their 5-word windows, and the families of texts that are versions of one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

WORDS = 5


def words_of(text: str) -> list[str]:
    """The lower-case words and numbers of a text, without punctuation.

    >>> words_of("No change, TODAY.")
    ['no', 'change', 'today']
    """
    return re.findall(r"\w+", text.lower())


def window_matrix(texts: Sequence[Sequence[str]]) -> Any:
    """0/1 matrix, texts (as words) x distinct windows; a text of fewer than 5 words is one window."""
    columns: dict[tuple[str, ...], int] = {}
    indices: list[int] = []
    starts = [0]
    for text in texts:
        found = {tuple(text[i : i + WORDS]) for i in range(max(len(text) - WORDS + 1, 1))}
        indices += sorted(columns.setdefault(window, len(columns)) for window in found)
        starts.append(len(indices))
    shape = (len(texts), len(columns))
    return sparse.csr_matrix((np.ones(len(indices), dtype=np.int64), indices, starts), shape=shape)


def families(texts: Sequence[Sequence[str]], share: float, least: int = 1) -> list[int]:
    """For each item the number of its first relative: items are related where two of their texts are alike.

    ``texts[i]`` holds the texts of item i (its note, its dialogue), compared in each place alone. Alike: equal words,
    or more than ``share`` of the windows of the shorter text stand in the other and it has at least ``least`` windows.
    Relatives of relatives are relatives.

    >>> families([["a b c"], ["x y z"], ["A, b, c."]], share=0.5)
    [0, 1, 0]
    """
    count = len(texts)
    related = sparse.csr_matrix((count, count), dtype=np.int64)
    for place in range(len(texts[0]) if texts else 0):
        related = related + _alike([words_of(item[place]) for item in texts], share, least)
    _, labels = connected_components(related, directed=False)
    first: dict[int, int] = {}
    return [first.setdefault(int(label), index) for index, label in enumerate(labels)]


def _alike(words: Sequence[Sequence[str]], share: float, least: int) -> Any:
    windows = window_matrix(words)
    sizes = np.asarray(windows.sum(axis=1)).ravel()
    both = sparse.triu(windows @ windows.T, k=1).tocoo()
    shorter = np.minimum(sizes[both.row], sizes[both.col])
    equal = np.array([words[a] == words[b] for a, b in zip(both.row, both.col, strict=True)], dtype=bool)
    alike = equal | ((shorter >= least) & (both.data > share * shorter))
    ones = np.ones(int(alike.sum()), dtype=np.int64)
    return sparse.csr_matrix((ones, (both.row[alike], both.col[alike])), shape=(len(words), len(words)))
