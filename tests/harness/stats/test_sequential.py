import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError
from harness.stats.sequential import STAKES, decide

ALPHA, FUTILITY, GAIN = 0.1, 0.2, 0.1
STEPS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def share(state: str, weights: list[float], runs: int = 1500, n: int = 60) -> float:
    rng = np.random.default_rng(4)
    draws = rng.choice(STEPS, p=weights, size=(runs, n))
    return float(np.mean([decide(row, ALPHA, FUTILITY, GAIN).state == state for row in draws]))


@pytest.mark.parametrize(
    "weights", [[0.1, 0.2, 0.4, 0.2, 0.1], [0.5, 0, 0, 0, 0.5], [0.01, 0.04, 0.9, 0.04, 0.01]], ids=str
)
def test_an_equal_child_is_accepted_at_most_alpha_of_the_time_however_often_one_looks(weights: list[float]) -> None:
    assert share("accept", weights) <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / 1500)


@pytest.mark.parametrize("weights", [[0.05, 0.2, 0.4, 0.2, 0.15], [0.0, 0.1, 0.6, 0.3, 0.0]], ids=str)
def test_a_child_with_the_wanted_gain_is_dropped_at_most_futility_of_the_time(weights: list[float]) -> None:
    assert STEPS @ weights == pytest.approx(GAIN)
    assert share("reject", weights) <= FUTILITY + 3 * np.sqrt(FUTILITY * (1 - FUTILITY) / 1500)


def test_a_much_better_child_is_mostly_accepted_and_a_much_worse_one_mostly_rejected() -> None:
    assert share("accept", [0.05, 0.05, 0.2, 0.4, 0.3], runs=200) > 0.9
    assert share("reject", [0.3, 0.4, 0.2, 0.05, 0.05], runs=200) > 0.9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(STEPS.tolist()), min_size=1, max_size=40))
def test_a_decision_once_reached_is_not_revised_by_later_consultations(values: list[float]) -> None:
    whole = decide(values, ALPHA, FUTILITY, GAIN)
    assert decide(values[: whole.n], ALPHA, FUTILITY, GAIN) == whole
    if whole.state != "continue":
        assert decide([*values, -1.0, 1.0], ALPHA, FUTILITY, GAIN) == whole
        assert decide(values[: whole.n - 1], ALPHA, FUTILITY, GAIN).state == "continue"
    else:
        assert whole.n == len(values)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(STEPS.tolist()), min_size=1, max_size=6))
def test_wealth_equals_the_average_of_the_gamblers_products(values: list[float]) -> None:
    found = decide(values, 1e-9, 1e-9, GAIN)
    assert found.wealth == pytest.approx(np.mean([np.prod(1 + s * np.array(values)) for s in STAKES]))
    assert found.against == pytest.approx(np.mean([np.prod(1 + s * (GAIN - np.array(values))) for s in STAKES]))


def test_no_differences_decide_nothing() -> None:
    found = decide([], ALPHA, FUTILITY, GAIN)
    assert (found.state, found.wealth, found.against, found.n) == ("continue", 1.0, 1.0, 0)


def test_an_identical_child_is_never_accepted() -> None:
    assert decide(np.zeros(1000), ALPHA, FUTILITY, GAIN).state == "reject"
    assert decide(np.zeros(1000), ALPHA, 1e-300, GAIN).wealth == pytest.approx(1.0)


def test_very_long_evidence_does_not_overflow() -> None:
    assert np.isfinite(decide(np.ones(5000), 1e-300, 1e-300, GAIN).wealth)


@pytest.mark.parametrize("values", [[1.5], [float("nan")], [[0.1]]])
def test_a_difference_outside_its_range_is_refused(values: list[float]) -> None:
    with pytest.raises(DataError):
        decide(values, ALPHA, FUTILITY, GAIN)
