import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import JudgeConfig
from harness.errors import CallFailed, MetricUndefined
from harness.judges.build import build_judge
from harness.judges.sampled import winsorised_mean
from harness.llm.client import FakeClient
from harness.outcomes import Failure
from harness.types import Candidate, Consultation, Note

CONSULTATION = Consultation("c1", "test", "doctor: Any pain?\npatient: My left ear.")
NOTE = Note("n1", "c1", "Left ear pain.")
SCORES = st.lists(st.integers(0, 10), min_size=1, max_size=9)


def reply(kind, score, omissions=()):
    key, value = ("score", score) if kind == "score" else ("verdict", "PASS" if score else "FAIL")
    return json.dumps({key: value, "omissions": list(omissions), "unsupported": []})


def judged(texts, kind="score", **options):
    """The outcome of an ensemble whose samples answer ``texts`` in turn."""
    turn = iter(texts)
    candidate = Candidate(kind, (("instruction", "Judge the note."),))
    config = JudgeConfig(kind=kind, samples=len(texts), **options)
    return build_judge(config, candidate, FakeClient(lambda _request: next(turn))).judge(CONSULTATION, NOTE, 0)


def scored(scores, kind="score", **options):
    return judged([reply(kind, score) for score in scores], kind, **options)


@given(SCORES)
def test_the_winsorised_mean_lies_within_the_values_and_ignores_their_order(values):
    assert min(values) <= winsorised_mean(values) <= max(values)
    assert winsorised_mean(values) == winsorised_mean(sorted(values, reverse=True))


@given(st.lists(st.integers(0, 10), min_size=4, max_size=9))
def test_one_wild_value_among_four_or_more_moves_it_no_further_than_its_neighbour(values):
    low = sorted(values)
    assert winsorised_mean([low[0] - 1000, *low[1:]]) == winsorised_mean([low[1], *low[1:]])


@given(st.lists(st.integers(0, 10), min_size=1, max_size=3))
def test_below_four_values_it_is_the_plain_mean(values):
    assert winsorised_mean(values) == pytest.approx(sum(values) / len(values))


def test_there_is_no_mean_of_nothing():
    with pytest.raises(MetricUndefined):
        winsorised_mean([])


@pytest.mark.parametrize(
    ("aggregation", "score", "flagged"),
    [("winsorised", 8.0, False), ("mean", 6.2, True), ("majority", 6.2, False)],
)
def test_an_aggregation_decides_score_and_flag(aggregation, score, flagged):
    outcome = scored([0, 7, 8, 8, 8] if aggregation != "winsorised" else [0, 8, 8, 8, 10], aggregation=aggregation)
    assert (outcome.score, outcome.flagged) == (score, flagged)


@pytest.mark.parametrize(("scores", "flagged"), [([8, 8], False), ([8, 7], True)])
def test_a_scored_note_is_flagged_strictly_below_8(scores, flagged):
    assert scored(scores).flagged is flagged


@pytest.mark.parametrize(("votes", "flagged"), [([1, 1, 0], False), ([1, 0], True), ([0, 0, 1], True)])
def test_binary_samples_vote_and_half_of_them_suffice_to_flag(votes, flagged):
    outcome = scored(votes, "binary", aggregation="mean")
    assert outcome.score == pytest.approx(sum(votes) / len(votes))
    assert outcome.flagged is flagged


def test_a_mark_of_the_users_replaces_the_contracts():
    assert scored([5, 5], flag_below=5).flagged is False
    assert scored([9, 9], flag_below=10).flagged is True
    assert scored([9, 9, 10], flag_below=10, aggregation="majority").flagged is True
    assert scored([1, 0, 0, 0], "binary", flag_below=0.2, aggregation="mean").flagged is False


def test_every_sample_is_kept_with_the_first_text_and_all_that_was_named_once():
    texts = [reply("score", 6, ["dose"]), reply("score", 4, ["side", "dose"])]
    outcome = judged(texts)
    assert (outcome.samples, outcome.text, outcome.missing) == ((6, 4), texts[0], ("dose", "side"))


def test_one_unreadable_sample_leaves_the_note_without_a_verdict_and_buys_no_more():
    asked = []

    def answer(request):
        asked.append(request)
        return reply("score", 6) if len(asked) == 1 else "no idea"

    candidate = Candidate("score", (("instruction", "Judge the note."),))
    outcome = build_judge(JudgeConfig(samples=8), candidate, FakeClient(answer)).judge(CONSULTATION, NOTE, 0)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.text) == ("sample-unreadable", "no idea")
    assert outcome.usage.calls == len(asked) == 3


def test_a_sample_whose_call_failed_is_a_failed_call():
    def answer(request):
        raise CallFailed("calling", "status 500", "Try later.")

    candidate = Candidate("score", (("instruction", "Judge the note."),))
    outcome = build_judge(JudgeConfig(samples=3), candidate, FakeClient(answer)).judge(CONSULTATION, NOTE, 0)
    assert (outcome.reason, outcome.usage.calls) == ("call-failed", 1)


def test_samples_of_one_note_are_different_requests():
    asked = []

    def answer(request):
        asked.append(request)
        return reply("score", 6)

    candidate = Candidate("score", (("instruction", "Judge the note."),))
    judge = build_judge(JudgeConfig(samples=5), candidate, FakeClient(answer))
    for replicate in range(3):
        judge.judge(CONSULTATION, NOTE, replicate)
    assert len({request.replicate for request in asked}) == len({request.seed for request in asked}) == 15
