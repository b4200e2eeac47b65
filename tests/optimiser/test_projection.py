from __future__ import annotations

import math
from pathlib import Path

import pytest

from harness.runs import NullStore, RunRecord
from harness.tracking import Store
from optimiser.confirmation import Confirmation, read_confirmation
from optimiser.history import History
from optimiser.ledger import read_ledger
from optimiser.projection import records_of, records_of_confirmation, sync
from optimiser.records import FinishRow, ProposalRow, Row, SeedRow, StartRow

GOLDEN = Path(__file__).parents[1] / "golden" / "reports"


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return read_ledger(GOLDEN / "ledger.jsonl")


@pytest.fixture(scope="module")
def confirmation() -> Confirmation:
    return read_confirmation(GOLDEN / "confirmation.json")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, rows: tuple[Row, ...], confirmation: Confirmation) -> Store:
    """A store that followed the campaign row by row and then saw its confirmation."""
    live = Store(tmp_path_factory.mktemp("mlruns"))
    for length in range(1, len(rows) + 1):
        sync(rows[:length], None, live)
    sync(rows, confirmation, live)
    return live


def everything(store: Store) -> dict[Path, bytes]:
    kept = {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file() and path.name != "mlflow.db"}
    return kept | {store.root / "mlflow.db": (store.root / "mlflow.db").read_bytes()}


def metrics(record: RunRecord) -> dict[str, float | None]:
    return {point.name: point.value for point in record.metrics}


def test_child_runs_are_the_seed_and_proposal_rows_rejected_and_invalid_included(
    store: Store, rows: tuple[Row, ...], confirmation: Confirmation
) -> None:
    parent = records_of(rows)[0].key
    numbers = [n for n, row in enumerate(rows, 1) if isinstance(row, SeedRow | ProposalRow)]
    readings = {record.key for record in records_of_confirmation(confirmation, parent)}
    children = store.children(parent)
    assert set(children) == {f"{parent}/row {n}" for n in numbers} | readings
    assert set(children.values()) == {"FINISHED"}


def test_every_text_reads_back_from_mlflow_byte_for_byte(store: Store, rows: tuple[Row, ...]) -> None:
    history = History.of(rows)
    for tried in history.tries:
        key = f"{history.key}/row {tried.row_number}"
        if tried.candidate is not None:
            assert store.read_text(key, "instruction/instruction.txt") == tried.candidate.blocks["instruction"]
        if isinstance(tried.row, ProposalRow):
            assert store.read_text(key, "reply.txt") == tried.row.reply


def test_syncing_again_adds_nothing(store: Store, rows: tuple[Row, ...], confirmation: Confirmation) -> None:
    before = everything(store)
    sync(rows, confirmation, Store(store.root))
    assert everything(store) == before


def test_following_a_campaign_live_and_syncing_it_at_the_end_give_the_same_records(
    rows: tuple[Row, ...], confirmation: Confirmation
) -> None:
    live, late = NullStore(), NullStore()
    for length in range(1, len(rows) + 1):
        sync(rows[:length], None, live)
    sync(rows, confirmation, live)
    sync(rows, confirmation, late)
    assert live.records == late.records


def test_points_once_logged_stay_as_the_ledger_grows(rows: tuple[Row, ...]) -> None:
    for record in records_of(rows[:6])[1:]:
        grown = next(r for r in records_of(rows) if r.key == record.key)
        assert set(record.metrics) <= set(grown.metrics)


def test_names_sort_in_the_order_of_the_search_and_tell_what_became_of_it(rows: tuple[Row, ...]) -> None:
    names = [record.name for record in records_of(rows) if record.tags["kind"] in ("mutation", "merge")]
    assert names == sorted(names)
    assert names[0] == "i0001-mutation-accepted"
    assert names[3] == "i0004-merge-accepted"


