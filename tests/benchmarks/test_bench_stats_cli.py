"""Timings of `judgelab stats compare` on large tables; printed, never asserted."""

import contextlib
import csv
import io
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from optimiser.cli.stats import compare_

CLASSES = ("omit-complete", "omit-partial-weak", "omit-partial-strong", "add", "change")
PER_CONSULTATION = 2 * (1 + len(CLASSES))  # judgements of two candidates


def _write(path: Path, judgements: int, steps: float) -> Path:
    """Two candidates on clean notes and a flawed one of each class, scores rounded to ``steps``."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("candidate", "note_key", "consultation", "note_role", "pair_class", "score"))
        for name, drop in (("old", 0.3), ("new", 0.5)):
            for c in range(judgements // PER_CONSULTATION):
                base = rng.normal(8, 1)
                scores = np.round((base - drop * np.arange(6).clip(max=1) + rng.normal(size=6)) / steps) * steps
                writer.writerow((name, f"{c}|clean", c, "clean", "clean", scores[0]))
                rows = zip(CLASSES, scores[1:], strict=True)
                writer.writerows((name, f"{c}|{kind}", c, "errored", kind, score) for kind, score in rows)
    return path


def _seconds(path: Path) -> tuple[float, float]:
    wall, used = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        compare_(path, "old", "new", as_json=True)
    return time.perf_counter() - wall, time.process_time() - used


@pytest.mark.parametrize("steps", [1.0, 1e-6], ids=["whole scores", "continuous scores"])
def test_compare_grows_linearly_in_pairs(tmp_path: Path, steps: float) -> None:
    for judgements in (12_500, 25_000, 50_000, 100_000, 200_000):
        wall, used = _seconds(_write(tmp_path / f"{judgements}.csv", judgements, steps))
        print(f"\n{judgements} judgements, steps of {steps:g}: {wall:.2f} s, {used:.2f} s of processor")


def test_the_whole_command_on_a_hundred_thousand_judgements(tmp_path: Path) -> None:
    path = _write(tmp_path / "scores.csv", 100_000, 1.0)
    judgelab = [sys.executable, "-c", "from optimiser.cli import main; main()"]
    compare = ["stats", "compare", str(path), "--baseline", "old", "--candidate", "new", "--json"]
    for what, arguments in (("stats compare", compare), ("--help alone", ["--help"])):
        start = time.perf_counter()
        subprocess.run([*judgelab, *arguments], check=True, capture_output=True)
        print(f"\n{what}: {time.perf_counter() - start:.2f} s, the start of Python and all imports included")
