"""Near-duplicate transcripts and notes on two sides of a split.

A text is its set of 5-word windows. Two texts of two sides are near-duplicates where

- their words are equal, or
- the Jaccard index of all their windows is at least ``JACCARD``, or
- ``CONTAINED`` of the shorter text's rare windows stand in the other (a note pasted into another).

A window is rare where at most ``RARE`` clusters, or ``RARE_SHARE`` of them, hold it: stock phrases
are what many consultations share, so they never count as copying. The last two rules ask for
``ENOUGH`` windows in the shorter text. On 187 real visit notes the nearest two different notes
reach a Jaccard index of 0.17 and a containment of 0.30; a text with a tenth of its words
replaced still contains about 0.59 of the windows (0.9 ** 5). Every two texts are compared
exactly, by one sparse product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from harness.data.standin import stands_alone
from harness.data.windows import window_matrix, words_of
from harness.types import PairSet

JACCARD = 0.6
CONTAINED = 0.5
RARE = 4
RARE_SHARE = 0.03
ENOUGH = 20

Kind = Literal["transcript", "note"]
Texts = Sequence[tuple[str, str]]  # (consultation id, text)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like two texts of two consultations are; both shares in [0, 1], 1 = all of it.

    ``jaccard`` is over all windows, ``contained`` over the rare windows of the shorter text.
    """

    kind: Kind
    first: str
    second: str
    jaccard: float
    contained: float


@dataclass(frozen=True, slots=True)
class Leakage:
    """What two sides share. ``closest`` holds the most alike texts of each kind, leak or not."""

    leaks: tuple[Likeness, ...]
    closest: tuple[Likeness, ...]


def find_leaks(pair_set: PairSet, side: Mapping[str, str]) -> Leakage:
    """Compare transcripts with transcripts and notes with notes across sides.

    ``side`` maps consultation id -> name of its side; consultations without a side are left out, and
    so are stand-ins for transcripts that do not exist, which are equal and hold nothing.
    Flawed notes are left out where their clean twin is compared: they differ by one edit.
    """
    kinds: tuple[tuple[Kind, Texts], ...] = (
        ("transcript", [(c.id, c.transcript) for c in pair_set.consultations if c.id in side and not stands_alone(c)]),
        ("note", [(owner, text) for owner, text in _notes(pair_set) if owner in side]),
    )
    cluster = {c.id: c.cluster for c in pair_set.consultations}
    leaks: list[Likeness] = []
    closest: list[Likeness] = []
    for kind, texts in kinds:
        if texts:
            found = _compare(kind, texts, side, cluster)
            leaks += found.leaks
            closest += found.closest
    return Leakage(tuple(leaks), tuple(closest))


def _notes(pair_set: PairSet) -> Iterator[tuple[str, str]]:
    flawed = {pair.flawed.id for pair in pair_set.pairs}
    notes = {note.id: note for note in (*pair_set.notes, *(pair.clean for pair in pair_set.pairs))}
    for name in sorted(notes.keys() - flawed):
        yield notes[name].consultation_id, notes[name].text


def _compare(kind: Kind, texts: Texts, side: Mapping[str, str], cluster: Mapping[str, str]) -> Leakage:
    words = [words_of(text) for _, text in texts]
    windows = window_matrix(words)
    sizes = np.asarray(windows.sum(axis=1)).ravel()
    owners = [owner for owner, _ in texts]
    rare = windows[:, _rare_columns(windows, [cluster[owner] for owner in owners])]
    rare_sizes = np.asarray(rare.sum(axis=1)).ravel()

    shared = sparse.triu(windows @ windows.T, k=1).tocoo()
    sides = np.array([side[owner] for owner in owners])
    apart = sides[shared.row] != sides[shared.col]
    row, col, both = shared.row[apart], shared.col[apart], shared.data[apart]
    if not len(row):
        return Leakage((), ())
    jaccard = both / (sizes[row] + sizes[col] - both)
    rare_both = np.asarray((rare @ rare.T).tocsr()[row, col]).ravel()
    shorter = np.minimum(rare_sizes[row], rare_sizes[col])
    contained = rare_both / np.maximum(shorter, 1)

    equal = np.array([words[a] == words[b] for a, b in zip(row, col, strict=True)])
    long = np.minimum(sizes[row], sizes[col]) >= ENOUGH
    leak = equal | (long & (jaccard >= JACCARD)) | ((shorter >= ENOUGH) & (contained >= CONTAINED))

    def likeness(index: int) -> Likeness:
        first, second = sorted((owners[row[index]], owners[col[index]]))
        return Likeness(kind, first, second, round(float(jaccard[index]), 4), round(float(contained[index]), 4))

    found = {likeness(int(index)) for index in np.flatnonzero(leak)}
    top = {likeness(int(index)) for index in (np.argmax(jaccard), np.argmax(np.where(shorter >= ENOUGH, contained, 0)))}
    return Leakage(tuple(sorted(found, key=_by_share)), tuple(sorted(top, key=_by_share)))


def _by_share(likeness: Likeness) -> tuple[float, str, str]:
    return (-max(likeness.jaccard, likeness.contained), likeness.first, likeness.second)


def _rare_columns(windows: Any, clusters: Sequence[str]) -> npt.NDArray[np.intp]:
    names, index = np.unique(np.array(clusters), return_inverse=True)
    ones = np.ones(len(clusters), dtype=np.int64)
    member = sparse.csr_matrix((ones, (index, np.arange(len(clusters)))), shape=(len(names), len(clusters)))
    held_by = np.asarray((member @ windows).sign().sum(axis=0)).ravel()
    return np.flatnonzero(held_by <= max(RARE, int(RARE_SHARE * len(names))))
