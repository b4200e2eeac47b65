"""The ladder of reasoning efforts that a confirmation climbs."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config import JudgeConfig
from harness.errors import ConfigError
from harness.judges.build import blocks_of
from harness.llm.client import Effort
from optimiser.config import ConfirmConfig
from optimiser.plan_stages import BLIND
from optimiser.records import Frozen


@dataclass(frozen=True, slots=True)
class Step:
    """One rung before it is measured: the judge configuration that both candidates share there."""

    judge: JudgeConfig
    effort: Effort | None
    token_cap: int | None
    primary: bool


def build_ladder(frozen: Frozen, config: ConfirmConfig) -> tuple[Step, ...]:
    """The rungs in the configured order; the search's effort is primary and comes first where it was missing.

    Effort None stands for the model's own. The primary rung has the search's token cap: search and
    confirmation must measure the same thing. Raises ConfigError where the token caps do not fit the
    efforts, an effort comes twice, the search's effort is given another cap than the search had, or the judge's
    stages all have efforts of their own, which no rung would move.
    """
    where = "building the confirmation ladder"
    if config.token_caps and len(config.token_caps) != len(config.efforts):
        found = f"{len(config.efforts)} efforts and {len(config.token_caps)} token caps"
        raise ConfigError(where, found, "Give one cap for each effort, or none at all.")
    own_cap = frozen.judge.max_tokens or frozen.model.max_tokens
    searched = frozen.judge.effort or frozen.model.effort
    efforts = [effort or frozen.model.effort for effort in config.efforts]
    caps = [cap or own_cap for cap in config.token_caps or (None,) * len(efforts)]
    _require_movable(frozen.judge, len(efforts))
    if len(set(efforts)) != len(efforts):
        raise ConfigError(where, f"efforts {efforts} with one twice", "Name each effort once.")
    if searched not in efforts:
        efforts.insert(0, searched)
        caps.insert(0, own_cap)
    if caps[efforts.index(searched)] != own_cap:
        found = f"token cap {caps[efforts.index(searched)]} at effort {searched!r}, {own_cap} in the search"
        raise ConfigError(where, found, "Keep the search's cap at the search's effort.")
    return tuple(
        Step(
            # The search's own cap stays as it was set, or unset: a stage without one asks by the length of its answer.
            judge=frozen.judge.model_copy(
                update={"effort": effort, "max_tokens": frozen.judge.max_tokens if cap == own_cap else cap}
            ),
            effort=effort,
            token_cap=cap,
            primary=effort == searched,
        )
        for effort, cap in zip(efforts, caps, strict=True)
    )


def _require_movable(judge: JudgeConfig, rungs: int) -> None:
    moved = [name for name in blocks_of(judge.kind) if name not in BLIND]
    pinned = [name for name in moved if (stage := judge.stages.get(name)) is not None and stage.effort is not None]
    if rungs > 1 and pinned and pinned == moved:
        found = f"{rungs} efforts, and stages {pinned} with efforts of their own"
        todo = "Give one effort, or take `effort` from a stage: every rung would ask the same."
        raise ConfigError("building the confirmation ladder", found, todo)
