from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness.stats.bootstrap import Resampling
from optimiser.grid.levers import Measure, Profile, match_cells, read_lever

PLAN = Resampling(400)
PAIRS = np.array([0, 0, 1, 1, 2], dtype=np.intp)
NOTES = np.array([0, 1, 2], dtype=np.intp)


def profile(name: str, omissions: list[float], flags: list[float] | None = None, **levers: str) -> Profile:
    """A cell over five omission pairs and three clean notes of three consultations."""
    return Profile(
        name=name,
        levers=levers,
        omissions=Measure(np.array(omissions), PAIRS),
        commissions=Measure(np.array([1.0, 1.0, 0.0]), NOTES),
        clean_score=Measure(np.array([0.8, np.nan, 1.0]) - 0.1 * (levers["scope"] == "all"), NOTES),
        false_alarms=None if flags is None else Measure(np.array(flags), NOTES),
        detection=None if flags is None else Measure(np.zeros(5), PAIRS),
    )


# scope x samples, with one cell missing and one that stands alone.
CELLS = (
    profile("all-8", [1.0, 1.0, 1.0, 0.5, 0.5], [1, 1, 0], scope="all", samples="8"),
    profile("all-1", [1.0, 0.5, 0.5, 0.5, 0.5], [1, 0, 0], scope="all", samples="1"),
    profile("some-1", [0.5, 0.5, 0.5, 0.0, 0.5], [0, 0, 0], scope="some", samples="1"),
    profile("alone", [1.0] * 5, None, scope="all", samples="1", design="alone"),
)


def reading(lever: str, cells: tuple[Profile, ...] = CELLS) -> Any:
    (match,) = [m for m in match_cells(cells) if m.lever == lever]
    return read_lever(match, np.random.default_rng(3), PLAN)


def test_cells_match_where_one_label_alone_differs_and_levels_go_up() -> None:
    found = {(m.lever, m.before, m.after): [(a.name, b.name) for a, b in m.cells] for m in match_cells(CELLS)}
    assert found == {
        ("scope", "all", "some"): [("all-1", "some-1")],
        ("samples", "1", "8"): [("all-1", "all-8")],
    }


def test_efforts_go_up_in_their_own_order() -> None:
    cells = [profile(e, [0.5] * 5, scope="all", effort=e) for e in ("high", "none", "low")]
    assert [(m.before, m.after) for m in match_cells(cells)] == [("none", "low"), ("none", "high"), ("low", "high")]


def test_a_lever_of_three_pairs_of_levels_is_read_for_each() -> None:
    cells = [profile(w, [0.5] * 5, scope="all", wording=w) for w in ("b", "a", "c")]
    assert [(m.before, m.after) for m in match_cells(cells)] == [("b", "a"), ("b", "c"), ("a", "c")]


def test_the_shift_of_the_handmade_cells_is_the_mean_of_their_paired_differences() -> None:
    found = reading("samples")
    assert found.omissions.value == pytest.approx((0 + 0.5 + 0.5 + 0 + 0) / 5)
    assert found.commissions.value == 0
    assert found.false_alarms.value == pytest.approx(1 / 3)
    assert found.omissions.low <= found.omissions.value <= found.omissions.high
    assert reading("scope").omissions.value == pytest.approx((-0.5 + 0 + 0 - 0.5 + 0) / 5)


def test_a_clean_note_without_a_score_leaves_the_shift_of_the_clean_score() -> None:
    assert reading("scope").clean_score.value == pytest.approx(0.1)


def test_exchanging_two_levels_turns_every_shift_around() -> None:
    turned = tuple(
        Profile(p.name, {**p.levers, "samples": {"1": "8", "8": "1"}[p.levers["samples"]]}, *rest(p)) for p in CELLS[:2]
    )
    there, back = reading("samples", CELLS[:2]), reading("samples", turned)
    for name in ("omissions", "false_alarms"):
        assert getattr(back, name).value == -getattr(there, name).value


def rest(p: Profile) -> tuple[Measure, Measure, Measure, Measure | None, Measure | None]:
    return p.omissions, p.commissions, p.clean_score, p.false_alarms, p.detection


def test_the_same_pair_of_cells_twice_is_no_more_evidence() -> None:
    twice = tuple(Profile(f"{p.name} {n}", {**p.levers, "copy": str(n)}, *rest(p)) for n in range(3) for p in CELLS[:2])
    once, more = reading("samples", CELLS[:2]), reading("samples", twice)
    assert len(more.cells) == 3
    assert more.omissions.value == pytest.approx(once.omissions.value)
    assert (more.omissions.low, more.omissions.high) == pytest.approx((once.omissions.low, once.omissions.high))


def test_flags_are_compared_where_both_cells_have_a_rule() -> None:
    ruleless = [
        profile(f"{scope}-{design}", [0.5] * 5, flags, scope=scope, design=design)
        for scope, design, flags in (("all", "x", [1, 1, 1]), ("some", "x", [0, 0, 1]), ("all", "y", None))
    ]
    both = [*ruleless, profile("some-y", [0.5] * 5, [1, 1, 1], scope="some", design="y")]
    found = reading("scope", tuple(both))
    assert len(found.cells) == 2
    assert found.false_alarms.value == pytest.approx(-2 / 3)
    neither = reading("scope", (ruleless[2], both[3]))
    assert neither.false_alarms is None
    assert neither.omissions is not None
