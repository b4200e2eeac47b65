"""The naive rule, for comparison: the best reading wins, and any gain on the holdout counts as an improvement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.evaluate import evaluate, tasks_for
from harness.judges.base import Judge
from harness.metrics import pair_outcomes
from harness.scores import is_omission, select, tabulate
from harness.types import Candidate, PairSet
from optimiser.confirmation import Confirmation


@dataclass(frozen=True, slots=True)
class Pick:
    """The best-looking rival on the acceptance split, read once, and how far it looks above the baseline."""

    rival: Candidate
    gain: float


def pick(
    baseline: Candidate, rivals: Sequence[Candidate], judge_for: Callable[[Candidate], Judge], acceptance: PairSet
) -> Pick:
    """The rival (at least one) with the highest plain mean of paired discrimination of omissions; ties to the older."""

    def read(candidate: Candidate) -> float:
        outcomes = evaluate(judge_for(candidate), tasks_for(acceptance, (0,), (0,)), 1, lambda _outcome: None)
        table = tabulate(acceptance, outcomes)
        return float(pair_outcomes(select(table, is_omission(table))).mean())

    values = [read(rival) for rival in rivals]
    best = max(range(len(rivals)), key=lambda i: (values[i], -i))
    return Pick(rivals[best], values[best] - read(baseline))


def improved(found: Pick, confirmation: Confirmation) -> bool:
    """The naive verdict: the rival leads on acceptance, and its reading on the holdout is above the baseline's."""
    comparison = confirmation.primary.comparison
    return found.gain > 0 and comparison is not None and comparison.omissions.value > 0


def detects_more(found: Pick, confirmation: Confirmation) -> bool:
    """The same by detection, with both thresholds swept again on the holdout."""
    winner, baseline = confirmation.primary.winner, confirmation.primary.baseline
    if found.gain <= 0 or winner is None or winner.re_swept is None or baseline.re_swept is None:
        return False
    return winner.re_swept.detection.value > baseline.re_swept.detection.value
