from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import MetricUndefined
from harness.stats.spending import share_of, spent_by


@given(st.integers(1, 20))
def test_however_often_a_holdout_is_opened_the_shares_never_sum_to_more_than_alpha(openings: int) -> None:
    total = sum(share_of(k) for k in range(1, openings + 1))
    assert total == pytest.approx(spent_by(openings))
    assert total < 1


@given(st.integers(1, 20))
def test_every_look_has_less_to_spend_than_the_one_before(opening: int) -> None:
    assert 0 < share_of(opening + 1) < share_of(opening)


def test_an_unopened_holdout_has_spent_nothing() -> None:
    assert spent_by(0) == 0


def test_there_is_no_opening_before_the_first() -> None:
    with pytest.raises(MetricUndefined):
        share_of(0)
