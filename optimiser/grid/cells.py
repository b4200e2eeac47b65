"""Entries of a grid x samples x efforts -> cells."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from harness.config import JudgeConfig, ModelConfig
from harness.errors import ConfigError
from harness.judges.build import blocks_of, envelope_of
from harness.types import Candidate, digest
from optimiser.candidates import load_candidate
from optimiser.grid.config import CellConfig, GridConfig

# How a model is talked to, not what it answers: a change makes no other cell.
MANNERS = frozenset({"concurrency", "requests_per_minute", "tokens_per_minute", "timeouts", "retries"})
DESIGN = "design"


@dataclass(frozen=True)
class Cell:
    """One judge with its settings, texts and model. ``levers`` are its labels, ``entry`` the name it came from."""

    name: str
    entry: str
    judge: JudgeConfig
    candidate: Candidate
    model: ModelConfig
    levers: Mapping[str, str]

    @cached_property
    def identity(self) -> Candidate:
        """The cell as what its outcomes are kept under: equal judge, texts, prompts and model, equal id."""
        settings = digest(
            {
                "judge": self.judge.model_dump(mode="json"),
                "envelope": envelope_of(self.judge),
                "model": self.model.model_dump(mode="json", exclude=set(MANNERS)),
            }
        )
        return Candidate(self.judge.kind, (*self.candidate.blocks, ("settings", settings)), origin=self.name)

    @property
    def id(self) -> str:
        """First 16 hex digits of the digest of the above."""
        return self.identity.id


def cells_of(config: GridConfig) -> tuple[Cell, ...]:
    """Every cell, in the configured order.

    Raises ConfigError for a seed or kind that does not fit, two cells with one name, with equal
    content or with equal levers, and a baseline that is no cell.
    """
    cells = tuple(cell for entry in config.cells for cell in _expanded(entry, config))
    for first, second in combinations(cells, 2):
        _require_apart(first, second)
    if config.baseline is not None and config.baseline not in {cell.name for cell in cells}:
        names = [cell.name for cell in cells]
        near = difflib.get_close_matches(config.baseline, names, n=1, cutoff=0.5)
        todo = f"Did you mean {near[0]!r}?" if near else f"Use one of {names}."
        raise ConfigError("choosing the baseline of the grid", f"no cell {config.baseline!r}", todo)
    return cells


def baseline_of(config: GridConfig, cells: Sequence[Cell]) -> Cell:
    """The cell that the others are compared with."""
    return next((cell for cell in cells if cell.name == config.baseline), cells[0])


def _expanded(entry: CellConfig, config: GridConfig) -> Iterator[Cell]:
    where = f"reading cell {entry.name!r} of the grid"
    wanted = set(blocks_of(entry.judge.kind))
    if wanted != set(entry.blocks):
        found = f"blocks {sorted(entry.blocks)}, and kind {entry.judge.kind!r} has {sorted(wanted)}"
        raise ConfigError(where, found, "Give a seed file for each block of the kind, and for no other.")
    candidate = load_candidate(entry.judge.kind, entry.blocks)
    model = entry.model or config.model
    for samples in entry.samples or (entry.judge.samples,):
        for effort in entry.efforts or (entry.judge.effort,):
            judge = entry.judge.model_copy(update={"samples": samples, "effort": effort})
            name = entry.name
            name += f"-k{samples}" if len(entry.samples) > 1 else ""
            name += f"-{effort}" if len(entry.efforts) > 1 else ""
            labels = {
                "kind": judge.kind,
                "samples": str(samples),
                "effort": effort or model.effort or "default",
                **({} if entry.levers else {DESIGN: entry.name}),
            }
            yield Cell(name, entry.name, judge, candidate, model, labels | dict(entry.levers))


def _require_apart(first: Cell, second: Cell) -> None:
    where = "reading the cells of the grid"
    if first.name == second.name:
        raise ConfigError(where, f"two cells named {first.name!r}", "Rename one of the entries.")
    if first.id == second.id:
        found = f"cells {first.name!r} and {second.name!r} are the same judge"
        raise ConfigError(where, found, "Remove one of them.")
    if first.levers == second.levers:
        found = f"cells {first.name!r} and {second.name!r} have equal levers {dict(first.levers)}"
        raise ConfigError(where, found, "Add to `levers` what sets them apart.")
