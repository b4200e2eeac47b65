"""Facts about the installed gepa library that this engine rests on; where one changes, look at the engine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gepa
import pytest
from gepa.core.adapter import EvaluationBatch

from optimiser.engines.gepa import GepaEngine
from support.desk import FRONTIER, TARGET, ScriptedDesk, candidate

ROOT = Path(__file__).parents[3]


@dataclass
class PlainAdapter:
    """gepa's own protocol without a desk: scores by text, a proposer that may raise."""

    fail_from: int = 1
    values: Mapping[str, float] = field(default_factory=dict)
    proposed: int = 0
    evaluated: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    propose_new_texts: Any = None

    def __post_init__(self) -> None:
        self.propose_new_texts = self._propose

    def evaluate(self, batch: list[str], texts: dict[str, str], capture_traces: bool = False) -> Any:
        self.evaluated.append((texts[TARGET], tuple(batch)))
        scores = [self.values.get(item, 0.0) for item in batch]
        return EvaluationBatch(outputs=scores, scores=scores, trajectories=list(batch) if capture_traces else None)

    def make_reflective_dataset(self, _texts: Any, _batch: Any, components: Sequence[str]) -> Any:
        return {name: [{"any": "thing"}] for name in components}

    def _propose(self, _texts: Any, _dataset: Any, _components: Any) -> dict[str, str]:
        self.proposed += 1
        if self.proposed >= self.fail_from:
            raise RuntimeError("status 429")
        return {TARGET: f"text {self.proposed}"}


class Silence:
    def log(self, _message: str) -> None:
        return None


def optimise(adapter: PlainAdapter, **options: Any) -> Any:
    return gepa.optimize(
        seed_candidate={TARGET: "seed"},
        trainset=["r0", "r1", "r2", "r3"],
        valset=["f0", "f1", "f2", "f3"],
        adapter=adapter,
        skip_perfect_score=False,
        raise_on_exception=True,
        logger=Silence(),
        **options,
    )


def test_gepa_swallows_a_failing_proposer_and_goes_on_buying_so_the_engine_halts_it() -> None:
    adapter = PlainAdapter()
    optimise(adapter, max_metric_calls=40)
    assert adapter.proposed > 10  # nothing but the metric budget stopped it
    error = RuntimeError("status 429")
    desk = ScriptedDesk(fault=("draft", 1, error))
    with pytest.raises(RuntimeError) as caught:
        GepaEngine().search(desk)
    assert caught.value is error
    assert desk.count("draft") == 1


def test_gepa_tries_a_failed_proposal_twice_but_the_desk_is_asked_once() -> None:
    adapter = PlainAdapter()
    optimise(adapter, stop_callbacks=lambda _state: adapter.proposed > 0)
    assert adapter.proposed == 2
    desk = ScriptedDesk(fault=("draft", 1, RuntimeError("status 429")))
    with pytest.raises(RuntimeError):
        GepaEngine().search(desk)
    assert desk.count("draft") == 1


def test_gepas_evaluation_cache_takes_scores_of_one_fold_for_the_other_so_it_stays_off() -> None:
    """B01: the cache's key is the position in a list, so item i of the frontier reads item i of training."""
    values = {f"r{i}": 1.0 for i in range(4)} | {f"f{i}": 0.25 for i in range(4)}

    class Rising(PlainAdapter):
        def evaluate(self, batch: list[str], texts: dict[str, str], capture_traces: bool = False) -> Any:
            found = super().evaluate(batch, texts, capture_traces)
            bonus = 0.0 if texts[TARGET] == "seed" else 0.5
            scores = [score + bonus for score in found.scores]
            return EvaluationBatch(outputs=scores, scores=scores, trajectories=found.trajectories)

    def frontier_mean(cache: bool) -> float:
        adapter = Rising(fail_from=2, values=values)
        state = optimise(
            adapter,
            cache_evaluation=cache,
            reflection_minibatch_size=4,
            stop_callbacks=lambda _state: adapter.proposed > 0,
        )
        return float(state.val_aggregate_scores[1])

    assert frontier_mean(cache=False) == pytest.approx(0.75)
    assert frontier_mean(cache=True) == pytest.approx(1.5)


def test_every_candidate_is_scored_on_the_frontier_by_the_desk_itself() -> None:
    """B01, seen from the desk: seed and accepted children are asked for on the whole frontier fold."""
    desk = ScriptedDesk()
    GepaEngine().search(desk)
    asked = {entry[1] for entry in desk.log if entry[0] == "scores" and entry[2] == FRONTIER}
    assert asked == {c.id for c in desk.pool}
    assert len(desk.pool) == 3


def test_an_unusable_reply_asks_for_no_score_that_was_not_asked_before() -> None:
    desk = ScriptedDesk(invalid=frozenset({1}), limit=1)
    GepaEngine().search(desk)
    scores = [entry for entry in desk.log if entry[0] == "scores"]
    before = [entry for entry in desk.log[: desk.log.index(("draft", 1))] if entry[0] == "scores"]
    assert set(scores) == set(before)


def test_planting_further_seeds_asks_for_no_score_but_on_the_frontier() -> None:
    desk = ScriptedDesk(seeds=(candidate("one"), candidate("two"), candidate("three")), limit=1)
    GepaEngine().search(desk)
    planting = desk.log[: desk.log.index(("turn", 1))]
    assert planting == [("scores", seed.id, FRONTIER, 0) for seed in desk.seeds]


def test_a_rejected_child_is_never_scored_on_the_frontier() -> None:
    desk = ScriptedDesk(accepted=frozenset())
    GepaEngine().search(desk)
    asked = {entry[1] for entry in desk.log if entry[0] == "scores" and entry[2] == FRONTIER}
    assert asked == {desk.seeds[0].id}


def test_with_seeds_of_two_blocks_gepa_mixes_none_of_them_by_itself() -> None:
    """A merge is the desk's: gepa's own would take acceptance decisions on the frontier fold."""
    seeds = (candidate("one", other="a"), candidate("two", other="b"))
    desk = ScriptedDesk(seeds=seeds, accepted=frozenset(range(1, 9)), limit=8)
    GepaEngine().search(desk)
    assert desk.count("turn") == desk.count("draft") == desk.count("submit") == 8


SCRIPT = """
from optimiser.engines.gepa import GepaEngine
from support.desk import TARGET, ScriptedDesk
desk = ScriptedDesk()
GepaEngine().search(desk)
assert "\\u2192" in desk.drafts[0].child.block(TARGET)
print(len(desk.submitted))
"""


def test_a_search_writes_no_file_prints_nothing_and_minds_no_locale(tmp_path: Path) -> None:
    """gepa opens its run files without an encoding and rewrites them whole (B16): there are none."""
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "6\n", "")
    assert list(tmp_path.iterdir()) == []
