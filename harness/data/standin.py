"""What stands in the place of a transcript where nobody recorded a conversation."""

from __future__ import annotations

from harness.types import Consultation

STAND_IN = "clinician: (no conversation was recorded; the note stands alone)"
ALONE = "notes without a transcript: only commissions can be read"


def stands_alone(consultation: Consultation) -> bool:
    """True where the transcript is the stand-in.

    Such notes can be judged for what is wrong in them, never for what they leave out, and their equal
    stand-ins are no copies of one another.
    """
    return consultation.transcript == STAND_IN
