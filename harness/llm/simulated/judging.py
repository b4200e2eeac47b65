"""The simulated judge: findings seen through an attention and noise, summed to an opinion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.llm.simulated.attention import Attention
from harness.llm.simulated.chance import Noise
from harness.llm.simulated.evidence import Finding, Findings, fact_evidence

GRAVE, ORDINARY = 5.0, 2.5  # salience from which an omission is critical, supporting
FULL, ABSENT = 0.3, 0.6  # evidence up to which a fact is fully present, from which it is absent
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Opinion:
    """``points`` on 0 to 10, not rounded, higher = better; what was named; ``loss`` are points by findings alone."""

    points: float
    loss: float
    omissions: tuple[str, ...]
    unsupported: tuple[str, ...]


def form_opinion(findings: Findings, attention: Attention, noise: Noise) -> Opinion:
    """Examine a note."""
    lost = _examine(_in_view(findings.lost, attention, noise), attention, attention.catch, noise)
    wrong = _examine(findings.wrong, attention, attention.check, noise)
    loss = sum(_points(f, attention) for f in lost) + sum(1.6 * attention.harsh for _ in wrong)
    excess = attention.brevity * math.log1p(len(findings.wrong) / 12)
    points = 10 - excess - 8.5 * (1 - math.exp(-loss / 7)) + attention.haze * noise.gauss() - 0.4
    return Opinion(
        min(10.0, max(0.0, points)),
        loss,
        tuple(_short(f.statement.text) for f in lost)[:SHOWN],
        tuple(_short(f.statement.text) for f in wrong)[:SHOWN],
    )


def fact_verdict(fact: str, note: str, attention: Attention, noise: Noise) -> float:
    """Perceived evidence in [0, 1] that one fact is absent from a note."""
    finding = fact_evidence(fact, note)
    return min(1.0, max(0.0, _strength(finding, attention) + attention.slip * noise.gauss()))


def _in_view(lost: Sequence[Finding], attention: Attention, noise: Noise) -> Sequence[Finding]:
    """The statements that attention reaches, the most salient first, in a slightly shaken order."""
    span = round(attention.span)
    if span >= len(lost):
        return lost
    pool = lost[: span * 2]
    shaken = sorted(range(len(pool)), key=lambda place: place + span * 0.25 * noise.habit.gauss(0, 1))
    return [pool[place] for place in sorted(shaken[:span])]


def _examine(findings: Sequence[Finding], attention: Attention, chance: float, noise: Noise) -> tuple[Finding, ...]:
    """The findings that are perceived."""
    seen = []
    for finding in findings:
        perceived = _strength(finding, attention) + attention.slip * noise.gauss()
        if noise.happens(chance) and perceived > attention.tolerance:
            seen.append(finding)
    return tuple(seen)


def _strength(finding: Finding, attention: Attention) -> float:
    return max(finding.whole, attention.detail * finding.detail)


def _points(finding: Finding, attention: Attention) -> float:
    if not attention.graded:
        return 1.2 * attention.harsh
    salience = finding.statement.salience
    return attention.harsh * (2.2 if salience >= GRAVE else 1.2 if salience >= ORDINARY else 0.4)


def _short(text: str) -> str:
    return text if len(text) <= 160 else text[:157] + "..."
