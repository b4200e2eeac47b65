"""A campaign's ledger rows read as one story: what began, what was tried, what won, how it ended."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.errors import LedgerError
from harness.types import digest
from optimiser.records import (
    CandidateRecord,
    FinishRow,
    FreezeRow,
    Measured,
    NoiseRow,
    ProposalRow,
    Row,
    SeedRow,
    Spend,
    Standing,
    StartRow,
)


@dataclass(frozen=True)
class Try:
    """One seed or proposal. ``row_number`` counts ledger rows from 1; ``iteration`` is 0 for seeds."""

    row_number: int
    label: str
    iteration: int
    status: str
    row: SeedRow | ProposalRow

    @property
    def candidate(self) -> CandidateRecord | None:
        """The text that was tried; None where the reply held no usable block."""
        return self.row.candidate

    @property
    def parents(self) -> tuple[str, ...]:
        """Candidate ids of the parents."""
        return self.row.parents if isinstance(self.row, ProposalRow) else ()

    def on(self, split: str) -> Measured | None:
        """The measures on one split or fold, where there are any."""
        return next((m for m in self.row.measured if m.split == split), None)


@dataclass(frozen=True)
class History:
    """Rows with their meaning.

    ``freeze`` and ``finish`` are None while the campaign goes on, ``noise`` where it was not measured.
    """

    start: StartRow
    tries: tuple[Try, ...]
    freeze: FreezeRow | None
    finish: FinishRow | None
    noise: NoiseRow | None = None

    @classmethod
    def of(cls, rows: Sequence[Row]) -> History:
        """Read rows in ledger order; LedgerError where the first is not a start row."""
        if not rows or not isinstance(rows[0], StartRow):
            todo = "Check that this is a campaign's ledger.jsonl."
            raise LedgerError("reading the rows of a campaign", "no start row at the beginning", todo)
        tries = [_try(n, row) for n, row in enumerate(rows, 1) if isinstance(row, SeedRow | ProposalRow)]
        return cls(
            start=rows[0],
            tries=tuple(tries),
            freeze=next((row for row in rows if isinstance(row, FreezeRow)), None),
            finish=next((row for row in rows if isinstance(row, FinishRow)), None),
            noise=next((row for row in rows if isinstance(row, NoiseRow)), None),
        )

    @property
    def key(self) -> str:
        """The campaign's name with a digest of all that makes it this campaign and no other."""
        return f"{self.start.campaign}/{digest(self.start.model_dump(mode='json'))[:12]}"

    @property
    def spend(self) -> Spend:
        """Everything spent so far."""
        if self.finish is not None:
            return self.finish.spend
        others = [row.spend for row in (self.noise, self.freeze) if row is not None]
        return total([*(t.row.spend for t in self.tries), *others])

    @cached_property
    def counts(self) -> dict[str, int]:
        """Proposals by status; all three statuses are present."""
        statuses = [t.status for t in self.tries]
        return {status: statuses.count(status) for status in ("accepted", "rejected", "invalid")}

    @cached_property
    def by_candidate(self) -> dict[str, Try]:
        """Candidate id -> the first try with that text."""
        return {t.candidate.id: t for t in reversed(self.tries) if t.candidate is not None}

    def label(self, candidate: str) -> str:
        """The short name of a candidate id; the id itself where the ledger does not know it."""
        known = self.by_candidate.get(candidate)
        return known.label if known else candidate

    def standing(self, candidate: str) -> Standing | None:
        """A candidate's reading at freeze."""
        standings = self.freeze.standings if self.freeze else ()
        return next((s for s in standings if s.candidate == candidate), None)

    def pairs_at_freeze(self, measured: Measured) -> int:
        """How many pairs a standing was counted over: those that the configured objective takes in."""
        everything = self.start.config.get("acceptance", {}).get("objective") == "all"
        return measured.pairs if everything else headline_pairs(measured)

    def status(self, tried: Try) -> str:
        """``winner`` for a frozen winner that is no seed kept for want of a better one, else what became of the try."""
        freeze = self.freeze
        if freeze is None or freeze.seed_kept or self.by_candidate.get(freeze.winner) is not tried:
            return tried.status
        return "winner"


def headline(measured: Measured) -> float | None:
    """The measure that candidates are compared by: paired omissions, or commissions where a set has no omissions."""
    return measured.paired_commissions if measured.paired_omissions is None else measured.paired_omissions


def headline_pairs(measured: Measured) -> int:
    """How many pairs the headline was counted over."""
    omissions = measured.wins + measured.ties + measured.losses
    return measured.pairs if measured.paired_omissions is None else omissions


def total(spends: Sequence[Spend]) -> Spend:
    """The sum; dollars stay None where no price is known."""
    dollars = [s.dollars for s in spends if s.dollars is not None]
    return Spend(
        calls=sum(s.calls for s in spends),
        tokens=sum(s.tokens for s in spends),
        dollars=sum(dollars) if dollars else None,
    )


def block_diff(before: CandidateRecord, after: CandidateRecord, block: str, names: tuple[str, str]) -> str:
    """Unified diff of one block with its whole context; empty where nothing changed."""
    old, new = before.blocks.get(block, "").splitlines(), after.blocks.get(block, "").splitlines()
    return "\n".join(difflib.unified_diff(old, new, *names, lineterm="", n=max(len(old), len(new), 1)))


def _try(number: int, row: SeedRow | ProposalRow) -> Try:
    if isinstance(row, SeedRow):
        name = row.candidate.origin.partition(":")[2]
        return Try(number, f"seed-{name or number - 1}", 0, "seed", row)
    return Try(number, f"i{row.iteration:04d}", row.iteration, row.status, row)
