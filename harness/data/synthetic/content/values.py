"""Values that several tables draw from."""

from __future__ import annotations


def _spans(unit: str, counts: range) -> tuple[str, ...]:
    return tuple(f"{n} {unit}" for n in counts)


HOURS = _spans("hours", range(3, 19))
DAYS = _spans("days", range(2, 12))
WEEKS = _spans("weeks", range(2, 12))
MONTHS = _spans("months", range(2, 12))
YEARS = _spans("years", range(3, 20))
RECENT = DAYS + WEEKS[:3]
LASTING = WEEKS[2:] + MONTHS[:7]
SIDE = ("left", "right")
SCORE = tuple(f"{n} out of 10~{n}/10" for n in range(3, 10))
RELATIVE = ("mother", "father", "brother", "sister")
PARENT = ("mother", "father")
