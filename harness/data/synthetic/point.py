"""The vocabulary of the content tables: what can be established, said, written and got wrong.

Templates use three marks: ``[a|b|]`` picks one alternative (nesting is allowed), ``{slot}``
takes a drawn value, and ``<...>`` encloses the detail that a fragment loses. A slot value
``said~written`` differs between talk and note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.types import Aspect, Severity

Section = Literal["history", "background", "social", "exam", "assessment", "plan"]
BY_DOCTOR: frozenset[Section] = frozenset({"exam", "assessment", "plan"})


@dataclass(frozen=True, slots=True)
class Change:
    """How a written fact can be made false: another value for one slot.

    ``values`` are the false values; empty means any other value that the slot can take.
    """

    aspect: Aspect
    slot: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One thing a consultation can establish, with its wordings.

    ``text`` states the fact; ``ask`` is the turn before it ("" = volunteered); ``said`` the turn
    that establishes it; ``terse`` and ``full`` its note wordings. ``core`` points are always drawn with their problem.
    ``denied`` names what a pertinent negative denies; its note wordings come from ``frames``.
    ``clashes`` are ids of background points that a careful doctor would not combine with it.
    """

    id: str
    severity: Severity
    section: Section
    text: str
    ask: str
    said: str
    terse: str
    full: str
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    core: bool = False
    denied: str = ""
    clashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A presenting problem: how a patient names it, and the points it can establish."""

    id: str
    complaint: str
    points: tuple[Point, ...]


def denial(id: str, severity: Severity, what: str, ask: str, said: str) -> Point:
    """A pertinent negative of the history."""
    return Point(id, severity, "history", "no {what}", ask, said, terse="", full="", denied=what)
