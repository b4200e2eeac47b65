"""Plant one defect in a clean note: omission, addition or alteration."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from harness.data.synthetic.case import Case, Item
from harness.data.synthetic.note import AGAIN, Draft, polish, state, wording
from harness.data.synthetic.point import Change
from harness.data.synthetic.terms import terms
from harness.data.synthetic.wording import fragment, pick, whole, written
from harness.types import Aspect, Defect, Trace

_AMOUNT = re.compile(r"\b(\d+(?:\.\d+)?)(?= (?:mg|micrograms|ml|puffs|drops|units|g)\b)")
Planted = tuple[Draft, Defect]


def omissions(case: Case, draft: Draft, trace: Trace) -> Iterator[tuple[Item, Planted]]:
    """Every omission with this trace that the note's composition allows."""
    keys = {line.key for block in draft.blocks for line in block.lines}
    for item in case.items:
        again = item.id + AGAIN
        if trace == "restated" and again in keys:
            yield item, _omit(item, draft, trace, "", (draft.line(again),))
        if trace == "complete" and again not in keys:
            yield item, _omit(item, draft, trace, "", ())
        if trace == "fragment" and again not in keys and "<" in wording(item, draft.layout):
            part = polish(fragment(written(wording(item, draft.layout), item.values)), draft.layout)
            yield item, _omit(item, draft, trace, part, (part,))


def _omit(item: Item, draft: Draft, trace: Trace, after: str, surviving: tuple[str, ...]) -> Planted:
    defect = Defect(
        "omission",
        item.text,
        trace=trace,
        severity=item.point.severity,
        evidence=item.said,
        before=draft.line(item.id),
        after=after,
        surviving=surviving,
    )
    return draft.edited(item.id, (after,) if after else ()), defect


def additions(case: Case, draft: Draft, transcript: str, rng: np.random.Generator) -> Iterator[tuple[Item, Planted]]:
    """Every unused point as an unsupported statement, where the transcript has little of its content."""
    heard = terms(transcript)
    for item in case.spare:
        text = state(item, draft.layout)
        content = terms(text)
        hosts = [i for i in case.items if i.group == item.group and i.point.section == item.point.section]
        if not hosts or 3 * len(content - heard) < 2 * len(content):
            continue
        host = pick(hosts, rng)
        defect = Defect("addition", text, severity=item.point.severity, after=text)
        yield item, (draft.edited(host.id, (draft.line(host.id), text)), defect)


def alterations(case: Case, draft: Draft, aspect: Aspect, rng: np.random.Generator) -> Iterator[tuple[Item, Planted]]:
    """Every alteration of this aspect; facts with a second mention are left alone."""
    keys = {line.key for block in draft.blocks for line in block.lines}
    for item in case.items:
        if item.id + AGAIN in keys:
            continue
        for change in item.point.changes:
            if change.aspect != aspect or f"{{{change.slot}}}" not in wording(item, draft.layout):
                continue
            values = {**item.values, change.slot: _false_value(item, change, rng)}
            text = polish(whole(written(wording(item, draft.layout), values)), draft.layout)
            defect = Defect(
                "alteration",
                item.text,
                aspect=aspect,
                severity=item.point.severity,
                evidence=item.said,
                before=draft.line(item.id),
                after=text,
            )
            yield item, (draft.edited(item.id, (text,)), defect)


def _false_value(item: Item, change: Change, rng: np.random.Generator) -> str:
    true = item.values[change.slot]
    now = true.split("~")[-1]
    if change.values:
        return pick([value for value in change.values if value != now], rng)
    factor = pick((2.0, 0.5), rng)
    scaled = _AMOUNT.sub(lambda m: f"{float(m.group(1)) * factor:g}", now)
    if change.aspect == "dose" and scaled != now:
        return scaled
    # A value that was said by mistake is no plain falsehood, so whatever stands in the turn is not used.
    return pick([value for value in item.point.slots[change.slot] if value.split("~")[-1] not in true], rng)
