from __future__ import annotations

import dataclasses
import math
import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.errors import ConfigError, LabError, TrackingError
from harness.runs import NullStore, Point, RunRecord, Tracker
from harness.tracking import Store, metric_name

LONG = "An instruction. " * 440 + "The change is at the end.\r\nPatient: naïve, 38.5 °C\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store for the module: creating a database takes seconds. It opens beside an old file store."""
    root = tmp_path_factory.mktemp("with space") / "mlruns"
    (root / "0").mkdir(parents=True)
    (root / "0" / "meta.yaml").write_text("artifact_location: file:///gone\nexperiment_id: '0'\nname: Default\n")
    opened = Store(root)
    opened.log(RunRecord(key="open", name="open"))
    return opened


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(store.root / "mlflow.db") as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def points(store: Store, key: str) -> set[tuple[object, ...]]:
    return set(
        rows(
            store,
            "select m.key, m.value, m.step from metrics m join tags t on t.run_uuid = m.run_uuid "
            f"where t.key = 'judgelab.key' and t.value = '{key}'",
        )
    )


def latest(store: Store, key: str, name: str) -> object:
    found = rows(
        store,
        "select m.value from latest_metrics m join tags t on t.run_uuid = m.run_uuid "
        f"where t.key = 'judgelab.key' and t.value = '{key}' and m.key = '{name}'",
    )
    return found[0][0]


def size(store: Store) -> tuple[object, ...]:
    tables = ("runs", "metrics", "params", "tags", "latest_metrics")
    return tuple(rows(store, f"select count(*) from {table}")[0][0] for table in tables)


def test_a_store_opens_beside_an_old_file_store_and_leaves_it_alone(store: Store) -> None:
    assert [path.name for path in (store.root / "0").iterdir()] == ["meta.yaml"]
    assert (store.root / "mlflow.db").is_file()


def test_a_long_text_reads_back_byte_for_byte(store: Store) -> None:
    assert len(LONG) > 6_000
    store.log(RunRecord(key="text", name="text", texts={"instruction/main.txt": LONG}))
    assert store.read_text("text", "instruction/main.txt").encode() == LONG.encode()


@pytest.mark.parametrize("part", ["params", "tags"])
def test_a_value_that_mlflow_would_cut_is_refused(part: str) -> None:
    with pytest.raises(ConfigError, match="MLflow keeps"):
        RunRecord(**{"key": "cut", "name": "cut", part: {"prompt": LONG * 2}})  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("path", ["/etc/note.txt", "../note.txt"])
def test_an_artifact_outside_the_run_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match="artifact path"):
        RunRecord(key="path", name="path", texts={path: "x"})


def test_logging_a_record_twice_adds_nothing_in_the_same_store_and_in_a_new_one(store: Store) -> None:
    record = RunRecord(
        key="twice",
        name="twice",
        tags={"status": "accepted"},
        params={f"p{n}": str(n) for n in range(150)},
        metrics=(Point("curve", 0.5, 1), Point("curve", 0.6, 2)),
        images={"plots/a.png": b"\x89PNG"},
    )
    store.log(record)
    once = size(store)
    store.log(record)
    Store(store.root).log(record)
    assert size(store) == once


def test_a_later_record_of_the_same_key_adds_points_and_its_values_are_the_latest(store: Store) -> None:
    first = RunRecord(key="grows", name="grows", metrics=(Point("best", 0.5, 1), Point("n", 1)), status="RUNNING")
    store.log(first)
    later = (Point("best", 0.5, 1), Point("best", 0.4, 2), Point("n", 0.5))
    store.log(dataclasses.replace(first, metrics=later, status="FINISHED"))
    assert {p for p in points(store, "grows") if p[0] == "best"} == {("best", 0.5, 1), ("best", 0.4, 2)}
    assert (latest(store, "grows", "best"), latest(store, "grows", "n")) == (0.4, 0.5)


def test_two_stores_that_update_one_run_in_turn_both_leave_their_own_value_as_the_latest(store: Store) -> None:
    other = Store(store.root)
    for writer, value in ((store, 1.0), (other, 2.0), (store, 3.0), (store, 1.0), (other, 3.0), (store, 1.0)):
        writer.log(RunRecord(key="in turn", name="in turn", metrics=(Point("n", value),)))
        assert latest(store, "in turn", "n") == value


