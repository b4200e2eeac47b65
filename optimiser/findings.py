"""A confirmation in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from harness.llm.client import Effort
from optimiser.confirmation import CandidateReading, Comparison, Confirmation, Rung


def findings(confirmation: Confirmation) -> tuple[str, ...]:
    """What a reader must know, most binding first: caveats, verdict, strength of the evidence, other rungs."""
    return (
        *_caveats(confirmation),
        *_primary(confirmation, confirmation.primary),
        *(_other(rung) for rung in confirmation.rungs if not rung.primary),
    )


def effort_name(effort: Effort | None) -> str:
    """An effort in prose; None is the model's own."""
    return f"effort {effort}" if effort else "the model's own effort"


def _caveats(confirmation: Confirmation) -> Iterator[str]:
    if confirmation.simulated:
        yield "SIMULATED: these figures come from a simulated model or text and say nothing about any real model."
    if not confirmation.clean_verified:
        yield "Unverified clean twins: nobody checked the clean notes against the transcripts."
    opening = confirmation.opening
    which = "the first opening" if opening.number == 1 else f"opening {opening.number}"
    yield (
        f"This was {which} of the holdout: it may spend {opening.share * confirmation.alpha:.2g} of the error rate of "
        f"{confirmation.alpha:g}; p-values are divided by that share, {opening.share:.2g}."
    )
    if opening.reason:
        yield f"Reason given for opening it: {opening.reason}"
    if opening.resumed:
        yield "The opening was resumed after an interruption."


def _primary(confirmation: Confirmation, rung: Rung) -> Iterator[str]:
    where = f"At {effort_name(rung.effort)}, which the search used,"
    seed = rung.baseline.omissions.worst_case
    if rung.comparison is None or rung.winner is None:
        yield "The search kept its seed, so no difference is claimed."
        yield f"{where} the seed's paired discrimination of omissions is {seed.value:.3f} over {seed.n} pairs."
        yield _flags("the seed", rung.baseline)
        return
    comparison, winner = rung.comparison, rung.winner.omissions.worst_case
    yield (
        f"{where} the verdict is {rung.verdict}: paired discrimination of omissions {winner.value:.3f} for the winner "
        f"and {seed.value:.3f} for the seed over {winner.n} pairs of {rung.n_consultations} consultations, difference "
        f"{_interval(comparison)}; p = {comparison.primary.p:.3g}, adjusted {comparison.primary.adjusted_p:.3g}."
    )
    if comparison.within_band:
        yield f"The difference is no larger than what reruns of the seed differ by ({comparison.band:.3f})."
    if rung.verdict in ("inconclusive", "non-inferior"):
        yield _power(confirmation, comparison)
    yield f"{_flags('the winner', rung.winner)} {_flags('the seed', rung.baseline)}"


def _power(confirmation: Confirmation, comparison: Comparison) -> str:
    if comparison.minimum_detectable is None:
        return "The observed differences do not vary, so the smallest detectable one is unknown."
    return (
        f"A true difference of {comparison.minimum_detectable:.3f} would be found with 80% power at this size; "
        f"the margin of non-inferiority is {confirmation.margin:g}."
    )


def _flags(name: str, reading: CandidateReading) -> str:
    point = reading.frozen
    if point is None:
        return f"No threshold of {name} kept the false-alarm cap on the acceptance split."
    alarms = point.false_alarms
    return (
        f"At its threshold fixed on the acceptance split {name} flags {point.detection.count} of "
        f"{point.detection.n} omission notes and {alarms.count} of {alarms.n} clean notes "
        f"(true false-alarm rate at most {alarms.upper:.2f}, one-sided 95%)."
    )


def _other(rung: Rung) -> str:
    if rung.comparison is None:
        value = rung.baseline.omissions.worst_case.value
        return f"At {effort_name(rung.effort)} the seed's paired discrimination of omissions is {value:.3f}."
    return f"At {effort_name(rung.effort)}: {rung.verdict}, difference {_interval(rung.comparison)}."


def _interval(comparison: Comparison) -> str:
    found = comparison.omissions
    return f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
