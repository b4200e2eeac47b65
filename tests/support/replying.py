"""Scripted judgements: what a judge makes of replies that a test writes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.config import JudgeConfig
from harness.judges.build import blocks_of, build_judge
from harness.llm.client import Request
from harness.outcomes import Outcome
from harness.types import Candidate, Consultation, Fact, Note
from support.answering import Answering

CONSULTATION = Consultation(
    "c1",
    "example",
    "doctor: What brings you?\npatient: My left ear hurts since Monday. No fever. I take ramipril.",
    facts=(
        Fact("x1", "Left ear pain", "my left ear hurts", "critical"),
        Fact("x2", "No fever", "no fever", "supporting"),
    ),
)
NOTE = Note("n1", "c1", "Left ear pain since Monday.")
Replies = Mapping[str, object]


def judged(kind: str, replies: Replies, **options: object) -> tuple[Outcome, Answering]:
    """The outcome of a judgement where ``replies`` holds, by stage ("" for the one call), an object to answer with.

    A list of objects answers call after call of its stage; a text is sent as it is.
    """
    used: dict[str, int] = {}

    def spoil(request: Request, _count: int) -> str | None:
        reply = replies.get(request.stage)
        if isinstance(reply, list):
            number = used[request.stage] = used.get(request.stage, -1) + 1
            reply = reply[number]
        return reply if reply is None or isinstance(reply, str) else json.dumps(reply)

    model = Answering(spoil)
    candidate = Candidate(kind, tuple((name, f"The block {name}.") for name in blocks_of(kind)))
    config = JudgeConfig.model_validate({"kind": kind, **options})
    return build_judge(config, candidate, model).judge(CONSULTATION, NOTE, 0), model


def stages(model: Answering) -> list[str]:
    """The stages that were asked, in order."""
    return [request.stage for request in model.asked]


def prompt(model: Answering, stage: str) -> str:
    """The prompt of the first call of a stage."""
    return next(r.messages[0].content for r in model.asked if r.stage == stage)
