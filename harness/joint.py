"""Two marks chosen together: a note is flagged iff either of its two parts lies below its own mark.

Chosen one after the other, each mark would spend the whole allowance of false alarms; chosen
together they share it, and notes that both parts flag are paid for once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import MetricUndefined
from harness.metrics import CAP_TOLERANCE

_TRIED = "choosing two marks together"


def joint_point(flawed_parts: ArrayLike, clean_parts: ArrayLike, cap: float) -> tuple[float, float]:
    """The two marks with the highest detection whose false-alarm rate is at most ``cap``, in [0, 1).

    ``flawed_parts`` is (flawed notes, 2), ``clean_parts`` (clean notes, 2), higher = better note. The marks of a part
    are its distinct finite values (the lowest flags nothing) and one value above the largest; all combinations
    are counted exactly. Ties go to fewer false alarms, then to the lower first mark, then to the lower second. Like
    every swept mark they are optimistic about the notes that chose them. A failure is a row of +inf
    among the flawed notes and of -inf among the clean ones. Memory grows with the product of the two parts'
    distinct values. MetricUndefined without notes on either side, for NaN, or where failures alone exceed the cap.

    >>> joint_point([[0.2, 9], [0.9, 3], [0.9, 9]], [[0.8, 8], [0.9, 9]], 0.1)
    (0.8, 8.0)
    """
    flawed, clean = _checked(flawed_parts), _checked(clean_parts)
    marks = [_marks(np.concatenate([flawed[:, part], clean[:, part]])) for part in (0, 1)]
    missed, passed = _at_or_above(flawed, marks), _at_or_above(clean, marks)
    alarms = len(clean) - passed
    feasible = alarms / len(clean) <= cap + CAP_TOLERANCE
    if not feasible.any():
        raise MetricUndefined(
            _TRIED,
            f"{alarms.min()} of {len(clean)} clean notes without readable parts",
            f"No marks can keep the false-alarm rate at {cap:g}; mend the failures first.",
        )
    best = feasible & (missed == missed[feasible].min())
    best &= alarms == alarms[best].min()
    first, second = np.argwhere(best)[0]
    return float(marks[0][first]), float(marks[1][second])


def joint_flags(parts: ArrayLike, thresholds: tuple[float, float]) -> NDArray[np.bool_]:
    """Which notes are flagged, (notes,), given their ``parts`` (notes, 2): either part strictly below its mark.

    >>> joint_flags([[0.2, 9], [0.9, 9]], (0.8, 8.0)).tolist()
    [True, False]
    """
    below = np.asarray(parts, dtype=np.float64).reshape(-1, 2) < np.asarray(thresholds)
    return below[:, 0] | below[:, 1]


def _checked(parts: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(parts, dtype=np.float64)
    if not values.size:
        raise MetricUndefined(_TRIED, "no notes on one side", "Both sides need a note.")
    if values.ndim != 2 or values.shape[1] != 2:
        raise MetricUndefined(_TRIED, f"parts of shape {values.shape}", "Give two parts a note.")
    if np.isnan(values).any():
        raise MetricUndefined(_TRIED, "a NaN part", "Read failures as +inf (flawed) and -inf (clean).")
    return values


def _marks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    observed = np.unique(values[np.isfinite(values)])
    if not observed.size:
        raise MetricUndefined(_TRIED, "no readable part", "At least one note must be readable.")
    return np.append(observed, np.nextafter(observed[-1], np.inf))


def _at_or_above(parts: NDArray[np.float64], marks: list[NDArray[np.float64]]) -> NDArray[np.int64]:
    """How many notes no mark flags, for every combination of marks: (first marks, second marks)."""
    cells = [np.searchsorted(marks[part], parts[:, part], side="right") for part in (0, 1)]
    counts = np.zeros((len(marks[0]) + 1, len(marks[1]) + 1), dtype=np.int64)
    np.add.at(counts, tuple(cells), 1)
    # A note in cell k reaches the k lowest marks: sum over all cells above a mark's index.
    reached: NDArray[np.int64] = np.cumsum(np.cumsum(counts[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]
    return reached[1:, 1:]
