import csv
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.standin import STAND_IN
from harness.types import Consultation, Note, PairSet
from partitions.leakage import find_leaks

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared clinical data is not here")


def noted(notes: list[str]) -> PairSet:
    consultations = tuple(
        Consultation(f"c{i}", "made", f"doctor: only number{i} speaks here") for i in range(len(notes))
    )
    return PairSet("made", consultations, (), tuple(Note(f"n{i}", f"c{i}", note) for i, note in enumerate(notes)))


def leaks(notes: list[str], sides: list[str] | None = None) -> list[tuple[str, str]]:
    names = sides or [str(i) for i in range(len(notes))]
    found = find_leaks(noted(notes), {f"c{i}": name for i, name in enumerate(names)})
    return [(leak.first, leak.second) for leak in found.leaks]


def words(seed: int, n: int) -> list[str]:
    return random.Random(seed).choices([f"w{i}" for i in range(3000)], k=n)


@given(st.integers(0, 999), st.integers(60, 300))
@settings(max_examples=20, deadline=None)
def test_a_text_with_a_twentieth_of_its_words_replaced_is_found(seed, n):
    original = words(seed, n)
    edited = list(original)
    for index in random.Random(seed).sample(range(n), n // 20):
        edited[index] = "replaced"
    assert leaks([" ".join(original), " ".join(edited)]) == [("c0", "c1")]


@given(st.integers(0, 999), st.integers(30, 120), st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_a_note_pasted_into_another_is_found(seed, short, before):
    pasted = words(seed, short)
    longer = words(seed + 1, before) + pasted + words(seed + 2, 150)
    assert leaks([" ".join(pasted), " ".join(longer)]) == [("c0", "c1")]


@given(st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_two_unrelated_texts_are_not_found(seed):
    assert leaks([" ".join(words(seed, 200)), " ".join(words(seed + 5000, 200))]) == []


def test_equal_texts_are_found_however_short_and_whatever_the_case_and_punctuation():
    assert leaks(["No change today.", "no change, TODAY", "Some change today"]) == [("c0", "c1")]


def test_a_duplicate_on_the_same_side_is_no_leak():
    assert leaks(["just the same note"] * 2, sides=["training", "training"]) == []


def test_a_duplicate_in_half_of_all_texts_is_still_found():
    same = " ".join(words(1, 80))
    notes = [same if i % 2 else " ".join(words(i + 10, 80)) for i in range(20)]
    assert len(leaks(notes)) == 10 * 9 // 2


def test_stock_phrases_that_make_half_of_every_note_are_no_leak():
    stock = [" ".join(words(1000 + k, 20)) for k in range(10)]
    notes = []
    for i in range(40):
        chosen = random.Random(i).sample(stock, 5)
        notes.append(" ".join([*chosen, *words(i, 100)]))
    assert leaks(notes) == []


def test_the_closest_texts_are_reported_even_where_nothing_leaks():
    shared = " ".join(words(1, 40))
    found = find_leaks(noted([shared + " " + " ".join(words(i, 100)) for i in (2, 3)]), {"c0": "a", "c1": "b"})
    assert found.leaks == ()
    (closest,) = [x for x in found.closest if x.kind == "note"]
    assert 0.1 < closest.jaccard < 0.6
    assert 0.2 < closest.contained < 0.5


@needs_data
def test_the_one_real_note_that_holds_another_patients_note_is_found():
    files = sorted((SHARED / "primock57" / "notes").glob("*.json"))
    found = leaks([json.loads(file.read_text(encoding="utf-8"))["note"] for file in files])
    assert [{files[int(name[1:])].stem for name in pair} for pair in found] == [
        {"day5_consultation09", "day5_consultation10"}
    ]


@needs_data
def test_no_two_of_187_different_real_visits_are_called_near_duplicates():
    rows = {}
    for file in sorted((SHARED / "aci-bench" / "challenge_data").glob("*.csv")):
        if "metadata" not in file.name:
            with file.open(encoding="utf-8", newline="") as stream:
                rows |= {row["encounter_id"]: row for row in csv.DictReader(stream)}
    consultations = tuple(Consultation(name, "aci", row["dialogue"]) for name, row in rows.items())
    notes = tuple(Note(name, name, row["note"]) for name, row in rows.items())
    found = find_leaks(PairSet("aci", consultations, (), notes), {name: name for name in rows})
    assert len(rows) == 187
    assert found.leaks == ()


def test_stand_ins_for_transcripts_that_do_not_exist_are_no_leak():
    consultations = tuple(Consultation(name, "made", STAND_IN) for name in ("a", "b"))
    alone = PairSet(
        "made", consultations, (), tuple(Note(c.id, c.id, f"only {c.id} stands here") for c in consultations)
    )
    assert find_leaks(alone, {"a": "training", "b": "holdout"}).leaks == ()
