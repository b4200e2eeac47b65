"""The demo campaign, bought and then served from the cache. Reported, not asserted (but for what it buys)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

DEMO = Path(__file__).parents[2] / "configs/demo.yaml"


def run(folder: Path, out: str) -> tuple[float, int]:
    program = "from optimiser.cli import main; main()"
    command = [sys.executable, "-c", program, "run", str(DEMO), "--out", out, "--cache", "cache.sqlite", "--json"]
    began = time.perf_counter()
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - began, json.loads(ended.stdout)["bought"]["calls"]


def test_a_cached_rerun_of_the_demo_campaign_buys_nothing(tmp_path: Path) -> None:
    bought, calls = run(tmp_path, "first")
    cached, calls_again = run(tmp_path, "second")
    print(
        f"\ndemo campaign: {bought:.1f} s for {calls} calls; served from the cache: {cached:.1f} s, {calls_again} calls"
    )
    assert calls_again == 0
