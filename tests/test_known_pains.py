"""What users of neighbouring tools ran into, asked of a whole campaign. The id in a docstring names the pain."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from harness.config import JudgeConfig
from harness.errors import CallFailed, LedgerError
from harness.evaluate import evaluate, tasks_for
from harness.judges.build import build_judge
from harness.llm.client import FakeClient, Reply, Request
from harness.metrics import measure
from harness.outcomes import Failure, Outcome
from harness.scores import tabulate
from harness.types import Candidate, Consultation, Note, PairSet
from optimiser.campaign import EXIT_CODES, PAUSES, Result
from optimiser.folds import folds_of
from optimiser.records import FinishReason, FinishRow, Frozen, Measured, ProposalRow, Row, SeedRow, Spend
from optimiser.workspace import Workspace
from partitions.config import SplitConfig
from partitions.seal import seal
from partitions.splits import open_splits
from support.bench import BLOCKS, Bench, BlockJudge, Reflections, pair_set

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pains")
    seal(pair_set(), SplitConfig(), folder / "split")
    return folder / "split"


@pytest.fixture
def bench(sealed: Path, tmp_path: Path) -> Bench:
    (tmp_path / "split").symlink_to(sealed)
    (tmp_path / "seed.md").write_text("---\nid: plain\n---\nJudge the note.\n")
    return Bench(tmp_path)


def proposals(rows: tuple[Row, ...]) -> list[ProposalRow]:
    return [row for row in rows if isinstance(row, ProposalRow)]


def measures(rows: tuple[Row, ...], split: str) -> Iterator[tuple[Candidate, Measured]]:
    for row in rows:
        if isinstance(row, SeedRow | ProposalRow) and row.candidate is not None:
            yield from ((row.candidate.candidate(), m) for m in row.measured if m.split == split)


def test_no_consultation_pair_or_note_stands_in_two_folds(bench: Bench) -> None:
    """B01, B47"""
    folds = folds_of(open_splits(bench.folder / "split"))
    parts = (folds.reflection.pair_set, folds.frontier.pair_set, folds.acceptance.pair_set)
    for ids in (
        [c.id for part in parts for c in part.consultations],
        [p.id for part in parts for p in part.pairs],
        [n.id for part in parts for n in part.notes],
    ):
        assert len(ids) == len(set(ids)) > 0


@pytest.mark.parametrize("split", ["frontier", "acceptance"])
def test_every_recorded_score_is_what_judging_that_candidate_on_that_split_gives(bench: Bench, split: str) -> None:
    """B01"""
    result = bench.run("a")
    splits = open_splits(bench.folder / "split")
    part, clean = (splits.frontier, (0, 1)) if split == "frontier" else (splits.acceptance, (0, 1, 2))
    recorded = list(measures(result.rows, split))
    assert len(recorded) > 1
    for candidate, found in recorded:
        outcomes = evaluate(BlockJudge(candidate, []), tasks_for(part, clean, (0,)), 1, lambda _outcome: None)
        direct = measure(tabulate(part, outcomes), 0.1).omissions
        assert direct is not None
        assert found.paired_omissions == pytest.approx(direct.value, abs=1e-6)
        assert (found.wins, found.ties, found.losses) == (direct.wins, direct.ties, direct.losses)


class Down:
    """A reflection endpoint that answers 429 to everything, with or without a word on when to come back."""

    def __init__(self) -> None:
        self.calls = 0

    def send(self, request: Request) -> Reply:
        self.calls += 1
        raise CallFailed("asking", "status 429 after 5 attempts", "wait")


def test_a_search_without_progress_ends_soon_and_leaves_a_small_record(bench: Bench) -> None:
    """B06, B07: neither thousands of attempts nor a clean exit with only the seed."""
    down = Down()
    settings = bench.config(engine={"proposals": 500, "minibatch": 4, "stall": 500})
    result = bench.run("a", reflector=down, config=settings)
    assert result.reason == "reflector-failed"
    assert EXIT_CODES[result.reason] != 0
    assert down.calls == settings.engine.reflector_failures
    assert len(bench.ledger("a")) < 20_000
    last = result.rows[-1]
    assert isinstance(last, FinishRow)
    assert (last.accepted, last.rejected, last.invalid) == (0, 0, down.calls)
    assert all("status 429" in row.reason for row in proposals(result.rows))


def test_an_endpoint_that_dies_after_the_seed_is_asked_a_bounded_number_of_times(bench: Bench) -> None:
    """B06"""
    seed_calls: list[tuple[str, str, int]] = []
    dead_calls: list[int] = []
    rows: list[int] = []

    class Dies(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if rows and rows[-1] >= 2:  # start and seed row are written
                dead_calls.append(1)
                return Failure(note.id, self.candidate.id, replicate, "call-failed")
            return super().judge(consultation, note, replicate)

    paused = bench.run("a", judge=lambda c: Dies(c, seed_calls), stop=lambda found: rows.append(len(found)))
    assert paused.reason == "endpoint-failed"
    assert EXIT_CODES[paused.reason] != 0
    assert 10 <= len(dead_calls) <= 30
    assert len(paused.rows) == 2


def test_no_valid_proposal_has_a_code_of_its_own_and_every_row_says_why(bench: Bench) -> None:
    """B07"""
    result = bench.run("a", reflector=Reflections(("I would rather chat.",)))
    assert result.reason == "no-valid-proposal"
    assert EXIT_CODES[result.reason] not in {code for reason, code in EXIT_CODES.items() if reason != result.reason}
    assert all(row.status == "invalid" and row.reason for row in proposals(result.rows))
    assert all(row.reply == "I would rather chat." for row in proposals(result.rows))


def test_a_proposal_that_never_existed_is_charged_no_judgement_of_a_child(bench: Bench) -> None:
    """B08: its parent's failures were looked up for the prompt, and those outcomes are kept for the next to use."""
    failing = bench.run("failing", reflector=Down())
    asked = Counter(candidate for candidate, _, _ in bench.asked)
    assert failing.frozen is not None
    assert set(asked) == {failing.frozen.baseline.id}
    assert all(row.spend.calls > 0 and row.candidate is None for row in proposals(failing.rows))


