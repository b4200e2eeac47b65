"""Many independent jobs over the cores, one JSON line each, resumable at any point."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

from harness.errors import ConfigError, DataError

Line = Mapping[str, Any]
Job = TypeVar("Job")


def run_jobs(
    work: Callable[[Job], Line],
    jobs: Mapping[str, Job],
    path: Path,
    header: Line,
    workers: int,
    on_done: Callable[[str], None] = lambda _key: None,
) -> dict[str, Line]:
    """Do every job that ``path`` holds no line of, append its line, and return all lines by key, in job order.

    ``work`` must be importable, since it runs in other processes; it gets everything from its job, so the lines are
    the same whatever the number of workers. ``header`` describes the study and is the file's first line: ConfigError
    where the file is another study's. A last line that a killed process left unfinished is dropped.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    found = _read(path, header)
    missing = {key: job for key, job in jobs.items() if key not in found}
    with path.open("a", encoding="utf-8", buffering=1) as stream:
        for key, line in _done(work, missing, workers):
            found[key] = line
            stream.write(json.dumps({"key": key, "line": line}, allow_nan=False) + "\n")
            on_done(key)
    return {key: found[key] for key in jobs}


def _done(work: Callable[[Job], Line], jobs: Mapping[str, Job], workers: int) -> Iterator[tuple[str, Line]]:
    if workers == 1 or len(jobs) < 2:
        yield from ((key, work(job)) for key, job in jobs.items())
        return
    # One thread of linear algebra per process: the processes already fill the cores.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, _leave_interrupts_to_the_parent) as pool:
        running = {pool.submit(work, job): key for key, job in jobs.items()}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read(path: Path, header: Line) -> dict[str, Line]:
    first = json.dumps({"study": header}, sort_keys=True)
    if not path.exists() or not path.read_bytes():
        path.write_text(first + "\n", encoding="utf-8")
        return {}
    text = path.read_text(encoding="utf-8")
    whole, _, rest = text.rpartition("\n")
    if rest:
        path.write_text(whole + "\n", encoding="utf-8")
    lines = whole.split("\n")
    if lines[0] != first:
        tried = f"resuming the study in {path}"
        raise ConfigError(tried, "lines of a study with other settings", "Use another folder, or the same settings.")
    try:
        records = [json.loads(line) for line in lines[1:]]
    except json.JSONDecodeError as error:
        raise DataError(
            f"reading {path}", f"a broken line ({error})", "Delete the line; its job is done again."
        ) from None
    return {record["key"]: record["line"] for record in records}
