"""GridConfig: which judges, on which notes, for how much."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from harness.config import DataConfig, JudgeConfig, ModelConfig, Settings, load_yaml, parse_config
from harness.errors import ConfigError
from harness.llm.client import Effort
from optimiser.config import BudgetConfig
from partitions.config import SplitConfig

Part = Literal["training", "acceptance"]
NAME = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"


class CellConfig(Settings):
    """One judge; it becomes one cell for each of its sample counts at each of its efforts."""

    name: str = Field(pattern=NAME, description="of the cell; -k<samples> and -<effort> are added where there are more")
    judge: JudgeConfig = JudgeConfig()
    blocks: Mapping[str, Path] = Field(default_factory=dict, description="the judge's texts: block -> seed file")
    samples: tuple[Annotated[int, Field(ge=1, le=64)], ...] = Field(
        (), description="sample counts to try; empty = the judge's own"
    )
    efforts: tuple[Effort, ...] = Field((), description="reasoning efforts to try; empty = the judge's own")
    levers: Mapping[str, str] = Field(
        default_factory=dict,
        description="labels of what sets this judge apart, e.g. {scope: faithful, format: score}; cells that differ in "
        "one label only are compared. Kind, samples and effort are labels already; they can be overridden here",
    )
    model: ModelConfig | None = Field(None, description="another model for this judge; None = the grid's")


class GridConfig(Settings):
    """One grid: cells, notes and a budget."""

    name: str = Field(pattern=NAME, description="names folder and MLflow runs")
    seed: int = Field(7, description="seed of resampling and of waiting between retries")
    data: DataConfig
    split: SplitConfig = SplitConfig()
    parts: tuple[Part, ...] = Field(
        ("acceptance",), min_length=1, description="parts of the sealed split to judge; never the holdout"
    )
    model: ModelConfig
    budget: BudgetConfig = BudgetConfig()
    replicates: int = Field(1, ge=1, le=9, description="times each flawed note is judged by each cell")
    clean_replicates: int = Field(1, ge=1, le=9, description="times each clean note is judged by each cell")
    turn: int = Field(1, ge=1, description="consultations that every cell judges before any goes on to the next")
    cap: float = Field(0.10, gt=0, lt=1, description="false-alarm rate at most")
    resamples: int = Field(10_000, ge=200, description="bootstrap resamples")
    baseline: str | None = Field(None, description="cell that the others are compared with; None = the first")
    cells: tuple[CellConfig, ...] = Field(min_length=1)

    @field_validator("parts", mode="before")
    @classmethod
    def _no_holdout(cls, value: Any) -> Any:
        wanted = [value] if isinstance(value, str) else value
        if isinstance(wanted, list | tuple) and "holdout" in wanted:
            raise ValueError(
                "a grid looks many times, and the holdout can be looked at once: use training or acceptance"
            )
        return wanted

    @model_validator(mode="after")
    def _hangs_together(self) -> GridConfig:
        if "floor" in self.budget.model_fields_set:
            raise ValueError("`budget.floor` counts proposals, and a grid makes none")
        if len(set(self.parts)) != len(self.parts):
            raise ValueError("`parts` names one part twice")
        return self


def load_grid(path: Path, data: Path | None = None) -> GridConfig:
    """Read a grid file. Paths in it are relative to it, and wherever a model stands, a YAML file of one may.

    ``data`` replaces the configured folder of the source. Raises ConfigError, naming the key.
    """
    raw = load_yaml(path)
    if not isinstance(raw, dict):
        raise ConfigError(f"reading {path}", "not a mapping", "Start from configs/grid.yaml.")
    _resolve_models(raw, path)
    cells = raw.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        blocks = cell.get("blocks") if isinstance(cell, dict) else None
        if isinstance(blocks, dict):
            cell["blocks"] = {name: _beside(path, block) for name, block in blocks.items()}
    split = raw.get("split")
    if isinstance(split, dict) and split.get("given"):
        split["given"] = _beside(path, split["given"])
    source = raw.get("data")
    if isinstance(source, dict) and data is not None:
        source["path"] = data.resolve()
    elif isinstance(source, dict) and source.get("path"):
        source["path"] = _beside(path, source["path"])
    return parse_config(GridConfig, raw, str(path))


def _resolve_models(raw: Any, path: Path) -> None:
    """Put the content of its file for every ``model: <path>``: the grid's, a cell's, a stage's."""
    if isinstance(raw, list):
        for member in raw:
            _resolve_models(member, path)
    if isinstance(raw, dict):
        named = raw.get("model")
        if isinstance(named, str) and "base_url" not in raw:  # else it is the name inside of a model's settings
            raw["model"] = load_yaml(path.parent / named)
        for key, member in raw.items():
            if key != "model":
                _resolve_models(member, path)


def _beside(path: Path, value: Any) -> Path:
    return (path.parent / str(value)).resolve()
