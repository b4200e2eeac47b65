"""Judged pairs -> what the reflection model reads. Training text only; no field is ever empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.errors import CampaignError
from harness.outcomes import Failure, Judgement, Outcome
from harness.types import Pair
from optimiser.rulings import compared_rulings, ruled

Readings = Mapping[str, Sequence[Outcome]]
SEVERITY_RANK = {"critical": 0, "supporting": 1, "peripheral": 2, None: 1}
NARROWEST = 40  # characters of a shown value; a shorter one says nothing
TRACE_RANK = {"complete": 0, "fragment": 1, "restated": 2, None: 1}


@dataclass(frozen=True)
class Case:
    """One thing the judge got wrong: labelled lines, the most telling cases first by ``rank`` (smaller first)."""

    kind: str
    rank: tuple[int, ...]
    lines: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        empty = [label for label, value in self.lines if not value.strip()]
        if empty or not self.lines:
            raise CampaignError(
                "showing a failure to the reflection model",
                f"case {self.kind!r} has empty fields {empty}",
                "Check the facts and evidence of the pair set: a reflector shown nothing learns nothing.",
            )

    def text(self, limit: int) -> str:
        """The case as lines ``label: value``, at most ``limit`` characters.

        The longest values are shortened first; where labels alone are too long, the last lines go.
        """
        width = limit
        while True:
            lines = [f"kind: {self.kind}"] + [f"{label}: {_cut(value, width)}" for label, value in self.lines]
            text = "\n".join(lines)
            if len(text) <= limit or width <= NARROWEST:
                return text[:limit]
            width = width * 3 // 4


def cases_of(pairs: Sequence[Pair], readings: Readings, clean_verified: bool) -> tuple[Case, ...]:
    """All cases of a minibatch, most telling first: missed defects, false alarms, unreadable answers.

    ``readings``: note id -> outcomes over replicates, of one candidate.
    """
    cases: list[Case] = []
    for pair in pairs:
        flawed, clean = readings[pair.flawed.id], readings[pair.clean.id]
        case = _unreadable(flawed) or _missed(pair, flawed, clean)
        if case:
            cases.append(case)
    for note_id in dict.fromkeys(pair.clean.id for pair in pairs):
        case = _unreadable(readings[note_id]) or _false_alarm(readings[note_id], clean_verified)
        if case:
            cases.append(case)
    return tuple(sorted(cases, key=lambda case: case.rank))


def choose_cases(cases: Sequence[Case], limit: int) -> tuple[Case, ...]:
    """The first ``limit`` cases with the kinds taking turns, so that no class of failure hides another."""
    queues: dict[str, list[Case]] = {}
    for case in cases:
        queues.setdefault(case.kind, []).append(case)
    chosen: list[Case] = []
    while len(chosen) < limit and any(queues.values()):
        for queue in queues.values():
            if queue and len(chosen) < limit:
                chosen.append(queue.pop(0))
    return tuple(chosen)


def _missed(pair: Pair, flawed: Sequence[Outcome], clean: Sequence[Outcome]) -> Case | None:
    scores = [o.score for o in flawed if isinstance(o, Judgement)]
    twins = [o.score for o in clean if isinstance(o, Judgement)]
    if not scores or not twins or _mean(scores) < _mean(twins):
        return None
    defect = pair.defect
    lines = [("fact", defect.fact_text), ("severity", defect.severity or "not graded")]
    if defect.evidence.strip():
        lines.append(("the transcript says", defect.evidence))
    if defect.kind == "omission":
        kind = f"missed omission ({defect.trace})"
        lines.append(("what the note still says of it", " | ".join(defect.surviving).strip() or "nothing"))
    else:
        kind = f"missed commission ({defect.kind}{', ' + defect.aspect if defect.aspect else ''})"
        lines += [("the clean twin reads", defect.before.strip() or "(nothing there)")]
        lines += [("the note reads", defect.after.strip() or "(nothing there)")]
    lines += [
        ("score of the flawed note", _list(scores)),
        ("score of its clean twin", _list(twins)),
        *compared_rulings(flawed, clean),
        *_compared_names(flawed, clean),
    ]
    rank = (0 if defect.kind == "omission" else 1, SEVERITY_RANK[defect.severity], TRACE_RANK[defect.trace])
    return Case(kind, rank, tuple(lines))


def _false_alarm(clean: Sequence[Outcome], verified: bool) -> Case | None:
    flagged = [o for o in clean if isinstance(o, Judgement) and o.flagged]
    if not flagged:
        return None
    fine = "the note was verified: it holds every fact that matters and nothing unsupported"
    if not verified:
        fine = "the note was written by a clinician and is taken as acceptable; it was not verified"
    lines = (
        ("score of the clean note", _list([o.score for o in flagged])),
        (
            "what the judge named",
            _cut("; ".join((*ruled(flagged[:1]).values(), *sorted(_names(flagged[:1])))), 600)
            or "nothing in particular",
        ),
        ("why it is fine", fine),
    )
    return Case("false alarm", (1, 1, 0), lines)


def _unreadable(outcomes: Sequence[Outcome]) -> Case | None:
    failed = [o for o in outcomes if isinstance(o, Failure)]
    if not failed:
        return None
    lines = (("reason", failed[0].reason), ("the judge answered", _cut(failed[0].text, 300) or "nothing at all"))
    return Case("unreadable answer", (2, 0, 0), lines)


def _compared_names(flawed: Sequence[Outcome], clean: Sequence[Outcome]) -> list[tuple[str, str]]:
    """What the judge named in its own words; nothing where it ruled on facts and named no more than those."""
    here, there = _names(flawed), _names(clean)
    if not here | there and (ruled(flawed) or ruled(clean)):
        return []
    return [
        ("the judge named in the flawed note only", _joined(here - there)),
        ("the judge named in the clean twin only", _joined(there - here)),
        ("the judge named in both", _joined(here & there)),
    ]


def _joined(names: Collection[str]) -> str:
    return "; ".join(sorted(names)) or "nothing"


def _names(outcomes: Sequence[Outcome]) -> set[str]:
    """What was named as missing or wrong; facts that were ruled on are shown as rulings, with their severity."""
    known = set(ruled(outcomes))
    judged = [o for o in outcomes if isinstance(o, Judgement)]
    return {name for o in judged for name in (*o.missing, *o.wrong) if name.strip() and name not in known}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _cut(text: str, width: int) -> str:
    # Half of an emoji, which a token cap can leave, is not text that a request could carry.
    flat = " ".join(text.encode("utf-8", "replace").decode().split())
    return flat if len(flat) <= width else flat[: max(width - 3, 1)] + "..."
