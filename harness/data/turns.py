"""Dialogues with ``Speaker: words`` lines -> turns with the speakers of this project."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass

from harness.data.aci_bench import plain

# A guest of the patient speaks for the patient; another clinician is neither of the two.
ROLES = {"doctor": "doctor", "patient": "patient", "guest_family": "guest", "guest_clinician": "clinician"}
MISSPELT = "speaker_misspelt"
MID_LINE = "speaker_mid_line"
NO_LABEL = "line_without_speaker"
_LABEL = re.compile(r"^\s*[\"“]?(?P<who>[A-Za-z]+(?:_[A-Za-z]+)?)_?\d?\s*(?P<mark>[:.])\s*(?P<words>.*)$")
_MID = re.compile(r"(?<=[.?!])[ \t]+(?=(?:Doctor|Patient|Guest_family|Guest_clinician)(?:_\d)?:)")
_NEAR = 0.8


@dataclass(frozen=True, slots=True)
class Turns:
    """A transcript with one turn a line ("" where nobody says a word), and what had to be mended: what -> times."""

    transcript: str
    mended: Counter[str]


def read_turns(dialogue: str) -> Turns:
    """Read a dialogue; the transcript is empty where no line names a speaker.

    Numbered speakers (``Doctor_2``) keep their role; a label close to a known one (``Gest_family``, ``Docotr_2``) is
    that one; a label after the end of a sentence starts a new turn; a line without a label continues the turn before,
    or is the doctor's where it comes first.

    >>> read_turns("Doctor: Any pain?\\nPatient: No. Doctor: Good.\\nGest_family: Fine").transcript
    'doctor: Any pain?\\npatient: No.\\ndoctor: Good.\\nguest: Fine'
    """
    mended: Counter[str] = Counter()
    turns: list[list[str]] = []
    for line in plain(dialogue).split("\n"):
        parts = _MID.split(line)
        mended[MID_LINE] += len(parts) - 1
        for part in parts:
            _read_part(part, turns, mended)
    if not any(role for role, _ in turns):
        return Turns("", +mended)
    spoken = [f"{role or 'doctor'}: {' '.join(words.split())}" for role, words in turns if re.search(r"\w", words)]
    return Turns("\n".join(spoken), +mended)


def _read_part(part: str, turns: list[list[str]], mended: Counter[str]) -> None:
    label = _LABEL.match(part)
    known = _speaker(label["who"], label["mark"]) if label else None
    if label and known:
        mended[MISSPELT] += known != label["who"].lower() or label["mark"] != ":"
        turns.append([ROLES[known], label["words"]])
    elif part.strip():
        mended[NO_LABEL] += 1
        if not turns:
            turns.append(["", ""])
        turns[-1][1] += f" {part.strip()}"


def _speaker(who: str, mark: str) -> str | None:
    name = who.lower()
    if name in ROLES:
        return name
    near = difflib.get_close_matches(name, ROLES, n=1, cutoff=_NEAR)
    return near[0] if near and mark == ":" else None
