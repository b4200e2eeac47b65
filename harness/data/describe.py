"""Count what a pair set holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from harness.data.standin import ALONE, stands_alone
from harness.types import PairSet

UNVERIFIED = "unverified clean twin"
SIMULATED = "simulated text"
UNSTATED = "unstated"


@dataclass(frozen=True, slots=True)
class Spread:
    """Least, median and greatest of some counts; a value exists only where there is at least one count."""

    least: int
    median: float
    greatest: int


@dataclass(frozen=True, slots=True)
class Description:
    """What a pair set holds; every mapping is name -> count and sorted by name.

    ``clean_notes`` counts distinct notes without a defect, ``flawed_notes`` those with one.
    ``pairs_per_consultation`` maps a number of pairs to the number of consultations with that many,
    consultations without a pair included. ``labels`` must stand beside every number made from the set.
    The word spreads are None for a set without a transcript or note.
    """

    name: str
    consultations: int
    clusters: int
    clean_notes: int
    flawed_notes: int
    pairs: int
    pairs_by_class: dict[str, int]
    pairs_by_severity: dict[str, int]
    pairs_by_aspect: dict[str, int]
    consultations_by_source: dict[str, int]
    consultations_by_stratum: dict[str, int]
    pairs_per_consultation: dict[int, int]
    transcript_words: Spread | None
    note_words: Spread | None
    labels: tuple[str, ...]


def describe(pair_set: PairSet) -> Description:
    """Describe a pair set; ``note_words`` is over clean notes."""
    sides = [note for pair in pair_set.pairs for note in (pair.clean, pair.flawed)]
    notes = {note.id: note for note in (*pair_set.notes, *sides)}.values()
    clean = [note for note in notes if note.defect is None]
    per_consultation = Counter(pair.consultation_id for pair in pair_set.pairs)
    consultations = pair_set.consultations
    return Description(
        name=pair_set.name,
        consultations=len(consultations),
        clusters=len({c.cluster for c in consultations}),
        clean_notes=len(clean),
        flawed_notes=len(notes) - len(clean),
        pairs=len(pair_set.pairs),
        pairs_by_class=_count(pair.pair_class for pair in pair_set.pairs),
        pairs_by_severity=_count(pair.defect.severity or UNSTATED for pair in pair_set.pairs),
        pairs_by_aspect=_count(p.defect.aspect or UNSTATED for p in pair_set.pairs if p.defect.kind == "alteration"),
        consultations_by_source=_count(c.source for c in consultations),
        consultations_by_stratum=_count(c.stratum or UNSTATED for c in consultations),
        pairs_per_consultation=dict(sorted(Counter(per_consultation[c.id] for c in consultations).items())),
        transcript_words=_spread([len(c.transcript.split()) for c in consultations]),
        note_words=_spread([len(note.text.split()) for note in clean]),
        labels=_labels(pair_set),
    )


def _labels(pair_set: PairSet) -> tuple[str, ...]:
    alone = any(stands_alone(c) for c in pair_set.consultations)
    wanted = ((SIMULATED, pair_set.simulated), (UNVERIFIED, not pair_set.clean_verified), (ALONE, alone))
    return tuple(label for label, applies in wanted if applies)


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _spread(counts: list[int]) -> Spread | None:
    return Spread(min(counts), float(np.median(counts)), max(counts)) if counts else None
