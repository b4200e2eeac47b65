from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from harness.errors import ConfigError, DataError
from optimiser.studies.coverage import CoverageJob, CoverageStudy, coverage_chunk
from optimiser.studies.runner import run_jobs

JOBS = {f"j{i}": i for i in range(6)}
HEADER = {"kind": "squares"}


class Squares:
    """Squares a number and remembers that it did."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, job: int) -> dict[str, int]:
        self.asked.append(job)
        return {"square": job * job}


def test_lines_come_back_in_job_order_whatever_was_done_first(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    run_jobs(Squares(), {"j4": 4, "j2": 2}, path, HEADER, 1)
    found = run_jobs(Squares(), JOBS, path, HEADER, 1)
    assert list(found) == list(JOBS)
    assert [line["square"] for line in found.values()] == [0, 1, 4, 9, 16, 25]


def test_a_rerun_does_only_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    run_jobs(Squares(), {"j0": 0, "j1": 1}, path, HEADER, 1)
    second, third = Squares(), Squares()
    done: list[str] = []
    run_jobs(second, JOBS, path, HEADER, 1, done.append)
    assert second.asked == [2, 3, 4, 5]
    assert done == ["j2", "j3", "j4", "j5"]
    before = path.read_bytes()
    run_jobs(third, JOBS, path, HEADER, 1)
    assert third.asked == []
    assert path.read_bytes() == before


def test_a_line_that_a_killed_process_left_unfinished_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    run_jobs(Squares(), JOBS, path, HEADER, 1)
    whole = path.read_text()
    path.write_text(whole[:-9])
    again = Squares()
    run_jobs(again, JOBS, path, HEADER, 1)
    assert again.asked == [5]
    assert path.read_text() == whole


def test_an_error_in_one_job_keeps_the_lines_before_it(tmp_path: Path) -> None:
    path, jobs = tmp_path / "lines.jsonl", {"a": 1, "b": 0, "c": 2}
    with pytest.raises(ZeroDivisionError):
        run_jobs(lambda job: {"value": 1 // job}, jobs, path, HEADER, 1)
    assert [json.loads(line).get("key") for line in path.read_text().splitlines()] == [None, "a"]


def test_lines_of_another_study_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    run_jobs(Squares(), JOBS, path, HEADER, 1)
    with pytest.raises(ConfigError, match="other settings"):
        run_jobs(Squares(), JOBS, path, {"kind": "cubes"}, 1)


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    run_jobs(Squares(), JOBS, path, HEADER, 1)
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:-3]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="a broken line"):
        run_jobs(Squares(), JOBS, path, HEADER, 1)


def test_lines_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    study = CoverageStudy(chunk=3)
    jobs = {str(n): CoverageJob(study, "rate of independent trials, Wilson", 20, n) for n in range(3)}
    one, two = (run_jobs(coverage_chunk, jobs, tmp_path / f"{n}.jsonl", asdict(study), n) for n in (1, 2))
    assert one == two