def changed_seed(bench: Bench) -> dict[str, object]:
    (bench.folder / "seed.md").write_text("---\nid: plain\n---\nJudge the note well.\n")
    return {}


def changed_split(bench: Bench) -> dict[str, object]:
    (bench.folder / "split").unlink()
    whole = pair_set()
    seal(
        PairSet("handmade", whole.consultations, whole.pairs[1:], simulated=True), SplitConfig(), bench.folder / "split"
    )
    return {}


def changed_judge(_bench: Bench) -> dict[str, object]:
    return {"judge": {"samples": 3}}


def changed_model(_bench: Bench) -> dict[str, object]:
    return {"model": {"model": "another", "base_url": "simulated:", "concurrency": 4}}


def changed_reflector(_bench: Bench) -> dict[str, object]:
    return {"reflector": {"model": "another", "base_url": "simulated:"}}


def changed_alpha(_bench: Bench) -> dict[str, object]:
    return {"acceptance": {"alpha": 0.3}}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (changed_seed, r"fingerprint\.seeds"),
        (changed_split, r"fingerprint\.manifest"),
        (changed_judge, r"config\.judge\.samples: 1 -> 3"),
        (changed_model, r"config\.model\.model: \"sim-judge\" -> \"another\""),
        (changed_reflector, r"config\.reflector\.model"),
        (changed_alpha, r"config\.acceptance\.alpha: 0\.2 -> 0\.3"),
    ],
)
def test_a_campaign_is_not_resumed_over_another_seed_split_or_setting(bench: Bench, change: object, named: str) -> None:
    """B13: one changed item is enough, the message says which, nothing is bought and no byte of the record changes."""
    bench.run("a")
    before = bench.ledger("a")
    bench.asked.clear()
    assert callable(change)
    changes = change(bench)
    with pytest.raises(LedgerError, match=named):
        bench.run("a", config=bench.config(**changes))
    assert bench.ledger("a") == before
    assert bench.asked == []


