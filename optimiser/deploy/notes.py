"""Notes to be judged as tasks, and the loop that judges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.data.imported import Refusal
from harness.data.jsonl import read_jsonl
from harness.errors import DataError, EndpointUnreachable
from harness.evaluate import Task, evaluate
from harness.judges.base import Judge
from harness.outcomes import Failure, Outcome
from optimiser.deploy.judge import Deployed
from optimiser.deploy.verdicts import Verdict, text_digest, verdict_of
from optimiser.measuring import BROKEN_LEAST

REPLICATE = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes in the order in which they are judged, consultation by consultation, and what could not be read as one."""

    tasks: tuple[Task, ...]
    refused: tuple[Refusal, ...]


def read_notes(path: Path, consultations: Path | None = None) -> Notes:
    """Read notes and consultations in the documented JSONL format, from one file or folder or from two.

    Raises DataError for a line that does not fit the format, and where there is no note at all.
    """
    source = read_jsonl(path, () if consultations is None else (consultations,)).imported
    by_id = {consultation.id: consultation for consultation in source.consultations}
    order = {name: number for number, name in enumerate(by_id)}
    notes = sorted(source.notes, key=lambda note: order[note.consultation_id])
    if not notes and not source.refused:
        raise DataError(f"reading {path}", "no note", "Give note records; `judgelab judge --format` describes them.")
    tasks = tuple(Task(by_id[note.consultation_id], note, REPLICATE) for note in notes)
    refused = tuple(refusal for refusal in source.details if refusal.reason in source.refused)
    return Notes(tasks, refused)


def require_facts(deployed: Deployed, tasks: Sequence[Task]) -> None:
    """DataError where the judge needs facts to be given and a consultation has none."""
    bare = [task.consultation.id for task in tasks if not task.consultation.facts]
    if deployed.judge.facts == "given" and bare:
        found = f"consultation {bare[0]!r} without facts, and a judge that wants them given"
        raise DataError("judging by given facts", found, "Give every consultation its facts.")


def open_tasks(tasks: Sequence[Task], known: Mapping[str, Verdict]) -> tuple[Task, ...]:
    """The tasks without a verdict yet; DataError where a note has a verdict on another text."""
    for task in tasks:
        verdict = known.get(task.note.id)
        if verdict is not None and verdict.text != text_digest(task.consultation, task.note):
            found = "a verdict on another text of the note, its transcript or its facts"
            todo = "Give changed notes new ids, or another --out."
            raise DataError(f"going on with note {task.note.id!r}", found, todo)
    return tuple(task for task in tasks if task.note.id not in known)


def judge_notes(
    deployed: Deployed, judge: Judge, tasks: Sequence[Task], concurrency: int, emit: Callable[[Verdict], None]
) -> None:
    """Judge every task; each verdict is handed over as it arrives.

    EndpointUnreachable after several calls in a row that failed for good; what was handed over stays.
    """
    by_note = {task.note.id: task for task in tasks}
    lost = 0

    def on_outcome(outcome: Outcome) -> None:
        nonlocal lost
        task = by_note[outcome.note_id]
        emit(verdict_of(deployed, task.consultation, task.note, outcome))
        lost = lost + 1 if isinstance(outcome, Failure) and outcome.reason == "call-failed" else 0
        if lost >= BROKEN_LEAST:
            raise EndpointUnreachable(
                "judging notes",
                f"{lost} calls in a row failed for good",
                "Look at the endpoint, then run the same command again: it goes on from here.",
            )

    evaluate(judge, tasks, concurrency, on_outcome)
