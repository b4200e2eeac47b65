"""Judge x notes -> outcomes: the one place where judgements run at the same time.

Threads, because a judgement waits for a socket. Every outcome is handed over once, from the
calling thread, as it arrives, so that whoever keeps a record needs no lock and loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue

from harness.judges.base import Judge
from harness.outcomes import Outcome
from harness.types import Consultation, Note, PairSet

# Submitted tasks per thread: enough that no thread waits for the calling thread to hand over outcomes.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class Task:
    """One judgement to make."""

    consultation: Consultation
    note: Note
    replicate: int


def tasks_for(pair_set: PairSet, clean_replicates: Sequence[int], flawed_replicates: Sequence[int]) -> tuple[Task, ...]:
    """Every judgement that the pairs need, each once, however many pairs share a clean note.

    Consultation by consultation, note by note, then by replicate: neighbours share the longest
    prefix, which a provider's prompt cache then bills at its lower rate.
    """
    notes: dict[str, dict[str, Note]] = {c.id: {} for c in pair_set.consultations}
    for pair in pair_set.pairs:
        for note in (pair.clean, pair.flawed):
            notes[pair.consultation_id].setdefault(note.id, note)
    return tuple(
        Task(consultation, note, replicate)
        for consultation in pair_set.consultations
        for note in notes[consultation.id].values()
        for replicate in (flawed_replicates if note.defect else clean_replicates)
    )


def evaluate(
    judge: Judge, tasks: Sequence[Task], concurrency: int, on_outcome: Callable[[Outcome], None]
) -> tuple[Outcome, ...]:
    """Make every judgement, at most ``concurrency`` at a time, and return the outcomes in task order.

    ``on_outcome`` gets each outcome as it arrives. No task is made twice, however long it takes.
    Where a judgement or ``on_outcome`` raises, or on Ctrl-C: nothing more is begun, what is in
    flight is waited for and handed over, and then the first error is raised.
    """
    work = _Work(judge, iter(enumerate(tasks)), on_outcome)
    with ThreadPoolExecutor(concurrency) as pool:
        try:
            while work.submit(pool, AHEAD * concurrency):
                work.collect(work.arrivals())
        except BaseException as first:
            work.stop(first)
            raise
    return tuple(work.done[index] for index in range(len(tasks)))


@dataclass(slots=True)
class _Work:
    judge: Judge
    waiting: Iterator[tuple[int, Task]]
    on_outcome: Callable[[Outcome], None]
    running: dict[Future[Outcome], int] = field(default_factory=dict)
    finished: SimpleQueue[Future[Outcome]] = field(default_factory=SimpleQueue)
    done: dict[int, Outcome] = field(default_factory=dict)

    def submit(self, pool: ThreadPoolExecutor, limit: int) -> bool:
        """Fill up to ``limit`` submitted tasks; False where none is left."""
        for index, task in islice(self.waiting, limit - len(self.running)):
            future = pool.submit(self.judge.judge, task.consultation, task.note, task.replicate)
            self.running[future] = index
            future.add_done_callback(self.finished.put)
        return bool(self.running)

    def arrivals(self) -> list[Future[Outcome]]:
        """Wait for one finished task; it and all that finished with it."""
        return [self.finished.get(), *(self.finished.get() for _ in range(self.finished.qsize()))]

    def collect(self, arrived: Iterable[Future[Outcome]]) -> None:
        """Hand over outcomes, in task order among those that arrived together."""
        for future in sorted(arrived, key=self.running.__getitem__):
            index = self.running.pop(future)  # first, so that an error below cannot hand it over again
            self.done[index] = future.result()
            self.on_outcome(self.done[index])

    def stop(self, first: BaseException) -> None:
        """Begin nothing more; hand over what was already paid for. Later errors are noted on the first."""
        for future in self.running:
            future.cancel()
        for future in list(self.running):
            try:
                if not future.cancelled():
                    self.collect([future])
            except Exception as later:
                first.add_note(f"then also: {type(later).__name__}: {later}")
