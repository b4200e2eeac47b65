"""Findings -> the number on a scale that a key names, and whether there is a problem at all.

Short scales are read as steps: each finding that is beyond doubt costs one, doubtful ones cost a
part of one. Omissions cost less than unsupported statements: no note holds everything that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.llm.simulated.judging import Opinion, Side
from harness.llm.simulated.writing import Choice, between

_CONSISTENT = re.compile(r"consist|faith|accura|correct|support|factual", re.IGNORECASE)
_COMPLETE = re.compile(r"complet|cover|omission|recall", re.IGNORECASE)
DOUBTFUL = 0.15  # steps that a doubtful finding costs
SPARED = 0.5  # steps of omissions that nobody minds
LEFT_OUT = 0.7  # steps of an omission, in those of an unsupported statement
STEPS = 4  # of a scale from its best to its worst
ISSUE, WIDTH = 0.75, 0.25  # steps from which there is a problem, and over which that turns


def rating(name: str, form: Mapping[str, Any], opinion: Opinion) -> int:
    """The opinion on the scale of a form; a key named after one side of it rates that side alone."""
    low, high = int(form.get("minimum", 0)), int(form.get("maximum", 10))
    if _CONSISTENT.search(name):
        steps = _steps(opinion.wrong) + opinion.mood
    elif _COMPLETE.search(name):
        steps = _lost_steps(opinion) + opinion.mood
    else:
        return round(low + (high - low) * opinion.points / 10)
    return max(low, high - round(max(0.0, steps) * (high - low) / STEPS))


def fault_word(opinion: Opinion, fault: str, well: str) -> Choice:
    """``fault`` where there is a problem with a note, else ``well``."""
    trouble = opinion.wrong.plain + _lost_steps(opinion) + opinion.mood
    return between(well, fault, trouble, ISSUE, WIDTH)


def _steps(side: Side) -> float:
    return side.plain + DOUBTFUL * (side.weight - side.plain)


def _lost_steps(opinion: Opinion) -> float:
    return LEFT_OUT * max(0.0, _steps(opinion.lost) - SPARED)
