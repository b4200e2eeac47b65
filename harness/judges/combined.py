"""The pipeline's rule about critical facts OR a scoring call, each with a mark of its own.

The two overlook different things, so a note that either flags is flagged; their marks are chosen
together under one allowance of false alarms (``harness.joint``) and given as ``thresholds``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.judges.base import Kind, Sample, Scale
from harness.judges.contracts import SCORE
from harness.judges.envelope import envelope_digest
from harness.judges.parse import Unreadable, Verdict
from harness.judges.pipeline import BLOCKS, Pipeline, make_pipeline, pipeline_digest
from harness.judges.single import BLOCK, SingleCall
from harness.llm.client import Client
from harness.types import Candidate, Consultation, Note, digest

OWN = (0.0, 8.0)  # without thresholds: the pipeline's own predicate, and what a scored judge would flag
POINTS = SCORE.scale.high


@dataclass(frozen=True, slots=True)
class Combined:
    """Joins two parts, each higher = better: the capture and the call's points.

    The capture is the pipeline's score in [0, 1], less 1 where a critical fact is absent: below 0 it is the
    predicate, and its mark may be moved to either side of that. The call's part is its points, 0 to 10.
    Flagged iff capture < first threshold or points < second. Score = mean of both parts, each as a share of its
    range, less 1 where flagged: in [-1, 1], below 0 for flagged notes and never for others. It ranks by both parts on
    either side of 0; the distance of the worse part to its mark would rank by whole points of the call alone.
    """

    config: JudgeConfig
    pipeline: Pipeline
    call: SingleCall

    def sample(self, consultation: Consultation, note: Note, replicate: int, index: int) -> Sample[Verdict]:
        """One pass of the pipeline and one scoring call."""
        checked = self.pipeline.sample(consultation, note, replicate, index)
        if isinstance(checked.reading, Unreadable):
            return checked
        called = self.call.sample(consultation, note, replicate, index).after(checked)
        if isinstance(called.reading, Unreadable):
            return called
        return called.read_as(self._join(checked.reading, called.reading))

    def _join(self, checked: Verdict, called: Verdict) -> Verdict:
        first, second = self.config.thresholds or OWN
        capture, points = checked.score - bool(checked.flag), called.score
        flag = capture < first or points < second
        return Verdict(
            score=((capture + 1) / 2 + points / POINTS) / 2 - flag,
            missing=tuple(dict.fromkeys((*checked.missing, *called.missing))),
            wrong=called.wrong,
            rulings=checked.rulings,
            flag=flag,
            parts=(capture, points),
        )


def _make(config: JudgeConfig, candidate: Candidate, client: Client) -> Combined:
    call = SingleCall(config, SCORE, candidate, client, stage=BLOCK)
    return Combined(config, make_pipeline(config, candidate, client), call)


def _fixed(config: JudgeConfig) -> str:
    form = SCORE.form
    return digest([pipeline_digest(config), envelope_digest(form.text), form.schema if config.structured else None])


KIND = Kind(blocks=(*BLOCKS, BLOCK), scale=Scale(-1, 1, 0), fixed=_fixed, make=_make)
