"""Points and findings -> the number on a scale that a key names, and whether there is a problem at all."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from harness.llm.simulated.judging import Opinion
from harness.llm.simulated.writing import Choice, between

_CONSISTENT = re.compile(r"consist|faith|accura|correct|support|factual", re.IGNORECASE)
_COMPLETE = re.compile(r"complet|cover|omission|recall", re.IGNORECASE)
SPARE_LOST, SPARE_WRONG = 2.0, 0.3  # weight of findings that a rating forgives
DEEP_LOST, DEEP_WRONG = 9.0, 3.0  # weight of findings over which a rating falls by two thirds
ISSUE, WIDTH = 0.75, 0.25  # weight of findings from which there is a problem, and over which that turns


def rating(name: str, form: Mapping[str, Any], opinion: Opinion) -> int:
    """The opinion on the scale of a form; a key named after one side of it rates that side alone."""
    low, high = int(form.get("minimum", 0)), int(form.get("maximum", 10))
    if _CONSISTENT.search(name):
        share = _kept(opinion.wrong + opinion.mood, SPARE_WRONG, DEEP_WRONG)
    elif _COMPLETE.search(name):
        share = _kept(opinion.lost + opinion.mood, SPARE_LOST, DEEP_LOST)
    else:
        share = opinion.points / 10
    return round(low + (high - low) * share)


def issue_word(opinion: Opinion) -> Choice:
    """YES where there is a problem with a note, else NO."""
    return between("NO", "YES", _trouble(opinion), ISSUE, WIDTH)


def _trouble(opinion: Opinion) -> float:
    return opinion.wrong + 0.5 * max(0.0, opinion.lost - SPARE_LOST) + opinion.mood


def _kept(weight: float, spare: float, deep: float) -> float:
    return math.exp(-max(0.0, weight - spare) / deep)
