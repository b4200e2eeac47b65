"""The check before a campaign buys its first judgement: does this judge order what nobody could mistake?

A hand-written note that records a small consultation well must score above one that
contradicts it and leaves most of it out; and a judge that disagrees with itself on a repeat is noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from harness.errors import MetricUndefined
from harness.judges.base import Judge
from harness.outcomes import Judgement, Outcome
from harness.types import Consultation, Fact, Note

FACTS = (
    Fact("c1", "The right knee was twisted stepping off a ladder on Saturday.", "I twisted it stepping", "critical"),
    Fact("c2", "The knee locked once yesterday.", "yesterday it locked once", "supporting"),
    Fact("c3", "No fever and no numbness in the foot.", "No, neither.", "peripheral"),
    Fact("c4", "Takes warfarin for atrial fibrillation.", "Warfarin, for my atrial fibrillation.", "critical"),
    Fact("c5", "Penicillin allergy with hives.", "I came out in hives from penicillin", "critical"),
    Fact("c6", "Paracetamol 1 g up to four times a day.", "one gram, up to four times a day", "supporting"),
    Fact("c7", "Ibuprofen is to be avoided because of warfarin.", "do not take ibuprofen", "critical"),
    Fact("c8", "MRI ordered and referral to orthopaedics.", "I will order an MRI", "supporting"),
    Fact("c9", "Emergency department if the knee stays locked.", "If it locks and stays locked", "critical"),
)
CONSULTATION = Consultation(
    id="calibration",
    source="built-in",
    transcript="""\
doctor: Good morning, what brings you in?
patient: My right knee. I twisted it stepping off a ladder on Saturday and it swelled up the same evening.
doctor: Can you put weight on it?
patient: Yes, but it hurts on the inner side, and yesterday it locked once and I could not straighten it.
doctor: Any fever, or numbness in the foot?
patient: No, neither.
doctor: Do you take anything regularly? Any allergies?
patient: Warfarin, for my atrial fibrillation. And I came out in hives from penicillin.
doctor: Then please do not take ibuprofen with the warfarin. Paracetamol, one gram, up to four times a day.
patient: All right.
doctor: The knee is swollen and tender on the inner joint line, and the ligaments are firm. I suspect a torn medial \
meniscus. I will order an MRI and refer you to orthopaedics.
doctor: If it locks and stays locked, or the calf swells, come straight to the emergency department.""",
    facts=FACTS,
)
GOOD = Note(
    "calibration-good",
    CONSULTATION.id,
    """\
Right knee injury: twisted it stepping off a ladder on Saturday, swollen the same evening. Weight-bearing with medial \
pain; locked once yesterday. No fever, no numbness in the foot.
On warfarin for atrial fibrillation. Penicillin allergy (hives).
Examination: swollen, tender over the medial joint line, ligaments firm.
Impression: suspected medial meniscus tear.
Plan: MRI, orthopaedic referral. Paracetamol 1 g up to four times a day; advised against ibuprofen because of \
warfarin. To attend the emergency department if the knee stays locked or the calf swells.""",
)
BAD = Note(
    "calibration-bad",
    CONSULTATION.id,
    """\
Left knee pain for three weeks, no injury. Cannot bear weight. Takes no regular medication, no known allergies.
Impression: osteoarthritis.
Plan: ibuprofen 400 mg three times a day, knee replacement booked.""",
)


@dataclass(frozen=True, slots=True)
class Sanity:
    """What the check found.

    ``good`` and ``bad`` are mean scores over the readable repeats, on the judge's native scale;
    ``ordered`` is good > bad, strictly. ``agreement`` in [0, 1], higher = steadier: the share of
    pairs of repeats on one note with the same score, pooled over both notes. ``spread`` >= 0, lower
    = steadier: the standard deviation of repeats on one note, pooled over both (for ensembles,
    whose scores are seldom equal, the reading that tells). ``failures`` counts the unreadable judgements.
    """

    good: float
    bad: float
    ordered: bool
    agreement: float
    spread: float
    failures: int


def check_sanity(judge: Judge, repeats: int = 3) -> Sanity:
    """Judge a built-in good and a built-in bad note ``repeats`` times each (replicates 0, 1, ...).

    Raises MetricUndefined where a note has fewer than two readable judgements: with one there is
    no agreement to speak of, with none no order either.
    """
    outcomes = {note.id: [judge.judge(CONSULTATION, note, r) for r in range(repeats)] for note in (GOOD, BAD)}
    good, bad = _scores(outcomes[GOOD.id]), _scores(outcomes[BAD.id])
    same = [a == b for scores in (good, bad) for a, b in combinations(scores, 2)]
    means = float(np.mean(good)), float(np.mean(bad))
    squares = sum(float(np.var(scores)) * len(scores) for scores in (good, bad))
    return Sanity(
        good=means[0],
        bad=means[1],
        ordered=means[0] > means[1],
        agreement=float(np.mean(same)),
        spread=float(np.sqrt(squares / (len(good) + len(bad) - 2))),
        failures=2 * repeats - len(good) - len(bad),
    )


def _scores(outcomes: Sequence[Outcome]) -> list[float]:
    scores = [outcome.score for outcome in outcomes if isinstance(outcome, Judgement)]
    if len(scores) < 2:
        reasons = sorted({outcome.reason for outcome in outcomes if not isinstance(outcome, Judgement)})
        raise MetricUndefined(
            "checking the judge on two notes that nobody could mistake",
            f"{len(scores)} readable judgements of {len(outcomes)} on one note ({', '.join(reasons) or 'all read'})",
            "Look at what the model answers; with two repeats or more, a readable judge passes.",
        )
    return scores
