from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.config import ModelConfig, Prices
from harness.errors import CampaignError
from harness.types import PairSet
from optimiser.config import CampaignConfig
from optimiser.folds import Folds, Part, folds_of
from optimiser.plan import Bill, Plan, check_affordable, plan_campaign
from optimiser.records import FinishRow, ProposalRow
from partitions.splits import open_splits
from support.bench import Bench, pair_set

WHOLE = pair_set(36)
PRICES = {"input": 1.0, "output": 4.0}
REAL = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}


def part(start: int, size: int) -> Part:
    return Part(WHOLE.of(c.id for c in WHOLE.consultations[start : start + size]))


def folds(reflection: int = 8, frontier: int = 4, acceptance: int = 8) -> Folds:
    return Folds(part(0, reflection), part(12, frontier), part(20, acceptance))


def config(prices: dict[str, float] | None = PRICES, **changes: Any) -> CampaignConfig:
    raw: dict[str, Any] = {
        "name": "plan",
        "data": {"source": "synthetic"},
        "seeds": ["a.md"],
        "model": REAL | {"prices": prices},
        "reflector": REAL | {"prices": prices},
        "engine": {"proposals": 10},
    }
    return CampaignConfig.model_validate(raw | changes)


def plan(settings: CampaignConfig | None = None, over: Folds | None = None) -> Plan:
    return plan_campaign(settings or config(), over or folds(), (12, 40))


def test_the_seeds_are_counted_to_the_call() -> None:
    """4 frontier consultations with 2 clean replicates, 8 of acceptance with 3, four flawed notes each."""
    assert plan().seeds.calls == 4 * (2 + 4) + 8 * (3 + 4)
    assert plan(config(seeds=["a.md", "b.md"])).seeds.calls == 2 * plan().seeds.calls
    assert plan(config(judge={"samples": 3})).seeds.calls == 3 * plan().seeds.calls


def test_confirmation_counts_two_candidates_over_every_rung_and_replicate() -> None:
    one = plan(config(confirm={"efforts": ["none"], "replicates": [11]})).confirmation
    assert one.calls == 2 * (12 + 40 + 8 * (1 + 4))
    six = plan(config(confirm={"efforts": ["none", "high"], "replicates": [11, 22, 33]})).confirmation
    assert six.calls == 6 * one.calls
    assert six.completion_tokens > 6 * one.completion_tokens  # thinking is paid for


def test_a_campaign_without_caps_affords_all_its_proposals() -> None:
    assert plan().proposals == 10
    check_affordable(config(), plan())


@pytest.mark.parametrize("cap", ["calls", "tokens", "dollars"])
def test_a_cap_affords_what_is_left_after_the_seeds_divided_by_a_proposal(cap: str) -> None:
    """B09: how many proposals the money buys is known before any is spent."""
    free = plan()
    model = config().model

    def amount(bill: Bill) -> float:
        if cap == "calls":
            return bill.calls
        return bill.prompt_tokens + bill.completion_tokens if cap == "tokens" else bill.dollars(model) or math.nan

    each = amount(free.proposal) + amount(Bill(1, *reflection_tokens(free)))
    for wanted in (0, 2, 5):
        enough = amount(free.noise + free.seeds) + (wanted + 0.5) * each
        capped = config(budget={cap: int(enough) if cap != "dollars" else enough})
        assert plan(capped).affordable == wanted
        assert plan(capped).proposals == wanted


def reflection_tokens(found: Plan) -> tuple[int, int]:
    bill = found.reflection
    return bill.prompt_tokens // bill.calls, bill.completion_tokens // bill.calls


def test_caps_below_the_floor_are_refused_with_the_numbers() -> None:
    """B09"""
    poor = config(budget={"calls": plan().seeds.calls + 1})
    found = plan(poor)
    assert found.affordable == 0
    with pytest.raises(CampaignError, match=rf"about 0 proposals .*seeds take {found.seeds.calls} calls"):
        check_affordable(poor, found)


def test_the_floor_can_be_lowered_and_never_asks_for_more_than_is_wanted() -> None:
    calls = (plan().noise + plan().seeds).calls + int(1.5 * (plan().proposal.calls + 1))
    with pytest.raises(CampaignError, match=r"budget\.floor"):
        check_affordable(config(budget={"calls": calls}), plan(config(budget={"calls": calls})))
    lowered = config(budget={"calls": calls, "floor": 1})
    check_affordable(lowered, plan(lowered))
    wanting_one = config(budget={"calls": calls}, engine={"proposals": 1})
    check_affordable(wanting_one, plan(wanting_one))


@pytest.mark.parametrize("which", ["model", "reflector"])
def test_a_cap_in_dollars_needs_the_price_of_every_model(which: str) -> None:
    """B11: a cap that cannot be computed must not look like one that holds."""
    with pytest.raises(CampaignError, match="without prices"):
        plan(config(budget={"dollars": 5}, **{which: REAL}))
    assert plan(config(budget={"calls": 10_000}, **{which: REAL})).proposals == 10


def test_without_prices_there_is_no_price() -> None:
    assert plan().search.dollars(ModelConfig.model_validate(REAL)) is None


