import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError
from harness.metrics import measure
from harness.scorefile import FOREIGN_CLASSES, read_scores_csv
from harness.scores import ScoreTable
from harness.stats.common import common_notes, same_notes

HEADER = "candidate,note_key,consultation,note_role,pair_class,score"
ROWS = (
    "x,k1,c1,errored,omit-complete,3",
    "x,k2,c1,errored,add,4",
    "x,n1,c1,clean,clean,5",
    "x,k3,c2,errored,omit-partial-weak,6",
    "x,n2,c2,clean,clean,6",
)


def read(tmp_path: Path, *lines: str) -> dict[str, ScoreTable]:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return dict(read_scores_csv(path).tables)


def test_a_score_file_gives_one_table_a_candidate_with_canonical_classes(tmp_path: Path) -> None:
    rows = [
        "{0},k1,c1,errored,omit-partial-weak,3",
        "{0},k2,c1,flawed,omission-restated,",
        "{0},k3,c2,errored,change,4.5",
        "{0},k4,c1,clean,clean,5",
        "{0},k5,c2,clean,clean,6",
    ]
    tables = read(tmp_path, HEADER, *(r.format("x") for r in rows), *(r.format("y") for r in rows))
    assert list(tables) == ["x", "y"]
    assert tables["x"].pair_class.tolist() == ["omission-fragment", "omission-restated", "alteration"]
    assert np.isnan(tables["y"].flawed[1, 0])
    assert tables["y"].clean[tables["y"].clean_of, 0].tolist() == [5, 5, 6]


def test_a_clean_key_says_which_of_several_clean_notes_is_the_twin(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        f"{HEADER},clean_key,replicate",
        "x,k1,c1,errored,add,3,n2,1",
        "x,k1,c1,errored,add,2,n2,0",
        "x,n1,c1,clean,,5,,0",
        "x,n2,c1,clean,,6,,0",
    )["x"]
    assert table.clean_ids == ("n1", "n2")
    assert table.clean_of.tolist() == [1]
    assert table.flawed.tolist() == [[2.0, 3.0]]


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["candidate,note_key", "x,k"], "consultation"),
        ([HEADER], "no rows"),
        ([HEADER, "x,k,c,errored,add,high"], "csv, row 2, column 'score'"),
        ([HEADER, "x,k,c,errored,add,nan"], "csv, row 2, column 'score'"),
        ([HEADER, "x,n,c,clean,,1", "x,k,c,errored,typo,1"], "csv, row 3, column 'pair_class'"),
        ([HEADER, "x,k,c,dirty,add,1"], "csv, row 2, column 'note_role'"),
        ([HEADER, "x,,c,clean,,1"], "csv, row 2, column 'note_key'"),
        ([HEADER, "x,n,c,clean,,1,surplus"], "csv, row 2"),
        ([HEADER, "x,k,c,errored,add,1"], "csv, row 2, column 'consultation'"),
        ([HEADER, "x,n,c,clean,,1", "x,n,c,clean,,1", "x,k,c,errored,add,1"], "replicate 0 twice"),
        ([HEADER, "x,n,c,clean,,1", "x,m,c,clean,,1", "x,k,c,errored,add,1"], "2 clean notes"),
        ([HEADER + ",clean_key", "x,n,c,clean,,1,", "x,k,c,errored,add,1,z"], "csv, row 3, column 'clean_key'"),
        ([HEADER + ",replicate", "x,n,c,clean,,1,first"], "csv, row 2, column 'replicate'"),
    ],
)
def test_a_bad_score_file_is_refused_with_its_row_and_column(tmp_path: Path, lines: list[str], where: str) -> None:
    with pytest.raises(DataError, match=where):
        read(tmp_path, *lines)


def test_a_missing_score_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        read_scores_csv(tmp_path / "none.csv")


def both(rows: tuple[str, ...] = ROWS) -> list[str]:
    return [*rows, *(row.replace("x,", "y,", 1) for row in rows)]


def alike(first: ScoreTable, second: ScoreTable) -> bool:
    return (
        same_notes(first, second)
        and first.pair_class.tolist() == second.pair_class.tolist()
        and np.array_equal(first.flawed, second.flawed, equal_nan=True)
        and np.array_equal(first.clean, second.clean, equal_nan=True)
    )


def test_byte_order_mark_line_ends_quotes_column_order_and_other_columns_change_nothing(tmp_path: Path) -> None:
    plain = read(tmp_path, HEADER, *ROWS)["x"]
    names = HEADER.split(",")
    cells = [row.split(",") for row in ROWS]
    turned = [",".join(f'"{cell}"' for cell in [*reversed(row), "other, with comma"]) for row in [names, *cells]]
    path = tmp_path / "turned.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*turned, "", ",,,,,,"]).encode())
    assert alike(read_scores_csv(path).tables["x"], plain)


