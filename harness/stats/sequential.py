"""Decision: an anytime-valid paired test of a child against its parent, by betting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from harness.errors import DataError

STAKES = np.linspace(0.05, 0.95, 19)  # shares of the wealth that the mixture's gamblers bet each time

State = Literal["accept", "reject", "continue"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the differences so far allow.

    ``wealth`` is the evidence for a gain above zero, ``against`` the evidence for a gain
    below the wanted one (1 = none; more is stronger); ``n`` is how many consultations were needed.
    """

    state: State
    wealth: float
    against: float
    n: int


def decide(differences: ArrayLike, alpha: float, futility: float, gain: float) -> Decision:
    """Accept, reject or continue after ``differences`` (n,), child - parent per consultation, each in [-1, 1].

    Accepts once the wealth against "the mean is at most 0" reaches 1 / alpha: an equal child is
    accepted with probability at most alpha however often the test is looked at. Rejects once the wealth
    against "the mean is at least ``gain``" reaches 1 / futility. Whichever comes first in the
    order of the consultations counts. Each wealth is an average over fixed stakes of
    prod(1 + stake * difference) (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random
    variables by betting"; Ville's inequality). DataError for a value outside [-1, 1].
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.abs(values) <= 1):
        raise DataError("a sequential test", "a difference that is not in [-1, 1]", "Give one mean per consultation.")
    if not values.size:
        return Decision("continue", 1.0, 1.0, 0)
    wealth, against = _wealth(values), _wealth(gain - values)
    accepted, rejected = _first(wealth, 1 / alpha), _first(against, 1 / futility)
    stop = min(accepted, rejected, len(values) - 1)
    state: State = "continue"
    if accepted <= stop:
        state = "accept"
    elif rejected <= stop:
        state = "reject"
    return Decision(state, float(wealth[stop]), float(against[stop]), stop + 1)


def _wealth(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    # A payoff of gain - difference can reach -1 (gain >= 0), so every stake below 1 keeps the wealth positive.
    logs = np.cumsum(np.log1p(STAKES[:, None] * payoffs), axis=1)
    path: NDArray[np.float64] = logsumexp(logs, axis=0) - np.log(len(STAKES))
    return np.exp(np.minimum(path, 700.0))  # exp(710) overflows


def _first(path: NDArray[np.float64], level: float) -> int:
    reached = np.flatnonzero(path >= level)
    return int(reached[0]) if reached.size else len(path)
