import pytest

from harness.config import JudgeConfig
from harness.errors import MetricUndefined
from harness.judges.base import FakeJudge
from harness.judges.build import build_judge
from harness.judges.sanity import GOOD, Sanity, check_sanity
from harness.llm.client import FakeClient
from harness.types import Candidate


def by_note(good, bad):
    return FakeJudge(lambda _consultation, note, replicate: (good if note.id == GOOD.id else bad)[replicate])


def test_a_steady_judge_that_orders_the_notes_is_sane():
    assert check_sanity(by_note([9, 9, 9], [2, 2, 2])) == Sanity(9.0, 2.0, True, 1.0, 0.0, 0)


def test_equal_means_are_not_ordered():
    assert not check_sanity(by_note([5, 5, 5], [5, 5, 5])).ordered


def test_agreement_is_the_share_of_equal_pairs_of_repeats():
    # one of three pairs agrees on the good note, three of three on the bad one
    assert check_sanity(by_note([9, 9, 8], [2, 2, 2])).agreement == pytest.approx(4 / 6)


def test_spread_is_the_pooled_standard_deviation_of_repeats():
    # sample variances 1 (of 8, 9, 10) and 0 (of 2, 2, 2), with two degrees of freedom each
    assert check_sanity(by_note([8, 9, 10], [2, 2, 2])).spread == pytest.approx(0.5**0.5)


def test_failures_are_counted_and_never_scored():
    found = check_sanity(by_note([9, None, 9], [2, 2, 2]))
    assert (found.good, found.failures) == (9.0, 1)


@pytest.mark.parametrize("scores", [[None, None, None], [9, None, None]])
def test_a_judge_that_cannot_be_read_has_no_sanity(scores):
    with pytest.raises(MetricUndefined, match="fake"):
        check_sanity(by_note(scores, [2, 2, 2]))


@pytest.mark.parametrize(
    ("kind", "key", "good", "bad"), [("score", "score", "9", "1"), ("binary", "verdict", '"PASS"', '"FAIL"')]
)
def test_the_check_runs_on_a_judge_with_one_call_per_judgement(kind, key, good, bad):
    def answer(request):
        value = bad if "osteoarthritis" in request.messages[-1].content else good
        return f'{{"{key}": {value}, "omissions": [], "unsupported": []}}'

    candidate = Candidate(kind, (("instruction", "Judge the note."),))
    assert check_sanity(build_judge(JudgeConfig(kind=kind), candidate, FakeClient(answer))).ordered
