"""Every outcome and reflection reply of one campaign, appended as it arrives.

The journal is what a resumed campaign reads instead of asking again. It holds failures too:
asking again could turn a failure into a score, and the resumed campaign into another one.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from harness.errors import CampaignError, LedgerError
from harness.outcomes import Failure, Judgement, Outcome, Ruling, Usage
from harness.types import Fact, fields_of

FILE_NAME = "journal.jsonl"
Key = tuple[str, str, int]


class Journal:
    """Outcomes by (candidate, note, replicate) and reflection replies by iteration."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcomes: dict[Key, Outcome] = {}
        self._replies: dict[int, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("a", encoding="ascii", buffering=1)  # a killed process loses no whole line
        except OSError as error:
            raise self._refused(error) from error
        try:
            self._lock()
            self._load()
        except BaseException:
            self._stream.close()
            raise

    def outcome(self, key: Key) -> Outcome | None:
        """A recorded outcome, or None."""
        return self._outcomes.get(key)

    def keep(self, outcome: Outcome) -> None:
        """Record one outcome; durable once ``flush`` returns."""
        self._outcomes[(outcome.candidate_id, outcome.note_id, outcome.replicate)] = outcome
        kind = "judgement" if isinstance(outcome, Judgement) else "failure"
        self._write({"type": kind} | fields_of(outcome))

    def reply(self, iteration: int) -> dict[str, Any] | None:
        """The recorded reflection reply of an iteration, or None."""
        return self._replies.get(iteration)

    def keep_reply(self, iteration: int, reply: dict[str, Any]) -> None:
        """Record a reflection reply and make it durable."""
        self._replies[iteration] = reply
        self._write({"type": "reply", "iteration": iteration, "reply": reply})
        self.flush()

    def flush(self) -> None:
        """Make everything kept so far durable; LedgerError where the disk refuses."""
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Flush and close."""
        if not self._stream.closed:
            try:
                self.flush()
            finally:
                self._shut()

    def _shut(self) -> None:
        try:
            self._stream.close()
        except OSError as error:  # closing flushes once more
            raise self._refused(error) from error

    def _write(self, record: dict[str, Any]) -> None:
        try:
            # Escaped, because a reply may hold what UTF-8 cannot say: half of an emoji that the token cap cut.
            self._stream.write(json.dumps(record, default=fields_of) + "\n")
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> LedgerError:
        return LedgerError(f"writing {self._path}", str(error), "Free the disk, then run the same command again.")

    def _lock(self) -> None:
        """Be the only process of this campaign; the system lets go of the lock when a process ends, however it ends."""
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CampaignError(
                f"opening the campaign in {self._path.parent}",
                "another process is running it",
                "Wait for it, stop it with a file STOP in that folder, or give another --out.",
            ) from None

    def _load(self) -> None:
        if not self._path.exists():
            return
        try:
            data = self._path.read_bytes()
            end = data.rfind(b"\n") + 1
            if end != len(data):  # a killed write
                os.truncate(self._path, end)
        except OSError as error:
            raise self._refused(error) from error
        for number, line in enumerate(data[:end].split(b"\n")[:-1], start=1):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                found = f"line {number} does not read: {error!r}"
                todo = "Restore the file, or start a new campaign."
                raise LedgerError(f"reading {self._path}", found, todo) from error

    def _take(self, record: dict[str, Any]) -> None:
        kind = record.pop("type")
        if kind == "reply":
            self._replies[record["iteration"]] = record["reply"]
            return
        outcome = outcome_of(kind, record)
        self._outcomes[(outcome.candidate_id, outcome.note_id, outcome.replicate)] = outcome


def outcome_of(kind: str, record: dict[str, Any]) -> Outcome:
    """A judgement or failure from its JSON record."""
    record["usage"] = Usage(**record["usage"])
    if kind == "failure":
        return Failure(**record)
    for name in ("missing", "wrong", "samples", "parts"):
        record[name] = tuple(record.get(name, ()))
    record["rulings"] = tuple(Ruling(**(one | {"fact": Fact(**one["fact"])})) for one in record["rulings"])
    return Judgement(**record)
