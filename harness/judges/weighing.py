"""What a checked list of facts comes to: a coverage weighted by severity, and the rule about critical facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from harness.config import SeverityWeights
from harness.judges.parse import Unreadable, Verdict
from harness.outcomes import Ruling
from harness.types import Fact

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Tariff:
    """What each verdict on a fact is worth.

    ``credit`` in [0, 1] by verdict, whose first word means that all is well; a critical fact with a verdict
    among ``fatal`` flags the note.
    """

    credit: Mapping[str, float]
    fatal: Collection[str]

    def verdict(self, rulings: Sequence[Ruling], weights: SeverityWeights) -> Verdict | Unreadable:
        """The verdict on a note by one ruling for each fact; score in [0, 1]."""
        facts = [ruling.fact for ruling in rulings]
        score = weighted_mean(facts, [self.credit[ruling.verdict] for ruling in rulings], weights)
        if isinstance(score, Unreadable):
            return score
        well = next(iter(self.credit))
        return Verdict(
            score,
            missing=tuple(ruling.fact.text for ruling in rulings if ruling.verdict == ABSENT),
            rulings=tuple(ruling for ruling in rulings if ruling.verdict != well),
            flag=any(ruling.fact.severity == "critical" and ruling.verdict in self.fatal for ruling in rulings),
        )


def weighted_mean(facts: Sequence[Fact], values: Sequence[float], weights: SeverityWeights) -> float | Unreadable:
    """sum(weight * value) / sum(weight), a fact's weight by its severity; ``no-facts`` where nothing weighs anything.

    >>> fever, cough = Fact("f1", "Fever", "", "critical"), Fact("f2", "Cough", "", "peripheral")
    >>> weighted_mean([fever, cough], [1.0, 0.0], SeverityWeights())
    0.8
    """
    shares = [weights.of(fact.severity) for fact in facts]
    total = fsum(shares)
    if not total:
        return Unreadable("no-facts")
    return fsum(share * value for share, value in zip(shares, values, strict=True)) / total
