"""Calibration: a flagging threshold from clean notes alone, with a finite-sample guarantee; and whether it still holds.

Scores are one a consultation, higher = better note, -inf = a failed judgement, which counts as flagged.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, binom, binomtest, ks_2samp, mannwhitneyu, rankdata

from harness.errors import DataError, MetricUndefined
from harness.stats.holm import holm
from harness.stats.intervals import clopper_pearson_upper

ROUNDING = 1e-9  # 0.29 * 100 is 28.999... in binary; it is 29 all the same
EXACT_KS = 1_000  # scores a side; beyond, the asymptotic distribution is as good and does not cost time

Floats = NDArray[np.float64]
Verdict = Literal["holds", "above the cap", "scores moved"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold: a note is flagged iff its score is strictly below it (or its judgement failed).

    ``rank`` says that it is the rank-th smallest of ``n`` scores, ``failures`` of which were failed judgements.
    ``expected_rate`` bounds the false-alarm rate on average over calibrations, ``rate_upper95`` bounds that of this
    calibration with 95% confidence.
    """

    threshold: float
    cap: float
    confidence: float | None
    n: int
    rank: int
    failures: int

    @property
    def expected_rate(self) -> float:
        """rank / (n + 1): the probability, at most, that a new clean note is flagged."""
        return self.rank / (self.n + 1)

    @property
    def rate_upper95(self) -> float:
        """95% quantile of Beta(rank, n + 1 - rank), which the rate given this calibration does not exceed."""
        return float(beta.ppf(0.95, self.rank, self.n + 1 - self.rank))


@dataclass(frozen=True, slots=True)
class Drift:
    """New clean notes against a calibration; p-values after Holm's adjustment over the three.

    ``exceedance``: the flag rate is at most the cap (exact binomial, one-sided). ``shift``: old and new scores
    lie equally high (rank sum, two-sided). ``shape``: they have one distribution (Kolmogorov-Smirnov, two-sided).
    """

    n: int
    flagged: int
    flag_rate_upper95: float
    exceedance: float
    shift: float
    shape: float
    verdict: Verdict

    @property
    def flag_rate(self) -> float:
        """Flagged share of the new clean notes, in [0, 1]; lower is better."""
        return self.flagged / self.n


def calibrate(scores: ArrayLike, cap: float, confidence: float | None = None) -> Calibration:
    """The highest threshold whose false-alarm rate is guaranteed to be at most ``cap``, from clean scores (n,).

    Without ``confidence`` it is the floor(cap (n + 1))-th smallest score s: a new score exchangeable with these lies
    strictly below s with probability at most rank / (n + 1), over the draw of all n + 1 (split conformal; Vovk,
    Gammerman and Shafer 2005, Papadopoulos et al. 2002). Of the n + 1 scores at most ``rank`` can have no more
    than ``rank`` scores at or below them, ties or not, hence ties only lower the rate.
    With ``confidence`` it is the largest rank at which, for independent scores, the rate of this very calibration
    is at most ``cap`` with that probability over the draw of the n (one-sided tolerance limit, Wilks 1941).
    MetricUndefined where n is too small, with the n that would do, or where failures alone reach the rank.

    >>> calibrate(range(1, 41), 0.05).threshold
    2.0
    """
    values = _checked(scores)
    if not 0 < cap < 1 or (confidence is not None and not 0 < confidence < 1):
        raise MetricUndefined(
            "calibrating", f"cap {cap:g}, confidence {confidence}", "Give numbers between 0 and 1, neither included."
        )
    n, failures = values.size, int(np.isneginf(values).sum())
    rank = guaranteed_rank(n, cap, confidence)
    if rank < 1:
        needed = smallest_sample(cap, confidence)
        sure = "" if confidence is None else f" with confidence {confidence:g}"
        found = f"clean notes of {n} consultations, too few to guarantee {cap:g}{sure}"
        raise MetricUndefined("calibrating", found, f"Judge clean notes of at least {needed} consultations.")
    if failures >= rank:
        found = f"{failures} of {n} consultations with a failed judgement, rank {rank}"
        raise MetricUndefined("calibrating", found, "Failures count as flagged and use up the cap; mend them first.")
    return Calibration(float(np.partition(values, rank - 1)[rank - 1]), cap, confidence, n, rank, failures)


