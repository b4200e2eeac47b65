from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.types import Candidate
from optimiser.frontier import leads, pick_parent, pick_partner, undominated


@dataclass(frozen=True)
class Pool:
    candidates: tuple[Candidate, ...]
    scores: dict[str, dict[str, float]]

    def beaten(self, one: Candidate) -> bool:
        """Another is nowhere worse and somewhere better."""
        mine = self.scores[one.id]
        return any(
            all(theirs[u] >= mine[u] for u in mine) and any(theirs[u] > mine[u] for u in mine)
            for theirs in self.scores.values()
        )


def candidate(number: int, length: int = 1) -> Candidate:
    return Candidate("score", (("instruction", f"{number:02d}" + "x" * length),))


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    units = [f"u{i}" for i in range(draw(st.integers(1, 5)))]
    made = tuple(candidate(n, draw(st.integers(1, 3))) for n in range(draw(st.integers(1, 6))))
    values = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])
    return Pool(made, {c.id: {u: draw(values) for u in units} for c in made})


@given(pools())
@settings(max_examples=200, deadline=None)
def test_the_frontier_is_who_is_not_beaten_with_one_of_those_who_are_equal_everywhere(pool: Pool) -> None:
    front = undominated(pool.candidates, pool.scores)
    assert front
    assert not any(pool.beaten(c) for c in front)
    rows = [tuple(pool.scores[c.id].values()) for c in front]
    assert len(set(rows)) == len(rows)
    for c in pool.candidates:
        if c not in front and not pool.beaten(c):
            twin = next(f for f in front if pool.scores[f.id] == pool.scores[c.id])
            place = pool.candidates.index
            assert (twin.length, place(twin)) < (c.length, place(c))  # shorter, then older


@given(pools(), st.integers(0, 99))
@settings(max_examples=200, deadline=None)
def test_a_dominated_candidate_never_parents_and_a_parent_leads_somewhere(pool: Pool, seed: int) -> None:
    parent = pick_parent(pool.candidates, pool.scores, np.random.default_rng(seed))
    assert not pool.beaten(parent)
    assert any(
        pool.scores[parent.id][u] == max(scores[u] for scores in pool.scores.values()) for u in pool.scores[parent.id]
    )


@given(pools())
@settings(max_examples=200, deadline=None)
def test_leads_add_up_to_the_consultations_and_shared_leads_are_split(pool: Pool) -> None:
    front = undominated(pool.candidates, pool.scores)
    found = leads(front, pool.scores)
    assert sum(found.values()) == pytest.approx(len(pool.scores[front[0].id]))
    for c in front:
        expected = 0.0
        for u, value in pool.scores[c.id].items():
            best = [f for f in front if pool.scores[f.id][u] == max(pool.scores[g.id][u] for g in front)]
            expected += 1 / len(best) if value == pool.scores[best[0].id][u] else 0.0
        assert found[c.id] == pytest.approx(expected)


def test_parents_are_drawn_in_proportion_to_their_leads() -> None:
    one, two = candidate(1), candidate(2)
    scores = {one.id: {"a": 1, "b": 1, "c": 1, "d": 0}, two.id: {"a": 0, "b": 0, "c": 0, "d": 1}}
    rng = np.random.default_rng(1)
    drawn = [pick_parent((one, two), scores, rng) for _ in range(400)]
    assert 270 <= drawn.count(one) <= 330  # 300 expected, 3.5 standard errors


def test_the_same_generator_draws_the_same_parent() -> None:
    made = tuple(candidate(n) for n in range(4))
    scores = {c.id: {f"u{i}": float(i == n) for i in range(4)} for n, c in enumerate(made)}
    first, second = ([pick_parent(made, scores, np.random.default_rng([7, n])).id for n in range(20)] for _ in range(2))
    assert first == second
    assert len(set(first)) == 4


@given(pools())
@settings(max_examples=200, deadline=None)
def test_a_partner_leads_the_parent_somewhere_and_trails_it_elsewhere(pool: Pool) -> None:
    for parent in undominated(pool.candidates, pool.scores):
        partner = pick_partner(pool.candidates, pool.scores, parent)
        mine = pool.scores[parent.id]
        rivals = [c for c in undominated(pool.candidates, pool.scores) if c != parent]
        if partner is None:
            assert not rivals  # two of a frontier are never equal, so each is ahead of the other somewhere
            continue
        theirs = pool.scores[partner.id]
        assert partner in rivals
        assert any(theirs[u] > mine[u] for u in mine)
        assert any(theirs[u] < mine[u] for u in mine)
        ahead = {c.id: sum(pool.scores[c.id][u] > mine[u] for u in mine) for c in rivals}
        assert ahead[partner.id] == max(ahead.values())


def test_a_parent_that_leads_the_others_nowhere_has_no_partner() -> None:
    """A merge with it could only lose what the other has."""
    beaten, other = candidate(1), candidate(2)
    scores = {beaten.id: {"a": 0.0, "b": 1.0}, other.id: {"a": 1.0, "b": 1.0}}
    assert pick_partner((beaten, other), scores, beaten) is None


def test_rounding_is_not_a_lead() -> None:
    one, two = candidate(1), candidate(2, length=9)
    scores = {one.id: {"a": 0.3}, two.id: {"a": 0.1 + 0.2}}
    assert scores[two.id]["a"] > scores[one.id]["a"]
    assert undominated((two, one), scores) == (one,)
