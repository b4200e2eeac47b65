"""Confirm: seed and winner side by side on the holdout, once, up the reasoning-effort ladder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from harness.config import JudgeConfig, fingerprint
from harness.errors import EndpointUnreachable, MetricUndefined, SealBroken, SplitError
from harness.evaluate import evaluate, tasks_for
from harness.judges.base import Judge
from harness.judges.build import envelope_of
from harness.llm.client import Effort
from harness.metrics import note_scores, sweep_threshold
from harness.outcomes import Failure, Outcome
from harness.scores import is_omission, select, tabulate
from harness.stats.bootstrap import Resampling
from harness.stats.spending import share_of
from harness.types import PairSet
from optimiser.config import ConfirmConfig
from optimiser.confirmation import Confirmation, OpeningRecord, OperatingPoint, Rung, dump_confirmation
from optimiser.findings import findings
from optimiser.ladder import Step, build_ladder
from optimiser.measuring import BROKEN_LEAST, BROKEN_SHARE
from optimiser.records import CandidateRecord, Frozen
from optimiser.rung import Measured, adjust, compare_candidates, decide, read_candidate
from partitions.holdout import LedgerRow, Question, holdout_status, open_holdout, record_result
from partitions.manifest import Manifest
from partitions.splits import open_splits

# Judgements of one candidate before it is the other's turn, so that an endpoint that drifts drifts for both.
TURN = 64

Thresholds = Mapping[tuple[Effort | None, str], float]


@dataclass(frozen=True, slots=True)
class Means:
    """What a confirmation works with.

    ``judge_for`` builds a candidate's judge with the judge configuration of one rung; ``seed`` seeds
    resampling. ``keep`` gets the confirmation before its result is recorded in the holdout ledger: a
    crash in between leaves the question resumable, not answered with the answer lost.
    """

    judge_for: Callable[[CandidateRecord, JudgeConfig], Judge]
    concurrency: int
    seed: int
    keep: Callable[[Confirmation], None]
    on_outcome: Callable[[Outcome], None] = lambda _outcome: None


def confirm(
    frozen: Frozen,
    split_directory: Path,
    config: ConfirmConfig,
    means: Means,
    when: datetime,
    reason: str | None = None,
) -> Confirmation:
    """Measure winner and baseline on the holdout and say what follows; ``when`` is logged with the opening.

    Thresholds are fixed first, for every rung and candidate, on the acceptance split at that rung's effort with the
    same replicates; then the holdout is opened once. The verdict is that of the primary rung, which is the search's
    effort: improved, regressed, non-inferior or inconclusive by the rules of ``rung.decide``, or seed-kept, where the
    seed alone is measured and no difference is claimed.

    Raises SealBroken for a changed split, another one than the campaign's, or other prompts than it froze; SplitError
    for a holdout without omission pairs; HoldoutSpent where the question was answered before and no ``reason`` is
    given; ConfigError for a ladder that does not fit; EndpointUnreachable where most calls of a candidate failed
    (the question then stays resumable).
    """
    ladder = build_ladder(frozen, config)
    splits = open_splits(split_directory)
    _require_unchanged(frozen, splits.manifest)
    points = tuple(
        point
        for step in ladder
        for found in _measure(frozen, step, splits.acceptance, config, means)
        if (point := _fix_threshold(found, step, frozen.cap)) is not None
    )
    thresholds = {(point.effort, point.candidate): point.threshold for point in points}
    opened = open_holdout(split_directory, _question(frozen, ladder, config), when, reason)
    measured = [_measure(frozen, step, opened.pairs, config, means, thresholds) for step in ladder]
    rungs = _rungs(ladder, measured, _Rules(config, frozen.cap, means.seed, opened.opening.number))
    simulated = frozen.simulated or any(o.simulated for found in measured for m in found for o in m.outcomes)
    confirmation = _write_up(frozen, opened.opening, points, rungs, config, simulated)
    means.keep(confirmation)
    record_result(split_directory, opened.opening, hashlib.sha256(dump_confirmation(confirmation)).hexdigest())
    return confirmation


def settle(split_directory: Path, confirmation: Confirmation) -> None:
    """Hold a written confirmation against the holdout ledger, recording its result where a crash left it out.

    Raises SealBroken where the ledger knows no such opening, HoldoutSpent where it recorded another result: then
    the confirmation is not what was found.
    """
    rows = holdout_status(split_directory).rows
    opening = next((row for row in rows if row.hash == confirmation.opening.hash), None)
    if opening is None:
        tried = f"holding a confirmation against the ledger in {split_directory}"
        raise SealBroken(tried, "no such opening of the holdout", "Confirm again, from the campaign's own folder.")
    record_result(split_directory, opening, hashlib.sha256(dump_confirmation(confirmation)).hexdigest())


def _write_up(
    frozen: Frozen,
    opening: LedgerRow,
    points: tuple[OperatingPoint, ...],
    rungs: tuple[Rung, ...],
    config: ConfirmConfig,
    simulated: bool,
) -> Confirmation:
    assert opening.time is not None
    confirmation = Confirmation(
        campaign=frozen.campaign,
        simulated=simulated,
        clean_verified=frozen.clean_verified,
        judge=frozen.judge.kind,
        model=frozen.model.model,
        manifest=frozen.manifest,
        baseline=frozen.baseline,
        winner=frozen.winner,
        seed_kept=len(_candidates(frozen)) == 1,
        opening=OpeningRecord(
            number=opening.number,
            hash=opening.hash,
            time=opening.time,
            resumed=opening.type == "resumption",
            reason=opening.reason,
        ),
        replicates=config.replicates,
        cap=frozen.cap,
        margin=config.margin,
        alpha=config.alpha,
        operating_points=points,
        rungs=rungs,
        verdict=next(rung.verdict for rung in rungs if rung.primary),
        words=(),
    )
    return confirmation.model_copy(update={"words": findings(confirmation)})


@dataclass(frozen=True, slots=True)
class _Rules:
    config: ConfirmConfig
    cap: float
    seed: int
    openings: int

    @property
    def alpha(self) -> float:
        """What this look at the holdout may spend of the error rate, in tests and in intervals."""
        return self.config.alpha * share_of(self.openings)


def _require_unchanged(frozen: Frozen, manifest: Manifest) -> None:
    tried = f"confirming campaign {frozen.campaign!r}"
    if manifest.digest != frozen.manifest:
        found = f"a split with digest {manifest.digest[:16]}, frozen with {frozen.manifest[:16]}"
        raise SealBroken(tried, found, "Confirm on the split that the campaign searched on.")
    envelope = envelope_of(frozen.judge)
    if envelope != frozen.envelope:
        found = f"judge prompts with envelope {envelope[:16]}, frozen with {frozen.envelope[:16]}"
        raise SealBroken(tried, found, "Confirm with the version that searched, or search again.")
    require_omissions(manifest, tried)


def require_omissions(manifest: Manifest, tried: str) -> None:
    """Raise SplitError for a holdout without omission pairs: what is confirmed is a gain on omissions."""
    if not any(label.startswith("class:omission") for label in manifest.splits["holdout"].labels):
        raise SplitError(tried, "a holdout without omission pairs", "Seal a pair set with omissions.")


def _candidates(frozen: Frozen) -> tuple[CandidateRecord, ...]:
    """The baseline, and the winner where it is another candidate."""
    return (frozen.baseline,) if frozen.winner.id == frozen.baseline.id else (frozen.baseline, frozen.winner)


def _question(frozen: Frozen, ladder: Sequence[Step], config: ConfirmConfig) -> Question:
    return Question(
        baseline=frozen.baseline.id,
        candidates=tuple(record.id for record in _candidates(frozen)[1:]),
        judge=f"{frozen.judge.kind} {fingerprint(frozen.judge)[:16]}",
        model=frozen.model.model,
        efforts=tuple(step.effort for step in ladder),
        token_caps=tuple(step.token_cap for step in ladder),
        replicates=config.replicates,
    )


def _measure(
    frozen: Frozen,
    step: Step,
    pair_set: PairSet,
    config: ConfirmConfig,
    means: Means,
    thresholds: Thresholds | None = None,
) -> tuple[Measured, ...]:
    """Judge all notes with each candidate, turn by turn."""
    judges = {record.id: means.judge_for(record, step.judge) for record in _candidates(frozen)}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in judges}
    tasks = tasks_for(pair_set, config.replicates, config.replicates)
    for start in range(0, len(tasks), TURN):
        for name, judge in judges.items():
            outcomes[name] += evaluate(judge, tasks[start : start + TURN], means.concurrency, means.on_outcome)
    for found in outcomes.values():
        _require_endpoint(found)
    known = thresholds or {}
    return tuple(
        Measured(name, tabulate(pair_set, found), tuple(found), known.get((step.effort, name)))
        for name, found in outcomes.items()
    )


def _require_endpoint(outcomes: Sequence[Outcome]) -> None:
    lost = sum(isinstance(outcome, Failure) and outcome.reason == "call-failed" for outcome in outcomes)
    if lost >= BROKEN_LEAST and lost > BROKEN_SHARE * len(outcomes):
        raise EndpointUnreachable(
            f"confirming on {len(outcomes)} judgements",
            f"{lost} calls failed for good",
            "Look at the endpoint, then confirm again: the interrupted question can be resumed.",
        )


def _fix_threshold(found: Measured, step: Step, cap: float) -> OperatingPoint | None:
    """The operating point on the acceptance split; None where no threshold keeps the cap."""
    omitted = select(found.table, is_omission(found.table))
    try:
        point = sweep_threshold(*note_scores(omitted), cap)
    except MetricUndefined:
        return None
    return OperatingPoint(
        effort=step.effort,
        candidate=found.candidate,
        threshold=point.threshold,
        cap=cap,
        detected=point.detected,
        n_flawed=point.n_flawed,
        false_alarms=point.false_alarms,
        n_clean=point.n_clean,
    )


def _rungs(ladder: Sequence[Step], measured: Sequence[tuple[Measured, ...]], rules: _Rules) -> tuple[Rung, ...]:
    plan = Resampling(rules.config.resamples, level=1 - rules.alpha)
    readings, comparisons = [], []
    for number, found in enumerate(measured):
        rng = np.random.default_rng([rules.seed, number])
        readings.append([read_candidate(m, rules.cap, rng, plan) for m in found])
        if len(found) > 1:
            comparisons.append(compare_candidates(found[1], found[0], rules.alpha, rng, plan))
    adjusted = adjust(comparisons, rules.openings) if comparisons else [None] * len(ladder)
    return tuple(
        Rung(
            effort=step.effort,
            token_cap=step.token_cap,
            primary=step.primary,
            n_consultations=len(set(found[0].table.clusters)),
            n_pairs=len(found[0].table.pair_ids),
            baseline=pair[0],
            winner=pair[1] if len(pair) > 1 else None,
            comparison=comparison,
            verdict=decide(comparison, rules.config.margin, rules.config.alpha) if comparison else "seed-kept",
        )
        for step, found, pair, comparison in zip(ladder, measured, readings, adjusted, strict=True)
    )
