"""Note wordings of a pertinent negative, each with the word that makes it negative.

A frame is (template, true value of ``{neg}``, false value of ``{neg}``).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from harness.data.synthetic.point import Change, Point
from harness.data.synthetic.wording import pick

Frame = tuple[str, str, str]

TERSE: tuple[Frame, ...] = (
    ("{neg} {what}", "no", ""),
    ("{neg} {what}", "denies", "reports"),
    ("{neg} {what}", "denies any", "describes"),
    ("{what} {neg}", "denied", "reported"),
    ("{neg} for {what}", "negative", "positive"),
    ("asked about {what}: {neg}", "denied", "confirmed"),
)
FULL: tuple[Frame, ...] = (
    ("there [has been|was] {neg} {what}", "no", ""),
    ("{he} {neg} {what}", "denied any", "described"),
    ("{he} {neg} {what}", "denied", "reported"),
    ("{he} reported {neg} {what}", "no", ""),
    ("on direct questioning there was {neg} {what}", "no", ""),
    ("I asked about {what}, which {he} {neg}", "denied", "confirmed"),
)


def framed(point: Point, rng: np.random.Generator) -> Point:
    """A denial with note wordings drawn; any other point as it is."""
    if not point.denied:
        return point
    # The names differ so that a change never touches the other style's wording.
    terse, true, false = pick(TERSE, rng)
    full, true_full, false_full = pick(FULL, rng)
    return dataclasses.replace(
        point,
        terse=terse,
        full=full.replace("{neg}", "{neg_full}"),
        slots={**point.slots, "what": (point.denied,), "neg": (true,), "neg_full": (true_full,)},
        changes=(Change("negation", "neg", (false,)), Change("negation", "neg_full", (false_full,))),
    )
