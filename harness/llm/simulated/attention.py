"""How an instruction and an effort set a judge's attention: the calibrated constants of the simulated judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from harness.llm.client import Effort
from harness.llm.simulated.cues import Cues

UNASKED = 0.1  # chance to recognise an omission that nobody asked for
COMFORT = 2500  # characters of instruction that cost no attention
REACH = {"none": 1.0, "minimal": 1.1, "low": 1.3, "medium": 1.7, "high": 2.3}
CARE = {"none": 1.0, "minimal": 0.97, "low": 0.88, "medium": 0.72, "high": 0.5}
THOUGHT = {"none": 0, "minimal": 60, "low": 150, "medium": 320, "high": 620}


@dataclass(frozen=True, slots=True)
class Attention:
    """What a judge does with a note.

    ``span``: transcript statements examined; ``catch``: chance in [0, 1] that an absent one is
    recognised; ``check``: the same for an unsupported note statement; ``detail``: weight in
    [0, 1] of load-bearing details; ``tolerance``: evidence that still counts as said;
    ``doubt``: weight in (0, 1] of a finding at the tolerance; ``slip``: spread of a perceived
    evidence. In points: ``worth`` of an omission, ``invented`` of an unsupported statement,
    ``haze`` the spread of the overall impression, ``brevity`` what a long note loses.
    ``harsh`` multiplies points; ``graded``: they follow clinical weight.
    """

    span: float = 5.0
    catch: float = 0.3
    check: float = 0.88
    detail: float = 0.3
    slip: float = 0.1
    haze: float = 0.35
    graded: bool = False
    harsh: float = 1.0
    tolerance: float = 0.6
    worth: float = 1.6
    invented: float = 2.0
    doubt: float = 0.3
    brevity: float = 0.0


@lru_cache(maxsize=1024)
def attend(cues: Cues, effort: Effort) -> Attention:
    """The attention that an instruction and an effort buy."""
    attention = _manner(_scope(cues), cues)
    dilution = min(1.0, (COMFORT / max(cues.length, 1)) ** 0.7)
    reach, care = REACH[effort], CARE[effort]
    return replace(
        attention,
        span=attention.span * reach * dilution,
        catch=1 - (1 - attention.catch * dilution) * (care if attention.catch > UNASKED else 1.0),
        check=1 - (1 - attention.check * (0.6 + 0.4 * dilution)) * care,
        detail=1 - (1 - attention.detail) * (care if attention.catch > UNASKED else 1.0),
        doubt=1 - (1 - attention.doubt) * care,
        slip=attention.slip * (0.5 + 0.5 * care),
        haze=attention.haze * (0.4 + 0.6 * care) / (0.5 + 0.5 * dilution),
    )


def _scope(cues: Cues) -> Attention:
    """Span and catch by what is in scope and by procedure."""
    base = Attention()
    if "unscoped" in cues or not ("omissions" in cues or "whole" in cues):
        return replace(base, span=2.0, catch=UNASKED, check=0.9)
    if "omissions" not in cues and "enumerate" not in cues:
        return replace(base, span=16.0, catch=0.62)
    attention = replace(base, span=18.0, catch=0.72, check=0.82, invented=1.9 if "support" in cues else 1.3)
    if "enumerate" in cues:
        attention = replace(attention, span=40.0, catch=0.76, doubt=0.6)
    return attention


def _manner(attention: Attention, cues: Cues) -> Attention:
    """What the remaining concepts change."""
    if "closed" in cues:
        attention = replace(attention, slip=0.04, haze=0.1, tolerance=0.64, doubt=1.0, detail=0.72)
        if attention.catch > UNASKED:
            attention = replace(attention, catch=0.97 if "enumerate" in cues else attention.catch + 0.08, worth=2.5)
    if "details" in cues:
        attention = replace(attention, detail=0.85, check=min(0.95, attention.check + 0.06))
    if "compression" in cues:
        attention = replace(attention, tolerance=attention.tolerance + 0.03)
    if "quote" in cues:
        attention = replace(attention, slip=attention.slip * 0.85)
    if "severity" in cues:
        attention = replace(attention, graded=True, haze=attention.haze * 0.9)
    if "brevity" in cues:
        attention = replace(attention, brevity=1.2, catch=attention.catch * 0.5)
    harsh = 1.5 if "strict" in cues else 1.0
    return replace(attention, harsh=harsh * (0.7 if "lenient" in cues else 1.0))
