"""Log-odds read from tokens, and what the judge makes of them."""

import logging
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import JudgeConfig
from harness.judges.build import blocks_of, build_judge
from harness.judges.log_odds import NOTICE, REPEATS
from harness.judges.logprobs import LIMIT, TOP, read_log_odds
from harness.outcomes import Failure
from harness.types import Candidate, Consultation, Fact, Note
from support.answering import Answering, reply_of

FACTS = (
    Fact("x1", "Penicillin allergy", "hives from penicillin", "critical"),
    Fact("x2", "Cough for two weeks", "two weeks", "supporting"),
    Fact("x3", "Works as a baker", "I bake", "peripheral"),
)
VISIT = Consultation("c1", "example", "doctor: Hello.\npatient: I cough.", facts=FACTS)
NOTE = Note("n1", "c1", "Cough for two weeks. Penicillin allergy.")


def tokens(*texts, place=None, ranked=()):
    """Tokens of a reply; the one at ``place`` lists the (text, log-probability) alternatives ``ranked``."""
    listed = [{"token": text, "logprob": value} for text, value in ranked]
    return [
        {"token": text, "logprob": dict(ranked)[text], "top_logprobs": listed}
        if number == place
        else {"token": text, "logprob": -0.01, "top_logprobs": [{"token": text, "logprob": -0.01}]}
        for number, text in enumerate(texts)
    ]


def odds(*texts, place, ranked):
    return read_log_odds(tokens(*texts, place=place, ranked=ranked), "verdict", "present", "absent")


@pytest.mark.parametrize(
    ("texts", "place", "pair"),
    [
        (('{"', "verdict", '": "', "present", '"}'), 3, ("present", "absent")),
        (("{", '"verdict"', ":", ' "', "pres", "ent", '"', "}"), 4, ("pres", "abs")),
        (("{", '"verdict"', ":", ' "present', '"}'), 3, (' "present', ' "absent')),
        (("{", '"verdict":', '"p', "resent", '"}'), 2, ('"p', '"a')),
        (('{"verdict": "', 'present"}'), 1, ('present"}', 'absent"}')),
        (('{"verdict": "', "Present", '"}'), 1, ("Present", "Absent")),
        (
            ("<think>", '"verdict": "', "absent", '"</think>', '{"verdict": "', "present", '"}'),
            5,
            ("present", "absent"),
        ),
    ],
    ids=["whole", "split", "quoted", "one-letter", "with-closing", "capital", "after-thinking"],
)
def test_the_odds_are_read_where_the_words_part_however_they_are_split(texts, place, pair):
    yes, no = pair
    assert odds(*texts, place=place, ranked=[(yes, -0.5), (no, -1.25), ("~", -9.0)]) == pytest.approx(0.75)


def test_all_alternatives_that_begin_a_word_count_together():
    ranked = [("present", math.log(0.3)), ("pres", math.log(0.2)), (" p", math.log(0.1)), ("abs", math.log(0.2))]
    found = odds('{"verdict": "', "present", '"}', place=1, ranked=[*ranked, ('"', math.log(0.2))])
    assert found == pytest.approx(math.log(0.6 / 0.2))


def test_a_word_that_is_not_listed_gets_the_smallest_listed_probability():
    assert odds('{"verdict": "', "absent", '"}', place=1, ranked=[("absent", -0.5), ("~", -4.0)]) == pytest.approx(-3.5)


def test_odds_are_clipped_on_both_sides():
    ends = [odds('{"verdict": "', w, '"}', place=1, ranked=[(w, -0.0), ("~", -40.0)]) for w in ("present", "absent")]
    assert ends == [LIMIT, -LIMIT]


@pytest.mark.parametrize(
    "broken",
    [
        [],
        tokens('{"answer": "', "present", '"}', place=1, ranked=[("present", -0.1), ("absent", -2.0)]),
        tokens('{"verdict": "', "present", '"}'),  # the chosen token alone
        tokens('{"verdict": "', "there", '"}', place=1, ranked=[("there", -0.1), ("here", -2.0)]),
        [{"token": '{"verdict": "'}, {"token": "present", "top_logprobs": [{"token": "present", "logprob": None}]}],
    ],
    ids=["none", "no-key", "no-alternatives", "neither-word", "no-numbers"],
)
def test_tokens_that_do_not_show_the_choice_have_no_odds(broken):
    assert read_log_odds(broken, "verdict", "present", "absent") is None


@given(st.lists(st.tuples(st.sampled_from(["present", "pres", "absent", "a", "~"]), st.floats(-30, 0)), min_size=2))
def test_swapping_the_words_changes_the_sign_alone(ranked):
    reply = tokens('{"verdict": "', ranked[0][0], '"}', place=1, ranked=ranked)
    forth, back = (read_log_odds(reply, "verdict", *pair) for pair in (("present", "absent"), ("absent", "present")))
    assert (forth is None) == (back is None)
    assert forth is None or forth == -back


def fact_of(request):
    return re.search(r"===== FACT \w+ begins =====\n(.*)\n", request.messages[0].content)[1]


def leaning(by_fact):
    """A model that answers a closed question with these odds, by the text of the fact."""

    def answer(request, _count):
        lean = by_fact[fact_of(request)]
        ranked = [("present", -0.1), ("absent", -0.1 - lean)]
        word = "present" if lean >= 0 else "absent"
        texts = ('{"verdict": "', word, '"}')
        return replace(reply_of(request, "".join(texts)), logprobs=tuple(tokens(*texts, place=1, ranked=ranked)))

    return Answering(answer)