sizes = st.tuples(st.integers(2, 10), st.integers(1, 6), st.integers(2, 14))


@given(sizes, st.integers(0, 2), st.integers(1, 9), st.integers(2, 8))
@settings(max_examples=60, deadline=None)
def test_a_larger_campaign_costs_at_least_as_much_in_every_part(
    size: tuple[int, int, int], grown: int, replicates: int, minibatch: int
) -> None:
    larger = tuple(n + (i == grown) for i, n in enumerate(size))
    settings = config(acceptance={"clean_replicates": replicates}, engine={"proposals": 10, "minibatch": minibatch})
    small, large = plan(settings, folds(*size)), plan(settings, folds(*larger))
    assert large.seeds.calls >= small.seeds.calls
    assert large.proposal_worst.calls >= small.proposal_worst.calls
    assert large.search_worst.calls >= small.search_worst.calls
    for found in (small, large):
        assert found.proposal.calls <= found.proposal_worst.calls + 3  # each part is rounded up to whole calls
        assert found.search.calls <= found.search_worst.calls + 30


def test_the_worst_case_of_a_proposal_is_both_candidates_on_everything() -> None:
    """Both on the reflection fold; the parent's fresh round and the child on frontier; the child on acceptance."""
    found = plan().proposal_worst
    exact = 2 * 8 * (2 + 4) + 2 * 4 * (2 + 4) + 8 * (3 + 4)
    assert exact <= found.calls <= exact + 2


def test_scoring_flawed_notes_twice_costs_one_more_reading_of_each() -> None:
    once, twice = (
        plan(config(acceptance={"flawed_replicates": n, "training_flawed_replicates": n})).seeds.calls for n in (1, 2)
    )
    assert twice - once == 4 * 4 + 8 * 4  # frontier and acceptance fold, four flawed notes a consultation


def test_a_merge_judges_one_more_candidate_on_the_reflection_fold() -> None:
    never, always = (plan(config(engine={"proposals": 10, "merge_every": every})) for every in (0, 1))
    assert always.search_worst.calls - never.search_worst.calls == 10 * 8 * (2 + 4)


def test_a_campaign_with_merges_and_three_seeds_stays_below_the_worst_case(bench: Bench) -> None:
    paths = [bench.folder / f"seed{n}.md" for n in range(3)]
    for n, path in enumerate(paths):
        path.write_text(f"---\nid: s{n}\n---\nJudge the note, version {n}.\n")
    settings = bench.config(
        seeds=[str(path) for path in paths], engine={"proposals": 6, "merge_every": 1, "minibatch": 4, "stall": 20}
    )
    result = bench.run("a", config=settings)
    assert any(isinstance(row, ProposalRow) and row.kind == "merge" for row in result.rows)
    found = plan_campaign(settings, folds_of(open_splits(bench.folder / "split")), (1, 1))
    finish = result.rows[-1]
    assert isinstance(finish, FinishRow)
    assert found.seeds.calls < finish.spend.calls <= found.search_worst.calls + found.reflection.calls


bills = st.builds(Bill, st.integers(0, 10**6), st.integers(0, 10**9), st.integers(0, 10**9))


@given(bills, bills, st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_bills_add_up(one: Bill, other: Bill, times: int) -> None:
    model = ModelConfig.model_validate(REAL | {"prices": Prices(input=1, output=4)})
    total = (one + other).dollars(model)
    assert total == pytest.approx((one.dollars(model) or 0) + (other.dollars(model) or 0))
    summed = Bill()
    for _ in range(times):
        summed += one
    assert one.times(times) == summed


def test_thinking_costs_tokens_and_time() -> None:
    plain, deep = plan(), plan(config(judge={"effort": "high"}))
    assert deep.search.completion_tokens > 10 * plain.search.completion_tokens
    assert deep.search.seconds(config().model) > plain.search.seconds(config().model)


def test_rate_limits_bound_the_time() -> None:
    slow = ModelConfig.model_validate(REAL | {"requests_per_minute": 6})
    assert Bill(60, 60, 60).seconds(slow) == pytest.approx(600)
    narrow = ModelConfig.model_validate(REAL | {"tokens_per_minute": 1000})
    assert Bill(1, 5000, 5000).seconds(narrow) == pytest.approx(600)
    assert Bill().seconds(slow) == 0


def test_planning_needs_no_pair_on_the_holdout_and_opens_none() -> None:
    """The holdout enters as two counts."""
    bigger = plan_campaign(config(), folds(), (24, 80))
    assert bigger.search == plan().search
    assert bigger.confirmation.calls > plan().confirmation.calls


def test_a_longer_transcript_costs_more_tokens_and_no_more_calls() -> None:
    def long(whole: Part) -> Part:
        longer = tuple(type(c)(c.id, c.source, c.transcript * 20) for c in whole.pair_set.consultations)
        return Part(PairSet("long", longer, whole.pair_set.pairs))

    base = folds()
    found = plan(over=Folds(long(base.reflection), base.frontier, long(base.acceptance)))
    assert found.search_worst.calls == plan().search_worst.calls
    assert found.search_worst.prompt_tokens > plan().search_worst.prompt_tokens
