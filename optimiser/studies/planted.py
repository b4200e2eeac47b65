"""The planted study: how often a gain that is really there is found, and confirmed, at given split sizes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.config import DataConfig, ModelConfig
from harness.types import Candidate, PairSet
from optimiser.config import AcceptanceConfig, CampaignConfig, ConfirmConfig, EngineConfig
from optimiser.records import ProposalRow
from optimiser.studies.latent import NOISY, STEADY, Perception, skill_after
from optimiser.studies.paper import PaperJudge, Scripted, block, paper_set, skill_of
from optimiser.studies.runner import run_jobs
from optimiser.studies.trial import Trial, calls, proposals, seeds_of, write_seed
from partitions.config import SplitConfig

NAME = "planted"
JUDGES: Mapping[str, Perception] = {"steady": STEADY, "noisy": NOISY}
Size = tuple[int, int, int]  # consultations for training, acceptance, holdout
PUBLISHED_SIZE: Size = (45, 20, 47)
DEMO_SIZE: Size = (72, 40, 48)
LARGE_SIZE: Size = (108, 60, 72)


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting: how large the splits are, how large the planted gain is, how steady the judge is.

    ``scored`` is how many times the search scores a flawed note (and a clean twin at least).
    """

    size: Size
    gain: float
    judge: str = "steady"
    scored: int = 1

    @property
    def key(self) -> str:
        """Names the cell."""
        times = f" x{self.scored}" if self.scored > 1 else ""
        return f"{self.judge} {'/'.join(map(str, self.size))} {self.gain:+.2f}{times}"


@dataclass(frozen=True, slots=True)
class PlantedStudy:
    """What is run in every cell. ``share`` is the chance that a proposal carries the gain."""

    campaigns: int = 100
    seed: int = 2027
    proposals: int = 6
    share: float = 0.5
    seed_skill: float = 0.3


@dataclass(frozen=True, slots=True)
class PlantedJob:
    """One campaign of a study."""

    study: PlantedStudy
    cell: Cell
    number: int


@dataclass(frozen=True, slots=True)
class PlantedLine:
    """What one campaign came to. ``found``: a block with the planted gain was frozen; ``confirmed``: found and
    improved; ``wrong``: improved without the gain; ``offered``, ``accepted``: blocks with the gain proposed, kept."""

    cell: str
    found: bool
    confirmed: bool
    wrong: bool
    offered: int
    accepted: int
    calls: int


def default_cells() -> tuple[Cell, ...]:
    """Four gains at three sizes with a steady judge, +0.10 and +0.15 with a noisy one; +0.10 also with more scoring."""
    sizes = (PUBLISHED_SIZE, DEMO_SIZE, LARGE_SIZE)
    steady = [Cell(size, gain) for size in sizes for gain in (0.02, 0.05, 0.10, 0.15)]
    noisy = [Cell(size, gain, "noisy") for size in sizes for gain in (0.10, 0.15)]
    more = [Cell(size, 0.10, judge, scored=3) for judge in JUDGES for size in sizes[:2]]
    return (*steady, *noisy, *more)


def run_planted(
    study: PlantedStudy,
    cells: Sequence[Cell],
    path: Path,
    workers: int,
    on_done: Callable[[str], None] = lambda _key: None,
) -> tuple[PlantedLine, ...]:
    """Run or resume the study; its lines stand in ``path``."""
    jobs = {
        f"{cell.key} {number:05d}": PlantedJob(study, cell, number)
        for number in range(study.campaigns)
        for cell in cells
    }
    header = {"kind": NAME} | {k: v for k, v in asdict(study).items() if k != "campaigns"}
    lines = run_jobs(planted_campaign, jobs, path, header, workers, on_done)
    return tuple(PlantedLine(**line) for line in lines.values())


def planted_campaign(job: PlantedJob) -> Mapping[str, Any]:
    """Run one campaign in a temporary folder."""
    better = skill_after(job.study.seed_skill, job.cell.gain, JUDGES[job.cell.judge])
    with tempfile.TemporaryDirectory() as folder:
        trial = _trial(job, Path(folder), better)
        result = trial.search()
        frozen = result.frozen
        assert frozen is not None
        verdict = "seed-kept" if frozen.seed_kept else trial.confirm(frozen, "split").verdict
        found = _is_better(frozen.winner.candidate(), job.study)
    offered = [row for row in proposals(result) if _offers(row, job.study)]
    line = PlantedLine(
        cell=job.cell.key,
        found=found,
        confirmed=found and verdict == "improved",
        wrong=not found and verdict == "improved",
        offered=len(offered),
        accepted=sum(row.status == "accepted" for row in offered),
        calls=calls(result),
    )
    return asdict(line)


def _is_better(candidate: Candidate, study: PlantedStudy) -> bool:
    return skill_of(candidate) > study.seed_skill + 1e-6


def _offers(row: ProposalRow, study: PlantedStudy) -> bool:
    return row.candidate is not None and _is_better(row.candidate.candidate(), study)


def _trial(job: PlantedJob, folder: Path, better: float) -> Trial:
    study, perception = job.study, JUDGES[job.cell.judge]
    cell_seed = sum(job.cell.size) * 1000 + round(job.cell.gain * 100)
    reflector, split, search, world = seeds_of(study.seed + cell_seed, job.number)
    model = ModelConfig(model=f"paper-{job.cell.judge}", base_url="simulated:", effort="none", concurrency=1)
    total = sum(job.cell.size)
    training, acceptance, holdout = (n / total for n in job.cell.size)
    config = CampaignConfig(
        name="planted",
        seed=search,
        data=DataConfig(source="synthetic", path=None),
        split=SplitConfig(training=training, acceptance=acceptance, holdout=holdout, seed=split),
        seeds=(write_seed(folder, block(study.seed_skill, 0)),),
        model=model,
        reflector=model,
        engine=EngineConfig(proposals=study.proposals, stall=study.proposals),
        acceptance=_scoring(job.cell.scored),
        confirm=ConfirmConfig(efforts=("none",), resamples=2000),
    )
    return Trial(
        config=config,
        pair_set=_pairs(total),
        folder=folder,
        judge_for=lambda candidate, _settings: PaperJudge(candidate, skill_of(candidate), perception, world),
        reflector=Scripted(study.seed_skill, better, study.share, reflector),
    )


def _scoring(times: int) -> AcceptanceConfig:
    plain = AcceptanceConfig()
    return AcceptanceConfig(
        clean_replicates=max(times, plain.clean_replicates),
        training_clean_replicates=max(times, plain.training_clean_replicates),
        flawed_replicates=times,
        training_flawed_replicates=times,
    )


@lru_cache(maxsize=4)
def _pairs(consultations: int) -> PairSet:
    return paper_set(consultations)
