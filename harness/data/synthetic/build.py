"""Build the synthetic pair set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.data.synthetic.case import Case, Item, draw_case
from harness.data.synthetic.content.headings import LAYOUTS
from harness.data.synthetic.note import Draft, draft_note
from harness.data.synthetic.plant import Planted, additions, alterations, omissions
from harness.data.synthetic.schedule import Slot, schedule
from harness.data.synthetic.transcript import compose_transcript
from harness.data.synthetic.verify import verify_pair
from harness.data.synthetic.wording import pick
from harness.errors import DataError
from harness.types import SEVERITIES, Consultation, Fact, Note, Pair, PairSet


def build_synthetic(consultations: int, pairs_per_consultation: int, seed: int) -> PairSet:
    """Generate a pair set: equal arguments give equal bytes.

    Consultation ``i`` depends on the seed and ``i`` alone, so a smaller set is a prefix of a
    larger one. ``pairs_per_consultation`` is the most that one consultation gets. DataError
    where a size is not positive, or where a consultation cannot keep its promises: every pair
    without a complaint of the verifier, a complete omission, evidence in the transcript.
    """
    if consultations < 1 or pairs_per_consultation < 1:
        raise DataError(
            "building the synthetic set",
            f"{consultations} consultations with {pairs_per_consultation} pairs each",
            "Ask for at least one of each.",
        )
    built = [_consultation(index, pairs_per_consultation, seed) for index in range(consultations)]
    pairs = tuple(pair for _, found in built for pair in found)
    notes = {note.id: note for pair in pairs for note in (pair.clean, pair.flawed)}
    return PairSet(
        name="synthetic",
        consultations=tuple(consultation for consultation, _ in built),
        pairs=pairs,
        notes=tuple(notes.values()),
        clean_verified=True,
        simulated=True,
    )


def _consultation(index: int, count: int, seed: int) -> tuple[Consultation, list[Pair]]:
    rng = np.random.default_rng([seed, index])
    case = draw_case(index, rng)
    transcript = compose_transcript(case, rng)
    consultation = Consultation(
        id=f"syn-{index:04d}",
        source="synthetic",
        transcript=transcript,
        facts=tuple(Fact(i.id, i.text, i.said, i.point.severity) for i in case.items),
        stratum=case.stratum,
    )
    draft = draft_note(case, LAYOUTS[int(rng.integers(len(LAYOUTS)))], _repeated(case, rng), rng)
    clean = Note(f"{consultation.id}/n1", consultation.id, draft.text)
    pairs: list[Pair] = []
    used: set[tuple[str, str]] = set()
    for slot in schedule(index, count, rng):
        for name, (item, planted) in _candidates(slot, case, draft, transcript, rng):
            pair = _pair(clean, planted, name, len(pairs) + 1)
            # Facts of other problems can happen to share words with this one: the texts decide.
            if (item.id, name) not in used and not verify_pair(pair):
                used.add((item.id, name))
                pairs.append(pair)
                break
    _check(pairs, consultation)
    return consultation, pairs


def _repeated(case: Case, rng: np.random.Generator) -> tuple[Item, ...]:
    """One fact of each severity, where there is one."""
    able = [[item for item in case.items if item.point.severity == severity] for severity in SEVERITIES]
    return tuple(pick(items, rng) for items in able if items)


def _candidates(
    slot: Slot, case: Case, draft: Draft, transcript: str, rng: np.random.Generator
) -> Iterator[tuple[str, tuple[Item, Planted]]]:
    """Possible pairs for a slot, the best first: wanted trace or aspect, then wanted severity."""
    if slot.kind == "omission":
        for trace in slot.traces:
            for found in _ordered(omissions(case, draft, trace), slot, rng):
                yield f"omission-{trace}", found
        return
    if slot.kind == "addition":
        for found in _ordered(additions(case, draft, transcript, rng), slot, rng):
            yield "addition", found
    for aspect in slot.aspects:
        for found in _ordered(alterations(case, draft, aspect, rng), slot, rng):
            yield f"alteration-{aspect}", found


def _ordered(found: Iterator[tuple[Item, Planted]], slot: Slot, rng: np.random.Generator) -> list[tuple[Item, Planted]]:
    options = list(found)
    shuffled = [options[int(i)] for i in rng.permutation(len(options))]
    return sorted(shuffled, key=lambda option: option[0].point.severity != slot.severity)


def _pair(clean: Note, planted: Planted, name: str, number: int) -> Pair:
    draft, defect = planted
    flawed = Note(f"{clean.id}/{name}-{number}", clean.consultation_id, draft.text, defect)
    return Pair(flawed.id, clean.consultation_id, clean, flawed)


def _check(pairs: list[Pair], consultation: Consultation) -> None:
    """The promises that do not depend on luck; a DataError here is a fault of the content tables."""
    complaints = []
    if not any(pair.pair_class == "omission-complete" for pair in pairs):
        complaints.append("no complete omission")
    complaints += [
        f"evidence not in the transcript: {f.evidence!r}"
        for f in consultation.facts
        if f.evidence not in consultation.transcript
    ]
    if complaints:
        raise DataError(
            f"building consultation {consultation.id}", complaints[0], "Mend the content tables of the generator."
        )
