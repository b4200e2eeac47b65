"""One small campaign of a study: the real search and the real confirmation, in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from harness.config import JudgeConfig
from harness.judges.base import Judge
from harness.llm.client import Client
from harness.types import Candidate, PairSet
from optimiser.campaign import Lab, Result, run_campaign
from optimiser.config import CampaignConfig
from optimiser.confirm import Means, confirm
from optimiser.confirmation import Confirmation
from optimiser.records import FinishRow, Frozen, ProposalRow
from optimiser.workspace import Workspace
from partitions.seal import seal
from partitions.splits import Splits, open_splits

EPOCH = datetime.fromtimestamp(0, UTC)  # openings of a study are all dated alike: its lines depend on its seed alone


@dataclass(frozen=True)
class Trial:
    """A campaign before it runs. ``judge_for`` gives a candidate's judge under a judge configuration."""

    config: CampaignConfig
    pair_set: PairSet
    folder: Path
    judge_for: Callable[[Candidate, JudgeConfig], Judge]
    reflector: Client

    def search(self) -> Result:
        """Seal the split and run the campaign to its end."""
        lab = Lab(lambda candidate: self.judge_for(candidate, self.config.judge), self.reflector, simulated=True)
        return run_campaign(self.config, Workspace(self.folder), self.splits(), lab)

    def splits(self) -> Splits:
        """The sealed split, as the search sees it."""
        return open_splits(self._sealed("split"))

    def confirm(self, frozen: Frozen, question: str) -> Confirmation:
        """Confirm a winner on a holdout of its own: each ``question`` has a freshly sealed copy of the same split."""
        means = Means(
            judge_for=lambda record, judge: self.judge_for(record.candidate(), judge),
            concurrency=self.config.model.concurrency,
            seed=self.config.seed,
            keep=lambda _confirmation: None,
        )
        return confirm(frozen, self._sealed(question), self.config.confirm, means, EPOCH)

    def _sealed(self, name: str) -> Path:
        original, directory = self.folder / "sealed", self.folder / name
        if not original.exists():
            seal(self.pair_set, self.config.split, original)
        if not directory.exists():
            shutil.copytree(original, directory)
        return directory


def proposals(result: Result) -> tuple[ProposalRow, ...]:
    """The rows of all proposals of a finished campaign."""
    return tuple(row for row in result.rows if isinstance(row, ProposalRow))


def calls(result: Result) -> int:
    """Calls of the search."""
    return sum(row.spend.calls for row in result.rows if isinstance(row, FinishRow))


def seeds_of(study: int, number: int) -> tuple[int, int, int, int]:
    """Four independent seeds of campaign ``number``: of data, split, search and judge."""
    state = np.random.SeedSequence([study, number]).generate_state(4)
    return (int(state[0]), int(state[1]), int(state[2] % 1_000_000), int(state[3]))


def write_seed(folder: Path, text: str) -> Path:
    """A seed file with one block."""
    path = folder / "seed.md"
    path.write_text(f"---\nid: plain\n---\n{text}\n", encoding="utf-8")
    return path