def test_a_child_carries_the_measures_the_decision_and_the_difference_to_its_parent(rows: tuple[Row, ...]) -> None:
    record = next(r for r in records_of(rows) if r.name == "i0001-mutation-accepted")
    row = rows[3]
    assert isinstance(row, ProposalRow)
    found = metrics(record)
    assert found["acceptance.paired_omissions"] == row.measured[1].paired_omissions
    assert found["acceptance.detection_rate"] == pytest.approx(22 / 48)
    assert (found["minibatch.before"], found["minibatch.after"]) == (row.before, row.after)
    assert found["evidence.parent_1.wealth"] == 11.4
    assert "+List every fact that the transcript establishes." in record.texts["diff/instruction.diff"]


def test_the_best_so_far_never_falls_and_ends_at_the_best_kept_score(rows: tuple[Row, ...]) -> None:
    curve = [p for p in records_of(rows)[0].metrics if p.name == "best.acceptance.paired"]
    values = [p.value for p in curve if p.value is not None]
    assert values == sorted(values)
    assert [p.step for p in curve] == [0, 1, 2, 3, 4, 5]
    assert values[-1] == 0.8125


def test_the_winner_is_marked_once_and_the_parent_names_it(rows: tuple[Row, ...]) -> None:
    parent, *children = records_of(rows)
    winners = [child for child in children if child.tags.get("winner") == "true"]
    assert [child.tags["candidate"] for child in winners] == [parent.tags["winner"]]
    assert not [child for child in records_of(rows[:8]) if child.tags.get("winner") == "true"]


def test_the_finish_reason_is_a_tag_and_decides_the_status(rows: tuple[Row, ...]) -> None:
    finish = rows[-1]
    assert isinstance(finish, FinishRow)

    def ended(reason: str) -> RunRecord:
        return records_of((*rows[:-1], finish.model_copy(update={"reason": reason})))[0]

    assert (ended("budget").status, ended("budget").tags["finish_reason"]) == ("FINISHED", "budget")
    assert ended("endpoint-failed").status == "FAILED"
    assert (records_of(rows[:5])[0].status, records_of(rows[:5])[0].tags["finish_reason"]) == ("RUNNING", "unfinished")
    paused = records_of(rows[:5], "interrupted")[0]
    assert (paused.status, paused.tags["finish_reason"]) == ("KILLED", "interrupted")


def test_campaigns_that_begin_differently_have_different_keys(rows: tuple[Row, ...]) -> None:
    start = rows[0]
    assert isinstance(start, StartRow)
    other = start.model_copy(update={"fingerprint": {**start.fingerprint, "manifest": "another"}})
    assert records_of(rows)[0].key != records_of((other,))[0].key


def test_long_settings_stay_out_of_the_parameters_and_in_the_configuration_file(rows: tuple[Row, ...]) -> None:
    start = rows[0]
    assert isinstance(start, StartRow)
    long = start.model_copy(update={"config": {"note": "x" * 7_000, "engine": {"kind": "gepa"}}})
    record = records_of((long,))[0]
    assert record.params == {"engine.kind": "gepa"}
    assert "x" * 7_000 in record.texts["config.json"]


def test_a_confirmation_has_one_run_per_rung_and_candidate(confirmation: Confirmation) -> None:
    records = records_of_confirmation(confirmation, "campaign")
    assert [record.name for record in records] == [
        "confirm-none-baseline",
        "confirm-none-winner",
        "confirm-low-baseline",
        "confirm-low-winner",
    ]
    numbers = metrics(records[1])
    assert numbers["holdout.omissions.worst_case.value"] == confirmation.rungs[0].winner.omissions.worst_case.value  # type: ignore[union-attr]  # the rung has a winner
    assert numbers["holdout.difference.omissions.low"] == 0.04
    assert "holdout.difference.omissions.low" not in metrics(records[0])
    assert all(value is not None and math.isfinite(value) for value in numbers.values())


def test_a_kept_seed_has_one_run_per_rung(confirmation: Confirmation) -> None:
    rungs = tuple(r.model_copy(update={"winner": None, "comparison": None}) for r in confirmation.rungs)
    kept = confirmation.model_copy(update={"rungs": rungs})
    assert [r.tags["role"] for r in records_of_confirmation(kept, "campaign")] == ["baseline"] * len(rungs)
