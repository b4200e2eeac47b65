"""The shapes of a note: which sections come under which heading, and how sentences are joined."""

from __future__ import annotations

from dataclasses import dataclass

from harness.data.synthetic.point import Section


@dataclass(frozen=True, slots=True)
class Part:
    """Sections under one of several headings; ``repeats`` marks where second mentions go."""

    headings: tuple[str, ...]
    sections: tuple[Section, ...]
    by_group: bool = False
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """One note style. ``full`` takes whole sentences, ``short`` telegraphic shorthand."""

    name: str
    parts: tuple[Part, ...]
    join: str = " "
    gap: str = "\n\n"
    after_heading: str = "\n"
    bullet: str = ""
    full: bool = False
    short: bool = False


SOAP = Layout(
    "soap",
    (
        Part(("SUBJECTIVE", "Subjective", "S"), ("history",)),
        Part(("BACKGROUND", "Past history and medication", "PMH / medication"), ("background",)),
        Part(("SOCIAL", "Social and family", "Family / social"), ("social",)),
        Part(("OBJECTIVE", "Objective", "O"), ("exam",)),
        Part(("ASSESSMENT", "Assessment", "A"), ("assessment",), repeats=True),
        Part(("PLAN", "Plan", "P"), ("plan",)),
    ),
)
TELEGRAPHIC = Layout(
    "telegraphic",
    (
        Part(("HPC:", "PC:", "Hx:"), ("history",), by_group=True),
        Part(("PMH/DH:", "PMHx, meds:", "Background:"), ("background",)),
        Part(("SH/FH:", "Soc/fam:", "SHx:"), ("social",)),
        Part(("O/E:", "Ex:", "Exam:"), ("exam",)),
        Part(("Imp:", "Impression:", "Dx:"), ("assessment",)),
        Part(("Plan:", "P:", "Rx/plan:"), ("plan",), repeats=True),
    ),
    gap="\n",
    after_heading=" ",
    short=True,
)
LETTER = Layout(
    "letter",
    (
        Part(("",), ("history",), by_group=True),
        Part(("",), ("background", "social")),
        Part(("",), ("exam",)),
        Part(("",), ("assessment",), repeats=True),
        Part(("",), ("plan",)),
    ),
    full=True,
)
BULLETS = Layout(
    "bullets",
    (
        Part(("Presenting problems", "History", "Reason for attendance"), ("history",)),
        Part(("Medical background", "PMH, drugs, allergies"), ("background", "social")),
        Part(("Findings", "Examination"), ("exam",)),
        Part(("Diagnosis and plan", "Impression and actions"), ("assessment", "plan"), repeats=True),
    ),
    join="\n",
    bullet="- ",
)
LAYOUTS = (SOAP, TELEGRAPHIC, LETTER, BULLETS)

SECOND_MENTIONS = ("in summary, ", "to summarise, ", "noted: ", "in brief: ", "key point: ", "of note, ")
LETTER_OPENINGS = (
    "[Dear Dr {gp}|Dear Colleague],\n[Re: {name}, {age} years|Regarding {name}, aged {age}]",
    "[Dear Dr {gp}|To Dr {gp}],\n[I reviewed|I saw|I assessed] {name}[, aged {age},|] today.",
    "Dear Dr {gp},\nThank you for [your referral of|asking me to see] {name}.",
)
LETTER_CLOSINGS = (
    "[Yours sincerely|Kind regards|With best wishes],\nDr {doctor}",
    "[Sincerely|Many thanks|Regards],\nDr {doctor}",
)
