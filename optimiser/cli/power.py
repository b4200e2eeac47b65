"""How the plan shows what the splits can resolve."""

from __future__ import annotations

from typing import Any

from optimiser.power_plan import POWER, PowerPlan, SplitPower


def power_shown(plan: PowerPlan, floor: SplitPower | None) -> dict[str, Any]:
    """Power of both splits, error of the acceptance test, and what becomes of a winner that is no better."""
    races = plan.races
    assumed = plan.assumed
    shown: dict[str, Any] = {
        "assumed before any judgement": {
            "pairs that move": assumed.moved,
            "of them by half a step": assumed.half,
            "correlation inside consultations": assumed.correlation,
        },
        "acceptance": _split(plan.acceptance),
        "holdout": _split(plan.holdout),
        "acceptance of children": {
            "equal child accepted, at most": races.alpha,
            "equal child accepted, simulated": races.accepted,
            "equal child accepted by 'the sum went up'": races.plain_sum,
            "judgements per equal child": round(races.judgements),
        },
        "winner that is no better": {
            "frozen, at most": plan.frozen_null,
            "called improved on the holdout, at most": round(plan.improved_null, 4),
            "called improved or non-inferior": round(plan.passed_null, 3),
        },
    }
    if floor is not None:
        shown["acceptance, reruns of the baseline alone"] = _split(floor)
    return shown


def _split(found: SplitPower) -> dict[str, Any]:
    detectable = "none" if found.detectable is None else round(found.detectable, 3)
    resolves = found.detectable is not None and found.detectable <= found.gain
    return {
        "consultations": found.consultations,
        "pairs of the objective": found.pairs,
        "effective pairs": round(found.effective, 1),
        f"detectable gain at {POWER:.0%} power": detectable,
        f"consultations that a gain of {found.gain:g} needs": found.needed,
        "resolves that gain": "yes" if resolves else "no",
    }
