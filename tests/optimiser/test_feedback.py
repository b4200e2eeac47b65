from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import CampaignError
from harness.outcomes import Failure, Judgement, Outcome, Ruling
from harness.types import Defect, Fact, Note, Pair
from optimiser.feedback import Case, cases_of, choose_cases
from optimiser.reflection import mutation_prompt

OMISSION = Defect("omission", "a fall in May", trace="complete", severity="critical", evidence="I fell in May")


def pair(defect: Defect = OMISSION, name: str = "p") -> Pair:
    clean = Note("c/n", "c", "A clean note with everything.")
    return Pair(name, "c", clean, Note(f"c/{name}", "c", f"A flawed note {name}.", defect))


def said(note: str, score: float, missing: tuple[str, ...] = (), flagged: bool | None = None) -> Judgement:
    return Judgement(note, "k", 0, score, flagged, missing=missing)


def cases(
    flawed: Outcome, clean: Outcome, defect: Defect = OMISSION, clean_verified: bool = True
) -> dict[str, dict[str, str]]:
    found = cases_of([pair(defect)], {"c/p": [flawed], "c/n": [clean]}, clean_verified)
    return {case.kind: dict(case.lines) for case in found}


texts = st.text(max_size=60)
long_texts = st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=20), st.integers(1, 400))
defects = st.one_of(
    st.builds(
        Defect,
        kind=st.just("omission"),
        fact_text=long_texts.filter(str.strip),
        trace=st.sampled_from(["complete", "fragment", "restated"]),
        severity=st.sampled_from([None, "critical", "supporting", "peripheral"]),
        evidence=texts,
        surviving=st.lists(texts, max_size=3).map(tuple),
    ),
    st.builds(
        Defect,
        kind=st.sampled_from(["addition", "alteration"]),
        fact_text=texts.filter(str.strip),
        aspect=st.sampled_from([None, "dose", "negation"]),
        evidence=texts,
        before=texts,
        after=long_texts,
    ),
)
names = st.lists(long_texts, max_size=3).map(tuple)
facts = st.builds(Fact, id=st.just("f1"), text=long_texts, evidence=texts, severity=st.just("critical"))
rulings = st.builds(Ruling, fact=facts, verdict=st.sampled_from(["absent", "partial"]), quote=texts)


def outcomes(note: str) -> st.SearchStrategy[list[Outcome]]:
    judged = st.builds(
        Judgement,
        note_id=st.just(note),
        candidate_id=st.just("k"),
        replicate=st.integers(0, 3),
        score=st.integers(0, 10).map(float),
        flagged=st.sampled_from([None, True, False]),
        missing=names,
        wrong=names,
        rulings=st.lists(rulings, max_size=2).map(tuple),
    )
    failed = st.builds(
        Failure,
        note_id=st.just(note),
        candidate_id=st.just("k"),
        replicate=st.integers(0, 3),
        reason=st.sampled_from(["empty", "not-json"]),
        text=long_texts,
    )
    return st.lists(st.one_of(judged, failed), min_size=1, max_size=3)


@given(defects, outcomes("c/p"), outcomes("c/n"), st.booleans(), st.integers(200, 1500))
@settings(max_examples=150, deadline=None)
def test_whatever_the_judge_said_a_case_has_no_empty_field_and_fits_its_limit(
    defect: Defect, flawed: list[Outcome], clean: list[Outcome], verified: bool, limit: int
) -> None:
    for case in cases_of([pair(defect)], {"c/p": flawed, "c/n": clean}, verified):
        assert all(label.strip() and value.strip() for label, value in case.lines)
        text = case.text(limit)
        assert len(text) <= limit
        assert text.startswith(f"kind: {case.kind}")
        text.encode("utf-8")  # a request can carry it


