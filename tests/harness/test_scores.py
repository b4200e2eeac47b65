import math
from collections.abc import Callable

import numpy as np
import pytest

from harness.errors import DataError, MetricUndefined
from harness.outcomes import Failure, Judgement, Outcome
from harness.scores import is_commission, is_omission, select, tabulate
from harness.types import Consultation, Defect, Note, Pair, PairSet


def pair_set() -> PairSet:
    """Two consultations of one patient and one of another; the first has two pairs on one clean note."""
    consultations = tuple(
        Consultation(name, "made", "doctor: hello", group=group) for name, group in (("a", "p"), ("b", "p"), ("c", ""))
    )
    cleans = {c.id: Note(f"{c.id}-clean", c.id, "all of it") for c in consultations}
    defects = {
        "a1": Defect("omission", "a fact", trace="complete", severity="critical"),
        "a2": Defect("addition", "a fact"),
        "b1": Defect("omission", "a fact", trace="restated"),
        "c1": Defect("alteration", "a fact", aspect="dose"),
    }
    pairs = tuple(
        Pair(name, name[0], cleans[name[0]], Note(f"{name}-flawed", name[0], f"part {name}", defect))
        for name, defect in defects.items()
    )
    return PairSet("made", consultations, pairs)


def outcomes(clean_replicates: int = 2, flawed_replicates: int = 1) -> list[Outcome]:
    found: list[Outcome] = []
    for pair in pair_set().pairs:
        for r in range(flawed_replicates):
            found.append(Judgement(pair.flawed.id, "x", r, 1.0 + r))
    for name in ("a", "b", "c"):
        found += [Judgement(f"{name}-clean", "x", r, 5.0 + r) for r in range(clean_replicates)]
    return found


def test_tabulated_pairs_of_one_consultation_share_the_row_of_their_clean_note() -> None:
    table = tabulate(pair_set(), outcomes())
    assert table.pair_ids == ("a1", "a2", "b1", "c1")
    assert table.clean_ids == ("a-clean", "b-clean", "c-clean")
    assert table.clean_of.tolist() == [0, 0, 1, 2]
    assert table.flawed.shape == (4, 1)
    assert table.clean.shape == (3, 2)


def test_consultations_of_one_group_are_one_cluster() -> None:
    table = tabulate(pair_set(), outcomes())
    assert table.clusters == ("p", "c")
    assert table.cluster.tolist() == [0, 0, 0, 1]
    assert table.clean_cluster.tolist() == [0, 0, 1]


def test_the_order_of_outcomes_does_not_matter() -> None:
    forward, backward = tabulate(pair_set(), outcomes()), tabulate(pair_set(), reversed(outcomes()))
    assert np.array_equal(forward.flawed, backward.flawed)
    assert np.array_equal(forward.clean, backward.clean)
    assert forward.clean[0].tolist() == [5.0, 6.0]


def test_a_failure_is_nan_in_the_table() -> None:
    changed = [Failure(o.note_id, "x", o.replicate, "truncated") if o.note_id == "b-clean" else o for o in outcomes()]
    table = tabulate(pair_set(), changed)
    assert np.isnan(table.clean).tolist() == [[False, False], [True, True], [False, False]]


def test_outcomes_of_notes_in_no_pair_are_left_out() -> None:
    extra = [*outcomes(), Judgement("elsewhere", "x", 0, 3.0)]
    assert np.array_equal(tabulate(pair_set(), extra).flawed, tabulate(pair_set(), outcomes()).flawed)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda found: [o for o in found if o.note_id != "b1-flawed"], "b1-flawed"),
        (lambda found: [o for o in found if (o.note_id, o.replicate) != ("c-clean", 1)], "c-clean"),
        (lambda found: [*found, found[0]], "a1-flawed"),
        (lambda found: [*found, Judgement("a1-flawed", "x", 7, math.nan)], "a1-flawed"),
        (lambda found: [*found, Judgement("a1-flawed", "y", 7, 1.0)], "'y'"),
    ],
    ids=["missing", "unequal", "twice", "nan", "two candidates"],
)
def test_outcomes_that_do_not_fit_are_refused_by_name(
    change: Callable[[list[Outcome]], list[Outcome]], named: str
) -> None:
    with pytest.raises(DataError, match=named):
        tabulate(pair_set(), change(outcomes()))


def test_a_set_without_pairs_has_no_table() -> None:
    with pytest.raises(MetricUndefined):
        tabulate(PairSet("none", pair_set().consultations, ()), outcomes())


def test_selecting_pairs_keeps_every_clean_note() -> None:
    table = tabulate(pair_set(), outcomes())
    omissions, commissions = select(table, is_omission(table)), select(table, is_commission(table))
    assert omissions.pair_ids == ("a1", "b1")
    assert commissions.pair_ids == ("a2", "c1")
    assert omissions.severity.tolist() == ["critical", ""]
    assert omissions.clean_ids == commissions.clean_ids == table.clean_ids
