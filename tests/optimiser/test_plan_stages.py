from __future__ import annotations

import pytest

from optimiser.config import CampaignConfig
from optimiser.plan_stages import calls_per_sample, once_per_consultation


def config(kind: str, target: str | list[str], **judge: object) -> CampaignConfig:
    targets = [target] if isinstance(target, str) else target
    return CampaignConfig.model_validate(
        {
            "name": "n",
            "data": {"source": "synthetic"},
            "judge": {"kind": kind} | judge,
            "target": target,
            "seeds": [dict.fromkeys(targets, "seed.md")],
            "model": {"model": "m", "base_url": "simulated:"},
            "reflector": {"model": "r", "base_url": "simulated:"},
        }
    )


@pytest.mark.parametrize(
    ("kind", "target", "judge", "once", "each"),
    [
        ("score", "instruction", {}, 0, 1),
        ("two-stage", "check", {}, 1, 1),
        ("two-stage", "check", {"facts": "given"}, 0, 1),
        ("two-stage", "extract", {}, 0, 2),
        ("two-stage", ["extract", "check"], {}, 0, 2),
        ("pipeline", "check", {}, 2, 2),
        ("pipeline", "check", {"second_look": False}, 2, 1),
        ("pipeline", ["audit", "check"], {}, 1, 3),
        ("checklist", "answers", {}, 1, 1),
        ("coverage", "cover", {}, 1, 3),
    ],
)
def test_frozen_stages_that_see_no_note_are_counted_once_and_all_others_with_each_note(
    kind: str, target: str | list[str], judge: dict[str, object], once: int, each: int
) -> None:
    made = config(kind, target, **judge)
    assert (once_per_consultation(made), calls_per_sample(made)) == (once, each)
