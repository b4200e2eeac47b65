"""The gepa library as an engine: the only file that imports it.

gepa runs the loop (select, sample, reflect, test, full evaluation). Everything that is evidence is the
desk's: selection and sampling keyed on (seed, iteration), the paired acceptance test, the ledger row. gepa's own
cache, merge, MLflow support and checkpoints stay off; why is in the tests of this engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gepa
from gepa.core.adapter import EvaluationBatch

from harness.types import Candidate
from optimiser.engines.base import Desk, Draft, Turn

Texts = dict[str, str]


class GepaEngine:
    """gepa.optimize over whole candidates, of which the desk changes one block; instances are consultations."""

    def search(self, desk: Desk) -> None:
        """Run gepa until the desk is finished; an error that gepa would swallow is raised at the end."""
        adapter = _Adapter(desk)
        gepa.optimize(
            seed_candidate=dict(desk.seeds[0].blocks),
            trainset=_Loader(desk.consultations("reflection")),
            valset=_Loader(desk.consultations("frontier")),
            adapter=adapter,
            candidate_selection_strategy=_Selector(adapter),
            batch_sampler=_Sampler(adapter),
            module_selector=lambda *_: [desk.seeds[0].blocks[0][0]],  # any: the desk says which block changes
            acceptance_criterion=_Acceptance(adapter),
            stop_callbacks=lambda _state: adapter.halt is not None or desk.finished(),
            skip_perfect_score=False,
            use_merge=False,
            cache_evaluation=False,
            use_mlflow=False,
            track_best_outputs=False,
            raise_on_exception=True,
            run_dir=None,
            logger=_Silence(),
        )
        if adapter.halt is not None:
            raise adapter.halt


class _Loader:
    """Consultation ids as both keys and instances."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = list(ids)

    def all_ids(self) -> list[str]:
        return list(self._ids)

    def fetch(self, ids: Sequence[str]) -> list[str]:
        return list(ids)

    def __len__(self) -> int:
        return len(self._ids)


class _Adapter:
    """Hands gepa's questions to the desk. The first turns plant the seeds after the first one."""

    propose_new_texts: Any  # gepa reads the attribute

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.halt: Exception | None = None
        self.pool: list[Candidate] = [desk.seeds[0]]
        self._known: dict[tuple[tuple[str, str], ...], Candidate] = {c.blocks: c for c in desk.seeds}
        self._turn: Turn | None = None
        self._draft: Draft | None = None
        self._iteration = 0
        self.propose_new_texts = self._propose

    @property
    def planting(self) -> Candidate | None:
        """The seed to plant in the current gepa iteration, or None."""
        return self.desk.seeds[self._iteration] if self._iteration < len(self.desk.seeds) else None

    def begin(self, iteration: int) -> Turn:
        """The turn of a gepa iteration (1-based), asked of the desk once."""
        if self._turn is None or self._iteration != iteration:
            self._iteration = iteration
            self._draft = None
            if self.planting is not None:
                first = self.desk.consultations("reflection")[:1]
                self._turn = Turn(0, self.desk.seeds[0], tuple(first))
            else:
                self._turn = self.desk.turn(iteration - len(self.desk.seeds) + 1)
        return self._turn

    def evaluate(self, batch: list[str], candidate: Texts, capture_traces: bool = False) -> EvaluationBatch[Any, Any]:
        """Summed paired outcomes, one per consultation."""
        iteration = self._turn.iteration if self._turn else 0
        if self._turn is not None and iteration == 0 and tuple(batch) == self._turn.minibatch:
            scores = [0.0] * len(batch)  # a seed is planted whatever it scores: nothing is bought
        else:
            scores = list(self.desk.scores(self._candidate(candidate), batch, iteration))
        return EvaluationBatch(outputs=scores, scores=scores, trajectories=list(batch) if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: Texts, eval_batch: EvaluationBatch[Any, Any], components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Only names the component: the desk writes the reflection prompt from its own records."""
        return {name: [{"consultations": eval_batch.trajectories}] for name in components_to_update}

    def accept(self) -> bool:
        """The desk's decision on the current draft; a planted seed always joins."""
        if self.planting is not None:
            self.pool.append(self.planting)
            return True
        assert self._draft is not None
        accepted = self.desk.submit(self._draft)
        if accepted:
            assert self._draft.child is not None
            self.pool.append(self._draft.child)
        return accepted

    def _propose(self, candidate: Texts, _dataset: Any, _components: list[str]) -> Texts:
        """The new texts; the parent's own where there is no usable one, which costs no call."""
        if self.planting is not None:
            return dict(self.planting.blocks)
        assert self._turn is not None
        try:
            self._draft = self.desk.draft(self._turn)
        except Exception as error:  # whatever it is, gepa would log it, ask again and go on
            self.halt = error
            return {}
        child = self._draft.child
        if child is None:
            return dict(candidate)
        self._known[child.blocks] = child
        return dict(child.blocks)

    def _candidate(self, texts: Texts) -> Candidate:
        return self._known[tuple(sorted(texts.items()))]


class _Selector:
    def __init__(self, adapter: _Adapter) -> None:
        self._adapter = adapter

    def select_candidate_idx(self, state: Any) -> int:
        parent = self._adapter.begin(state.i + 1).parent
        return [candidate.id for candidate in self._adapter.pool].index(parent.id)


class _Sampler:
    def __init__(self, adapter: _Adapter) -> None:
        self._adapter = adapter

    def next_minibatch_ids(self, _loader: Any, state: Any) -> list[str]:
        return list(self._adapter.begin(state.i + 1).minibatch)


class _Acceptance:
    def __init__(self, adapter: _Adapter) -> None:
        self._adapter = adapter

    def should_accept(self, _proposal: Any, _state: Any) -> bool:
        return self._adapter.accept()


class _Silence:
    """gepa logs every candidate's text; the ledger has it."""

    def log(self, _message: str) -> None:
        return None
