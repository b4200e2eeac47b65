"""How consultations are divided."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from harness.config import Settings


class SplitConfig(Settings):
    """Shares of consultations, which sum to 1; or ``given``: a division that is already made."""

    training: float = Field(0.45, gt=0, lt=1, description="share for reflection and training tests")
    acceptance: float = Field(0.25, gt=0, lt=1, description="share for keeping and choosing")
    holdout: float = Field(0.30, gt=0, lt=1, description="share for one confirmation")
    frontier: float = Field(1 / 3, gt=0, lt=1, description="share of the training consultations on the frontier fold")
    seed: int = Field(7, description="seed of the draw")
    exclude: tuple[str, ...] = Field((), description="consultation ids that earlier campaigns trained on")
    given: Path | None = Field(
        None,
        description="JSON with the lists training, acceptance and holdout (or OmissionBench's reflect, valid, test): "
        "used instead of a draw",
    )
    near_duplicates: Literal["error", "warn"] = Field("error", description="what a near-duplicate across splits does")

    @model_validator(mode="after")
    def _sums_to_one(self) -> SplitConfig:
        if abs(self.training + self.acceptance + self.holdout - 1) > 1e-6:
            raise ValueError("training + acceptance + holdout must be 1")
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out ``given`` where it is not used, so that seals from before it existed keep their digest."""
        found: dict[str, Any] = handler(self)
        if self.given is None:
            found.pop("given", None)
        return found
