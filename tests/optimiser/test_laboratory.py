from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import BudgetExhausted, ConfigError, LabError, MissingKey
from harness.llm.client import Message, Request
from harness.outcomes import Judgement
from harness.types import Candidate
from optimiser.config import CampaignConfig
from optimiser.laboratory import open_laboratory
from support.bench import pair_set

PAIRS = pair_set(2)
TASK = (PAIRS.consultations[0], PAIRS.pairs[0].clean)
CANDIDATE = Candidate("score", (("instruction", "List every fact of the transcript and check the note for each."),))
ASK = Request((Message("user", "Write the new block."),))


def config(**changes: Any) -> CampaignConfig:
    raw: dict[str, Any] = {
        "name": "lab",
        "data": {"source": "synthetic"},
        "seeds": ["seed.md"],
        "model": {"model": "sim-judge", "base_url": "simulated:"},
        "reflector": {"model": "sim-reflector", "base_url": "simulated:"},
    }
    return CampaignConfig.model_validate(raw | changes)


def test_judge_and_reflector_pay_from_one_budget(tmp_path: Path) -> None:
    with open_laboratory(config(budget={"calls": 3}), "a", tmp_path / "calls.sqlite") as lab:
        judge = lab.judge_for(CANDIDATE)
        assert isinstance(judge.judge(*TASK, 0), Judgement)
        lab.reflector.send(ASK)
        judge.judge(*TASK, 1)
        assert lab.spent.calls == 3
        with pytest.raises(BudgetExhausted):
            lab.reflector.send(Request(ASK.messages, replicate=1))
        assert lab.spent.calls == 3


def test_a_cap_counts_what_earlier_processes_of_the_account_bought(tmp_path: Path) -> None:
    for replicates in ((0, 1), (2,)):
        with open_laboratory(config(budget={"calls": 3}), "a", tmp_path / "calls.sqlite") as lab:
            for replicate in replicates:
                lab.judge_for(CANDIDATE).judge(*TASK, replicate)
    with open_laboratory(config(budget={"calls": 3}), "a", tmp_path / "calls.sqlite") as lab:
        assert lab.spent.calls == 3
        with pytest.raises(BudgetExhausted):
            lab.judge_for(CANDIDATE).judge(*TASK, 3)


def test_another_account_has_a_budget_of_its_own_and_shares_what_was_answered(tmp_path: Path) -> None:
    with open_laboratory(config(), "a", tmp_path / "calls.sqlite") as lab:
        first = lab.judge_for(CANDIDATE).judge(*TASK, 0)
    with open_laboratory(config(budget={"calls": 1}), "b", tmp_path / "calls.sqlite") as lab:
        again = lab.judge_for(CANDIDATE).judge(*TASK, 0)
        assert lab.spent.calls == 0
    assert isinstance(first, Judgement)
    assert isinstance(again, Judgement)
    assert (again.score, again.text) == (first.score, first.text)
    assert (first.usage.bought, again.usage.bought) == (1, 0)


def test_a_cap_in_dollars_without_prices_is_refused_before_any_call(tmp_path: Path) -> None:
    """B11"""
    with pytest.raises(ConfigError), open_laboratory(config(budget={"dollars": 1}), "a", tmp_path / "calls.sqlite"):
        pass


def test_a_missing_key_is_named_and_nothing_was_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    keyed = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "key_env": "NO_SUCH_KEY"}
    with (
        pytest.raises(MissingKey, match="NO_SUCH_KEY"),
        open_laboratory(config(reflector=keyed), "a", tmp_path / "calls.sqlite"),
    ):
        pass
    with open_laboratory(config(), "a", tmp_path / "calls.sqlite") as lab:
        assert lab.spent.calls == 0


def test_the_ladder_changes_the_judge_settings_and_nothing_else(tmp_path: Path) -> None:
    with open_laboratory(config(), "a", tmp_path / "calls.sqlite") as lab:
        judge = lab.config.judge
        lab.judge_with(CANDIDATE, judge).judge(*TASK, 0)
        lab.judge_for(CANDIDATE).judge(*TASK, 0)
        assert lab.spent.calls == 1
        lab.judge_with(CANDIDATE, judge.model_copy(update={"effort": "high"})).judge(*TASK, 0)
        assert lab.spent.calls == 2  # another effort is another request


def test_a_judge_of_another_kind_than_its_candidate_is_refused(tmp_path: Path) -> None:
    binary = config(judge={"kind": "binary"})
    with open_laboratory(binary, "a", tmp_path / "calls.sqlite") as lab, pytest.raises(LabError):
        lab.judge_for(CANDIDATE)


def test_the_sanity_check_says_that_simulated_answers_are_simulated(tmp_path: Path) -> None:
    with open_laboratory(config(), "a", tmp_path / "calls.sqlite") as lab:
        _, simulated = lab.sanity(CANDIDATE)
        assert simulated
        assert lab.spent.calls > 0