@given(outcomes("c/p"), outcomes("c/n"))
@settings(max_examples=150, deadline=None)
def test_a_batch_without_a_case_is_one_whose_pairs_were_all_read_and_ordered_rightly(
    flawed: list[Outcome], clean: list[Outcome]
) -> None:
    """The prompt says so of such a batch. An unreadable clean twin costs the pair as an unreadable flawed note does."""
    if cases_of([pair()], {"c/p": flawed, "c/n": clean}, True):
        return
    low = [o.score for o in flawed if isinstance(o, Judgement)]
    high = [o.score for o in clean if isinstance(o, Judgement)]
    assert (len(low), len(high)) == (len(flawed), len(clean))
    assert sum(low) / len(low) < sum(high) / len(high)


@pytest.mark.parametrize("field", ["", " \n", "\t"])
def test_an_empty_field_is_an_error_that_names_it(field: str) -> None:
    with pytest.raises(CampaignError, match="evidence"):
        Case("missed", (0,), (("fact", "a fall"), ("evidence", field)))
    with pytest.raises(CampaignError):
        Case("missed", (0,), ())


def test_a_missed_omission_says_what_where_how_much_survives_and_what_the_judge_named() -> None:
    defect = Defect("omission", "a fall in May", trace="fragment", evidence="I fell in May", surviving=("fell once",))
    found = cases(said("c/p", 7, ("the diet", "the fall")), said("c/n", 7, ("the diet",)), defect)
    shown = found["missed omission (fragment)"]
    assert shown["fact"] == "a fall in May"
    assert shown["the transcript says"] == "I fell in May"
    assert shown["what the note still says of it"] == "fell once"
    assert shown["the judge named in the flawed note only"] == "the fall"
    assert shown["the judge named in both"] == "the diet"
    assert (shown["score of the flawed note"], shown["score of its clean twin"]) == ("7", "7")


def test_a_tie_and_a_reversed_order_are_missed_a_right_order_is_not() -> None:
    assert cases(said("c/p", 7), said("c/n", 7))
    assert cases(said("c/p", 8), said("c/n", 7))
    assert cases(said("c/p", 6), said("c/n", 7)) == {}


def test_what_is_missed_does_not_depend_on_how_harsh_the_judge_is() -> None:
    for shift in (-3, 0, 2):
        assert bool(cases(said("c/p", 5 + shift), said("c/n", 5 + shift)))
        assert not cases(said("c/p", 4 + shift), said("c/n", 5 + shift))


def test_an_unreadable_answer_shows_the_answer_on_either_side() -> None:
    failed = Failure("c/p", "k", 0, "not-json", "I would rather not")
    shown = cases(failed, said("c/n", 7))["unreadable answer"]
    assert shown == {"reason": "not-json", "the judge answered": "I would rather not"}
    failed = Failure("c/n", "k", 0, "empty", "")
    assert cases(said("c/p", 7), failed)["unreadable answer"]["the judge answered"] == "nothing at all"


def test_a_false_alarm_says_why_the_note_is_fine_and_whether_anybody_checked() -> None:
    checked = cases(said("c/p", 1), said("c/n", 4, ("the diet",), flagged=True))["false alarm"]
    assert checked["what the judge named"] == "the diet"
    assert "was verified" in checked["why it is fine"]
    assumed = cases(said("c/p", 1), said("c/n", 4, flagged=True), clean_verified=False)["false alarm"]
    assert "not verified" in assumed["why it is fine"]


def test_a_false_alarm_on_a_note_with_many_pairs_is_shown_once() -> None:
    pairs = [pair(name=f"p{i}") for i in range(4)]
    readings = {p.flawed.id: [said(p.flawed.id, 1)] for p in pairs} | {"c/n": [said("c/n", 4, flagged=True)]}
    assert [case.kind for case in cases_of(pairs, readings, True)] == ["false alarm"]


def ruled(note: str, score: float, *facts: str, flagged: bool | None = None, wrong: tuple[str, ...] = ()) -> Judgement:
    rulings = tuple(Ruling(Fact(f"f{n}", text, "said so", "critical"), "absent") for n, text in enumerate(facts))
    return Judgement(note, "k", 0, score, flagged, missing=facts, wrong=wrong, rulings=rulings)


