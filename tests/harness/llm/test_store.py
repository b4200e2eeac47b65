from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.llm.client import Reply
from harness.llm.store import NOT_SENT, Call, CallStore, Spent
from harness.outcomes import Usage

USAGE = Usage(1, 1, 10, 4, 3, 1, 0.25, 0.5)
REPLY = Reply("text é", "stop", USAGE, "m", {"model": "m"}, ({"token": "t", "logprob": -1.0},), True)
CALL = Call("c", "judge", "k", "d", status="200", charged_tokens=13, charged_dollars=0.25)


def test_a_stored_reply_comes_back_equal_but_for_the_body_that_its_key_stands_for(tmp_path: Path):
    store = CallStore(tmp_path / "deep" / "calls.sqlite")
    store.put("k", REPLY)
    assert store.get("k") == replace(REPLY, sent={})
    assert store.get("other") is None
    store.close()


def test_the_first_reply_under_a_key_stays(tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")
    store.put("k", REPLY)
    store.put("k", replace(REPLY, text="later"))
    stored = store.get("k")
    assert stored is not None
    assert stored.text == REPLY.text
    store.close()


def test_spending_adds_up_by_campaign_and_leaves_out_what_was_never_sent(tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")
    assert store.spent("c") == Spent(0, 0, None)
    store.record(CALL)
    store.record(replace(CALL, charged_dollars=None))
    store.record(replace(CALL, status=NOT_SENT))
    store.record(replace(CALL, campaign="other"))
    assert store.spent("c") == Spent(2, 26, 0.25)
    store.close()


def test_recording_with_a_row_overwrites_that_attempt(tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")
    row = store.record(replace(CALL, status="open", charged_tokens=900))
    assert store.spent("c").tokens == 900
    store.record(CALL, row)
    assert store.spent("c") == Spent(1, 13, 0.25)
    store.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path):
    path = tmp_path / "calls.sqlite"
    path.write_bytes(b"these bytes are no database, not by a long way" * 50)
    with pytest.raises(LedgerError, match=r"calls\.sqlite"):
        CallStore(path)
    assert path.read_bytes().startswith(b"these bytes")


def test_a_closed_store_says_so(tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")
    store.close()
    with pytest.raises(LedgerError, match="closed"):
        store.get("k")


def test_threads_share_one_store(tmp_path: Path):
    store = CallStore(tmp_path / "calls.sqlite")

    def work(number: int) -> None:
        for i in range(20):
            store.put(f"{number}-{i}", REPLY)
            store.record(CALL)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.spent("c").calls == 160
    assert all(store.get(f"{n}-{i}") is not None for n in range(8) for i in range(20))
    store.close()


WRITER = """
import sys
from pathlib import Path
from harness.llm.client import Reply
from harness.llm.store import Call, CallStore
from harness.outcomes import Usage

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = CallStore(path)
for i in range(count):
    store.put(f"{name}-{i}", Reply("text", "stop", Usage(1, 1)))
    store.record(Call("c", "judge", "k", "d", status="200"))
    if i == 20:
        print("under way", flush=True)
store.close()
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(count)], stdout=subprocess.PIPE)


def test_four_processes_that_create_and_fill_one_file_lose_nothing(tmp_path: Path):
    path = tmp_path / "calls.sqlite"
    workers = [writer(path, str(n), 25) for n in range(4)]
    for worker in workers:
        worker.communicate(timeout=60)
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    store = CallStore(path)
    assert store.spent("c").calls == 100
    assert all(store.get(f"{n}-{i}") is not None for n in range(4) for i in range(25))
    store.close()


def test_a_killed_writer_leaves_a_readable_file_with_all_it_finished(tmp_path: Path):
    path = tmp_path / "calls.sqlite"
    worker = writer(path, "k", 10**9)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"under way\n"
    worker.kill()
    worker.communicate(timeout=30)
    store = CallStore(path)
    assert store.spent("c").calls >= 20
    assert store.get("k-19") is not None
    store.put("after", REPLY)
    store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
