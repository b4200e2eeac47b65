from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.windows import families


def text(seed: int, n: int = 60) -> str:
    return " ".join(random.Random(seed).choices([f"w{i}" for i in range(3000)], k=n))


@given(st.integers(0, 999), st.integers(0, 29))
@settings(max_examples=20, deadline=None)
def test_a_text_with_one_word_changed_is_of_the_same_family_and_another_text_is_not(seed: int, place: int) -> None:
    words = text(seed, 30).split()
    words[place] = "changed"
    assert families([[text(seed, 30)], [text(seed + 5000, 30)], [" ".join(words)]], share=0.5) == [0, 1, 0]


@given(st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_items_changes_names_and_not_families(order: list[int]) -> None:
    items = [[text(1)], [text(1) + " more"], [text(2)], [text(2).upper()], [text(3)]]
    found = families([items[i] for i in order], share=0.5)
    together = {frozenset(order[i] for i, label in enumerate(found) if label == name) for name in found}
    assert together == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4})}


def test_relatives_of_relatives_are_relatives_even_through_another_place() -> None:
    items = [[text(1), text(10)], [text(1), text(11)], [text(2), text(11)], [text(3), text(12)]]
    assert families(items, share=0.5) == [0, 0, 0, 3]


def test_texts_in_different_places_are_not_compared() -> None:
    assert families([[text(1), text(2)], [text(2), text(1)]], share=0.5) == [0, 1]


def test_short_texts_are_related_only_where_their_words_are_equal() -> None:
    items = [["a b c d e f"], ["a b c d e f g"], ["A, b c d e f!"]]
    assert families(items, share=0.5, least=20) == [0, 1, 0]


def test_no_items_have_no_families() -> None:
    assert families([], share=0.5) == []
