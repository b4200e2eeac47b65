"""The MLflow store: a projection that can be thrown away and built again. The only file that imports mlflow.

Runs are written with explicit ids, one record at a time, under a file lock, so threads and
processes can share a store. A record is found again by its key: writing it twice changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import math
import os
import re
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.errors import ConfigError, TrackingError
from harness.runs import RESYNC, RunRecord, RunStatus

EXPERIMENT = "judgelab"
KEY = "judgelab.key"
DIGEST = "judgelab.digest"
PARENT = "mlflow.parentRunId"
DESCRIPTION = "mlflow.note.content"
CHAMPION = "champion"

Points = dict[tuple[str, int], Any]  # the last MLflow metric of each (name, step)


def metric_name(raw: str) -> str:
    """``raw`` with every character that MLflow refuses in metric and parameter names replaced by an underscore.

    >>> metric_name("detection@far=0.1 (holdout)")
    'detection_far_0.1 _holdout_'
    """
    return re.sub(r"[^A-Za-z0-9_\-. :/]", "_", raw)


class Store:
    """An MLflow store in one folder: ``mlflow.db`` beside ``artifacts/``. Safe for threads and processes.

    Nothing is created before the first use. Raises ``TrackingError`` where MLflow or the disk fails.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if set(str(self.root)) & set("?#%"):
            raise ConfigError("opening the MLflow store", f"the folder {self.root}", "Use a path without ? # and %.")
        self._opened: tuple[Any, str] | None = None
        self._runs: dict[str, str] = {}
        self._left: dict[str, tuple[str, Points]] = {}

    @property
    def uri(self) -> str:
        """The tracking address, always absolute: a default would follow the working directory."""
        return f"sqlite:///{self.root / 'mlflow.db'}"

    def log(self, record: RunRecord) -> None:
        """Write a record, or update the run that has its key; nothing happens where they are equal."""
        with self._at_work(f"writing run {record.key!r} to MLflow") as client:
            run_id = self._find(client, record.key)
            if run_id is None:
                run_id = self._create(client, record)
            run = client.get_run(run_id)
            if run.data.tags.get(DIGEST) != record.digest:
                self._fill(client, run, record)

    def read_text(self, key: str, path: str) -> str:
        """The text artifact of a run, byte for byte as it was logged."""
        with self._at_work(f"reading {path!r} of run {key!r} from MLflow") as client:
            run_id = self._known(client, key)
            return Path(client.download_artifacts(run_id, path)).read_bytes().decode()

    def page(self) -> str:
        """Where MLflow shows the table of runs, below its own address (the front page shows traces, which are none)."""
        with self._at_work("opening the store"):
            return f"/#/experiments/{self._experiment}/runs"

    def children(self, key: str) -> dict[str, RunStatus]:
        """Key -> status of the runs nested in one run."""
        with self._at_work(f"reading the children of run {key!r} from MLflow") as client:
            run_id = self._known(client, key)
            runs = _search(client, self._experiment, f"tags.`{PARENT}` = '{run_id}'")
            return {run.data.tags[KEY]: run.info.status for run in runs}

    def register_champion(self, name: str, text: str, tags: Mapping[str, str]) -> int:
        """Put a confirmed text in the Prompt Registry under the alias ``champion``; return its version.

        The same text again gets no second version. ``tags`` must say ``simulated``: "false";
        a text that was chosen on simulated judgements is refused with a ConfigError.
        """
        if tags.get("simulated") != "false":
            raise ConfigError(
                f"registering the prompt {name!r}",
                f"simulated is {tags.get('simulated', 'not stated')!r}",
                "Register only what was confirmed with a real model.",
            )
        hashed = sha256(text.encode()).hexdigest()
        with self._at_work(f"registering the prompt {name!r}") as client:
            known = {p.tags.get("sha256"): int(p.version) for p in _prompt_versions(client, name)}
            version = known.get(hashed)
            if version is None:
                version = int(client.register_prompt(name, text, tags=dict(tags) | {"sha256": hashed}).version)
            client.set_prompt_alias(name, CHAMPION, version)
            return version

    @contextlib.contextmanager
    def _at_work(self, tried: str) -> Iterator[Any]:
        """The open client, alone in the store; what MLflow raises becomes a TrackingError."""
        with _translated(tried):
            self.root.mkdir(parents=True, exist_ok=True)
            with open(self.root / ".lock", "w") as lock, _quiet():
                fcntl.flock(lock, fcntl.LOCK_EX)
                if self._opened is None:
                    self._open()
                assert self._opened is not None
                yield self._opened[0]

    def _open(self) -> None:
        from mlflow.tracking import MlflowClient

        # MLflow retries a broken database for minutes; this says at once that it is one.
        with contextlib.closing(sqlite3.connect(self.root / "mlflow.db")) as database:
            database.execute("PRAGMA schema_version")
        client = MlflowClient(tracking_uri=self.uri, registry_uri=self.uri)
        experiment = client.get_experiment_by_name(EXPERIMENT)
        if experiment is None:
            made = client.create_experiment(EXPERIMENT, artifact_location=str(self.root / "artifacts"))
            experiment = client.get_experiment(made)
        self._opened = (client, experiment.experiment_id)
        for run in _search(client, experiment.experiment_id, f"tags.`{KEY}` != ''"):
            self._runs[run.data.tags[KEY]] = run.info.run_id

    @property
    def _experiment(self) -> str:
        assert self._opened is not None
        return self._opened[1]

    def _find(self, client: Any, key: str) -> str | None:
        if key not in self._runs:  # another process may have written it since
            for run in _search(client, self._experiment, f"tags.`{KEY}` = '{key}'"):
                self._runs[key] = run.info.run_id
        return self._runs.get(key)

    def _known(self, client: Any, key: str) -> str:
        run_id = self._find(client, key)
        if run_id is None:
            raise TrackingError(f"finding run {key!r} in MLflow", "no such run", RESYNC)
        return run_id

    def _create(self, client: Any, record: RunRecord) -> str:
        tags = {KEY: record.key}
        if record.parent_key is not None:
            tags[PARENT] = self._known(client, record.parent_key)
        run = client.create_run(self._experiment, record.started, tags, record.name)
        self._runs[record.key] = run.info.run_id
        return self._runs[record.key]

    def _fill(self, client: Any, run: Any, record: RunRecord) -> None:
        from mlflow.entities import Param, RunTag

        run_id = run.info.run_id
        points = self._points(client, run)
        params = {metric_name(name): value for name, value in record.params.items()}
        changed = [k for k, v in run.data.params.items() if params.get(k, v) != v]
        if changed:
            todo = f"Delete run {run_id} in MLflow and sync again."
            raise TrackingError(f"updating run {record.key!r}", f"other values of parameters {changed[:3]}", todo)
        tags = {**record.tags, **({DESCRIPTION: record.description} if record.description else {})}
        client.log_batch(
            run_id,
            metrics=_new_points(points, run.info.start_time, record),
            params=[Param(name, value) for name, value in params.items() if name not in run.data.params],
            tags=[RunTag(name, value) for name, value in tags.items()],
        )
        if record.texts or record.images:
            with tempfile.TemporaryDirectory() as folder:
                _write_files(record, Path(folder))
                client.log_artifacts(run_id, folder)
        if record.status == "RUNNING":
            client.update_run(run_id, status="RUNNING")
        else:
            client.set_terminated(run_id, record.status, record.ended)
        client.set_tag(run_id, DIGEST, record.digest)  # last: a run without it is written again
        self._left[run_id] = (record.digest, points)

    def _points(self, client: Any, run: Any) -> Points:
        """The run's points: as this store left them, or read where another has written since, which is slow."""
        digest, points = self._left.pop(run.info.run_id, ("", {}))
        return points if digest == run.data.tags.get(DIGEST) else _stored_points(client, run)


