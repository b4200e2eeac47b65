import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import BudgetExhausted, LedgerError
from harness.evaluate import Task, evaluate, tasks_for
from harness.judges.base import FakeJudge
from harness.outcomes import Failure, Judgement
from harness.types import Consultation, Defect, Note, Pair, PairSet

ADDITION = Defect("addition", "a fever")


def pair_set(pairs_of):
    """One consultation per entry of ``pairs_of``, with that many pairs that share one clean note."""
    consultations, pairs = [], []
    for number, count in enumerate(pairs_of):
        name = f"c{number}"
        consultations.append(Consultation(name, "test", "doctor: Any pain?\npatient: None."))
        clean = Note(f"{name}-clean", name, "No pain.")
        for index in range(count):
            flawed = Note(f"{name}-flawed{index}", name, f"No pain. Fever {index}.", ADDITION)
            pairs.append(Pair(f"{name}-{index}", name, clean, flawed))
    return PairSet("test", tuple(consultations), tuple(pairs))


def tasks(count):
    consultation = Consultation("c", "test", "doctor: Any pain?\npatient: None.")
    return tuple(Task(consultation, Note(f"n{i}", "c", f"Note {i}."), 0) for i in range(count))


def number(note):
    return int(note.id[1:])


def judging(act):
    """A judge that scores note i by ``act(i)``."""
    return FakeJudge(lambda _consultation, note, _replicate: act(number(note)))


def ignore(_outcome):
    pass


