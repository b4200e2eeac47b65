from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import pytest

from harness.errors import BudgetExhausted, EndpointUnreachable
from harness.outcomes import Failure, Judgement, Outcome
from harness.types import Consultation, Note
from optimiser.grid.cells import Cell
from optimiser.grid.records import dump_grid
from optimiser.grid.report import grid_report
from partitions.splits import open_splits
from support.bench import chance
from support.grid_bench import CellJudge, GridBench

CELLS = ["plain-k1", "plain-k8", "check"]


def after(calls: int, what: Callable[[], None]) -> Callable[[], None]:
    """A function that calls ``what`` from the n-th call on."""
    left = [calls]

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            what()

    return count


def exhausted() -> None:
    raise BudgetExhausted("reserving one call", "the cap of 40 calls would be passed", "Raise the cap.")


def interrupted() -> None:
    raise KeyboardInterrupt


def breaking(bench: GridBench, calls: int, what: Callable[[], None]) -> Callable[[Cell], CellJudge]:
    before = after(calls, what)
    return lambda cell: CellJudge(cell, bench.asked, before)


def test_every_cell_judges_a_consultation_before_any_goes_on_to_the_next(grid_bench: GridBench) -> None:
    ending, grid = grid_bench.run()
    assert ending.reason == "completed"
    consultations = [key for key, _ in groupby(asked[1] for asked in grid_bench.asked)]
    assert len(consultations) == len(set(consultations)) == grid.consultations
    for _, group in groupby(grid_bench.asked, key=lambda asked: asked[1]):
        cells = [key for key, _ in groupby(asked[0] for asked in group)]
        assert cells == CELLS


def test_a_longer_turn_lets_a_cell_judge_several_consultations_on_end(grid_bench: GridBench) -> None:
    grid_bench.run(config=grid_bench.config(turn=3))
    first = [key for key, _ in groupby(asked[0] for asked in grid_bench.asked)][:4]
    assert first == [*CELLS, CELLS[0]]
    assert len({asked[1] for asked in grid_bench.asked[: 3 * 5]}) == 3


def test_no_note_of_the_holdout_is_judged(grid_bench: GridBench) -> None:
    manifest = open_splits(grid_bench.folder / "split").manifest
    grid_bench.run(config=grid_bench.config(parts=["training", "acceptance"]))
    judged = {asked[1] for asked in grid_bench.asked}
    allowed = {c for part in ("training", "acceptance") for c in manifest.splits[part].consultations}
    assert judged == allowed


def test_a_second_run_buys_nothing_and_finds_the_same(grid_bench: GridBench) -> None:
    _, first = grid_bench.run()
    bought = len(grid_bench.asked)
    _, again = grid_bench.run()
    assert len(grid_bench.asked) == bought
    assert dump_grid(again) == dump_grid(first)


@pytest.mark.parametrize(("what", "reason"), [(exhausted, "budget"), (interrupted, "interrupted")])
@pytest.mark.parametrize("calls", [0, 7, 40])
def test_a_stopped_grid_keeps_what_it_has_and_ends_as_an_unbroken_one(
    grid_bench: GridBench, calls: int, what: Callable[[], None], reason: str
) -> None:
    _, whole = grid_bench.run("whole")
    once = sorted(grid_bench.asked)
    grid_bench.asked.clear()
    ending, part = grid_bench.run("broken", judge_for=breaking(grid_bench, calls, what))
    assert ending.reason == part.reason == reason
    assert sum(cell.judged for cell in part.cells) == calls
    assert part.consultations <= calls // 15
    assert "NOT FINISHED" in grid_report(part).markdown
    _, done = grid_bench.run("broken")
    assert sorted(grid_bench.asked) == once
    assert [cell.model_dump() for cell in done.cells] == [cell.model_dump() for cell in whole.cells]


def test_figures_of_an_unfinished_grid_are_of_the_consultations_that_every_cell_judged(grid_bench: GridBench) -> None:
    _, part = grid_bench.run(judge_for=breaking(grid_bench, 2 * 15 + 8, exhausted))
    assert part.consultations == 2
    assert part.pairs == 8
    assert [cell.omissions.n for cell in part.cells if cell.omissions] == [6, 6, 6]
    assert [cell.judged for cell in part.cells] == [15, 13, 10]


def test_a_stop_file_and_the_cap_in_seconds_stop_before_the_next_turn(grid_bench: GridBench) -> None:
    stopped, _ = grid_bench.run("a", stop_wanted=lambda: len(grid_bench.asked) >= 5)
    assert (stopped.reason, len(grid_bench.asked)) == ("stop-file", 5)
    grid_bench.asked.clear()
    config = grid_bench.config(budget={"seconds": 3})
    timed, _ = grid_bench.run("b", config, clock=lambda: float(len(grid_bench.asked)))
    assert (timed.reason, len(grid_bench.asked)) == ("time", 5)


def test_a_new_cell_buys_only_itself_and_leaves_the_figures_of_the_others(grid_bench: GridBench) -> None:
    _, before = grid_bench.run()
    bought = len(grid_bench.asked)
    config = grid_bench.config()
    more = grid_bench.config(cells=[*config.model_dump()["cells"], grid_bench.entry("free")])
    _, after_ = grid_bench.run(config=more)
    assert {asked[0] for asked in grid_bench.asked[bought:]} == {"free"}
    for old, new in zip(before.cells, after_.cells, strict=False):
        assert new.model_copy(update={"against_baseline": old.against_baseline}) == old


class Down:
    """An endpoint that fails every call from the n-th on."""

    def __init__(self, cell: Cell, bench: GridBench, healthy: int) -> None:
        self._inner, self._bench, self._healthy = CellJudge(cell, bench.asked), bench, healthy

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        if len(self._bench.asked) >= self._healthy:
            return Failure(note.id, "x", replicate, "call-failed")
        return self._inner.judge(consultation, note, replicate)


def test_an_endpoint_that_goes_down_pauses_the_grid_and_leaves_no_failures(grid_bench: GridBench) -> None:
    ending, grid = grid_bench.run(judge_for=lambda cell: Down(cell, grid_bench, 20))
    assert ending.reason == "endpoint-failed"
    assert sum(cell.judged for cell in grid.cells) == 20
    assert not any("call-failed" in cell.failures for cell in grid.cells)


def test_an_endpoint_that_never_answers_is_a_mistake(grid_bench: GridBench) -> None:
    with pytest.raises(EndpointUnreachable):
        grid_bench.run(judge_for=lambda cell: Down(cell, grid_bench, 0))


def test_failures_are_counted_by_reason_and_never_scored(grid_bench: GridBench) -> None:
    class Silent(CellJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if note.defect and chance(note.id) < 0.5:
                return Failure(note.id, "x", replicate, "refusal")
            return Judgement(note.id, "x", replicate, 0.0 if note.defect else 9.0, bool(note.defect))

    _, grid = grid_bench.run(judge_for=lambda cell: Silent(cell, grid_bench.asked))
    first = grid.cells[0]
    lost = first.failures["refusal"]
    assert first.failures == {"refusal": lost}
    assert 0 < lost < first.judged
    assert first.omissions is not None
    assert first.commissions is not None
    assert first.own is not None
    assert first.omissions.losses + first.commissions.losses == lost
    assert first.own.detection.count == first.omissions.wins
    assert first.own.false_alarms.count == 0
