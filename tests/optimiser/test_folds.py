from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.types import Consultation, Defect, Note, Pair, PairSet
from optimiser.folds import Part, minibatch, race_order

units = st.integers(1, 23).map(lambda n: tuple(f"u{i:02d}" for i in range(n)))
sizes = st.integers(1, 9)
seeds = st.integers(0, 2**31)


@given(units, sizes, seeds, st.integers(1, 20))
@settings(max_examples=80, deadline=None)
def test_a_minibatch_is_a_function_of_seed_and_iteration_alone(
    names: tuple[str, ...], size: int, seed: int, iteration: int
) -> None:
    alone = minibatch(names, size, seed, iteration)
    after_others = [minibatch(names, size, seed, n) for n in range(1, iteration + 1)][-1]
    assert alone == after_others
    assert len(alone) == len(set(alone)) == min(size, len(names))
    assert set(alone) <= set(names)


@given(units, sizes, seeds, st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_every_pass_shows_each_unit_once_whether_or_not_batches_divide_it(
    names: tuple[str, ...], size: int, seed: int, passes: int
) -> None:
    shown = [u for n in range(1, passes * len(names) + 1) for u in minibatch(names, size, seed, n)]
    for start in range(0, len(names) * passes, len(names)):
        assert Counter(shown[start : start + len(names)]) == Counter(names)


def test_another_seed_or_another_pass_is_another_order() -> None:
    names = tuple(f"u{i}" for i in range(12))
    passes = {tuple(u for n in (3 * p + 1, 3 * p + 2, 3 * p + 3) for u in minibatch(names, 4, 7, n)) for p in range(8)}
    assert len(passes) == 8
    assert len({minibatch(names, 4, seed, 1) for seed in range(8)}) > 4


@given(units, seeds, st.integers(1, 60), st.data())
@settings(max_examples=100, deadline=None)
def test_a_race_opens_with_the_minibatch_and_then_shows_each_other_unit_once(
    names: tuple[str, ...], seed: int, iteration: int, data: st.DataObject
) -> None:
    opening = minibatch(names, data.draw(sizes), seed, iteration)
    order = race_order(names, opening, seed, iteration)
    assert order[: len(opening)] == opening
    assert Counter(order) == Counter(names)
    assert order == race_order(names, opening, seed, iteration)


def test_a_unit_is_a_group_where_there_is_one_and_needs_a_pair() -> None:
    def pair(name: str, consultation: str) -> Pair:
        clean = Note(f"{name}/n", consultation, f"note {name}")
        flawed = Note(name, consultation, f"note {name} more", Defect("addition", "more", after="more"))
        return Pair(name, consultation, clean, flawed)

    consultations = (
        Consultation("a1", "s", "patient: one", group="a"),
        Consultation("a2", "s", "patient: two", group="a"),
        Consultation("b", "s", "patient: three"),
        Consultation("alone", "s", "patient: four"),
    )
    part = Part(PairSet("x", consultations, (pair("p1", "a1"), pair("p2", "a2"), pair("p3", "b"))))
    assert part.units == ("a", "b")
    assert {c.id for c in part.of(["a"]).consultations} == {"a1", "a2"}
    assert [p.id for p in part.of(["b"]).pairs] == ["p3"]
