"""CampaignConfig: composes data, split, model, judge, engine, acceptance, budget, confirmation and gate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from harness.config import DataConfig, JudgeConfig, ModelConfig, Settings, load_yaml, parse_config
from harness.errors import ConfigError
from harness.llm.client import Effort
from partitions.config import SplitConfig


class EngineConfig(Settings):
    """The search engine and its options."""

    kind: str = Field("gepa", description="member of the engine family")
    proposals: int = Field(20, ge=1, description="proposals at most")
    minibatch: int = Field(4, ge=2, description="consultations per minibatch")
    merge_every: int = Field(4, ge=0, description="try a merge at every n-th proposal; 0 = never")
    stall: int = Field(12, ge=1, description="stop after this many proposals without an accepted child")
    reflector_failures: int = Field(4, ge=1, description="stop after this many failed reflection calls in a row")
    max_block_chars: int = Field(6000, ge=200, description="a longer block is an invalid proposal")
    cases: int = Field(8, ge=1, description="failures shown to the reflection model at most")
    case_chars: int = Field(1200, ge=200, description="characters per shown failure at most")
    max_copied_words: int = Field(9, ge=4, description="a block with this many words in a row of a note is invalid")


class AcceptanceConfig(Settings):
    """The paired sequential test of a child against its parent."""

    alpha: float = Field(0.2, gt=0, lt=0.5, description="chance at most that an equal child is accepted")
    futility: float = Field(0.2, gt=0, lt=1, description="chance at most to drop early a child that gains `gain`")
    gain: float = Field(0.1, gt=0, le=1, description="gain in paired outcome that a child should not be dropped with")
    objective: Literal["omissions", "all"] = Field("omissions", description="the pairs that the search is about")
    clean_replicates: int = Field(3, ge=1, le=9, description="times a clean twin is scored on the acceptance split")
    training_clean_replicates: int = Field(2, ge=1, le=9, description="the same in a training test")
    flawed_replicates: int = Field(1, ge=1, le=9, description="times a flawed note is scored on the acceptance split")
    training_flawed_replicates: int = Field(1, ge=1, le=9, description="the same in a training test")
    freeze_alpha: float = Field(0.05, gt=0, lt=0.5, description="error rate of the simultaneous bound at freeze")
    cap: float = Field(0.10, gt=0, lt=1, description="false-alarm rate at most")


class NoiseConfig(Settings):
    """How the baseline's agreement with itself is measured before the search."""

    notes: int = Field(24, ge=0, description="clean and flawed notes of the reflection fold; 0 = not measured")
    replicates: int = Field(3, ge=2, le=9, description="times each of them is scored")


class PowerConfig(Settings):
    """What is assumed of two candidates before any judge call, to say which gain the splits can resolve.

    Defaults: two published comparisons on 48 pairs each, every note scored once, moved 23% and 48% of the pairs
    (variance of the difference 0.09 and 0.18) with a correlation of 0.55 and 0.39 inside consultations.
    """

    moved: float = Field(0.35, gt=0, le=1, description="share of pairs whose outcome differs; the rest tie")
    half: float = Field(0.84, ge=0, le=1, description="share of the moved pairs that move by half a step (to a tie)")
    correlation: float = Field(
        0.45,
        ge=0,
        le=1,
        description="of two differences of one consultation, its clean twin scored once; R scores divide it by R",
    )


class BudgetConfig(Settings):
    """Caps that are never exceeded; None = no cap. Counted for the campaign with all its resumes."""

    calls: int | None = Field(None, gt=0, description="model calls, retries included")
    tokens: int | None = Field(None, gt=0, description="prompt + completion tokens")
    dollars: float | None = Field(None, gt=0, description="US dollars; needs prices for every model")
    seconds: float | None = Field(None, gt=0, description="wall time of one process")
    floor: int = Field(3, ge=1, description="refuse to start when the caps buy fewer proposals than this")


class ConfirmConfig(Settings):
    """The one look at the holdout."""

    efforts: tuple[Effort | None, ...] = Field(("none", "low", "medium", "high"), description="the ladder")
    token_caps: tuple[int | None, ...] = Field((), description="completion token cap per rung; empty = the model's")
    replicates: tuple[int, ...] = Field((11, 22, 33), min_length=1, description="seeds, one full pass each")
    margin: float = Field(0.03, gt=0, lt=1, description="non-inferiority margin in paired discrimination")
    alpha: float = Field(0.05, gt=0, lt=0.5, description="two-sided error rate over the ladder (Holm)")
    resamples: int = Field(10_000, ge=200, description="bootstrap resamples")


