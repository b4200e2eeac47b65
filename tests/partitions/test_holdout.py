import json
import random
import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import HoldoutSpent, SealBroken
from harness.types import Consultation, Defect, Note, Pair, PairSet
from partitions.config import SplitConfig
from partitions.holdout import HEAD, LEDGER, Question, holdout_status, open_holdout, record_result
from partitions.manifest import split_path
from partitions.seal import seal

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def question(name: str = "winner") -> Question:
    return Question(baseline="seed", candidates=(name,), judge="score", model="m", efforts=("none",), replicates=(11,))


def pair_set() -> PairSet:
    consultations, pairs = [], []
    for index in range(6):
        name = f"c{index}"
        words = random.Random(name).choices([f"w{k}" for k in range(2000)], k=12)
        consultations.append(Consultation(name, "made", "doctor: " + " ".join(words)))
        clean = Note(f"{name}-clean", name, " ".join(reversed(words)))
        flawed = Note(f"{name}-flawed", name, " ".join(words[:9]), Defect("omission", "a fact", trace="complete"))
        pairs.append(Pair(f"{name}-pair", name, clean, flawed))
    return PairSet("made", tuple(consultations), tuple(pairs))


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """A sealed folder with two answered openings and one open question."""
    directory = tmp_path_factory.mktemp("master") / "splits"
    seal(pair_set(), SplitConfig(), directory)
    for name in ("first", "second"):
        record_result(directory, open_holdout(directory, question(name), WHEN).opening, f"result of {name}")
    open_holdout(directory, question("third"), WHEN)
    return directory


@pytest.fixture
def directory(tmp_path):
    seal(pair_set(), SplitConfig(), tmp_path / "splits")
    return tmp_path / "splits"


def test_a_new_seal_has_no_openings(directory):
    status = holdout_status(directory)
    assert (status.openings, status.resumptions, status.results) == (0, 0, 0)


def test_an_opening_is_logged_before_the_pairs_are_out_and_is_counted(directory):
    opened = open_holdout(directory, question(), WHEN)
    assert opened.pairs.split == "holdout"
    assert len(opened.pairs.consultations) == 2
    (_, row) = holdout_status(directory).rows
    assert row == opened.opening
    assert (row.number, row.time, row.question, row.reason) == (1, WHEN, question(), None)


def test_a_second_opening_for_an_answered_question_is_refused_and_not_counted(directory):
    record_result(directory, open_holdout(directory, question(), WHEN).opening, "found")
    with pytest.raises(HoldoutSpent, match="answered in opening 1"):
        open_holdout(directory, question(), WHEN)
    with pytest.raises(HoldoutSpent):
        open_holdout(directory, question(), WHEN, reason="   ")
    assert holdout_status(directory).openings == 1


def test_a_reason_opens_again_and_is_logged_and_counted(directory):
    record_result(directory, open_holdout(directory, question(), WHEN).opening, "found")
    again = open_holdout(directory, question(), WHEN, reason="the endpoint changed its model")
    assert (again.opening.number, again.opening.reason) == (2, "the endpoint changed its model")
    assert holdout_status(directory).openings == 2


def test_another_question_opens_and_is_counted(directory):
    record_result(directory, open_holdout(directory, question(), WHEN).opening, "found")
    assert open_holdout(directory, question("other"), WHEN).opening.number == 2


def test_an_interrupted_question_resumes_under_its_own_number_and_the_log_says_so(directory):
    open_holdout(directory, question(), WHEN)
    open_holdout(directory, question("other"), WHEN)
    resumed = open_holdout(directory, question(), WHEN)
    assert (resumed.opening.type, resumed.opening.number) == ("resumption", 1)
    record_result(directory, resumed.opening, "found")
    with pytest.raises(HoldoutSpent):
        open_holdout(directory, question(), WHEN)
    status = holdout_status(directory)
    assert (status.openings, status.resumptions, status.results) == (2, 1, 1)


def test_an_interrupted_second_look_resumes_without_a_new_reason(directory):
    record_result(directory, open_holdout(directory, question(), WHEN).opening, "found")
    open_holdout(directory, question(), WHEN, reason="again")
    assert open_holdout(directory, question(), WHEN).opening.number == 2


def test_the_order_of_candidates_makes_no_new_question():
    one = question().model_copy(update={"candidates": ("a", "b")})
    assert one.digest() == one.model_copy(update={"candidates": ("b", "a")}).digest()