def test_a_judge_of_facts_is_shown_by_what_it_found_in_one_note_and_not_in_the_other() -> None:
    shown = cases(ruled("c/p", 0.5, "a fall", "the diet"), ruled("c/n", 0.5, "the diet", "a rash"))
    lines = shown["missed omission (complete)"]
    assert lines["facts that the judge did not find in the flawed note and found in its clean twin"] == (
        "a fall (critical; absent)"
    )
    assert lines["facts that it did not find in the clean twin and found in the flawed note"].startswith("a rash (")
    assert lines["facts that it found in neither"] == "the diet (critical; absent)"
    assert not [label for label in lines if "named" in label]


def test_a_judge_of_facts_that_also_names_what_is_unsupported_has_both_shown_and_no_fact_twice() -> None:
    shown = cases(ruled("c/p", 0.5, "a fall", wrong=("takes iron",)), ruled("c/n", 0.5, "a fall"))
    lines = shown["missed omission (complete)"]
    assert lines["the judge named in the flawed note only"] == "takes iron"
    assert lines["the judge named in both"] == "nothing"
    assert "\n".join(lines.values()).count("a fall (critical") == 1


def test_a_false_alarm_of_a_judge_of_facts_says_how_grave_the_facts_were_to_it() -> None:
    shown = cases(ruled("c/p", 0.1, "a fall"), ruled("c/n", 0.5, "the diet", flagged=True))["false alarm"]
    assert shown["what the judge named"] == "the diet (critical; absent)"


def test_critical_omissions_that_left_nothing_come_first() -> None:
    defects = [
        Defect("addition", "takes iron", severity="critical", after="iron"),
        Defect("omission", "b", trace="restated", severity="critical"),
        Defect("omission", "c", trace="complete", severity="peripheral"),
        Defect("omission", "d", trace="complete", severity="critical"),
    ]
    pairs = [pair(defect, f"p{i}") for i, defect in enumerate(defects)]
    readings = {p.flawed.id: [said(p.flawed.id, 7)] for p in pairs} | {"c/n": [said("c/n", 7)]}
    assert [dict(case.lines)["fact"] for case in cases_of(pairs, readings, True)] == ["d", "b", "c", "takes iron"]


kinds = st.lists(st.sampled_from(["omission", "addition", "alarm"]), max_size=20)


@given(kinds, st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_kinds_take_turns_so_that_none_is_shown_twice_more_often_than_another_that_waits(
    made: list[str], limit: int
) -> None:
    every = [Case(kind, (number,), (("n", str(number)),)) for number, kind in enumerate(made)]
    chosen = choose_cases(every, limit)
    assert len(chosen) == min(limit, len(every))
    shown = {kind: [case for case in chosen if case.kind == kind] for kind in set(made)}
    for kind, some in shown.items():
        assert some == [case for case in every if case.kind == kind][: len(some)]  # the most telling of each
        waiting = made.count(kind) > len(some)
        assert not waiting or all(len(other) <= len(some) + 1 for other in shown.values())


def test_twenty_oversized_cases_make_a_prompt_of_bounded_size() -> None:
    """B05"""
    novel = "and then the patient said something else " * 2_000
    every = [Case("missed", (n,), (("fact", novel), ("the transcript says", novel), ("x", "y"))) for n in range(20)]
    chosen = choose_cases(every, 8)
    prompt = mutation_prompt("Judge.", chosen, ["no gain: " + "w" * 200] * 4, (6000, 1200))
    assert sum(len(case.text(10**9)) for case in every) > 3_000_000
    assert len(prompt) < 8 * (1200 + 200) + 4 * 300 + 3_000
    assert prompt.count("x: y") == 8  # long fields are shortened before short ones are lost


def test_cases_hold_nothing_but_the_defect_the_outcomes_and_words_of_our_own() -> None:
    """Notes and transcripts are not quoted whole: what is not about the defect cannot get into a prompt."""
    found = cases_of([pair()], {"c/p": [said("c/p", 7)], "c/n": [said("c/n", 7)]}, True)
    text = "\n".join(case.text(5000) for case in found)
    assert "everything" not in text
    assert "A flawed note" not in text
    assert re.search("I fell in May", text)