class Killed(BaseException):
    """Stands in for kill -9."""


def test_five_kills_and_resumes_buy_what_one_uninterrupted_campaign_buys(bench: Bench) -> None:
    """B12, B14: in particular the seed is never judged again."""
    whole_reflector, reflector = Reflections(BLOCKS), Reflections(BLOCKS)
    bench.run("whole", reflector=whole_reflector)
    whole = Counter(bench.asked)
    bench.asked.clear()
    for after in (1, 2, 3, 5, 6):

        def kill(rows: tuple[Row, ...], after: int = after) -> None:
            if len(rows) == after:
                raise Killed

        with pytest.raises(Killed):
            bench.run("killed", stop=kill, reflector=reflector)
    bench.run("killed", reflector=reflector)
    assert Counter(bench.asked) == whole
    assert set(whole.values()) == {1}
    assert bench.ledger("killed") == bench.ledger("whole")
    assert len(reflector.prompts) == len(whole_reflector.prompts)


def test_a_finished_campaign_run_again_buys_nothing_and_changes_no_file(bench: Bench) -> None:
    """B14"""
    first = bench.run("a")
    files = {path: path.read_bytes() for path in (bench.folder / "a").rglob("*") if path.is_file()}
    bench.asked.clear()
    again = bench.run("a")
    assert (again.reason, again.rows, again.frozen) == (first.reason, first.rows, first.frozen)
    assert bench.asked == []
    assert {path: path.read_bytes() for path in (bench.folder / "a").rglob("*") if path.is_file()} == files


def test_all_state_is_json_in_text_files(bench: Bench) -> None:
    """B15: judges and clients may be lambdas and local classes, because none of them is ever stored."""

    class Local(BlockJudge):
        hidden = staticmethod(lambda: None)

    bench.run("a", judge=lambda candidate: Local(candidate, bench.asked))
    files = sorted(path for path in (bench.folder / "a").rglob("*") if path.is_file())
    assert {path.name for path in files} >= {"ledger.jsonl", "journal.jsonl", "frozen.json"}

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    for path in files:
        text = path.read_text(encoding="utf-8")
        for document in text.splitlines() if path.suffix == ".jsonl" else [text]:
            json.loads(document, parse_constant=refuse)


