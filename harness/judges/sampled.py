"""One or more samples of a family member as one judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from harness.config import JudgeConfig
from harness.errors import MetricUndefined
from harness.judges.base import Sample, Sampler, Scale
from harness.judges.parse import Unreadable, Verdict
from harness.outcomes import Failure, Judgement, Outcome, Usage
from harness.types import Consultation, Note


@dataclass(frozen=True, slots=True)
class SampledJudge:
    """Takes ``config.samples`` samples of a note, one after the other.

    In turn and not at once: they share the whole prompt, so all but the first meet a warm prefix
    cache, and concurrency stays in ``harness.evaluate``.
    """

    config: JudgeConfig
    scale: Scale
    candidate_id: str
    sampler: Sampler

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """The aggregate of the samples; a Failure as soon as one of them has no verdict.

        An ensemble that went on with the samples it could read would be another, smaller
        ensemble for just the notes that are hard to answer about.
        """
        usage, text, simulated = Usage(), "", False
        verdicts: list[Verdict] = []
        for index in range(self.config.samples):
            sample = self.sampler.sample(consultation, note, replicate, index)
            usage, simulated = usage + sample.usage, simulated or sample.simulated
            if isinstance(sample.reading, Unreadable):
                reason = self._reason(sample)
                return Failure(note.id, self.candidate_id, replicate, reason, sample.text, usage, simulated)
            text = text or sample.text
            verdicts.append(sample.reading)
        scores = tuple(verdict.score for verdict in verdicts)
        parts = zip(*(verdict.parts for verdict in verdicts), strict=True)
        score = self._aggregate(scores)
        return Judgement(
            note_id=note.id,
            candidate_id=self.candidate_id,
            replicate=replicate,
            score=score,
            flagged=flagged(verdicts, score, self.scale, self.config),
            missing=_once(verdict.missing for verdict in verdicts),
            wrong=_once(verdict.wrong for verdict in verdicts),
            samples=scores,
            rulings=verdicts[0].rulings,
            parts=tuple(self._aggregate(part) for part in parts),
            text=text,
            usage=usage,
            simulated=simulated,
        )

    def _aggregate(self, values: Sequence[float]) -> float:
        return winsorised_mean(values) if self.config.aggregation == "winsorised" else float(np.mean(values))

    def _reason(self, sample: Sample[Verdict]) -> str:
        assert isinstance(sample.reading, Unreadable)
        reason = sample.reading.reason
        return reason if self.config.samples == 1 or reason == "call-failed" else "sample-unreadable"


def flagged(verdicts: Sequence[Verdict], score: float, scale: Scale, config: JudgeConfig) -> bool | None:
    """The judge's own rule; None where it has none.

    A mark of the user's (``config.flag_below``) rules first, else the flags that the samples bring
    (by vote), else the scale's mark. By vote (aggregation "majority", or a voting scale without a
    mark of the user's): at least half of the samples below the mark. Otherwise: the aggregated
    score below the mark, strictly.
    """
    if config.flag_below is None and all(verdict.flag is not None for verdict in verdicts):
        return 2 * sum(bool(verdict.flag) for verdict in verdicts) >= len(verdicts)
    mark = scale.pass_mark if config.flag_below is None else config.flag_below
    if mark is None:
        return None
    if config.aggregation == "majority" or (scale.votes and config.flag_below is None):
        return 2 * sum(verdict.score < mark for verdict in verdicts) >= len(verdicts)
    return score < mark


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


def _once(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(lists)))
