"""k samples of a single-call judge as one judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from harness.config import JudgeConfig
from harness.errors import MetricUndefined
from harness.judges.asking import Sample
from harness.judges.base import Judge, Kind
from harness.judges.contracts import Contract
from harness.judges.envelope import envelope_digest
from harness.judges.parse import Unreadable, Verdict
from harness.judges.single import BLOCK, SingleJudge, flagged
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Failure, Judgement, Note, Outcome, Usage, digest


@dataclass(frozen=True, slots=True)
class EnsembleJudge:
    """Takes ``config.samples`` samples of a single judge, one after the other.

    In turn and not at once: they share the whole prompt, so all but the first meet a warm prefix
    cache, and concurrency stays in ``harness.evaluate``.
    """

    single: SingleJudge

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """The aggregate of the samples; a Failure as soon as one of them has no verdict.

        An ensemble that went on with the samples it could read would be another, smaller
        ensemble for just the notes that are hard to answer about.
        """
        config, contract = self.single.config, self.single.contract
        usage = Usage()
        first: Sample | None = None
        verdicts: list[Verdict] = []
        for index in range(config.samples):
            sample = self.single.sample(consultation, note, replicate, index)
            usage += sample.usage
            first = first or sample
            if isinstance(sample.reading, Unreadable):
                return self._failure(note, replicate, sample, usage)
            verdicts.append(sample.reading)
        assert first is not None
        scores = tuple(verdict.score for verdict in verdicts)
        score = winsorised_mean(scores) if config.aggregation == "winsorised" else float(np.mean(scores))
        return Judgement(
            note_id=note.id,
            candidate_id=self.single.candidate.id,
            replicate=replicate,
            score=score,
            flagged=flagged(scores, score, contract, config),
            missing=_once(verdict.missing for verdict in verdicts),
            wrong=_once(verdict.wrong for verdict in verdicts),
            samples=scores,
            text=first.text,
            usage=usage,
            simulated=first.simulated,
        )

    def _failure(self, note: Note, replicate: int, sample: Sample, usage: Usage) -> Failure:
        assert isinstance(sample.reading, Unreadable)
        reason = "call-failed" if sample.reading.reason == "call-failed" else "sample-unreadable"
        return Failure(note.id, self.single.candidate.id, replicate, reason, sample.text, usage, sample.simulated)


def winsorised_mean(values: Sequence[float]) -> float:
    """Mean with the smallest value replaced by the second smallest and the largest by the second largest.

    For fewer than 4 values it is the plain mean. Raises MetricUndefined for none. One wild
    sample cannot move it further than its nearest neighbour.

    >>> winsorised_mean([0, 7, 8, 8])
    7.5
    >>> winsorised_mean([0, 8])
    4.0
    """
    if not values:
        raise MetricUndefined("taking a winsorised mean", "no values", "Give at least one sample.")
    ordered = sorted(values)
    if len(ordered) >= 4:
        ordered = [ordered[1], *ordered[1:-1], ordered[-2]]
    return float(np.mean(ordered))


def asked_kind(contract: Contract) -> Kind:
    """The family member that asks under this contract: one call, or an ensemble where ``samples`` > 1."""

    def make(config: JudgeConfig, candidate: Candidate, client: Client) -> Judge:
        single = SingleJudge(config, contract, candidate, client)
        return EnsembleJudge(single) if config.samples > 1 else single

    def fixed(config: JudgeConfig) -> str:
        return digest([envelope_digest(contract.text), contract.schema if config.structured else None])

    return Kind(blocks=(BLOCK,), low=contract.low, high=contract.high, fixed=fixed, make=make)


def _once(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(lists)))
