"""A run of a grid -> the Grid that is written, printed and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.scores import is_omission
from harness.stats.bootstrap import Resampling
from harness.stats.holm import holm
from harness.types import PairSet
from optimiser.grid.cells import Cell, baseline_of
from optimiser.grid.config import GridConfig
from optimiser.grid.levers import match_cells, read_lever
from optimiser.grid.reading import Seen, contrast, profile_of, read_cell, see_cell, unread_cell
from optimiser.grid.records import CellReading, Contrast, Grid, LeverReading
from optimiser.grid.run import Ending, GridRun
from optimiser.records import Spend
from partitions.manifest import Manifest

FLOOR = "lexical"  # the kind that asks no model


@dataclass(frozen=True, slots=True)
class Bill:
    """What was really bought: in all, and by cell id and stage in attempts."""

    spent: Spend
    by_cell: Mapping[str, Mapping[str, int]]


def assemble(
    config: GridConfig, cells: Sequence[Cell], run: GridRun, manifest: Manifest, ending: Ending, bill: Bill
) -> Grid:
    """Everything that is known of a grid, finished or not. Equal outcomes give equal figures."""
    common = run.common()
    known = {cell.id: run.outcomes(cell) for cell in cells}
    readings = tuple(unread_cell(cell, known[cell.id], len(run.tasks), bill.by_cell.get(cell.id, {})) for cell in cells)
    levers: tuple[LeverReading, ...] = ()
    if common.pairs:
        seen = [see_cell(cell, known[cell.id], common) for cell in cells]
        readings, levers = _figures(config, readings, seen, _floor(cells))
    answered = [outcome for outcomes in known.values() for outcome in outcomes]
    return Grid(
        name=config.name,
        simulated=any(o.simulated for o in answered) or any(cell.model.in_process for cell in cells),
        synthetic=manifest.simulated,
        clean_verified=manifest.clean_verified,
        manifest=manifest.digest,
        parts=config.parts,
        wanted_consultations=len({task.consultation.id for task in run.tasks}),
        consultations=len(common.consultations),
        pairs=len(common.pairs),
        clean_notes=_clean_notes(common),
        replicates=(config.clean_replicates, config.replicates),
        cap=config.cap,
        resamples=config.resamples,
        seed=config.seed,
        baseline=baseline_of(config, cells).name,
        floor=None if (floor := _floor(cells)) is None else floor.name,
        reason=ending.reason,
        detail=ending.detail,
        spent=bill.spent,
        config=config.model_dump(mode="json", exclude={"cells": True, "data": {"path"}}),
        cells=readings,
        levers=levers,
    )


def _figures(
    config: GridConfig, unread: Sequence[CellReading], seen: Sequence[Seen], floor: Cell | None
) -> tuple[tuple[CellReading, ...], tuple[LeverReading, ...]]:
    plan = Resampling(config.resamples)
    baseline = baseline_of(config, [one.cell for one in seen])
    by_id = {one.cell.id: one for one in seen}
    readings = [
        read_cell(cell, one, config.cap, _generator(config, one.cell, 0), plan)
        for cell, one in zip(unread, seen, strict=True)
    ]
    if is_omission(seen[0].table).any():
        against = [_against(one, by_id[baseline.id], _generator(config, one.cell, 1), plan) for one in seen]
        over = [
            None if floor is None else _against(one, by_id[floor.id], _generator(config, one.cell, 2), plan)
            for one in seen
        ]
        readings = [
            reading.model_copy(update={"against_baseline": base, "against_floor": low})
            for reading, base, low in zip(readings, _adjusted(against), over, strict=True)
        ]
    rng = np.random.default_rng([config.seed, 3])
    levers = tuple(read_lever(match, rng, plan) for match in match_cells([profile_of(one) for one in seen]))
    return tuple(readings), levers


def _against(one: Seen, other: Seen, rng: np.random.Generator, plan: Resampling) -> Contrast | None:
    return None if one.cell.id == other.cell.id else contrast(one, other, rng, plan)


def _adjusted(contrasts: Sequence[Contrast | None]) -> list[Contrast | None]:
    """Holm's adjustment over all comparisons with the baseline."""
    family = [one for one in contrasts if one is not None]
    adjusted = iter(holm([one.p for one in family]).tolist() if family else ())
    return [None if one is None else one.model_copy(update={"adjusted_p": next(adjusted)}) for one in contrasts]


def _generator(config: GridConfig, cell: Cell, question: int) -> np.random.Generator:
    """Seeded by the cell and not by its place, so that a new cell in the grid leaves the others' figures alone."""
    return np.random.default_rng([config.seed, question, int(cell.id, 16)])


def _floor(cells: Sequence[Cell]) -> Cell | None:
    return next((cell for cell in cells if cell.judge.kind == FLOOR), None)


def _clean_notes(pair_set: PairSet) -> int:
    return len({pair.clean.id for pair in pair_set.pairs})
