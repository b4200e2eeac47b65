from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from harness.llm.store import Spent
from harness.runs import NullStore, RunRecord
from optimiser.cli import live as module
from optimiser.cli.live import PACE, Live
from optimiser.ledger import read_ledger
from optimiser.projection import records_of
from optimiser.records import Row

ROWS = read_ledger(Path(__file__).parents[1] / "golden" / "reports" / "ledger.jsonl")


class Counting(NullStore):
    """Counts the writings of each key."""

    def __init__(self) -> None:
        super().__init__()
        self.writings: dict[str, int] = {}

    def log(self, record: RunRecord) -> None:
        super().log(record)
        self.writings[record.key] = self.writings.get(record.key, 0) + 1


def follow(rows: tuple[Row, ...], store: NullStore, then: BaseException | None = None) -> None:
    with Live(1, lambda: Spent(0, 0, None), store) as live:
        for length in range(1, len(rows) + 1):
            live.on_rows(rows[:length])
        if then is not None:
            raise then


def pass_seconds(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    ticks = count()
    monkeypatch.setattr(module.time, "monotonic", lambda: next(ticks) * step)


@pytest.mark.parametrize("seconds", [0.0, PACE / 2, PACE * 2])
def test_mlflow_holds_every_row_once_the_phase_is_over_however_fast_it_went(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    pass_seconds(monkeypatch, seconds)
    store = Counting()
    follow(ROWS, store)
    assert store.records == {record.key: record for record in records_of(ROWS)}


def test_a_slow_campaign_is_logged_row_by_row_and_a_replayed_one_twice_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = records_of(ROWS)[0].key
    slow, fast = Counting(), Counting()
    pass_seconds(monkeypatch, PACE * 2)
    follow(ROWS, slow)
    pass_seconds(monkeypatch, 0.0)
    follow(ROWS, fast)
    assert fast.writings[parent] <= 2 < slow.writings[parent]


def test_rows_are_logged_although_the_phase_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pass_seconds(monkeypatch, 0.0)
    store = NullStore()
    with pytest.raises(KeyboardInterrupt):
        follow(ROWS[:3], store, KeyboardInterrupt())
    assert store.records.keys() == {record.key for record in records_of(ROWS[:3])}
