"""What a search engine is, and what the lab offers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from harness.types import Candidate

Fold = Literal["reflection", "frontier"]


@dataclass(frozen=True)
class Turn:
    """One iteration's assignment: who parents, on which consultations, which block is to change.

    ``partner`` makes it a merge; ``block`` is empty where nothing is to change (a seed is planted).
    """

    iteration: int
    parent: Candidate
    minibatch: tuple[str, ...]
    partner: Candidate | None = None
    block: str = ""

    @property
    def parents(self) -> tuple[Candidate, ...]:
        """The parent, and the partner of a merge."""
        return (self.parent,) if self.partner is None else (self.parent, self.partner)


@dataclass(frozen=True)
class Draft:
    """A proposal before it is judged; ``child`` is None where the reply was no usable block."""

    turn: Turn
    child: Candidate | None
    reply: str
    reason: str = ""
    copied_words: int = 0


class Desk(Protocol):
    """The lab's side of a search. It owns the folds, the budget, the evidence and the ledger; an engine owns the order.

    No method shows text of the acceptance split or the holdout.
    """

    @property
    def seeds(self) -> tuple[Candidate, ...]:
        """The starting candidates; the first is the baseline."""

    def consultations(self, fold: Fold) -> tuple[str, ...]:
        """Consultation ids of a training fold."""

    def finished(self) -> bool:
        """True when no further turn may begin."""

    def turn(self, iteration: int) -> Turn:
        """The assignment of an iteration: a function of the campaign's seed, the iteration and the record so far."""

    def scores(self, candidate: Candidate, consultations: Sequence[str], iteration: int) -> tuple[float, ...]:
        """Summed paired outcomes per consultation, in the given order; higher is better.

        Invariant to monotone shifts of the judge's scores. Consultations must be of one fold.
        """

    def draft(self, turn: Turn) -> Draft:
        """Ask the reflection model for a child and screen its reply; no judge call is made."""

    def submit(self, draft: Draft) -> bool:
        """Test the child against its parents, write the ledger row; True where it joins the pool."""


class Engine(Protocol):
    """Searches until the desk says that it is finished."""

    def search(self, desk: Desk) -> None:
        """Run turns; errors of the desk (budget, endpoint, ledger) propagate."""
