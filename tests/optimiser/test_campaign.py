from __future__ import annotations

import json
from collections import Counter

import pytest

from harness.errors import BudgetExhausted, CallFailed, EndpointUnreachable, LedgerError
from harness.llm.client import Reply, Request
from harness.outcomes import Failure, Outcome
from harness.types import Candidate, Consultation, Note
from optimiser.ledger import read_ledger
from optimiser.records import FinishRow, FreezeRow, Frozen, ProposalRow, Row, SeedRow
from optimiser.workspace import Workspace
from partitions.splits import open_splits
from support.bench import BLOCKS, Bench, BlockJudge, Reflections


def proposals(rows: tuple[Row, ...]) -> list[ProposalRow]:
    return [row for row in rows if isinstance(row, ProposalRow)]


def test_a_real_gain_is_found_and_frozen(bench: Bench) -> None:
    result = bench.run("a")
    assert result.reason == "completed"
    assert result.frozen is not None
    assert not result.frozen.seed_kept
    assert "check" in result.frozen.winner.blocks["instruction"]
    assert Frozen.model_validate_json(Workspace(bench.folder / "a").frozen.read_bytes()) == result.frozen


def test_without_any_gain_the_seed_is_kept(bench: Bench) -> None:
    result = bench.run("a", judge=lambda candidate: BlockJudge(candidate, [], gain=0.0))
    freeze = next(row for row in result.rows if isinstance(row, FreezeRow))
    assert freeze.seed_kept
    assert freeze.winner == freeze.baseline


def test_every_reply_of_the_reflector_has_its_row(bench: Bench) -> None:
    reflector = Reflections(BLOCKS)
    rows = proposals(bench.run("a", reflector=reflector).rows)
    assert [row.reply for row in rows] == list(BLOCKS)
    assert [row.iteration for row in rows] == [1, 2, 3, 4, 5, 6]
    assert len(reflector.prompts) == 6
    assert {row.status for row in rows} == {"accepted", "rejected", "invalid"}


def test_the_same_seed_gives_the_same_ledger_and_another_seed_another(bench: Bench) -> None:
    bench.run("a")
    bench.run("b")
    bench.run("c", config=bench.config(seed=8))
    assert bench.ledger("a") == bench.ledger("b")
    assert bench.ledger("a") != bench.ledger("c")


class Killed(BaseException):
    """Stands in for kill -9: nothing of the campaign gets to clean up."""


@pytest.mark.parametrize("after", [1, 2, 3, 5, 7])
def test_a_killed_campaign_resumes_to_the_ledger_of_an_uninterrupted_one(bench: Bench, after: int) -> None:
    def kill(rows: tuple[Row, ...]) -> None:
        if len(rows) == after:
            raise Killed

    bench.run("whole")
    bought = len(bench.asked)
    bench.asked.clear()
    with pytest.raises(Killed):
        bench.run("killed", stop=kill)
    ledger = Workspace(bench.folder / "killed").ledger
    ledger.write_bytes(ledger.read_bytes() + b'{"type": "torn')  # a write cut in the middle
    bench.run("killed")
    assert bench.ledger("killed") == bench.ledger("whole")
    assert len(bench.asked) == bought == len(set(bench.asked))


