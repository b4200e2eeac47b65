"""Replies and attempts in one sqlite file, shared by threads and by processes."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from harness.errors import LedgerError
from harness.llm.client import Reply

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY, campaign TEXT NOT NULL, role TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL, charged_tokens INTEGER NOT NULL, charged_dollars REAL,
    latency REAL NOT NULL, sent TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_by_campaign ON calls (campaign);
"""
_INSERT = (
    "INSERT INTO calls (campaign, role, key, status, prompt_tokens, cached_tokens, completion_tokens,"
    " reasoning_tokens, charged_tokens, charged_dollars, latency, sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE = (
    "UPDATE calls SET campaign = ?, role = ?, key = ?, status = ?, prompt_tokens = ?, cached_tokens = ?,"
    " completion_tokens = ?, reasoning_tokens = ?, charged_tokens = ?, charged_dollars = ?, latency = ?, sent = ?"
    " WHERE id = ?"
)
_SPENT = "SELECT count(*), sum(charged_tokens), sum(charged_dollars) FROM calls WHERE campaign = ? AND status <> ?"
_BY_ROLE = "SELECT role, count(*) FROM calls WHERE campaign = ? AND status <> ? GROUP BY role ORDER BY role"
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
_BUSY_SECONDS = 30.0

NOT_SENT = "not sent"


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt: a row of the call table.

    ``status`` is "open" while in flight, then an HTTP status or a word for how it ended;
    ``charged_tokens`` and ``charged_dollars`` are what it counts against the caps (the
    reservation where the endpoint reported nothing); ``latency`` is in seconds; ``sent`` is
    the digest of the body.
    """

    campaign: str
    role: str
    key: str
    sent: str
    status: str = "open"
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    charged_tokens: int = 0
    charged_dollars: float | None = None
    latency: float = 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """What was bought: attempts sent, tokens, and US dollars (None where no price was known)."""

    calls: int = 0
    tokens: int = 0
    dollars: float | None = None


class CallStore:
    """Reply cache and call log. Every write is one transaction, so a killed process leaves a readable file.

    One connection behind a lock serves all threads of a process; processes wait for one
    another inside sqlite. Raises LedgerError where the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from None
        try:
            _prepare(self._connection)
        except sqlite3.Error as error:
            self._connection.close()
            raise self._broken(error) from None

    def get(self, key: str) -> Reply | None:
        """The stored reply, without its ``sent`` body (the key's owner knows it), or None."""
        row = self._run(lambda c: c.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone())
        return None if row is None else _REPLY.validate_json(row[0])

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply; the first one stored under a key stays, whoever else bought it meanwhile."""
        text = _REPLY.dump_json(replace(reply, sent={})).decode()
        self._run(lambda c: c.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, text)))

    def record(self, call: Call, row: int | None = None) -> int:
        """Write one attempt and return its row number; with ``row``, overwrite that attempt.

        An attempt is written before it is sent and overwritten when it ended, so an attempt
        that a killed process left in flight still counts with what was reserved for it.
        """
        values = (
            *(call.campaign, call.role, call.key, call.status, call.prompt_tokens, call.cached_tokens),
            *(call.completion_tokens, call.reasoning_tokens, call.charged_tokens, call.charged_dollars),
            *(call.latency, call.sent),
        )
        if row is not None:
            self._run(lambda c: c.execute(_UPDATE, (*values, row)))
            return row
        number: int = self._run(lambda c: c.execute(_INSERT, values).lastrowid)
        return number

    def spent(self, campaign: str) -> Spent:
        """What the attempts of one campaign count against its caps, over all processes so far."""
        calls, tokens, dollars = self._run(lambda c: c.execute(_SPENT, (campaign, NOT_SENT)).fetchone())
        return Spent(calls, tokens or 0, dollars)

    def calls_by_role(self, campaign: str) -> dict[str, int]:
        """Attempts sent for one campaign by role ("judge", "judge:extract", "reflect"), over all processes so far."""
        rows = self._run(lambda c: c.execute(_BY_ROLE, (campaign, NOT_SENT)).fetchall())
        return dict(rows)

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def _run(self, statement: Callable[[sqlite3.Connection], Any]) -> Any:
        try:
            with self._lock:
                return statement(self._connection)
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> LedgerError:
        todo = "Check that the folder is writable and the disk not full; a damaged file can be deleted and bought anew."
        return LedgerError(f"using the call store {self._path}", str(error), todo)


def _prepare(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging and create the tables.

    The switch ignores sqlite's own busy timeout, so two processes that create one file
    together need this loop.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