def run(model, **options):
    config = JudgeConfig.model_validate({"kind": "log-odds", "facts": "given"} | options)
    candidate = Candidate("log-odds", tuple((name, f"The block {name}.") for name in blocks_of("log-odds")))
    return build_judge(config, candidate, model).judge(VISIT, NOTE, 0)


LEANS = {"Penicillin allergy": 3.0, "Cough for two weeks": -1.0, "Works as a baker": -6.0}


def test_the_score_is_the_mean_of_the_log_odds_weighted_by_severity():
    outcome = run(leaning(LEANS))
    assert outcome.score == pytest.approx((4 * 3 + 2 * -1 + 1 * -6) / 7)
    assert [(ruling.fact.text, ruling.verdict) for ruling in outcome.rulings] == [
        ("Cough for two weeks", "absent"),
        ("Works as a baker", "absent"),
    ]
    even = run(leaning(LEANS), weights={"critical": 1, "supporting": 1, "peripheral": 1})
    assert even.score == pytest.approx(-4 / 3)


@pytest.mark.parametrize(("lean", "flagged"), [(0.2, False), (-0.2, True)])
def test_a_note_is_flagged_if_a_critical_fact_leans_to_absent(lean, flagged):
    assert run(leaning(LEANS | {"Penicillin allergy": lean})).flagged is flagged


def test_two_notes_with_the_same_words_said_need_not_tie():
    surer, unsure = (run(leaning(LEANS | {"Penicillin allergy": lean})) for lean in (3.0, 2.9))
    assert surer.flagged == unsure.flagged
    assert surer.score > unsure.score


def test_each_fact_is_asked_about_once_after_the_note_and_in_a_fence_of_its_own():
    model = leaning(LEANS)
    outcome = run(model)
    assert [fact_of(request) for request in model.asked] == list(LEANS)
    assert len({request.messages[0].content.split("===== FACT")[0] for request in model.asked}) == 1
    assert {(r.logprobs, r.stage) for r in model.asked} == {(TOP, "check")}
    assert outcome.usage.calls == 3
    hidden = ("critical", "supporting", "peripheral", "hives", "patient:", "transcript")
    assert not [word for request in model.asked for word in hidden if word in request.messages[0].content.lower()]


def silent(words):
    """A model without logprobs that says these words in turn about each fact."""
    counts = {}

    def answer(request, _count):
        fact = fact_of(request)
        counts[fact] = counts.get(fact, -1) + 1
        return replace(reply_of(request, f'{{"verdict": "{words[fact][counts[fact]]}"}}'), logprobs=())

    return Answering(answer)


def test_without_logprobs_each_question_is_asked_five_times_and_shares_become_odds():
    words = {
        "Penicillin allergy": ["present"] * 5,
        "Cough for two weeks": ["absent", "present", "present", "absent", "present"],
        "Works as a baker": ["absent"] * 5,
    }
    model = silent(words)
    outcome = run(model)
    odds_of = {5: math.log(5.5 / 0.5), 3: math.log(3.5 / 2.5), 0: math.log(0.5 / 5.5)}
    assert outcome.score == pytest.approx((4 * odds_of[5] + 2 * odds_of[3] + odds_of[0]) / 7)
    assert (outcome.flagged, outcome.usage.calls) == (False, 15)
    by_fact = {fact: [r for r in model.asked if fact_of(r) == fact] for fact in words}
    for asked in by_fact.values():
        assert len({request.seed for request in asked}) == len({r.replicate for r in asked}) == REPEATS


def test_repeats_of_several_samples_are_all_different_calls():
    words = {fact: ["present"] * 25 for fact in LEANS}
    model = silent(words)
    run(model, samples=5)
    assert len({(fact_of(r), r.replicate, r.seed) for r in model.asked}) == 3 * 5 * REPEATS


def test_without_logprobs_the_outcome_says_so_and_the_log_says_it_once_a_judge(caplog):
    caplog.set_level(logging.WARNING, "harness.judges.log_odds")
    outcome = run(silent({fact: ["present"] * 10 for fact in LEANS}), samples=2)
    assert outcome.text.startswith(NOTICE)
    assert [record.message for record in caplog.records] == [NOTICE]
    run(silent({fact: ["present"] * 5 for fact in LEANS}))
    assert len(caplog.records) == 2
    caplog.clear()
    assert NOTICE not in run(leaning(LEANS)).text
    assert caplog.records == []


def test_logprobs_that_do_not_show_the_choice_are_a_failure_and_no_guess():
    def answer(request, _count):
        return replace(reply_of(request, '{"verdict": "absent"}'), logprobs=({"token": "x", "logprob": -0.1},))

    model = Answering(answer)
    outcome = run(model)
    assert (type(outcome), outcome.reason, len(model.asked)) == (Failure, "no-logprobs", 2)


def test_a_repeat_that_cannot_be_read_is_a_failure():
    def answer(request, count):
        return replace(reply_of(request, '{"verdict": "present"}' if count < 2 else "hm"), logprobs=())

    outcome = run(Answering(answer))
    assert (outcome.reason, outcome.usage.calls) == ("not-json", 4)
