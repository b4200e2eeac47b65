"""How often the acceptance test lets an equal child in, and what a child costs: races on simulated differences."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from harness.stats.sequential import decide
from optimiser.config import AcceptanceConfig
from optimiser.records import NullRaces

RACES = 2000


def simulate_races(
    streams: NDArray[np.float64], opening: int, judgements: float, config: AcceptanceConfig
) -> NullRaces:
    """Race children whose mean differences per consultation are ``streams`` (races, consultations), in [-1, 1].

    ``opening`` consultations are the minibatch, and as many are added at a time, as in ``optimiser.acceptance.race``;
    ``judgements`` is what one consultation costs for child and parent together. Null streams have mean zero.
    """
    races, length = streams.shape
    opening = min(opening, length)
    went_up = streams[:, :opening].sum(axis=1) > 0
    accepted, used = 0, 0
    for values, up in zip(streams, went_up, strict=True):
        if not up:
            used += opening
            continue
        found = decide(values, alpha=config.alpha, futility=config.futility, gain=config.gain)
        accepted += found.state == "accept"
        used += min(math.ceil(found.n / opening) * opening, length)
    return NullRaces(
        races=races,
        alpha=config.alpha,
        accepted=_round(accepted / races),
        plain_sum=_round(float(went_up.mean())),
        consultations=_round(used / races),
        judgements=_round(used / races * judgements),
    )


def _round(value: float) -> float:
    return round(value, 6)
