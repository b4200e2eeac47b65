"""How many calls a judgement takes: the stages of a judge, as a plan counts them."""

from __future__ import annotations

from harness.config import JudgeConfig
from harness.judges.build import blocks_of
from harness.judges.checklist import QUESTIONS
from harness.judges.facts import AUDIT, EXTRACT
from optimiser.config import CampaignConfig

# Stages that see a transcript alone: asked once per consultation and text, then served from the cache.
BLIND = (EXTRACT, AUDIT, QUESTIONS)


def once_per_consultation(config: CampaignConfig) -> int:
    """Calls that the frozen blind stages take for each consultation, whoever judges its notes."""
    return sum(name in BLIND and name not in config.targets for name in _asked(config.judge))


def calls_per_sample(config: CampaignConfig) -> int:
    """Calls that one sample of one note takes at most.

    A blind stage that is under search counts here, as if it were asked for every note: an upper bound.
    """
    return max(1, len(_asked(config.judge)) - once_per_consultation(config))


def _asked(judge: JudgeConfig) -> tuple[str, ...]:
    left_out = {EXTRACT, AUDIT} if judge.facts == "given" else set()
    if not judge.second_look:
        left_out.add("second_look")
    return tuple(name for name in blocks_of(judge.kind) if name not in left_out)
