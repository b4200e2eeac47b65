"""Alpha spending: how one error rate is shared out over all the times that a holdout is looked at."""

from __future__ import annotations

from harness.errors import MetricUndefined

FIRST = 0.8  # of what is left goes to each look: a holdout is meant to be opened once
RULE = "opening k may spend 0.8 x 0.2^(k - 1) of alpha; all openings together never spend more than alpha"


def share_of(opening: int) -> float:
    """The share of alpha that opening number ``opening`` (1, 2, ...) may spend.

    The first look gets four fifths, every later one four fifths of what the looks before it left, so
    that the shares of any number of looks sum to less than 1 (a union bound: Bonferroni with unequal
    weights, Rosenthal and Rubin 1983, "Ensemble-adjusted p values"). MetricUndefined for a number below 1.

    >>> [round(share_of(k), 3) for k in (1, 2, 3)]
    [0.8, 0.16, 0.032]
    """
    if opening < 1:
        raise MetricUndefined("sharing out alpha", f"opening number {opening}", "Openings count from 1.")
    return float(FIRST * (1 - FIRST) ** (opening - 1))


def spent_by(openings: int) -> float:
    """The share of alpha that ``openings`` (0, 1, ...) looks have spent together, in [0, 1).

    >>> round(spent_by(2), 3)
    0.96
    """
    return float(1 - (1 - FIRST) ** openings)
