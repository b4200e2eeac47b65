"""Child against parent: a paired sequential decision over training consultations, with its evidence.

The minibatch opens the sequence and screens: a child that does not beat every parent there is dropped. Then
consultations are added in a fixed order until the betting test of ``harness.stats.sequential`` accepts (its wealth
reaches 1 / alpha), gives up (futility), or the fold is used up. Because the test is valid at every stopping time,
an equal child is accepted with probability at most alpha, however often the sequence is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.stats.sequential import Decision, decide
from harness.types import Candidate
from optimiser.config import AcceptanceConfig

Differences = Callable[[Candidate, Sequence[str]], tuple[float, ...]]


@dataclass(frozen=True)
class Verdict:
    """Whether the child joins the pool, why, and the numbers behind it."""

    accepted: bool
    reason: str
    evidence: dict[str, Any]


def race(
    parents: Sequence[Candidate],
    order: Sequence[str],
    opening: int,
    differences: Differences,
    config: AcceptanceConfig,
) -> Verdict:
    """Decide on a child.

    ``order``: consultations, the minibatch (``opening`` of them) first. ``differences(parent, consultations)``: the
    child's mean paired outcome minus the parent's per consultation, each in [-1, 1], higher is better.
    """
    seen: dict[str, tuple[float, ...]] = {parent.id: differences(parent, order[:opening]) for parent in parents}
    if any(sum(values) <= 0 for values in seen.values()):
        return Verdict(False, "no gain on the minibatch", _evidence(seen, {}))
    decisions = _decide(seen, config)
    position = opening
    while not _settled(decisions) and position < len(order):
        chunk = order[position : position + opening]
        position += len(chunk)
        for parent in parents:
            if decisions[parent.id].state == "continue":
                seen[parent.id] += differences(parent, chunk)
        decisions = _decide(seen, config)
    return _verdict(seen, decisions)


def _decide(seen: dict[str, tuple[float, ...]], config: AcceptanceConfig) -> dict[str, Decision]:
    return {
        parent: decide(values, alpha=config.alpha, futility=config.futility, gain=config.gain)
        for parent, values in seen.items()
    }


def _settled(decisions: dict[str, Decision]) -> bool:
    states = {decision.state for decision in decisions.values()}
    return "reject" in states or states == {"accept"}


def _verdict(seen: dict[str, tuple[float, ...]], decisions: dict[str, Decision]) -> Verdict:
    states = {decision.state for decision in decisions.values()}
    evidence = _evidence(seen, decisions)
    if states == {"accept"}:
        return Verdict(True, "gain shown on the training consultations", evidence)
    if "reject" in states:
        return Verdict(False, "given up early: the gain looked for is unlikely", evidence)
    return Verdict(False, "the training consultations ran out before a gain was shown", evidence)


def _evidence(seen: dict[str, tuple[float, ...]], decisions: dict[str, Decision]) -> dict[str, Any]:
    return {
        parent: {
            "consultations": len(values),
            "mean_difference": round(sum(values) / len(values), 6) if values else 0.0,
        }
        | (
            {
                "wealth": round(decisions[parent].wealth, 6),
                "wealth_against": round(decisions[parent].against, 6),
                "state": decisions[parent].state,
            }
            if parent in decisions
            else {}
        )
        for parent, values in seen.items()
    }
