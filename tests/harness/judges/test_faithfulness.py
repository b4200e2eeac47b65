from pathlib import Path

import pytest

from harness.outcomes import Failure, Judgement
from support.replying import judged

SEEDS = Path(__file__).parents[3] / "seeds" / "faithfulness"
EMPTY = {"omissions": [], "unsupported": []}


def block(name):
    return (SEEDS / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)[2].strip()


@pytest.mark.parametrize(
    ("word", "score", "flagged"), [("YES", 0, True), ("NO", 1, False), (" yes ", 0, True), ("no", 1, False)]
)
def test_yes_is_a_problem_so_it_scores_nothing_and_flags_the_note(word, score, flagged):
    outcome, model = judged("faithfulness", {"": {"issue": word, **EMPTY}})
    assert (outcome.score, outcome.flagged, outcome.missing, outcome.wrong) == (score, flagged, (), ())
    assert len(model.asked) == 1


def test_yes_names_what_it_found():
    reply = {"issue": "YES", "omissions": ["ramipril", " "], "unsupported": ["right ear"]}
    outcome, _ = judged("faithfulness", {"": reply})
    assert (outcome.missing, outcome.wrong) == (("ramipril",), ("right ear",))


@pytest.mark.parametrize("key", ["omissions", "unsupported"])
def test_no_beside_a_listed_problem_is_a_contradiction(key):
    outcome, model = judged("faithfulness", {"": {"issue": "NO", **EMPTY, key: ["the dose"]}})
    assert (type(outcome), outcome.reason, len(model.asked)) == (Failure, "contradiction", 2)


@pytest.mark.parametrize(
    ("issue", "reason"), [("PASS", "out-of-range"), ("", "out-of-range"), (True, "wrong-type"), (None, "wrong-type")]
)
def test_only_yes_and_no_are_answers(issue, reason):
    outcome, _ = judged("faithfulness", {"": {"issue": issue, **EMPTY}})
    assert outcome.reason == reason


@pytest.mark.parametrize(("yes", "flagged"), [(1, False), (2, True), (3, True)])
def test_samples_vote_and_half_of_them_flag(yes, flagged):
    replies = [{"issue": word, **EMPTY} for word in ["YES"] * yes + ["NO"] * (4 - yes)]
    outcome, _ = judged("faithfulness", {"": replies}, samples=4, aggregation="mean")
    assert isinstance(outcome, Judgement)
    assert (outcome.flagged, outcome.score) == (flagged, 1 - yes / 4)


def test_the_three_wordings_differ_in_one_paragraph_alone():
    shipped, deleted, asked = (
        block(name).split("\n\n") for name in ("as-shipped", "exclusion-deleted", "omissions-asked")
    )
    assert len(shipped) == len(asked) == len(deleted) + 1
    assert shipped[:-2] + shipped[-1:] == deleted == asked[:-2] + asked[-1:]
    assert "Do not raise omissions" in shipped[-2]
    assert "Raise omissions" in asked[-2]
