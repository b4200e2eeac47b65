import pytest

from harness.config import JudgeConfig
from harness.errors import ConfigError
from harness.judges.build import KINDS, blocks_of, build_judge, envelope_of, score_range
from harness.llm.client import FakeClient
from harness.types import Candidate

CLIENT = FakeClient(lambda _request: "")


def candidate(kind="score", **blocks):
    return Candidate(kind, tuple((blocks or {"instruction": "Judge the note."}).items()))


@pytest.mark.parametrize(
    "use",
    [
        lambda kind: build_judge(JudgeConfig(kind=kind), candidate(kind), CLIENT),
        blocks_of,
        score_range,
        lambda kind: envelope_of(JudgeConfig(kind=kind)),
    ],
    ids=["build_judge", "blocks_of", "score_range", "envelope_of"],
)
def test_an_unknown_kind_is_an_error_that_names_the_nearest_known_one(use):
    with pytest.raises(ConfigError, match=r"'scores'.*Did you mean 'score'"):
        use("scores")


def test_a_kind_like_no_other_is_answered_with_the_list():
    with pytest.raises(ConfigError, match=r"binary.*score"):
        blocks_of("xyzzy")


def test_a_candidate_without_a_block_of_the_kind_is_refused():
    with pytest.raises(ConfigError, match="without block 'instruction'"):
        build_judge(JudgeConfig(), candidate(rubric="Judge the note."), CLIENT)


def test_a_candidate_with_a_block_that_the_kind_does_not_know_is_refused():
    with pytest.raises(ConfigError, match="unknown block 'rubric'"):
        build_judge(JudgeConfig(), candidate(instruction="Judge.", rubric="Strictly."), CLIENT)


def test_a_candidate_of_another_judge_is_refused():
    with pytest.raises(ConfigError, match="'binary'"):
        build_judge(JudgeConfig(kind="score"), candidate("binary"), CLIENT)


def test_the_envelope_is_the_same_for_every_candidate_and_differs_by_kind_and_form():
    forms = {kind: (True, False) if blocks_of(kind) else (True,) for kind in KINDS}  # who asks nothing has no form
    configs = [JudgeConfig(kind=kind, structured=on) for kind, both in forms.items() for on in both]
    assert len({envelope_of(config) for config in configs}) == len(configs)
    assert envelope_of(JudgeConfig(seed=1, samples=8)) == envelope_of(JudgeConfig(seed=2))


@pytest.mark.parametrize(("kind", "expected"), [("score", (0, 10)), ("binary", (0, 1))])
def test_a_score_range_is_that_of_the_contract(kind, expected):
    assert score_range(kind) == expected
