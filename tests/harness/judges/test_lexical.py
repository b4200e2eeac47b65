"""Coverage by words alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import JudgeConfig
from harness.errors import DataError
from harness.judges.build import build_judge
from harness.judges.wording import signed_words, statements
from harness.llm.client import FakeClient
from harness.outcomes import Failure, Usage
from harness.types import Candidate, Consultation, Fact, Note

TRANSCRIPT = """\
doctor: Hello, what brings you in?
patient: My left knee has been swollen for two weeks.
doctor: Any fever?
patient: No, not at all.
doctor: Are you allergic to penicillin?
patient: Yes.
doctor: Take naproxen 500 mg twice a day."""
FACTS = (
    Fact("x1", "Left knee swollen for two weeks", "", "critical"),
    Fact("x2", "No fever", "", "supporting"),
    Fact("x3", "Naproxen 500 mg twice a day", "", "critical"),
)
VISIT = Consultation("c1", "example", TRANSCRIPT, facts=FACTS)
GOOD = "Swollen left knee for two weeks, no fever. Penicillin allergy. Start naproxen 500 mg twice a day."


def run(text, visit=VISIT, **options):
    config = JudgeConfig.model_validate({"kind": "lexical"} | options)
    judge = build_judge(config, Candidate("lexical", ()), FakeClient(lambda _request: "never asked"))
    return judge.judge(visit, Note("n1", visit.id, text), 0)


def test_a_note_with_all_the_words_scores_one_and_costs_nothing():
    outcome = run(GOOD, facts="given")
    assert (outcome.score, outcome.rulings, outcome.missing, outcome.flagged) == (1.0, (), (), None)
    assert (outcome.usage, outcome.simulated) == (Usage(), False)


def test_a_fact_left_out_lowers_the_score_by_its_weight_and_is_ruled_absent():
    outcome = run(GOOD.replace(", no fever", ""), facts="given")
    assert outcome.score == 8 / 10
    assert [(ruling.fact.text, ruling.verdict) for ruling in outcome.rulings] == [("No fever", "absent")]
    assert run(GOOD.replace(", no fever", ""), facts="given", weights={"supporting": 8}).score == 8 / 16


@pytest.mark.parametrize(
    ("before", "after"), [("500 mg", "250 mg"), ("no fever", "fever"), ("left knee", "right knee"), ("two", "three")]
)
def test_a_number_a_side_or_a_denial_that_differs_costs(before, after):
    assert run(GOOD.replace(before, after), facts="given").score < 1


def test_words_of_one_fact_scattered_over_the_note_are_not_found_together():
    note = "Left knee painful. Swollen ankle for two weeks. No fever. Naproxen 500 mg twice a day."
    assert run(note, facts="given").score < 1


@given(st.permutations(GOOD.split(". ")))
def test_the_order_of_sentences_does_not_matter(parts):
    note = ". ".join(part.rstrip(".") for part in parts) + "."
    assert run(note, facts="given").score == run(GOOD, facts="given").score


@given(st.integers(0, 3))
def test_taking_a_sentence_away_never_raises_the_score(place):
    parts = GOOD.split(". ")
    shorter = ". ".join(part for number, part in enumerate(parts) if number != place)
    assert run(shorter).score <= run(GOOD).score


def test_statements_are_taken_from_the_transcript_and_short_answers_with_their_question():
    taken = {statement.text: statement.words for statement in statements(TRANSCRIPT)}
    assert list(taken) == [
        "My left knee has been swollen for two weeks.",
        "Are you allergic to penicillin? Yes.",
        "Take naproxen 500 mg twice a day.",
    ]
    assert "penicillin" in taken["Are you allergic to penicillin? Yes."]
    denied = statements("doctor: Any chest pain?\npatient: No, never.")
    assert denied[0].words == signed_words("no chest pain")
    assert run(GOOD).score > run(GOOD.replace(" Penicillin allergy.", "")).score


def test_facts_it_cannot_find_or_look_up_are_a_failure_or_an_error_and_no_score():
    silent = Consultation("c1", "example", "doctor: Hello.\npatient: Hi.")
    outcome = run(GOOD, silent)
    assert (type(outcome), outcome.reason, outcome.usage) == (Failure, "no-facts", Usage())
    with pytest.raises(DataError, match="without facts"):
        run(GOOD, silent, facts="given")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Denies any fever", {"-fever"}),
        ("Rash and itch: denied", {"-rash", "-itch"}),
        ("No, not at all, never a rash", {"-rash"}),
        ("No chest pain but coughs", {"-chest", "-pain", "cough"}),
        ("Coughs, no chest pain", {"-chest", "-pain", "cough"}),
        ("", set()),
    ],
)
def test_denied_words_are_signed(text, words):
    assert signed_words(text) == words
