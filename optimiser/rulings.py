"""What a judge that checks facts decided about the two notes of a pair, as lines for the reflection model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.outcomes import Judgement, Outcome


def ruled(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Fact text -> the fact with severity and verdict, for every fact that some outcome did not find fully present.

    In the order in which the judge met them. A fact on which repeats disagree has all its verdicts.
    """
    verdicts: dict[str, dict[str, None]] = {}
    severities: dict[str, str] = {}
    for outcome in outcomes:
        for ruling in outcome.rulings if isinstance(outcome, Judgement) else ():
            if ruling.fact.text.strip():
                verdicts.setdefault(ruling.fact.text, {})[ruling.verdict] = None
                severities[ruling.fact.text] = ruling.fact.severity
    return {text: f"{text} ({severities[text]}; {' or '.join(found)})" for text, found in verdicts.items()}


def compared_rulings(flawed: Sequence[Outcome], clean: Sequence[Outcome]) -> list[tuple[str, str]]:
    """Facts not found in the flawed note only, in the clean twin only, and in both; empty without any ruling."""
    here, there = ruled(flawed), ruled(clean)
    if not here and not there:
        return []
    return [
        ("facts that the judge did not find in the flawed note and found in its clean twin", _only(here, there)),
        ("facts that it did not find in the clean twin and found in the flawed note", _only(there, here)),
        ("facts that it found in neither", _joined(shown for text, shown in here.items() if text in there)),
    ]


def _only(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    return _joined(shown for text, shown in here.items() if text not in there)


def _joined(shown: Iterable[str]) -> str:
    return "; ".join(shown) or "none"