def _search(client: Any, experiment: str, condition: str) -> Iterator[Any]:
    token: str | None = None
    while True:
        page = client.search_runs([experiment], condition, page_token=token)
        yield from page
        token = page.token
        if not token:
            return


def _prompt_versions(client: Any, name: str) -> list[Any]:
    return list(client.search_prompt_versions(name)) if client.get_prompt(name) is not None else []


def _stored_points(client: Any, run: Any) -> Points:
    history = (m for name in run.data.metrics for m in client.get_metric_history(run.info.run_id, name))
    return {(m.key, m.step): m for m in sorted(history, key=lambda m: m.timestamp)}


def _new_points(points: Points, started: int, record: RunRecord) -> list[Any]:
    """Add the record's metrics to ``points``; those to write: MLflow shows the latest (step, time) of a name."""
    from mlflow.entities import Metric

    before = dict(points)
    for point in record.metrics:
        name, value = metric_name(point.name), point.value
        if value is None or not math.isfinite(value):
            name, value = f"{name}_undefined", 1.0
        last = points.get((name, point.step))
        if last is None or last.value != value:
            when = started if last is None else last.timestamp + 1
            points[name, point.step] = Metric(name, value, when, point.step)
    return [metric for place, metric in points.items() if before.get(place) is not metric]


def _write_files(record: RunRecord, folder: Path) -> None:
    contents = dict(record.images) | {path: text.encode() for path, text in record.texts.items()}
    for path, data in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


@contextlib.contextmanager
def _translated(tried: str) -> Iterator[None]:
    """Turn what MLflow, its database layers and the disk raise into a TrackingError."""
    # Set before the first import of mlflow, which otherwise fetches price lists, reports usage and draws bars.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    from alembic.util.exc import CommandError
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, CommandError, sqlite3.Error, OSError) as error:
        raise TrackingError(tried, str(error).partition("\n")[0], RESYNC) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No migration chatter, and none of the deprecations that MLflow causes in its own libraries."""
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
