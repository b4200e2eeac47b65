"""A desk without a campaign behind it: it answers by a script, writes down every question and refuses wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.types import Candidate
from optimiser.engines.base import Draft, Fold, Turn
from support.bench import chance

REFLECTION = tuple(f"r{i}" for i in range(6))
FRONTIER = tuple(f"f{i}" for i in range(4))
TARGET = "instruction"


def candidate(text: str, **blocks: str) -> Candidate:
    return Candidate("score", ((TARGET, text), *blocks.items()))


class Misuse(AssertionError):
    """An engine asked the desk for something that no engine may ask for."""


@dataclass
class ScriptedDesk:
    """Implements ``optimiser.engines.base.Desk``; nothing of acceptance or holdout can be asked of it.

    ``fault`` = (method, n, error): the n-th call of that method (1-based) raises.
    """

    seeds: tuple[Candidate, ...] = (candidate("seed"),)
    limit: int = 6
    accepted: frozenset[int] = frozenset({2, 4})
    invalid: frozenset[int] = frozenset({3})
    partners: frozenset[int] = frozenset({5})
    choose: Callable[[int, Sequence[Candidate]], Candidate] | None = None
    fault: tuple[str, int, BaseException] | None = None
    log: list[tuple[object, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pool = list(self.seeds)
        self.known = {c.id for c in self.seeds}
        self.turns: list[Turn] = []
        self.drafts: list[Draft] = []
        self.submitted: list[Draft] = []

    def consultations(self, fold: Fold) -> tuple[str, ...]:
        return REFLECTION if fold == "reflection" else FRONTIER

    def finished(self) -> bool:
        return len(self.submitted) >= self.limit

    def turn(self, iteration: int) -> Turn:
        self._note("turn", iteration)
        if self.finished():
            raise Misuse("a turn after the desk was finished")
        if iteration != len(self.submitted) + 1:
            raise Misuse(f"iteration {iteration} after {len(self.submitted)} proposals")
        if self.choose is not None:
            parent = self.choose(iteration, self.pool)
        else:
            parent = self.pool[int(chance("parent", iteration, len(self.pool)) * len(self.pool))]
        others = [c for c in self.pool if c.id != parent.id]
        partner = others[0] if iteration in self.partners and others else None
        start = iteration % (len(REFLECTION) - 1)
        self.turns.append(Turn(iteration, parent, REFLECTION[start : start + 2], partner))
        return self.turns[-1]

    def scores(self, candidate: Candidate, consultations: Sequence[str], iteration: int) -> tuple[float, ...]:
        self._note("scores", candidate.id, tuple(consultations), iteration)
        if candidate.id not in self.known:
            raise Misuse("scores of a candidate that was neither seed nor draft")
        if not set(consultations) <= set(REFLECTION) and not set(consultations) <= set(FRONTIER):
            raise Misuse(f"scores over more than one fold: {consultations}")
        return tuple(chance(candidate.id, unit, iteration) for unit in consultations)

    def draft(self, turn: Turn) -> Draft:
        self._note("draft", turn.iteration)
        if self.finished():
            raise Misuse("a draft after the desk was finished")
        if turn != self.turns[-1] or len(self.drafts) >= len(self.turns):
            raise Misuse("a second draft for one turn, or one for a turn that was never given")
        child, reason = None, "no block"
        if turn.iteration not in self.invalid:
            blocks = dict(turn.parent.blocks) | {TARGET: f"text → {turn.iteration}"}
            child, reason = Candidate(turn.parent.judge, tuple(blocks.items()), (turn.parent.id,), "mutation"), ""
            self.known.add(child.id)
        self.drafts.append(Draft(turn, child, f"reply {turn.iteration}", reason))
        return self.drafts[-1]

    def submit(self, draft: Draft) -> bool:
        self._note("submit", draft.turn.iteration)
        if not self.drafts or draft is not self.drafts[-1] or draft in self.submitted:
            raise Misuse("a draft that the desk did not make last, or a second time")
        self.submitted.append(draft)
        if draft.child is None or draft.turn.iteration not in self.accepted:
            return False
        self.pool.append(draft.child)
        return True

    def count(self, method: str) -> int:
        return sum(entry[0] == method for entry in self.log)

    def _note(self, method: str, *details: object) -> None:
        self.log.append((method, *details))
        if self.fault and self.fault[:2] == (method, self.count(method)):
            raise self.fault[2]
