from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.errors import BudgetExhausted, EndpointUnreachable
from harness.outcomes import Failure, Judgement, Outcome, Usage
from harness.scores import is_omission, select
from harness.types import Candidate, Consultation, Note
from optimiser.journal import Journal
from optimiser.measuring import BROKEN_LEAST, Measurer, Replicates, measured
from support.bench import pair_set

PAIRS = pair_set(6)
CANDIDATE = Candidate("score", (("instruction", "Judge."),))
ONCE = Replicates(clean=(0, 1), flawed=(0,))
TASKS = 6 * (2 + 4)


@dataclass
class Counting:
    """Scores clean notes 8 and flawed ones 5; fails from call ``fails_from`` on with ``reason``."""

    fails_from: int = 10**9
    fails_to: int = 10**9
    reason: str = "call-failed"
    asked: list[tuple[str, int]] = field(default_factory=list)

    def judge(self, _consultation: Consultation, note: Note, replicate: int) -> Outcome:
        self.asked.append((note.id, replicate))
        usage = Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=0.001)
        if self.fails_from <= len(self.asked) < self.fails_to:
            return Failure(note.id, CANDIDATE.id, replicate, self.reason, usage=usage)
        return Judgement(note.id, CANDIDATE.id, replicate, 5.0 if note.defect else 8.0, usage=usage)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.jsonl")
    yield made
    made.close()


def measurer(judge: Counting, journal: Journal) -> Measurer:
    return Measurer(lambda _candidate: judge, journal, concurrency=1)


def test_what_was_bought_is_not_bought_again_and_only_the_missing_is(journal: Journal) -> None:
    judge = Counting()
    one = measurer(judge, journal)
    first = one.outcomes(CANDIDATE, PAIRS, ONCE)
    assert len(first) == len(judge.asked) == TASKS
    assert one.outcomes(CANDIDATE, PAIRS, ONCE) == first
    assert len(judge.asked) == TASKS
    one.outcomes(CANDIDATE, PAIRS, Replicates(clean=(0, 1, 2), flawed=(0,)))
    assert judge.asked[TASKS:] == [(f"c{n:03d}/n", 2) for n in range(6)]


def test_each_outcome_is_counted_once_in_the_spend(journal: Journal) -> None:
    one = measurer(Counting(), journal)
    one.outcomes(CANDIDATE, PAIRS, ONCE)
    spend = one.take_spend()
    assert (spend.calls, spend.tokens, spend.dollars) == (TASKS, 12 * TASKS, pytest.approx(0.001 * TASKS))
    one.outcomes(CANDIDATE, PAIRS, ONCE)
    assert one.take_spend().calls == 0
    assert one.total.calls == TASKS


def test_a_resumed_process_counts_the_same_spend_without_buying(tmp_path: Path) -> None:
    """B14: logical spend is what the campaign cost, whoever paid it."""
    spends = []
    for judge in (Counting(), Counting(fails_from=0)):
        journal = Journal(tmp_path / "journal.jsonl")
        one = measurer(judge, journal)
        one.outcomes(CANDIDATE, PAIRS, ONCE)
        spends.append(one.take_spend())
        journal.close()
    assert spends[0] == spends[1]
    assert judge.asked == []


def test_an_outage_raises_and_leaves_no_failure_behind(journal: Journal) -> None:
    judge = Counting(fails_from=7)
    with pytest.raises(EndpointUnreachable, match=str(BROKEN_LEAST)):
        measurer(judge, journal).outcomes(CANDIDATE, PAIRS, ONCE)
    kept = [journal.outcome((CANDIDATE.id, *asked)) for asked in judge.asked]
    assert [type(o) for o in kept if o] == [Judgement] * 6
    healthy = Counting()
    assert len(measurer(healthy, journal).outcomes(CANDIDATE, PAIRS, ONCE)) == TASKS
    assert len(healthy.asked) == TASKS - 6


def test_single_failed_calls_are_recorded_as_what_they_are(journal: Journal) -> None:
    judge = Counting(fails_from=7, fails_to=7 + BROKEN_LEAST - 1)
    found = measurer(judge, journal).outcomes(CANDIDATE, PAIRS, ONCE)
    assert sum(isinstance(o, Failure) for o in found) == BROKEN_LEAST - 1
    assert sum(isinstance(journal.outcome((CANDIDATE.id, *a)), Failure) for a in judge.asked) == BROKEN_LEAST - 1


def test_failed_calls_at_the_very_end_are_recorded_when_a_row_rests_on_them(journal: Journal) -> None:
    judge = Counting(fails_from=TASKS - 1)
    one = measurer(judge, journal)
    one.outcomes(CANDIDATE, PAIRS, ONCE)
    assert journal.outcome((CANDIDATE.id, *judge.asked[-1])) is None
    one.take_spend()
    assert isinstance(journal.outcome((CANDIDATE.id, *judge.asked[-1])), Failure)


def test_a_judge_that_cannot_be_read_is_no_outage(journal: Journal) -> None:
    """B30: a candidate that silences the model has failures, all of them recorded; the endpoint is fine."""
    one = measurer(Counting(fails_from=0, reason="empty"), journal)
    table = one.table(CANDIDATE, PAIRS, ONCE)
    found = measured(table, "frontier", 0.1)
    assert found.failures == TASKS
    assert (found.paired_omissions, found.wins, found.ties) == (0.0, 0, 0)


def test_what_was_bought_before_the_budget_ended_is_kept(journal: Journal) -> None:
    class Poor(Counting):
        def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
            if len(self.asked) == 9:
                raise BudgetExhausted("buying", "cap of 9 calls", "raise it")
            return super().judge(consultation, note, replicate)

    judge = Poor()
    with pytest.raises(BudgetExhausted):
        measurer(judge, journal).outcomes(CANDIDATE, PAIRS, ONCE)
    assert all(journal.outcome((CANDIDATE.id, *asked)) for asked in judge.asked)
    assert len(judge.asked) == 9


def test_every_number_of_a_record_comes_with_how_many_it_is_over(journal: Journal) -> None:
    """B48"""
    table = measurer(Counting(), journal).table(CANDIDATE, PAIRS, ONCE)
    found = measured(table, "acceptance", 0.1)
    assert (found.split, found.consultations, found.pairs) == ("acceptance", 6, 24)
    assert found.wins + found.ties + found.losses == 18
    assert (found.detected, found.n_flawed, found.false_alarms, found.n_clean) == (18, 18, 0, 6)
    assert (found.paired_omissions, found.paired_commissions, found.auc) == (1.0, 1.0, 1.0)


def test_a_number_that_does_not_exist_is_none(journal: Journal) -> None:
    table = measurer(Counting(), journal).table(CANDIDATE, PAIRS, ONCE)
    found = measured(select(table, ~is_omission(table)), "acceptance", 0.1)
    assert (found.paired_omissions, found.paired_commissions) == (None, 1.0)
    assert (found.detected, found.threshold, found.auc) == (None, None, None)
