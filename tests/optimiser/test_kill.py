"""kill -9 of the real program, at five points of a campaign, and the ledger it ends with."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from harness.llm.store import CallStore

ROOT = Path(__file__).parents[2]
CONFIG = f"""
name: killed
data: {{source: synthetic, consultations: 30}}
underpowered: true
seeds: [{ROOT / "seeds/score/bare.md"}]
model: {{model: sim-judge, base_url: "simulated:", effort: none, concurrency: 4}}
reflector: {{model: sim-reflector, base_url: "simulated:", max_tokens: 4000}}
engine: {{proposals: 5, minibatch: 3, stall: 9}}
"""


def start(folder: Path, out: str) -> subprocess.Popen[bytes]:
    program = "from optimiser.cli import main; main()"
    command = [sys.executable, "-c", program, "run", "c.yaml", "--out", out, "--mlflow", "-"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_after_kill_9_at_five_points_the_ledger_is_that_of_an_uninterrupted_campaign(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(CONFIG)
    assert start(tmp_path, "a/whole").wait(120) == 0
    whole = lines(tmp_path / "a/whole/journal.jsonl")
    journal = tmp_path / "b/killed/journal.jsonl"
    for point in range(1, 6):
        process = start(tmp_path, "b/killed")
        deadline = time.monotonic() + 60
        while lines(journal) < whole * point / 6 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL, "the campaign ended before it could be killed"
    assert start(tmp_path, "b/killed").wait(120) == 0
    assert (tmp_path / "b/killed/ledger.jsonl").read_bytes() == (tmp_path / "a/whole/ledger.jsonl").read_bytes()
    in_flight = 5 * 4  # what the killed processes had sent and not yet stored, at most
    assert 0 <= bought(tmp_path / "b/killed") - bought(tmp_path / "a/whole") <= in_flight


def bought(campaign: Path) -> int:
    store = CallStore(campaign.parent / "cache.sqlite")
    calls = store.spent(f"killed@{campaign.resolve()}").calls
    store.close()
    return calls
