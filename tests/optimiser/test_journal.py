from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import CampaignError, LedgerError
from harness.outcomes import Failure, Judgement, Outcome, Usage
from optimiser.journal import Journal

# Lone surrogates included: a model can escape half an emoji, and json.loads hands it over.
texts = st.text(st.characters(), max_size=20)
usages = st.builds(
    Usage,
    calls=st.integers(0, 9),
    prompt_tokens=st.integers(0, 10**6),
    cost=st.one_of(st.none(), st.floats(0, 10)),
    latency=st.floats(0, 100),
)
ids = st.sampled_from(["a", "b", "c/0", "é"])
names = st.lists(texts, max_size=3).map(tuple)
judgements = st.builds(
    Judgement,
    note_id=ids,
    candidate_id=ids,
    replicate=st.integers(0, 40),
    score=st.floats(-10, 10),
    flagged=st.sampled_from([None, True, False]),
    missing=names,
    wrong=names,
    samples=st.lists(st.floats(0, 10), max_size=3).map(tuple),
    parts=st.lists(st.floats(-1, 10), max_size=2).map(tuple),
    text=texts,
    usage=usages,
    simulated=st.booleans(),
)
failures = st.builds(
    Failure,
    note_id=ids,
    candidate_id=ids,
    replicate=st.integers(0, 40),
    reason=st.sampled_from(["empty", "truncated"]),
    text=texts,
    usage=usages,
)
outcomes = st.lists(
    st.one_of(judgements, failures), max_size=8, unique_by=lambda o: (o.candidate_id, o.note_id, o.replicate)
)


def key(outcome: Outcome) -> tuple[str, str, int]:
    return (outcome.candidate_id, outcome.note_id, outcome.replicate)


@given(outcomes, st.dictionaries(st.integers(1, 9), st.fixed_dictionaries({"text": texts}), max_size=3))
@settings(max_examples=80, deadline=None)
def test_what_was_kept_is_there_after_reopening_judgements_failures_and_replies_alike(
    kept: list[Outcome], replies: dict[int, dict[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        journal = Journal(path)
        for outcome in kept:
            journal.keep(outcome)
        for iteration, reply in replies.items():
            journal.keep_reply(iteration, reply)
        journal.close()
        again = Journal(path)
        assert [again.outcome(key(outcome)) for outcome in kept] == kept
        assert {iteration: again.reply(iteration) for iteration in replies} == replies
        assert again.reply(10) is None
        assert again.outcome(("nobody", "nothing", 0)) is None
        again.close()


@given(outcomes.filter(bool), st.data())
@settings(max_examples=60, deadline=None)
def test_cut_at_any_byte_the_whole_lines_before_the_cut_are_kept(kept: list[Outcome], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        journal = Journal(path)
        for outcome in kept:
            journal.keep(outcome)
        journal.close()
        cut = path.read_bytes()[: data.draw(st.integers(0, path.stat().st_size))]
        path.write_bytes(cut)
        again = Journal(path)
        whole = cut.count(b"\n")
        assert [again.outcome(key(outcome)) for outcome in kept] == kept[:whole] + [None] * (len(kept) - whole)
        for outcome in kept[whole:]:
            again.keep(outcome)
        again.close()
        last = Journal(path)
        assert [last.outcome(key(outcome)) for outcome in kept] == kept
        last.close()


def test_an_outcome_is_on_disk_before_anything_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.keep(Failure("n", "c", 0, "empty"))
    assert path.read_bytes().count(b"\n") == 1
    journal.close()
    journal.close()


@pytest.mark.parametrize(
    "line", ["no json", '{"type": "judgement"}', '{"type": "failure", "usage": {"calls": 1}}', "[]"]
)
def test_a_damaged_line_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.keep(Failure("n", "c", 0, "empty"))
    journal.close()
    before = path.read_bytes() + line.encode() + b"\n"
    path.write_bytes(before)
    with pytest.raises(LedgerError, match="line 2"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LedgerError, match="writing"):
        Journal(tmp_path / "file" / "journal.jsonl")


def test_a_second_opener_is_turned_away_until_the_first_has_closed(tmp_path: Path) -> None:
    first = Journal(tmp_path / "journal.jsonl")
    with pytest.raises(CampaignError, match="another process"):
        Journal(tmp_path / "journal.jsonl")
    first.close()
    Journal(tmp_path / "journal.jsonl").close()