@settings(max_examples=20)
@given(st.permutations(both()))
def test_candidates_with_the_same_notes_hold_them_in_the_same_order_whatever_the_order_of_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    tables = read(tmp_path_factory.mktemp("csv"), HEADER, *rows)
    assert alike(tables["x"], tables["y"])
    assert measure(tables["x"], 0.1) == measure(read(tmp_path_factory.mktemp("csv"), HEADER, *both())["x"], 0.1)


@pytest.mark.parametrize("name", FOREIGN_CLASSES)
def test_foreign_class_names_are_read_and_remembered_as_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([HEADER, f"x,k,c,errored,{name},1", "x,n,c,clean,,2"]))
    found = read_scores_csv(path)
    assert found.tables["x"].pair_class.tolist() == [FOREIGN_CLASSES[name]]
    assert found.class_names == {FOREIGN_CLASSES[name]: name}


def test_a_clean_note_without_a_flawed_twin_counts_among_the_clean_notes(tmp_path: Path) -> None:
    table = read(tmp_path, HEADER, *ROWS, "x,n3,c3,clean,clean,2")["x"]
    assert table.clean_ids == ("n1", "n2", "n3")
    assert table.clusters == ("c1", "c2", "c3")
    point = measure(table, 0.4).operating
    assert point is not None
    assert point.n_clean == 3


def test_notes_of_two_consultations_may_share_a_key(tmp_path: Path) -> None:
    rows = [
        f"x,{key},{c},{role},add,{score}"
        for c, score in (("a|1", 1), ("b|1", 2))
        for key, role in (("note", "clean"), ("err", "errored"))
    ]
    table = read(tmp_path, HEADER, *rows)["x"]
    assert table.clusters == ("a|1", "b|1")
    assert table.clean[table.clean_of, 0].tolist() == table.flawed[:, 0].tolist() == [1.0, 2.0]
    assert len(set(table.pair_ids)) == len(set(table.clean_ids)) == 2


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ("y,k1,c1,errored,change,3", "row 7, column 'pair_class'.*row 2"),
        ("y,k1,c1,clean,clean,3", "row 7, column 'note_role'.*row 2"),
        ("y,k1,c1,errored,omit-complete", "row 7, column 'score'.*no cell"),
        ("y,k1,c1,errored,omit,3", "row 7, column 'pair_class'"),
        ('y,"k1,c1,errored,add,3', "row 7.*not CSV"),
    ],
)
def test_rows_that_contradict_the_file_are_refused_by_row_and_column(tmp_path: Path, row: str, where: str) -> None:
    with pytest.raises(DataError, match=where):
        read(tmp_path, HEADER, *ROWS, row)


def test_a_column_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'score' twice"):
        read(tmp_path, f"{HEADER},score", *(f"{row},1" for row in ROWS))


def test_an_empty_score_is_a_failure_and_counts_as_the_worst_case(tmp_path: Path) -> None:
    failed = [row.replace("omit-complete,3", "omit-complete,") for row in ROWS]
    before, after = (measure(read(tmp_path, HEADER, *rows)["x"], 0.1) for rows in (ROWS, failed))
    assert before.omissions is not None
    assert after.omissions is not None
    assert (before.omissions.wins, before.omissions.losses) == (1, 0)
    assert (after.omissions.wins, after.omissions.losses) == (0, 1)
    assert math.isnan(read(tmp_path, HEADER, *failed)["x"].flawed[0, 0])


def test_candidates_are_compared_on_the_notes_that_both_judged(tmp_path: Path) -> None:
    lacking = [row for row in both() if row not in ("y,k2,c1,errored,add,4", "x,k3,c2,errored,omit-partial-weak,6")]
    tables = read(tmp_path, HEADER, *lacking)
    first, second = common_notes(tables["x"], tables["y"])
    assert same_notes(first, second)
    assert first.pair_ids == ("k1",)
    assert first.clean_ids == ("n1", "n2")
    assert first.flawed.tolist() == [[3.0]]
    with pytest.raises(DataError, match="no pair that both judged"):
        common_notes(first, read(tmp_path, HEADER, *ROWS[3:])["x"])


def test_tables_of_the_same_notes_are_compared_as_they_are(tmp_path: Path) -> None:
    tables = read(tmp_path, HEADER, *both())
    assert common_notes(tables["x"], tables["y"]) == (tables["x"], tables["y"])
