from __future__ import annotations

import json
from dataclasses import asdict, replace

from hypothesis import given
from hypothesis import strategies as st

from harness.data.describe import SIMULATED, UNVERIFIED, Spread, describe
from harness.types import Consultation, Defect, Note, Pair, PairSet

DEFECTS = (
    Defect("omission", "x", trace="complete", severity="critical"),
    Defect("omission", "x", trace="restated", severity="supporting"),
    Defect("addition", "x"),
    Defect("alteration", "x", aspect="dose", severity="critical"),
)


@st.composite
def pair_sets(draw: st.DrawFn) -> PairSet:
    consultations, pairs, notes = [], [], []
    for number in range(draw(st.integers(0, 4))):
        key = f"c{number}"
        stratum, group = draw(st.sampled_from(["", "a", "b"])), draw(st.sampled_from(["", "g"]))
        consultations.append(Consultation(key, draw(st.sampled_from("st")), "doctor: hi there", (), stratum, group))
        clean = Note(f"{key}-clean", key, draw(st.sampled_from(["one", "one two three"])))
        notes.append(clean)
        for place, defect in enumerate(draw(st.lists(st.sampled_from(DEFECTS), max_size=4))):
            flawed = Note(f"{key}-{place}", key, f"flawed {place}", defect)
            pairs.append(Pair(f"{key}-p{place}", key, clean, flawed))
    return PairSet("made", tuple(consultations), tuple(pairs), tuple(notes), draw(st.booleans()), draw(st.booleans()))


@given(pair_sets())
def test_every_breakdown_adds_up_to_its_total(pair_set: PairSet) -> None:
    got = describe(pair_set)
    assert sum(got.pairs_by_class.values()) == sum(got.pairs_by_severity.values()) == got.pairs == len(pair_set.pairs)
    assert sum(got.pairs_by_aspect.values()) == got.pairs_by_class.get("alteration", 0)
    assert sum(got.consultations_by_source.values()) == got.consultations
    assert sum(got.consultations_by_stratum.values()) == got.consultations
    assert sum(got.pairs_per_consultation.values()) == got.consultations
    assert sum(pairs * many for pairs, many in got.pairs_per_consultation.items()) == got.pairs
    assert got.clusters <= got.consultations
    assert (got.clean_notes, got.flawed_notes) == (got.consultations, got.pairs)


@given(pair_sets())
def test_a_description_can_be_printed_as_json(pair_set: PairSet) -> None:
    assert json.loads(json.dumps(asdict(describe(pair_set))))["name"] == "made"


@given(pair_sets())
def test_labels_say_what_the_set_says_of_itself(pair_set: PairSet) -> None:
    assert (SIMULATED in describe(pair_set).labels) == pair_set.simulated
    assert (UNVERIFIED in describe(pair_set).labels) == (not pair_set.clean_verified)


@given(pair_sets())
def test_listing_notes_again_changes_no_count(pair_set: PairSet) -> None:
    sides = tuple(note for pair in pair_set.pairs for note in (pair.clean, pair.flawed))
    assert describe(replace(pair_set, notes=pair_set.notes + sides)) == describe(pair_set)


def test_word_spreads_are_over_transcripts_and_clean_notes_only() -> None:
    consultation = Consultation("c", "s", "doctor: one two three")
    clean, flawed = Note("n", "c", "a b"), Note("f", "c", "a b c d e", DEFECTS[2])
    got = describe(PairSet("made", (consultation,), (Pair("p", "c", clean, flawed),)))
    assert (got.transcript_words, got.note_words) == (Spread(4, 4.0, 4), Spread(2, 2.0, 2))


def test_an_empty_set_has_no_spread() -> None:
    got = describe(PairSet("made", (), ()))
    assert (got.transcript_words, got.note_words, got.pairs) == (None, None, 0)
