"""Open clients for all cells of a grid under one budget, each cell's calls told apart in the call log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.judges.base import Judge
from harness.judges.build import build_judge
from harness.llm.build import Account
from harness.llm.client import Client, Reply, Request, StageRouter
from harness.llm.store import Spent
from optimiser.grid.assemble import Bill
from optimiser.grid.cells import Cell
from optimiser.grid.config import GridConfig
from optimiser.laboratory import Clients, open_account
from optimiser.records import Spend

JUDGING = "judge"


@dataclass(frozen=True)
class GridLaboratory:
    """The judge of each cell, and what was really bought so far, over all processes of this account."""

    judges: Mapping[str, Judge]
    purse: Account

    def judge_for(self, cell: Cell) -> Judge:
        """The judge of a cell."""
        return self.judges[cell.id]

    @property
    def spent(self) -> Spent:
        """Attempts, tokens and dollars."""
        return self.purse.budget.spent

    @property
    def bill(self) -> Bill:
        """The same, with the attempts of each cell by stage."""
        by_cell: dict[str, dict[str, int]] = {}
        for role, calls in self.purse.store.calls_by_role(self.purse.campaign).items():
            cell, _, stage = role.partition(":")[2].partition("/")
            by_cell.setdefault(cell, {})[stage or JUDGING] = calls
        spent = self.spent
        return Bill(Spend(calls=spent.calls, tokens=spent.tokens, dollars=spent.dollars), by_cell)


@contextmanager
def open_grid(config: GridConfig, cells: Sequence[Cell], account: str, cache: Path) -> Iterator[GridLaboratory]:
    """Open the call store and one client for each model; every judge is built, so that a mistake costs nothing."""
    with open_account(config.budget, account, cache) as purse, ExitStack() as stack:
        clients = Clients(stack, purse, config.seed)
        judges = {
            cell.id: build_judge(cell.judge, cell.candidate, _labelled(clients.judging(cell.judge, cell.model), cell))
            for cell in cells
        }
        yield GridLaboratory(judges, purse)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Names the cell in the stage of each request: that is how the call log tells cells apart."""

    inner: Client
    cell: str

    def send(self, request: Request) -> Reply:
        return self.inner.send(replace(request, stage=f"{self.cell}/{request.stage}"))


def _labelled(client: Client, cell: Cell) -> Client:
    if isinstance(client, StageRouter):  # the label must not hide the stage from it
        by_stage = {stage: _Labelled(inner, cell.id) for stage, inner in client.by_stage.items()}
        return StageRouter(_Labelled(client.default, cell.id), by_stage)
    return _Labelled(client, cell.id)
