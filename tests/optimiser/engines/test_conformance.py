"""What every member of the engine family must do, whatever library runs inside it."""

from __future__ import annotations

import pytest

from harness.errors import BudgetExhausted, ConfigError, EndpointUnreachable, LedgerError, MetricUndefined
from optimiser.engines.base import Engine
from optimiser.engines.build import ENGINES, build_engine
from support.desk import Misuse, ScriptedDesk, candidate

FAULTS: tuple[Exception, ...] = (
    BudgetExhausted("buying a call", "cap of 9 calls", "raise it"),
    LedgerError("writing a row", "disk full", "free it"),
    EndpointUnreachable("calling", "refused", "start it"),
    MetricUndefined("measuring", "no pairs", "give some"),
    RuntimeError("a mistake in our own code"),
)
KINDS = sorted(ENGINES)


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest) -> Engine:
    return build_engine(request.param)


def test_a_search_makes_exactly_the_turns_that_the_desk_allows(engine: Engine) -> None:
    desk = ScriptedDesk()
    engine.search(desk)
    assert [turn.iteration for turn in desk.turns] == [1, 2, 3, 4, 5, 6]


def test_every_draft_is_submitted_once_in_order_valid_or_not(engine: Engine) -> None:
    desk = ScriptedDesk()
    engine.search(desk)
    assert desk.submitted == desk.drafts
    assert [draft.child is None for draft in desk.drafts] == [False, False, True, False, False, False]


def test_nothing_is_proposed_by_a_desk_that_is_finished_from_the_start(engine: Engine) -> None:
    desk = ScriptedDesk(limit=0)
    engine.search(desk)
    assert desk.count("turn") == desk.count("draft") == desk.count("submit") == 0


def test_the_same_desk_is_asked_the_same_questions_in_the_same_order(engine: Engine) -> None:
    first, second = ScriptedDesk(), ScriptedDesk()
    engine.search(first)
    engine.search(second)
    assert first.log == second.log
    assert first.log


@pytest.mark.parametrize("index", [0, 1, 2])
def test_every_seed_can_parent(engine: Engine, index: int) -> None:
    seeds = (candidate("one"), candidate("two"), candidate("three"))
    desk = ScriptedDesk(seeds=seeds, choose=lambda _iteration, pool: pool[index])
    engine.search(desk)
    assert {turn.parent.id for turn in desk.turns} == {seeds[index].id}
    assert len(desk.submitted) == desk.limit


def test_seeds_with_equal_text_do_not_confuse_the_search(engine: Engine) -> None:
    desk = ScriptedDesk(seeds=(candidate("one"), candidate("one"), candidate("two")))
    engine.search(desk)
    assert len(desk.submitted) == desk.limit


def test_an_accepted_child_can_parent_the_next_turn(engine: Engine) -> None:
    desk = ScriptedDesk(choose=lambda _iteration, pool: pool[-1], accepted=frozenset(range(1, 9)), limit=8)
    engine.search(desk)
    children = [draft.child for draft in desk.drafts]
    assert len(children) == 8
    for turn, child in zip(desk.turns[1:], children, strict=False):
        assert child is None or turn.parent == child


def test_the_blocks_that_are_not_under_search_stay_as_they_are(engine: Engine) -> None:
    desk = ScriptedDesk(seeds=(candidate("one", rubric="stays"),), accepted=frozenset(range(1, 7)))
    engine.search(desk)
    assert {draft.child.block("rubric") for draft in desk.drafts if draft.child} == {"stays"}
    assert len(desk.submitted) == desk.limit


def test_a_long_row_of_unusable_replies_is_submitted_to_its_end(engine: Engine) -> None:
    desk = ScriptedDesk(invalid=frozenset(range(1, 13)), limit=12)
    engine.search(desk)
    assert [draft.child for draft in desk.submitted] == [None] * 12


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("method", ["turn", "scores", "draft", "submit"])
@pytest.mark.parametrize("first", [True, False], ids=["at the first", "at the last"])
def test_an_error_of_the_desk_ends_the_search_under_its_own_name(
    engine: Engine, method: str, error: Exception, first: bool
) -> None:
    whole = ScriptedDesk()
    engine.search(whole)
    times = whole.count(method)
    if not times:
        pytest.skip(f"this engine never calls {method}")
    desk = ScriptedDesk(fault=(method, 1 if first else times, error))
    with pytest.raises(type(error)) as caught:
        engine.search(desk)
    assert caught.value is error
    assert desk.log[-1][0] == method  # nothing is asked after it


def test_ctrl_c_while_reflecting_is_not_taken_for_a_failed_proposal(engine: Engine) -> None:
    desk = ScriptedDesk(fault=("draft", 2, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        engine.search(desk)
    assert desk.log[-1] == ("draft", 2)


def test_the_scripted_desk_refuses_what_no_engine_may_ask() -> None:
    desk = ScriptedDesk()
    with pytest.raises(Misuse):
        desk.scores(candidate("stranger"), ("r0",), 1)
    with pytest.raises(Misuse):
        desk.scores(desk.seeds[0], ("r0", "f0"), 1)
    turn = desk.turn(1)
    draft = desk.draft(turn)
    with pytest.raises(Misuse):
        desk.draft(turn)
    desk.submit(draft)
    with pytest.raises(Misuse):
        desk.submit(draft)


def test_an_unknown_engine_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'gepa'"):
        build_engine("gepaa")