@pytest.mark.parametrize(
    "change",
    [
        {"candidates": ("x",)},
        {"baseline": "x"},
        {"model": "x"},
        {"efforts": ("low",)},
        {"replicates": (1,)},
        {"token_caps": (9,)},
        {"judge": "x"},
    ],
)
def test_every_part_of_a_question_makes_another_question(change):
    assert question().digest() != question().model_copy(update=change).digest()


def test_a_result_is_recorded_once(directory):
    opening = open_holdout(directory, question(), WHEN).opening
    row = record_result(directory, opening, "found")
    assert record_result(directory, opening, "found") == row
    with pytest.raises(HoldoutSpent):
        record_result(directory, opening, "something better")
    assert holdout_status(directory).results == 1


def test_a_result_needs_its_opening(directory):
    opening = open_holdout(directory, question(), WHEN).opening
    with pytest.raises(SealBroken, match="no such opening"):
        record_result(directory, opening.model_copy(update={"number": 7}), "found")


def test_a_changed_holdout_is_refused_and_no_opening_is_logged(directory):
    path = split_path(directory, "holdout")
    path.write_bytes(path.read_bytes().replace(b"w1", b"w2"))
    with pytest.raises(SealBroken, match=r"holdout\.jsonl"):
        open_holdout(directory, question(), WHEN)
    assert holdout_status(directory).openings == 0


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255), st.sampled_from([LEDGER, HEAD]))
@settings(max_examples=150, deadline=None)
def test_any_changed_byte_of_the_ledger_is_found(master, tmp_path_factory, where, flip, file):
    directory = tmp_path_factory.mktemp("tamper") / "splits"
    shutil.copytree(master, directory)
    data = bytearray((directory / file).read_bytes())
    data[int(where * len(data))] ^= flip
    (directory / file).write_bytes(data)
    with pytest.raises(SealBroken):
        holdout_status(directory)
    with pytest.raises(SealBroken):
        open_holdout(directory, question(), WHEN)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_lost_repeated_and_reordered_rows_are_found(master, tmp_path_factory, data):
    directory = tmp_path_factory.mktemp("rows") / "splits"
    shutil.copytree(master, directory)
    lines = (directory / LEDGER).read_bytes().splitlines(keepends=True)
    kept = data.draw(st.lists(st.sampled_from(lines), max_size=7).filter(lambda chosen: chosen != lines))
    (directory / LEDGER).write_bytes(b"".join(kept))
    with pytest.raises(SealBroken):
        holdout_status(directory)


@pytest.mark.parametrize("file", [LEDGER, HEAD])
def test_a_removed_ledger_is_not_a_fresh_one(directory, file):
    (directory / file).unlink()
    with pytest.raises(SealBroken, match="no file"):
        open_holdout(directory, question(), WHEN)


def test_a_row_edited_with_a_new_hash_breaks_the_chain(master, tmp_path):
    shutil.copytree(master, tmp_path / "splits")
    rows = holdout_status(master).rows
    forged = rows[1].model_copy(update={"time": datetime(2020, 1, 1, tzinfo=UTC)})
    forged = forged.model_copy(update={"hash": forged.own_hash()})
    lines = [json.dumps(row.model_dump(mode="json"), ensure_ascii=False) for row in (rows[0], forged, *rows[2:])]
    (tmp_path / "splits" / LEDGER).write_text("\n".join(lines) + "\n")
    with pytest.raises(SealBroken, match="row 3 does not follow"):
        holdout_status(tmp_path / "splits")


def test_a_crash_between_ledger_and_head_loses_no_opening(directory):
    before = (directory / HEAD).read_bytes()
    open_holdout(directory, question(), WHEN)
    (directory / HEAD).write_bytes(before)
    assert holdout_status(directory).openings == 1
    assert open_holdout(directory, question("other"), WHEN).opening.number == 2


def test_threads_that_open_at_once_are_all_logged_with_their_own_number(directory):
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda k: open_holdout(directory, question(f"q{k}"), WHEN).opening.number, range(16)))
    assert sorted(numbers) == list(range(1, 17))
    assert holdout_status(directory).openings == 16


def open_one(arguments):
    directory, name = arguments
    return open_holdout(directory, question(name), WHEN).opening.number


def test_processes_that_open_at_once_are_all_logged_with_their_own_number(directory):
    with ProcessPoolExecutor(3) as pool:
        numbers = list(pool.map(open_one, [(directory, f"q{k}") for k in range(6)]))
    assert sorted(numbers) == list(range(1, 7))