def test_killed_while_judging_no_outcome_is_asked_for_twice(bench: Bench) -> None:
    bench.run("whole")
    whole = len(bench.asked)
    asked: list[tuple[str, str, int]] = []

    class Dying(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if len(asked) == 300:
                raise Killed
            return super().judge(consultation, note, replicate)

    with pytest.raises(Killed):
        bench.run("killed", judge=lambda candidate: Dying(candidate, asked))
    bench.asked.clear()
    bench.run("killed")
    assert bench.ledger("killed") == bench.ledger("whole")
    assert len(asked) + len(bench.asked) == whole


def test_resuming_with_another_configuration_is_refused_and_names_what_changed(bench: Bench) -> None:
    bench.run("a")
    before = bench.ledger("a")
    changed = bench.config(engine={"proposals": 9, "minibatch": 4, "stall": 20})
    with pytest.raises(LedgerError, match=r"config\.engine\.proposals: 6 -> 9"):
        bench.run("a", config=changed)
    assert bench.ledger("a") == before


def test_a_stop_file_pauses_and_removing_it_goes_on_exactly(bench: Bench) -> None:
    workspace = Workspace(bench.folder / "stopped")

    def stop(rows: tuple[Row, ...]) -> None:
        if len(rows) == 4:
            workspace.stop_file.touch()

    bench.run("whole")
    paused = bench.run("stopped", stop=stop)
    assert (paused.reason, paused.frozen) == ("stop-file", None)
    workspace.stop_file.unlink()
    assert bench.run("stopped").reason == "completed"
    assert bench.ledger("stopped") == bench.ledger("whole")


def test_ctrl_c_while_judging_pauses_and_the_next_run_goes_on_exactly(bench: Bench) -> None:
    bench.run("whole")
    asked: list[tuple[str, str, int]] = []

    class Interrupted(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if len(asked) >= 400:
                raise KeyboardInterrupt
            return super().judge(consultation, note, replicate)

    paused = bench.run("paused", judge=lambda candidate: Interrupted(candidate, asked))
    assert paused.reason == "interrupted"
    bench.run("paused")
    assert bench.ledger("paused") == bench.ledger("whole")


def test_the_time_cap_pauses(bench: Bench) -> None:
    ticks = iter(range(0, 10_000, 40))
    paused = bench.run("a", config=bench.config(budget={"seconds": 100}), clock=lambda: float(next(ticks)))
    assert paused.reason == "time"


def test_a_search_without_an_accepted_child_stalls(bench: Bench) -> None:
    config = bench.config(engine={"proposals": 6, "minibatch": 4, "stall": 2})
    result = bench.run("a", config=config, judge=lambda candidate: BlockJudge(candidate, [], gain=0.0))
    finish = result.rows[-1]
    assert isinstance(finish, FinishRow)
    assert (finish.reason, finish.proposals) == ("stalled", 2)


def test_only_unusable_replies_end_as_no_valid_proposal_and_buy_no_judgement(bench: Bench) -> None:
    result = bench.run("a", reflector=Reflections(("chatter", "<block> </block>", "<block>a</block><block>b</block>")))
    rows = proposals(result.rows)
    assert result.reason == "no-valid-proposal"
    assert {row.status for row in rows} == {"invalid"}
    children = {candidate for candidate, _, _ in bench.asked}
    assert children == {result.frozen.baseline.id if result.frozen else ""}


class Refusing:
    """A reflection endpoint that fails every call for good."""

    def send(self, request: Request) -> Reply:
        raise CallFailed("asking", "status 429 after 5 attempts", "wait")


def test_a_reflector_that_always_fails_stops_the_campaign_under_its_own_name(bench: Bench) -> None:
    result = bench.run("a", reflector=Refusing())
    rows = proposals(result.rows)
    assert result.reason == "reflector-failed"
    assert len(rows) == bench.config().engine.reflector_failures
    assert all("429" in row.reason for row in rows)


def test_a_spent_budget_freezes_what_is_known(bench: Bench) -> None:
    asked: list[tuple[str, str, int]] = []

    class Poor(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if len(asked) >= 700:
                raise BudgetExhausted("buying a call", "cap of 700 calls", "raise the cap")
            return super().judge(consultation, note, replicate)

    result = bench.run("a", judge=lambda candidate: Poor(candidate, asked))
    assert result.reason == "budget"
    assert result.frozen is not None
    assert "cut short by the budget" in proposals(result.rows)[-1].reason


def test_a_dead_endpoint_pauses_without_recording_its_failures(bench: Bench) -> None:
    bench.run("whole")
    seen: list[int] = []

    class Dead(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            seen.append(1)
            if len(seen) > 350:
                return Failure(note.id, self.candidate.id, replicate, "call-failed")
            return super().judge(consultation, note, replicate)

    paused = bench.run("dead", judge=lambda candidate: Dead(candidate, []))
    assert paused.reason == "endpoint-failed"
    bench.run("dead")
    assert bench.ledger("dead") == bench.ledger("whole")


def test_an_endpoint_that_is_dead_from_the_start_is_an_error(bench: Bench) -> None:
    def dead(candidate: Candidate) -> object:
        raise EndpointUnreachable("calling", "refused", "start it")

    with pytest.raises(EndpointUnreachable):
        bench.run("a", judge=dead)


def test_a_candidate_that_never_answers_is_rejected_and_the_search_goes_on(bench: Bench) -> None:
    class Mute(BlockJudge):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if "kindly" in self.candidate.block("instruction"):
                return Failure(note.id, self.candidate.id, replicate, "empty")
            return super().judge(consultation, note, replicate)

    rows = proposals(bench.run("a", judge=lambda candidate: Mute(candidate, [])).rows)
    assert rows[0].status == "rejected"
    assert rows[0].after == 0.0
    assert len(rows) == 6


def test_no_text_of_acceptance_or_holdout_reaches_a_prompt_of_the_reflection_model(bench: Bench) -> None:
    reflector = Reflections(BLOCKS)
    bench.run("a", reflector=reflector, config=bench.config(engine={"proposals": 6, "merge_every": 2, "stall": 20}))
    splits = open_splits(bench.folder / "split")
    training = {c.id for c in splits.reflection.consultations}
    others = {f"c{n:03d}" for n in range(36)} - training
    shown = "\n".join(reflector.prompts)
    assert any(key in shown for key in training)  # the reflector is shown something
    assert not [key for key in others if key in shown]


def test_the_ledger_reads_back_as_written(bench: Bench) -> None:
    result = bench.run("a")
    assert read_ledger(Workspace(bench.folder / "a").ledger) == result.rows


def test_spend_adds_up_to_what_was_asked(bench: Bench) -> None:
    result = bench.run("a")
    finish = result.rows[-1]
    assert isinstance(finish, FinishRow)
    rows = [json.loads(line) for line in bench.ledger("a").splitlines()]
    assert sum(row["spend"]["calls"] for row in rows[1:-1]) == finish.spend.calls
    assert finish.spend.calls == len(bench.asked) + len(BLOCKS)


def test_flawed_notes_are_scored_as_often_as_configured(bench: Bench) -> None:
    times = {"flawed_replicates": 3, "training_flawed_replicates": 2, "clean_replicates": 1}
    result = bench.run("more", bench.config(acceptance=times, engine={"proposals": 1, "minibatch": 4}))
    seed = next(row for row in result.rows if isinstance(row, SeedRow))
    read = {(note, replicate) for candidate, note, replicate in bench.asked if candidate == seed.candidate.id}
    flawed: dict[str, set[int]] = {}
    for note, replicate in read:
        flawed.setdefault(note, set()).add(replicate)
    by_split = Counter(frozenset(numbers) for note, numbers in flawed.items() if "/n" not in note)
    assert by_split[frozenset({0, 1, 2})] == seed.measured[1].pairs  # acceptance
    assert by_split[frozenset({0, 1, 10, 11})] == seed.measured[0].pairs  # frontier, measured afresh before it parents
