"""The simulated judge's opinion of a note: findings seen through an attention and noise, summed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.llm.simulated.attention import Attention
from harness.llm.simulated.chance import Noise, cut_for
from harness.llm.simulated.evidence import Finding, Findings
from harness.llm.simulated.statements import Statement

GRAVE, ORDINARY = 5.0, 2.5  # salience from which an omission is critical, supporting
SHOWN = 12
_ABOUT_WHOM = re.compile(r"(?:re:? |regarding )?(?:mr|mrs|ms|miss)\b|i (?:saw|assessed|reviewed)\b", re.IGNORECASE)
GRACE = 2.5  # points of small findings that a note gets away with in part
MUCH = 8.0  # points beyond which each further finding counts less
USED_TO = 0.7  # of a strange manner that is put down to style
DEPTH = 14.0  # points that no number of findings exceeds
PLAIN = 0.75  # evidence beyond which nobody doubts a finding, unless it is a single word or a name
CLEAR = 0.14  # evidence beyond the tolerance that makes a finding certain
_ORDER, _SEEN, _CAUGHT = 1, 2, 3  # salts that keep the draws on one statement apart


@dataclass(frozen=True, slots=True)
class Side:
    """The omissions, or the unsupported statements: their summed weight, and how much of it is beyond doubt."""

    weight: float = 0.0
    plain: float = 0.0


@dataclass(frozen=True, slots=True)
class Opinion:
    """``points`` on 0 to 10, not rounded, higher = better; and what was named.

    ``mood`` is the part of the overall impression that has no finding behind it, in weights of findings.
    """

    points: float
    omissions: tuple[str, ...]
    unsupported: tuple[str, ...]
    lost: Side
    wrong: Side
    mood: float


def form_opinion(findings: Findings, attention: Attention, noise: Noise) -> Opinion:
    """Examine a note."""
    manner, other = findings.strange
    view = _in_view(findings.lost, attention, noise)
    lost = _examine(view, attention, (attention.catch, attention.detail, manner), noise)
    wrong = _examine(findings.wrong, attention, (attention.check, 1.0, other), noise)
    loss = sum(weight * _worth(f, attention) for f, weight in lost) + attention.invented * sum(w for _, w in wrong)
    loss = loss * loss / (loss + GRACE)
    if loss > MUCH:
        loss = MUCH + MUCH * math.log(loss / MUCH)
    excess = attention.brevity * math.log1p(len(findings.wrong) / 12)
    mood = attention.haze * noise.impression()
    points = 10 - excess - DEPTH * (1 - math.exp(-attention.harsh * loss / DEPTH)) + mood
    return Opinion(
        min(10.0, max(0.0, points)),
        tuple(_short(f.statement.text) for f, _ in lost)[:SHOWN],
        tuple(_short(f.statement.text) for f, _ in wrong)[:SHOWN],
        _side(lost, attention.detail),
        _side(wrong, 1.0),
        -mood / attention.invented,
    )


def _in_view(lost: Sequence[Finding], attention: Attention, noise: Noise) -> Sequence[Finding]:
    """The statements that attention reaches: the most salient, in a slightly shaken order."""
    span = round(attention.span)
    if span >= len(lost):
        return lost
    shaken = [(place + span * 0.3 * noise.about(f.statement.text, _ORDER), place) for place, f in enumerate(lost)]
    return [lost[place] for _, place in sorted(shaken)[:span]]


def _examine(
    findings: Sequence[Finding], attention: Attention, looking: tuple[float, float, float], noise: Noise
) -> tuple[tuple[Finding, float], ...]:
    """The findings that are perceived, each with a weight in (0, 1]: doubtful ones count less.

    ``looking``: chance to recognise one, weight of details, strangeness of the wording.
    """
    chance, detail, strange = looking
    cut, tolerance = cut_for(chance), attention.tolerance + USED_TO * strange
    seen = []
    for finding in findings:
        text = finding.statement.text
        perceived = max(finding.whole, detail * finding.detail) + attention.slip * noise.about(text, _SEEN)
        over = perceived - tolerance
        if over > 0 and noise.about(text, _CAUGHT) < cut:
            seen.append((finding, min(1.0, attention.doubt + over / CLEAR)))
    return tuple(seen)


def _side(seen: Sequence[tuple[Finding, float]], detail: float) -> Side:
    plain = (w for f, w in seen if max(f.whole, detail * f.detail) > PLAIN and _says_something(f.statement))
    return Side(sum(weight for _, weight in seen), sum(plain))


def _says_something(statement: Statement) -> bool:
    return len(statement.words) > 1 and not _ABOUT_WHOM.match(statement.text)


def _worth(finding: Finding, attention: Attention) -> float:
    """Points that a whole omission costs."""
    if not attention.graded:
        return attention.worth
    salience = finding.statement.salience
    return attention.worth * (1.5 if salience >= GRAVE else 1.0 if salience >= ORDINARY else 0.5)


def _short(text: str) -> str:
    return text if len(text) <= 160 else text[:157] + "..."