@given(st.lists(st.integers(0, 4), max_size=4), st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_every_note_of_a_pair_is_a_task_once_per_replicate_of_its_side(pairs_of, clean, flawed):
    made = tasks_for(pair_set(pairs_of), sorted(clean), sorted(flawed))
    expected = Counter()
    for index, count in enumerate(pairs_of):
        if count:
            expected.update((f"c{index}-clean", r) for r in clean)
        expected.update((f"c{index}-flawed{i}", r) for i in range(count) for r in flawed)
    assert Counter((task.note.id, task.replicate) for task in made) == expected
    assert all(task.consultation.id == task.note.consultation_id for task in made)


@given(st.lists(st.integers(0, 4), max_size=4))
def test_tasks_of_one_note_are_neighbours_and_so_are_notes_of_one_consultation(pairs_of):
    made = tasks_for(pair_set(pairs_of), (0, 1, 2), (0, 1))
    for names in ([task.note.id for task in made], [task.consultation.id for task in made]):
        assert len(set(names)) == sum(a != b for a, b in zip([None, *names], names, strict=False))


def test_pairs_in_mixed_order_are_still_judged_consultation_by_consultation():
    whole = pair_set([2, 2])
    mixed = PairSet("test", whole.consultations, whole.pairs[::2] + whole.pairs[1::2])
    assert Counter(tasks_for(mixed, (0,), (0,))) == Counter(tasks_for(whole, (0,), (0,)))
    assert [task.consultation.id for task in tasks_for(mixed, (0,), (0,))] == ["c0"] * 3 + ["c1"] * 3


@settings(max_examples=30)
@given(st.integers(0, 30), st.integers(1, 8))
def test_outcomes_come_back_in_task_order_and_are_reported_once_each(count, concurrency):
    seen = []
    outcomes = evaluate(judging(float), tasks(count), concurrency, seen.append)
    assert [outcome.note_id for outcome in outcomes] == [task.note.id for task in tasks(count)]
    assert sorted(seen, key=lambda o: int(o.note_id[1:])) == list(outcomes)


def test_a_failure_is_an_outcome_like_any_other():
    outcomes = evaluate(judging(lambda i: None if i == 1 else 5.0), tasks(3), 2, ignore)
    assert [type(outcome) for outcome in outcomes] == [Judgement, Failure, Judgement]


def test_outcomes_are_reported_from_the_calling_thread_alone():
    reporters, judges = set(), set()

    def act(i):
        judges.add(threading.get_ident())
        return float(i)

    evaluate(judging(act), tasks(20), 4, lambda _outcome: reporters.add(threading.get_ident()))
    assert reporters == {threading.get_ident()}
    assert threading.get_ident() not in judges


def test_as_many_judgements_as_allowed_are_in_flight_at_once_and_never_more():
    meet = threading.Barrier(3)  # breaks unless three judgements wait for each other
    lock, running, most = threading.Lock(), 0, 0

    def act(i):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        meet.wait(timeout=20)
        with lock:
            running -= 1
        return float(i)

    evaluate(judging(act), tasks(12), 3, ignore)
    assert most == 3


def test_an_outcome_is_reported_before_later_tasks_finish():
    first_reported = threading.Event()

    def act(i):
        if i == 1:
            assert first_reported.wait(timeout=20)
        return float(i)

    evaluate(judging(act), tasks(2), 2, lambda outcome: first_reported.set())
    assert first_reported.is_set()


def test_tasks_are_not_drawn_far_ahead_of_the_judgements():
    drawn = []

    class Counting(tuple):
        def __iter__(self):
            for task in super().__iter__():
                drawn.append(task)
                yield task

    most_ahead = []

    def report(_outcome):
        most_ahead.append(len(drawn) - len(most_ahead))

    evaluate(judging(float), Counting(tasks(100)), 2, report)
    assert max(most_ahead) <= 4


@pytest.mark.parametrize("error", [BudgetExhausted("calling", "cap reached", "Raise it."), KeyboardInterrupt()])
def test_when_a_judgement_raises_those_in_flight_are_reported_and_nothing_more_begins(error):
    in_flight, raised, begun, seen = threading.Event(), threading.Event(), [], []

    def act(i):
        begun.append(i)
        if i == 0:
            in_flight.wait(timeout=20)
            raised.set()
            raise error
        if i == 1:
            in_flight.set()
            raised.wait(timeout=20)
        return float(i)

    with pytest.raises(type(error)) as caught:
        evaluate(judging(act), tasks(5000), 2, lambda outcome: seen.append(outcome.note_id))
    assert caught.value is error
    # nothing that was judged is lost, nothing is reported twice, and most tasks never began
    assert Counter(seen) == Counter(f"n{i}" for i in begun if i != 0)
    assert "n1" in seen
    assert len(begun) < 5000


def test_ctrl_c_while_reporting_loses_no_other_outcome_and_judges_nothing_twice():
    begun, seen = [], []

    def act(i):
        begun.append(i)
        return float(i)

    def report(outcome):
        seen.append(outcome.note_id)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(judging(act), tasks(50), 2, report)
    assert Counter(seen) == Counter(f"n{i}" for i in begun)
    assert len(begun) < 50


def test_the_first_error_is_the_one_raised_and_later_ones_are_noted_on_it():
    gate = threading.Barrier(2)

    def act(i):
        gate.wait(timeout=20)
        raise BudgetExhausted("calling", f"cap reached at {i}", "Raise it.")

    with pytest.raises(BudgetExhausted) as caught:
        evaluate(judging(act), tasks(2), 2, ignore)
    assert "cap reached" in caught.value.__notes__[0]


def test_a_record_that_cannot_be_written_stops_the_judging():
    def report(_outcome):
        raise LedgerError("writing a row", "disk full", "Make room.")

    begun = []
    with pytest.raises(LedgerError):
        evaluate(judging(lambda i: begun.append(i) or 1.0), tasks(50), 2, report)
    assert len(begun) <= 4


def test_a_slow_judgement_is_waited_for_and_never_made_twice():
    begun, others_done = Counter(), threading.Event()

    def act(i):
        begun[i] += 1
        if i == 0:
            others_done.wait(timeout=20)
        return float(i)

    def report(outcome):
        if outcome.note_id == "n9":
            others_done.set()

    evaluate(judging(act), tasks(10), 2, report)
    assert set(begun.values()) == {1}


def test_what_was_submitted_and_not_begun_when_an_error_came_is_never_begun():
    both_busy, release, begun, seen = threading.Barrier(3), threading.Event(), [], []

    def act(i):
        begun.append(i)
        if i > 0:
            both_busy.wait(timeout=20)
            release.wait(timeout=20)
        return float(i)

    def report(outcome):
        seen.append(outcome.note_id)
        if outcome.note_id == "n0":
            both_busy.wait(timeout=20)  # n1 and n2 hold both threads, n3 is submitted
            threading.Timer(0.5, release.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(judging(act), tasks(50), 2, report)
    assert sorted(begun) == [0, 1, 2]
    assert sorted(seen) == ["n0", "n1", "n2"]
