"""Which defects a consultation gets: kinds, traces, aspects and severities in fixed proportions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.types import SEVERITIES, Aspect, DefectKind, Severity, Trace

# In order of rarity: where a note cannot have the wanted aspect, the rarest that it can have is next.
ASPECTS: tuple[Aspect, ...] = ("subject", "laterality", "dose", "certainty", "negation", "timing", "value")
# Of critical, supporting and peripheral facts; the last is raised because few notes offer many peripheral ones.
WEIGHTS = (0.38, 0.34, 0.28)
_KINDS = "OOCOC"
# With a complete omission first and three in all, these make complete : fragment : restated 3 : 2 : 2.
_OTHER_TRACES: tuple[Trace, ...] = (
    "fragment", "restated", "restated", "fragment", "fragment", "restated", "complete",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slot:
    """One wanted pair. ``traces`` and ``aspects`` are in order of preference, the wanted one first."""

    kind: DefectKind
    severity: Severity
    traces: tuple[Trace, ...] = ()
    aspects: tuple[Aspect, ...] = ()


def schedule(index: int, count: int, rng: np.random.Generator) -> Iterator[Slot]:
    """The wanted pairs of consultation ``index``: three omissions to two commissions, a complete omission first."""
    omissions = commissions = 0
    for number in range(count):
        severity = SEVERITIES[int(rng.choice(3, p=WEIGHTS))]
        if _KINDS[number % len(_KINDS)] == "O":
            yield Slot("omission", severity, traces=_traces(index, omissions))
            omissions += 1
            continue
        kind: DefectKind = "addition" if (index + commissions) % 2 else "alteration"
        wanted = ASPECTS[(index + commissions * 3) % len(ASPECTS)]
        yield Slot(kind, severity, aspects=(wanted, *(aspect for aspect in ASPECTS if aspect != wanted)))
        commissions += 1


def _traces(index: int, number: int) -> tuple[Trace, ...]:
    first: Trace = "complete" if number == 0 else _OTHER_TRACES[(2 * index + number - 1) % len(_OTHER_TRACES)]
    order: tuple[Trace, ...] = ("complete", "fragment", "restated")
    return (first, *(trace for trace in order if trace != first))
