"""Choose, for every clean note, a mixed and seeded handful of the defects it allows.

Of five defects three are omissions, as different in trace as the note allows and one of them complete
where there is one; the others alternate between alteration and addition. What is not possible is not
forced: a note yields fewer pairs, and every refused attempt is counted as ``kind:reason``.

Reasons: ``too_few_content_words`` (fewer than two), ``not_supported_by_transcript``,
``numbered_item_with_successor`` (a gap in the numbering would show), ``next_sentence_refers_back``,
``only_numbers_survive`` (a shared number or unit of time does not show that the fact is meant),
``would_empty_note``, ``would_break_layout``, ``equal_after_edit``; for alterations also
``no_alterable_value``, ``alteration_supported`` (the new wording is in the evidence),
``old_value_not_in_evidence``; for additions ``no_such_section``, ``section_says_nil``,
``not_for_a_child``, ``addition_supported``. Per note ``no_supported_sentence`` counts where a kind has no option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.data.defects.addition import additions
from harness.data.defects.alteration import alterations
from harness.data.defects.edit import Option
from harness.data.defects.omission import omissions
from harness.errors import DataError
from harness.types import TRACES, Consultation, DefectKind, Note, Pair, digest

OMISSION_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Planted:
    """Pairs, and refused attempts by ``kind:reason``."""

    pairs: tuple[Pair, ...]
    refused: Mapping[str, int]


def plant_defects(
    consultations: Sequence[Consultation], notes: Sequence[Note], pairs_per_note: int, seed: int
) -> Planted:
    """Plant up to ``pairs_per_note`` defects in every clean note; equal input and seed give equal pairs.

    Raises DataError for fewer than one pair a note, or a note of an unknown consultation.
    """
    if pairs_per_note < 1:
        raise DataError("planting defects", f"{pairs_per_note} pairs per note", "Ask for at least one.")
    transcripts = {c.id: c.transcript for c in consultations}
    refused: Counter[str] = Counter()
    pairs: list[Pair] = []
    for note in notes:
        if note.defect is not None:
            continue
        if note.consultation_id not in transcripts:
            found = f"note {note.id!r} of unknown consultation {note.consultation_id!r}"
            raise DataError("planting defects", found, "Add the consultation with its transcript.")
        # Seeded by the note itself, so that adding or removing a note changes no other note's defects.
        rng = np.random.default_rng(int(digest([seed, note.id])[:15], 16))
        chosen = _choose(_options(note.text, transcripts[note.consultation_id], refused), pairs_per_note, rng)
        pairs += [_pair(note, option, number) for number, option in enumerate(chosen, start=1)]
    return Planted(tuple(pairs), dict(sorted(refused.items())))


def _options(note: str, transcript: str, refused: Counter[str]) -> dict[DefectKind, list[Option]]:
    options: dict[DefectKind, list[Option]] = {
        "omission": omissions(note, transcript, refused),
        "alteration": alterations(note, transcript, refused),
        "addition": additions(note, transcript, refused),
    }
    for kind, found in options.items():
        if not found:
            refused[f"{kind}:no_supported_sentence"] += 1
    return options


def _choose(options: dict[DefectKind, list[Option]], wanted: int, rng: np.random.Generator) -> list[Option]:
    """Draw omissions by trace in turn, then alterations (by aspect in turn) and additions, one sentence once."""
    omitted = max(1, round(OMISSION_SHARE * wanted))
    used: set[int] = set()
    by_trace = [[o for o in options["omission"] if o.defect.trace == trace] for trace in TRACES]
    chosen = _draw(by_trace, omitted, used, rng)
    aspects = sorted({o.defect.aspect for o in options["alteration"] if o.defect.aspect})
    order = [aspects[i] for i in rng.permutation(len(aspects))]
    altered = [
        o for a in order for o in _draw([[o for o in options["alteration"] if o.defect.aspect == a]], 1, used, rng)
    ]
    added = _draw([options["addition"]], wanted, set(), rng)
    kinds = [altered, added] if rng.random() < 0.5 else [added, altered]
    commissions = [queue[i] for i in range(wanted) for queue in kinds if i < len(queue)]
    return chosen + commissions[: wanted - omitted]


def _draw(groups: list[list[Option]], wanted: int, used: set[int], rng: np.random.Generator) -> list[Option]:
    """Take options from the groups in turn, each group in random order, no sentence twice."""
    queues = [[group[i] for i in rng.permutation(len(group))] for group in groups]
    drawn: list[Option] = []
    while len(drawn) < wanted and any(queues):
        for queue in queues:
            while queue and queue[0].sentence in used and queue[0].defect.kind != "addition":
                queue.pop(0)
            if queue and len(drawn) < wanted:
                option = queue.pop(0)
                used.add(option.sentence)
                drawn.append(option)
    return drawn


def _pair(note: Note, option: Option, number: int) -> Pair:
    name = f"{note.id}--{option.defect.pair_class}-{number}"
    flawed = Note(f"{name}-note", note.consultation_id, option.flawed, option.defect)
    return Pair(name, note.consultation_id, note, flawed)