class GateConfig(Settings):
    """What CI acts on."""

    require: Literal["improved", "non-inferior"] = Field("non-inferior", description="the least verdict that passes")
    fail_on_inconclusive: bool = Field(False, description="exit 2 instead of 0 when the evidence decides nothing")


class CampaignConfig(Settings):
    """One configured search with a budget."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="names folder and MLflow runs")
    seed: int = Field(7, description="seed of the search")
    data: DataConfig
    split: SplitConfig = SplitConfig()
    judge: JudgeConfig = JudgeConfig()
    target: str | tuple[str, ...] = Field("instruction", description="the block under search, or several of them")
    blocks: Mapping[str, Path] = Field(default_factory=dict, description="frozen blocks: name -> seed file")
    seeds: tuple[Path | Mapping[str, Path], ...] = Field(
        min_length=1, description="starting texts: a file, or target -> file for several targets; first = baseline"
    )
    model: ModelConfig
    reflector: ModelConfig
    engine: EngineConfig = EngineConfig()
    acceptance: AcceptanceConfig = AcceptanceConfig()
    noise: NoiseConfig = NoiseConfig()
    power: PowerConfig = PowerConfig()
    underpowered: bool = Field(
        False, description="run although acceptance cannot resolve `acceptance.gain`; the same as --underpowered"
    )
    budget: BudgetConfig = BudgetConfig()
    confirm: ConfirmConfig = ConfirmConfig()
    gate: GateConfig = GateConfig()

    @model_validator(mode="after")
    def _blocks_told_apart(self) -> CampaignConfig:
        targets = self.targets
        if not targets or len(set(targets)) != len(targets):
            raise ValueError("`target` needs one block name, or several different ones")
        both = sorted(set(targets) & set(self.blocks))
        if both:
            raise ValueError(f"block {both[0]!r} stands under `blocks` (frozen) and under `target` (searched)")
        for number, seed in enumerate(self.seeds, start=1):
            if not isinstance(seed, Mapping) and len(targets) > 1:
                raise ValueError(f"seed {number} is one file for {len(targets)} targets; write {{block: file}}")
            if isinstance(seed, Mapping) and set(seed) != set(targets):
                raise ValueError(f"seed {number} has blocks {sorted(seed)}, the targets are {sorted(targets)}")
        return self

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the blocks under search, in the configured order."""
        return (self.target,) if isinstance(self.target, str) else self.target

    @property
    def simulated(self) -> bool:
        """True where any model is the in-process simulated one."""
        stages = [stage.model for stage in self.judge.stages.values() if stage.model is not None]
        return any(model.in_process for model in (self.model, self.reflector, *stages))


def load_campaign(path: Path, data: Path | None = None) -> CampaignConfig:
    """Read a campaign file; a model (the judge's, a stage's, the reflector) may stand in a YAML file of its own.

    Such files, like all paths, are named relative to the campaign file.

    ``data`` replaces the configured folder of the source.
    """
    raw = load_yaml(path)
    if not isinstance(raw, dict):
        raise ConfigError(f"reading {path}", "not a mapping", "Start from one of the files in configs/.")
    for key in ("model", "reflector"):
        if isinstance(raw.get(key), str):
            raw[key] = load_yaml(path.parent / raw[key])
    judge = raw.get("judge")
    for stage in _values(judge.get("stages") if isinstance(judge, dict) else None):
        if isinstance(stage, dict) and isinstance(stage.get("model"), str):
            stage["model"] = load_yaml(path.parent / stage["model"])
    if isinstance(raw.get("seeds"), list):
        raw["seeds"] = [_files(path, seed) if isinstance(seed, dict) else _beside(path, seed) for seed in raw["seeds"]]
    if isinstance(raw.get("blocks"), dict):
        raw["blocks"] = _files(path, raw["blocks"])
    _place(raw.get("split"), "given", path)
    source = raw.get("data")
    if isinstance(source, dict) and data is not None:
        source["path"] = data.resolve()
    else:
        _place(source, "path", path)
    return parse_config(CampaignConfig, raw, str(path))


def _values(section: object) -> tuple[Any, ...]:
    return tuple(section.values()) if isinstance(section, dict) else ()


def _files(path: Path, files: dict[Any, Any]) -> dict[Any, Path]:
    return {name: _beside(path, file) for name, file in files.items()}


def _place(section: object, key: str, path: Path) -> None:
    """Read the path under a section's key as relative to the campaign file."""
    if isinstance(section, dict) and section.get(key):
        section[key] = _beside(path, section[key])


def _beside(path: Path, value: Any) -> Path:
    return (path.parent / str(value)).resolve()