def guaranteed_rank(n: int, cap: float, confidence: float | None = None) -> int:
    """Which smallest of n scores may be the threshold; 0 where none may.

    >>> guaranteed_rank(18, 0.05), guaranteed_rank(19, 0.05), guaranteed_rank(58, 0.05, 0.95)
    (0, 1, 0)
    """
    if confidence is None:
        return math.floor(cap * (n + 1) + ROUNDING)
    ranks = np.arange(1, n + 1)
    return int((binom.cdf(ranks - 1, n, cap) <= 1 - confidence + 1e-12).sum())


def smallest_sample(cap: float, confidence: float | None = None) -> int:
    """Fewest consultations with which a cap can be guaranteed.

    >>> smallest_sample(0.05), smallest_sample(0.05, 0.95)
    (19, 59)
    """
    if confidence is None:
        return math.ceil(1 / cap - 1 - ROUNDING)
    return math.ceil(math.log(1 - confidence) / math.log1p(-cap) - ROUNDING)


def lowest_by_cluster(scores: ArrayLike, clusters: ArrayLike) -> Floats:
    """The lowest score of each cluster, NaN (a failed judgement) read as -inf; (clusters,), by ascending cluster.

    Notes of one consultation are not exchangeable with notes of another, consultations are. A note of a consultation
    is never below its lowest one: a guarantee for the lowest holds for each, and it is conservative.
    """
    values = np.asarray(scores, dtype=np.float64)
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    lowest = np.full(names.size, np.inf)
    np.minimum.at(lowest, codes, np.where(np.isnan(values), -np.inf, values))
    return lowest


def check_drift(old: ArrayLike, new: ArrayLike, threshold: float, cap: float, alpha: float = 0.05) -> Drift:
    """Test whether new clean scores (m,) still suit a threshold that the old ones (n,) gave.

    The verdict is "above the cap" where the flag rate exceeds the cap, else "scores moved" where old and new scores
    differ, else "holds": no drift was seen, which few notes cannot show either. Where nothing has drifted and
    the true flag rate is at most the cap, another verdict comes with probability at most ``alpha``.
    """
    before, after = _checked(old), _checked(new)
    flagged = int(((after < threshold) | np.isneginf(after)).sum())
    exceedance = float(binomtest(flagged, after.size, cap, alternative="greater").pvalue)
    exceedance, shift, shape = holm([exceedance, *_differ(before, after)]).tolist()
    verdict: Verdict = "holds"
    if exceedance <= alpha:
        verdict = "above the cap"
    elif min(shift, shape) <= alpha:
        verdict = "scores moved"
    upper = clopper_pearson_upper(flagged, after.size)
    return Drift(after.size, flagged, upper, exceedance, shift, shape, verdict)


def _differ(before: Floats, after: Floats) -> tuple[float, float]:
    """p-values of rank sum and Kolmogorov-Smirnov; on ranks, since failures have no finite score."""
    ranks = rankdata(np.concatenate([before, after]), method="dense").astype(np.float64)
    if ranks.max() == 1:
        return 1.0, 1.0
    first, second = ranks[: before.size], ranks[before.size :]
    shift = mannwhitneyu(first, second, alternative="two-sided").pvalue
    method = "exact" if max(first.size, second.size) <= EXACT_KS else "asymp"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it says that it took the asymptotic p-value instead
        shape = ks_2samp(first, second, method=method).pvalue
    return float(shift), float(shape)


def _checked(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        raise MetricUndefined("reading clean scores", "none", "At least one clean note is needed.")
    if np.isnan(values).any() or np.isposinf(values).any():
        raise DataError("reading clean scores", "a score that is no number", "Read failures with lowest_by_cluster.")
    return values
