"""The folder of one campaign: what lies where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.config import DataConfig
from harness.data.build import Built, build_pair_set
from harness.data.pairs import FILE_NAME, write_pairs
from optimiser.records import FinishReason
from partitions.config import SplitConfig
from partitions.seal import seal
from partitions.splits import Splits, open_splits


class Divided(Protocol):
    """A configuration that says what to judge and how it is divided."""

    @property
    def data(self) -> DataConfig:
        """Where the pairs come from."""

    @property
    def split(self) -> SplitConfig:
        """How consultations are divided."""


@dataclass(frozen=True)
class Workspace:
    """Paths below a campaign's folder."""

    root: Path

    @property
    def dataset(self) -> Path:
        """The whole pair set, as built."""
        return self.root / FILE_NAME

    @property
    def split(self) -> Path:
        """The sealed split."""
        return self.root / "split"

    @property
    def ledger(self) -> Path:
        """Every row of the campaign."""
        return self.root / "ledger.jsonl"

    @property
    def journal(self) -> Path:
        """Every outcome and reflection reply."""
        return self.root / "journal.jsonl"

    @property
    def frozen(self) -> Path:
        """The frozen winner."""
        return self.root / "frozen.json"

    @property
    def confirmation(self) -> Path:
        """What the holdout said."""
        return self.root / "confirmation.json"

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.root / "report.html"

    @property
    def stop_file(self) -> Path:
        """The campaign stops before its next proposal when this file appears."""
        return self.root / "STOP"

    @property
    def status(self) -> Path:
        """How the last process ended."""
        return self.root / "status.json"

    def prepare(self, config: Divided) -> tuple[Splits, Built | None]:
        """Open the sealed split; where there is none, build data and seal first (else the second value is None)."""
        built = None
        if not (self.split / "manifest.json").exists():
            built = build_pair_set(config.data)
            write_pairs(built.pair_set, self.dataset)
            seal(built.pair_set, config.split, self.split)
        return open_splits(self.split), built


def paused_reason(workspace: Workspace) -> FinishReason | None:
    """Why the last process of a campaign paused; None where it did not, or where nothing says so."""
    status = read_status(workspace)
    return status["reason"] if status.get("paused") else None


def read_status(workspace: Workspace) -> dict[str, Any]:
    """What the last process of a campaign wrote down at its end; empty where there is nothing."""
    try:
        status: dict[str, Any] = json.loads(workspace.status.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return status
