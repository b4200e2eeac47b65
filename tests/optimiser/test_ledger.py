from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import LedgerError
from harness.types import Candidate
from optimiser.ledger import Ledger, read_ledger
from optimiser.records import CandidateRecord, FinishRow, ProposalRow, Row, SeedRow, Spend, StartRow

ROOT = Path(__file__).parents[2]


def proposal(number: int, reply: str = "a reply", reason: str = "no gain on the minibatch") -> ProposalRow:
    return ProposalRow(
        iteration=number,
        kind="mutation",
        status="rejected",
        reason=reason,
        candidate=CandidateRecord.of(Candidate("score", (("instruction", f"block {number} {reply or '-'}"),))),
        parents=("0" * 16,),
        reply=reply,
        minibatch=("c1", "c2"),
        evidence={"p": {"wealth": 1.25, "state": "continue"}},
        spend=Spend(calls=number, tokens=10 * number, dollars=None),
    )


texts = st.text(max_size=30)
rows = st.one_of(
    st.builds(proposal, st.integers(1, 99), texts.filter(str.strip), texts),
    st.builds(
        StartRow,
        campaign=texts,
        simulated=st.booleans(),
        clean_verified=st.booleans(),
        fingerprint=st.dictionaries(texts, texts, max_size=3),
        config=st.dictionaries(texts, st.one_of(st.none(), st.integers(), texts), max_size=3),
        splits=st.just({"training": {"pairs": 3}}),
    ),
    st.builds(
        FinishRow,
        reason=st.sampled_from(["completed", "stalled", "budget"]),
        proposals=st.integers(0, 9),
        accepted=st.just(0),
        rejected=st.just(0),
        invalid=st.just(0),
        spend=st.builds(Spend, calls=st.integers(0, 10**9), dollars=st.one_of(st.none(), st.floats(0, 1e6))),
    ),
)


@given(st.lists(rows, max_size=6))
@settings(max_examples=60, deadline=None)
def test_what_was_appended_reads_back_and_every_append_leaves_the_earlier_bytes_alone(appended: list[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        ledger, before = Ledger(path), b""
        for row in appended:
            ledger.append(row)
            after = path.read_bytes()
            assert after.startswith(before)
            assert after.count(b"\n") == before.count(b"\n") + 1
            before = after
        assert tuple(ledger.rows) == tuple(appended)
        assert not appended or read_ledger(path) == tuple(appended)


@given(st.lists(rows, min_size=1, max_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_cut_at_any_byte_and_replayed_the_ledger_is_the_uninterrupted_one(
    appended: list[Row], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        ledger = Ledger(path)
        for row in appended:
            ledger.append(row)
        whole, digest = path.read_bytes(), ledger.digest()
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        again = Ledger(path)
        for row in appended:
            again.append(row)
        assert path.read_bytes() == whole
        assert again.digest() == digest


def test_a_row_that_differs_from_the_recorded_one_is_refused_and_the_keys_are_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger(path)
    for number in (1, 2):
        first.append(proposal(number))
    before = path.read_bytes()
    again = Ledger(path)
    again.append(proposal(1))
    with pytest.raises(LedgerError, match=r"row 2 .*reason: .*no gain.* -> .*another") as caught:
        again.append(proposal(2, reason="another"))
    assert "spend" not in caught.value.found
    assert path.read_bytes() == before


def test_replaying_lasts_until_the_last_recorded_row(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger(path)
    assert not first.replaying
    for number in (1, 2):
        first.append(proposal(number))
    again = Ledger(path)
    states = []
    for number in (1, 2, 3):
        states.append(again.replaying)
        again.append(proposal(number))
    assert states == [True, True, False]


def test_reading_changes_no_byte_even_where_the_last_row_is_torn(tmp_path: Path) -> None:
    """A torn row may be one that a running campaign is just writing: a report must not cut it off."""
    path = tmp_path / "ledger.jsonl"
    Ledger(path).append(proposal(1))
    path.write_bytes(path.read_bytes() + b'{"type": "proposal", "itera')
    before = path.read_bytes()
    assert read_ledger(path) == (proposal(1),)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:-20],  # no JSON any more
        lambda line: line.replace(b'"iteration":1', b'"iteration":"one"'),
        lambda line: line.replace(b'"type":"proposal"', b'"type":"rumour"'),
        lambda line: line.replace(b"a reply", b"a \xff reply"),
    ],
)
def test_a_damaged_row_is_an_error_that_names_the_file(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    for number in (1, 2):
        ledger.append(proposal(number))
    first, second = path.read_bytes().splitlines()
    assert damage(first) != first
    path.write_bytes(damage(first) + b"\n" + second + b"\n")
    with pytest.raises(LedgerError, match=r"ledger\.jsonl"):
        read_ledger(path)


def test_no_ledger_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no file"):
        read_ledger(tmp_path / "ledger.jsonl")


def test_a_place_that_cannot_be_written_is_an_error_that_keeps_what_was_there(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    ledger = Ledger(blocked / "ledger.jsonl")
    with pytest.raises(LedgerError, match="writing row 1"):
        ledger.append(proposal(1))
    assert ledger.rows == []
    assert blocked.read_text() == "in the way"


FULL_DISK = """
import sys
from pathlib import Path
from harness.errors import LedgerError
from optimiser.ledger import Ledger
from test_ledger import proposal
ledger = Ledger(Path(sys.argv[1]))
try:
    for number in range(1, 100):
        ledger.append(proposal(number))
except LedgerError as error:
    print(len(ledger.rows), error.tried)
"""


def test_a_disk_that_fills_up_in_a_row_stops_the_campaign_and_loses_no_earlier_row(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    Ledger(path).append(proposal(1))
    size = path.stat().st_size

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 * size + size // 2, 2 * size + size // 2))

    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL_DISK, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.stdout.startswith("2 writing row 3"), done.stderr
    assert path.stat().st_size > 2 * size  # a part of row 3 is there
    assert read_ledger(path) == (proposal(1), proposal(2))
    Ledger(path)
    assert path.stat().st_size == 2 * size


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="needs Linux's count of written bytes")
def test_bytes_written_grow_in_step_with_the_rows(tmp_path: Path) -> None:
    """B16: nothing that was written is ever written again, so 1,000 rows cost 1,000 rows of bytes."""
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    before = bytes_written()
    for number in range(1, 1001):
        ledger.append(proposal(number))
    size = path.stat().st_size
    assert size > 1000 * 200
    assert bytes_written() - before < 1.05 * size


def bytes_written() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("wchar")))


def test_state_is_plain_json_without_nan_or_objects() -> None:
    """B15: whatever a row holds, a JSON parser that knows nothing of us reads it back equal."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    seed = SeedRow(
        candidate=CandidateRecord.of(Candidate("score", (("instruction", "é → 🙂"),))), measured=(), spend=Spend()
    )
    for row in (proposal(1), seed):
        parsed = json.loads(row.model_dump_json(), parse_constant=refuse)
        assert type(row).model_validate(parsed) == row