def test_numbers_that_do_not_exist_become_flags(store: Store) -> None:
    bad = (Point("auc", None), Point("a", math.nan), Point("b@x", math.inf, 3), Point("c", 0.25))
    store.log(RunRecord(key="flags", name="flags", metrics=bad))
    expected = {("auc_undefined", 1.0, 0), ("a_undefined", 1.0, 0), ("b_x_undefined", 1.0, 3), ("c", 0.25, 0)}
    assert points(store, "flags") == expected


def test_a_metric_name_keeps_what_mlflow_allows() -> None:
    assert metric_name("acceptance.paired omissions/a-b:c_1") == "acceptance.paired omissions/a-b:c_1"
    assert metric_name("detection@far=0.1(%)") == "detection_far_0.1___"


def test_a_changed_parameter_is_an_error_that_names_it(store: Store) -> None:
    store.log(RunRecord(key="param", name="param", params={"alpha": "0.1"}))
    with pytest.raises(TrackingError, match="alpha"):
        store.log(RunRecord(key="param", name="param", params={"alpha": "0.2"}))


def test_a_child_without_its_parent_is_an_error(store: Store) -> None:
    with pytest.raises(TrackingError, match="no such run"):
        store.log(RunRecord(key="orphan/row 1", name="orphan", parent_key="orphan"))


def test_threads_leave_exactly_their_own_runs_and_none_running(store: Store) -> None:
    store.log(RunRecord(key="threads", name="threads"))
    before = size(store)[0]
    records = [
        RunRecord(key=f"threads/row {n}", name="t", parent_key="threads", metrics=(Point("x", n),)) for n in range(9)
    ]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(store.log, records))
    assert store.children("threads") == {record.key: "FINISHED" for record in records}
    assert (before, size(store)[0]) == (before, before + len(records))  # type: ignore[operator]  # counts are integers
    assert rows(store, "select count(*) from runs where status = 'RUNNING'") == [(0,)]


def open_and_log(root: Path, number: int) -> None:
    Store(root).log(RunRecord(key=f"process {number}", name="process"))


def test_six_processes_can_open_a_new_store_at_once(store: Store, tmp_path: Path) -> None:
    # The fixture has imported mlflow, so forked workers start in no time and race for the new database.
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=open_and_log, args=(tmp_path, n)) for n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 6
    names = rows(Store(tmp_path), "select value from tags where key = 'judgelab.key'")
    assert sorted(names) == [(f"process {n}",) for n in range(6)]


def test_a_broken_database_is_an_error_in_three_parts(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_bytes(b"not a database, but long enough to be read as one" * 20)
    with pytest.raises(TrackingError, match="mlflow-sync"):
        Store(tmp_path).log(RunRecord(key="x", name="x"))


def test_a_champion_is_registered_once_for_a_text_and_the_alias_follows_the_last(store: Store) -> None:
    tags = {"simulated": "false", "campaign": "real"}
    versions = [store.register_champion("judge", text, tags) for text in ("one {{x}}", "two", "one {{x}}", LONG)]
    assert versions == [1, 2, 1, 3]
    assert rows(store, "select version from registered_model_aliases where alias = 'champion'") == [(3,)]


@pytest.mark.parametrize("tags", [{"simulated": "true"}, {}])
def test_a_simulated_champion_is_refused(store: Store, tags: dict[str, str]) -> None:
    with pytest.raises(LabError, match="real model"):
        store.register_champion("simulated-judge", "text", tags)
    assert rows(store, "select count(*) from registered_models where name = 'simulated-judge'") == [(0,)]


class Flaky:
    """Fails the first ``times`` calls, then writes to a memory store."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.inner = NullStore()

    def log(self, record: RunRecord) -> None:
        if self.left:
            self.left -= 1
            raise TrackingError("writing", "database is locked", "")
        self.inner.log(record)


@pytest.mark.parametrize(("failures", "missed", "warnings"), [(0, 0, 0), (2, 0, 0), (3, 1, 1), (4, 2, 1), (99, 3, 1)])
def test_a_tracker_retries_then_warns_once_and_never_raises(failures: int, missed: int, warnings: int) -> None:
    said: list[str] = []
    flaky = Flaky(failures)
    tracker = Tracker(flaky, said.append, wait=lambda seconds: None)
    for key in ("a", "b", "c"):
        tracker.log(RunRecord(key=key, name=key))
    assert (len(tracker.missed), len(said)) == (missed, warnings)
    assert all("mlflow-sync" in text for text in said)
    assert set(flaky.inner.records) | tracker.missed == {"a", "b", "c"}
