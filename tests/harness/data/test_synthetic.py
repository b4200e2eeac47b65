from __future__ import annotations

import difflib
import re
from collections import Counter
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.pairs import dump_pairs, parse_pairs
from harness.data.synthetic import build_synthetic, verify_pair
from harness.data.synthetic.case import STRATA
from harness.data.synthetic.content.problems import PROBLEMS
from harness.data.synthetic.terms import sentences, terms
from harness.errors import DataError
from harness.types import PairSet

SEEDS = st.integers(0, 2**32 - 1)
few = settings(max_examples=12, deadline=None)


@lru_cache(maxsize=4)
def corpus(consultations: int = 80, pairs: int = 5, seed: int = 7) -> PairSet:
    return build_synthetic(consultations, pairs, seed)


def statements(text: str) -> set[str]:
    bare = (re.sub(r"^(?:doctor|patient): ", "", line) for line in text.split("\n"))
    words = (re.findall(r"[a-z0-9']+", part.lower()) for line in bare for part in sentences(line))
    return {" ".join(found) for found in words if len(found) >= 4}


def shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


@few
@given(seed=SEEDS, count=st.integers(1, 4), pairs=st.integers(1, 8))
def test_equal_arguments_give_equal_bytes(seed: int, count: int, pairs: int) -> None:
    assert dump_pairs(build_synthetic(count, pairs, seed)) == dump_pairs(build_synthetic(count, pairs, seed))


@few
@given(seed=SEEDS)
def test_a_smaller_set_is_a_prefix_of_a_larger_one(seed: int) -> None:
    small, large = build_synthetic(2, 5, seed), build_synthetic(4, 5, seed)
    assert large.consultations[:2] == small.consultations
    assert large.pairs[: len(small.pairs)] == small.pairs


def test_another_seed_gives_other_transcripts() -> None:
    one, two = build_synthetic(6, 5, 1), build_synthetic(6, 5, 2)
    assert not {c.transcript for c in one.consultations} & {c.transcript for c in two.consultations}


def test_the_file_reads_back_as_the_same_set() -> None:
    made = build_synthetic(6, 5, 3)
    assert parse_pairs(dump_pairs(made), Path("synthetic")) == made


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, pairs=st.integers(1, 20))
def test_every_pair_satisfies_the_verifier_for_every_seed(seed: int, pairs: int) -> None:
    made = build_synthetic(6, pairs, seed)
    assert [verify_pair(pair) for pair in made.pairs] == [()] * len(made.pairs)
    assert {p.consultation_id for p in made.pairs if p.pair_class == "omission-complete"} == set(made.by_id)


@few
@given(seed=SEEDS)
def test_evidence_stands_in_the_transcript(seed: int) -> None:
    made = build_synthetic(6, 5, seed)
    for consultation in made.consultations:
        assert all(fact.evidence and fact.evidence in consultation.transcript for fact in consultation.facts)
    for pair in made.pairs:
        assert pair.defect.evidence in made.by_id[pair.consultation_id].transcript
        assert bool(pair.defect.evidence) == (pair.defect.kind != "addition")


@few
@given(seed=SEEDS)
def test_every_listed_fact_shares_words_with_the_clean_note(seed: int) -> None:
    made = build_synthetic(5, 1, seed)
    notes = {pair.consultation_id: terms(pair.clean.text) for pair in made.pairs}
    for consultation in made.consultations:
        for fact in consultation.facts:
            wanted = terms(fact.text)
            assert 2 * len(wanted & notes[consultation.id]) >= len(wanted), fact


@few
@given(seed=SEEDS)
def test_nothing_an_addition_states_is_supported_by_half_in_the_transcript(seed: int) -> None:
    made = build_synthetic(6, 5, seed)
    for pair in made.pairs:
        if pair.defect.kind == "addition":
            stated = terms(pair.defect.after)
            assert 2 * len(stated & terms(made.by_id[pair.consultation_id].transcript)) < len(stated)


def test_every_edit_is_one_local_stretch() -> None:
    for pair in corpus().pairs:
        a, b = pair.clean.text.split(), pair.flawed.text.split()
        changed = [op for op in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"]
        span = max(op[2] for op in changed) - min(op[1] for op in changed)
        assert span <= len(pair.defect.before.split()) + 4


def test_styles_and_strata_all_occur() -> None:
    made = corpus()
    assert {c.stratum for c in made.consultations} == set(STRATA)
    texts = [pair.clean.text for pair in made.pairs]
    assert any("\n- " in text for text in texts)
    assert any(text.startswith(("Dear", "To Dr")) for text in texts)
    assert any("/7" in text or "/52" in text for text in texts)
    assert any(re.search(r"^(?:SUBJECTIVE|Subjective|S)$", text, re.M) for text in texts)


def test_every_problem_occurs_with_two_or_three_in_a_consultation() -> None:
    names = {problem.id for problem in PROBLEMS}
    found = [{f.id.split("-")[0] for f in c.facts} & names for c in corpus().consultations]
    assert {len(group) for group in found} == {2, 3}
    assert set().union(*found) == names
    assert len(names) >= 14


def test_transcripts_and_fact_lists_have_their_promised_length() -> None:
    for consultation in corpus().consultations:
        assert 500 <= len(consultation.transcript.split()) <= 1200
        assert 14 <= len(consultation.facts) <= 26
        assert all(line.startswith(("doctor: ", "patient: ")) for line in consultation.transcript.split("\n"))


def test_classes_come_three_omissions_to_two_commissions_and_traces_three_two_two() -> None:
    classes = Counter(pair.pair_class for pair in corpus().pairs)
    assert sum(classes.values()) == 400
    assert classes["addition"] == classes["alteration"] == 80
    assert classes["omission-complete"] == pytest.approx(240 * 3 / 7, abs=6)
    assert classes["omission-fragment"] == pytest.approx(240 * 2 / 7, abs=6)
    assert classes["omission-restated"] == pytest.approx(240 * 2 / 7, abs=6)


def test_severities_come_in_the_promised_mix() -> None:
    severities = Counter(pair.defect.severity for pair in corpus().pairs)
    assert severities["critical"] / 400 == pytest.approx(0.45, abs=0.08)
    assert severities["supporting"] / 400 == pytest.approx(0.35, abs=0.08)
    assert severities["peripheral"] / 400 == pytest.approx(0.20, abs=0.08)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_aspect_occurs_within_forty_consultations(seed: int) -> None:
    aspects = {pair.defect.aspect for pair in corpus(40, 5, seed).pairs}
    assert aspects >= {"dose", "laterality", "negation", "timing", "certainty", "subject"}


@pytest.mark.parametrize("seed", [5, 6])
def test_no_two_consultations_share_more_than_a_small_share_of_their_sentences(seed: int) -> None:
    made = corpus(60, 1, seed)
    notes = {pair.consultation_id: pair.clean.text for pair in made.pairs}
    for texts in ([c.transcript for c in made.consultations], list(notes.values())):
        for one, two in combinations([statements(text) for text in texts], 2):
            assert len(one & two) / len(one | two) < 0.15
    for left, right in combinations([shingles(c.transcript) for c in made.consultations], 2):
        assert len(left & right) / len(left | right) < 0.3


@pytest.mark.parametrize(("consultations", "pairs"), [(0, 5), (5, 0)])
def test_a_size_below_one_is_refused(consultations: int, pairs: int) -> None:
    with pytest.raises(DataError, match="at least one"):
        build_synthetic(consultations, pairs, 1)
