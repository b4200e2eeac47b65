"""Holm's step-down adjustment inside one declared family of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import DataError


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjusted p-values (tests,), in the order given: reject where the adjusted one is at most alpha.

    Holm 1979, "A simple sequentially rejective multiple test procedure". DataError for a p-value outside [0, 1].

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        raise DataError("Holm's adjustment", "a p-value outside [0, 1]", "Give one p-value for each test.")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
