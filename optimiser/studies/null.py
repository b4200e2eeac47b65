"""The null study: campaigns on a judge that ignores its instruction. Every "improved" is a false one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.config import DataConfig, JudgeConfig, ModelConfig
from harness.data.build import build_pair_set
from harness.judges.build import build_judge
from harness.llm.simulated.direct import DirectClient
from harness.types import Candidate
from optimiser.config import AcceptanceConfig, CampaignConfig, ConfirmConfig, EngineConfig
from optimiser.records import CandidateRecord, Frozen
from optimiser.studies.naive import Pick, detects_more, improved, pick
from optimiser.studies.runner import run_jobs
from optimiser.studies.trial import Trial, calls, proposals, seeds_of, write_seed
from partitions.config import SplitConfig

SEED_TEXT = "Score how faithful and complete the note is."
NAME = "null"


@dataclass(frozen=True, slots=True)
class NullStudy:
    """What is run: small campaigns, so that a thousand fit into minutes."""

    campaigns: int = 1000
    seed: int = 2026
    training: int = 20
    acceptance: int = 12
    holdout: int = 16
    pairs: int = 3
    proposals: int = 6

    @property
    def consultations(self) -> int:
        """Of all three splits."""
        return self.training + self.acceptance + self.holdout


@dataclass(frozen=True, slots=True)
class NullJob:
    """One campaign of a study."""

    study: NullStudy
    number: int


@dataclass(frozen=True, slots=True)
class NullLine:
    """What one campaign came to.

    ``verdict`` is the campaign's own. ``forced_*`` is the confirmation of the best-looking rival, which the campaign
    itself may have refused; None where no proposal was valid. Gains are paired discrimination of omissions.
    """

    verdict: str
    frozen: bool
    children: int
    accepted: int
    calls: int
    naive_improved: bool = False
    naive_detects_more: bool = False
    naive_gain: float | None = None
    forced_verdict: str | None = None
    forced_difference: float | None = None
    forced_low: float | None = None
    forced_high: float | None = None
    forced_p: float | None = None


def run_null(
    study: NullStudy, path: Path, workers: int, on_done: Callable[[str], None] = lambda _key: None
) -> tuple[NullLine, ...]:
    """Run or resume the study; its lines stand in ``path``."""
    jobs = {f"{number:06d}": NullJob(study, number) for number in range(study.campaigns)}
    header = {"kind": NAME} | {k: v for k, v in asdict(study).items() if k != "campaigns"}  # more may be added later
    lines = run_jobs(null_campaign, jobs, path, header, workers, on_done)
    return tuple(NullLine(**line) for line in lines.values())


def null_campaign(job: NullJob) -> Mapping[str, Any]:
    """Run one campaign in a temporary folder, by its own rules and by the naive rule."""
    with tempfile.TemporaryDirectory() as folder:
        trial = _trial(job, Path(folder))
        result = trial.search()
        assert result.frozen is not None
        verdict = "seed-kept" if result.frozen.seed_kept else trial.confirm(result.frozen, "split").verdict
        children = {row.candidate.id: row.candidate for row in proposals(result) if row.candidate is not None}
        line = NullLine(
            verdict=verdict,
            frozen=not result.frozen.seed_kept,
            children=len(children),
            accepted=sum(row.status == "accepted" for row in proposals(result)),
            calls=calls(result),
        )
        if not children:
            return asdict(line)
        found = _pick(trial, result.frozen, [record.candidate() for record in children.values()])
        return asdict(line) | _forced(trial, result.frozen, found)


def _trial(job: NullJob, folder: Path) -> Trial:
    study = job.study
    data, split, search, judge = seeds_of(study.seed, job.number)
    total = study.consultations
    config = CampaignConfig(
        name=f"null-{job.number:06d}",
        seed=search,
        data=DataConfig(
            source="synthetic", consultations=total, pairs_per_consultation=study.pairs, seed=data, path=None
        ),
        split=SplitConfig(
            training=study.training / total,
            acceptance=study.acceptance / total,
            holdout=study.holdout / total,
            seed=split,
            near_duplicates="warn",
        ),
        judge=JudgeConfig(seed=judge % 10_000),
        seeds=(write_seed(folder, SEED_TEXT),),
        model=_model("sim-null"),
        reflector=_model("sim-reflector"),
        engine=EngineConfig(proposals=study.proposals, stall=study.proposals),
        acceptance=AcceptanceConfig(),
        confirm=ConfirmConfig(efforts=("none",), replicates=(11,), resamples=2000),
    )
    client = DirectClient(config.model)
    return Trial(
        config=config,
        pair_set=build_pair_set(config.data).pair_set,
        folder=folder,
        judge_for=lambda candidate, settings: build_judge(settings, candidate, client),
        reflector=DirectClient(config.reflector),
    )


def _model(name: str) -> ModelConfig:
    return ModelConfig(model=name, base_url="simulated:", effort="none", concurrency=1)


def _pick(trial: Trial, frozen: Frozen, rivals: list[Candidate]) -> Pick:
    def judge_for(candidate: Candidate) -> Any:
        return trial.judge_for(candidate, trial.config.judge)

    return pick(frozen.baseline.candidate(), rivals, judge_for, trial.splits().acceptance)


def _forced(trial: Trial, frozen: Frozen, found: Pick) -> dict[str, Any]:
    record = CandidateRecord.of(found.rival)
    confirmation = trial.confirm(frozen.model_copy(update={"winner": record, "seed_kept": False}), "forced")
    comparison = confirmation.primary.comparison
    assert comparison is not None
    return {
        "naive_improved": improved(found, confirmation),
        "naive_detects_more": detects_more(found, confirmation),
        "naive_gain": found.gain,
        "forced_verdict": confirmation.verdict,
        "forced_difference": comparison.omissions.value,
        "forced_low": comparison.omissions.low,
        "forced_high": comparison.omissions.high,
        "forced_p": comparison.primary.adjusted_p,
    }