def test_a_record_that_cannot_be_written_is_found_out_before_the_first_judgement(bench: Bench) -> None:
    """B15: the start row is on disk before anything is bought."""
    seen: list[bytes] = []

    class Watching(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if not seen:
                seen.append(bench.ledger("a"))
            return super().judge(consultation, note, replicate)

    bench.run("a", judge=lambda candidate: Watching(candidate, bench.asked))
    assert json.loads(seen[0])["type"] == "start"
    bench.asked.clear()
    Workspace(bench.folder / "b").ledger.mkdir(parents=True)  # in the way
    with pytest.raises(LedgerError):
        bench.run("b")
    assert bench.asked == []


def test_a_block_that_silences_the_model_is_rejected_and_the_search_goes_on(bench: Bench) -> None:
    """B30: through the real judge, whose model returns nothing for that one block."""

    def judge_for(candidate: Candidate) -> object:
        def answer(request: Request) -> str:
            if "kindly" in request.messages[0].content:
                return ""
            return '{"score": 7, "omissions": [], "unsupported": []}'

        return build_judge(JudgeConfig(), candidate, FakeClient(answer))

    result = bench.run("a", judge=judge_for)
    rows = proposals(result.rows)
    silenced = next(row for row in rows if row.candidate and "kindly" in row.candidate.blocks["instruction"])
    assert (silenced.status, silenced.after) == ("rejected", 0.0)
    assert rows.index(silenced) < len(rows) - 1
    assert result.reason == "completed"


def test_a_parent_is_measured_with_fresh_replicates_each_time_it_parents(bench: Bench) -> None:
    """B31: a lucky first reading wears off, so that no lucky candidate parents for ever."""
    result = bench.run("a")
    frontier = {n.id for n in open_splits(bench.folder / "split").frontier.notes if n.defect}
    turns = Counter(row.parents[0] for row in proposals(result.rows))
    assert turns
    for parent, times in turns.items():
        rounds = {replicate for candidate, note, replicate in bench.asked if candidate == parent and note in frontier}
        assert rounds == {10 * n for n in range(times + 1)}


def test_every_minibatch_is_judged_afresh_for_parent_and_child_alike(bench: Bench) -> None:
    """B31: neither side of a race brings an old reading with it."""
    result = bench.run("a")
    reflection = {n.id for n in open_splits(bench.folder / "split").reflection.notes}
    for row in proposals(result.rows):
        if row.candidate is None:
            continue
        sides = [
            {
                (note, replicate)
                for candidate, note, replicate in bench.asked
                if candidate == one and note in reflection and replicate // 10 == row.iteration
            }
            for one in (row.candidate.id, row.parents[0])
        ]
        assert sides[0] == sides[1] != set()


def test_candidates_are_only_ever_compared_on_the_same_pairs_and_each_number_says_over_how_many(bench: Bench) -> None:
    """B48"""
    result = bench.run("a")
    for split in ("frontier", "acceptance"):
        sizes = {(m.consultations, m.pairs, m.n_flawed, m.n_clean) for _, m in measures(result.rows, split)}
        assert len(sizes) == 1
        assert None not in next(iter(sizes))
    accepted = {c.id for c, _ in measures(result.rows, "acceptance")}
    freeze = next(row for row in result.rows if row.type == "freeze")
    assert {standing.candidate for standing in freeze.standings} == accepted


def test_every_way_to_end_is_named_and_has_an_exit_code_and_only_one_is_success() -> None:
    """B49"""
    assert set(EXIT_CODES) == set(get_args(FinishReason))
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)
    assert [reason for reason, code in EXIT_CODES.items() if code == 0] == ["completed"]
    assert set(EXIT_CODES) > PAUSES
    with pytest.raises(ValidationError):
        FinishRow.model_validate(
            {"reason": "done", "proposals": 0, "accepted": 0, "rejected": 0, "invalid": 0, "spend": Spend()}
        )


def test_a_pause_leaves_neither_a_finish_nor_a_winner(bench: Bench) -> None:
    """B49: what is only paused cannot be taken for completed."""
    workspace = Workspace(bench.folder / "a")
    workspace.root.mkdir()
    workspace.stop_file.touch()
    paused: Result = bench.run("a")
    assert paused.reason in PAUSES
    assert paused.frozen is None
    assert not workspace.frozen.exists()
    assert all(row.type not in ("freeze", "finish") for row in paused.rows)


def test_the_frozen_winner_names_the_record_it_came_from(bench: Bench) -> None:
    """B48: why this candidate can be looked up, and a record that was changed afterwards does not fit."""
    bench.run("a")
    frozen = Frozen.model_validate_json(Workspace(bench.folder / "a").frozen.read_bytes())
    lines = bench.ledger("a").splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "freeze")
    assert hashlib.sha256(b"".join(lines[: place + 1])).hexdigest() == frozen.ledger


OFFLINE = """
import socket

def refuse(*args, **_):
    raise SystemExit(f"network: {args!r}")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
import optimiser.cli
import optimiser.engines.gepa
import harness.llm.openai
import harness.tracking
import harness.report.plots
print("imported")
"""


def test_importing_the_command_line_and_every_library_makes_no_connection(tmp_path: Path) -> None:
    """B52"""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "imported\n"), done.stderr
