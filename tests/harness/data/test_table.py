from __future__ import annotations

import contextlib
import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.data.table import read_table
from harness.errors import DataError

CELL = st.text(alphabet="ab ,\"'\n\r5é", max_size=8)
UNQUOTED = st.text(alphabet="ab ,'\n\r5é", max_size=8)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(rows: list[list[str]], end: str = "\r\n") -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    return stream.getvalue()


@given(st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
@quick
def test_what_was_written_is_read_whatever_the_line_ends_and_the_byte_order_mark(
    tmp_path: Path, rows: list[list[str]], end: str, bom: bool
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(written([["a", "b"], *rows], end).encode("utf-8-sig" if bom else "utf-8"))
    assert [list(row.cells.values()) for row in read_table(path, ("a", "b"))] == rows


@given(st.lists(st.lists(UNQUOTED, min_size=2, max_size=2), min_size=1, max_size=5), st.data())
@quick
def test_a_file_of_quoted_cells_cut_anywhere_is_refused_or_holds_whole_rows(
    tmp_path: Path, rows: list[list[str]], data: st.DataObject
) -> None:
    """A file cannot show that it was cut after the last comma, or between the two signs for a quote inside a cell."""
    whole = written([["a", "b"], *rows]).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with contextlib.suppress(DataError):
        found = [list(row.cells.values()) for row in read_table(path, ("a", "b"))]
        assert found[:-1] == rows[: max(len(found) - 1, 0)]
        assert not found or found[-1] in (rows[len(found) - 1], [rows[len(found) - 1][0], ""])


def test_a_row_knows_the_line_it_starts_at(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"one\ntwo",x\nthree,y\n', encoding="utf-8")
    assert [row.where for row in read_table(path, ("a",))] == [f"{path}:2", f"{path}:4"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nx\n", r"t\.csv:1: no column b"),
        (b"a,b,b\nx,y,z\n", r"t\.csv:1: column 'b' twice"),
        (b"a,b\nx,y\nx\n", r"t\.csv:3: too many or too few fields"),
        (b"a,b\nx,y,z\n", r"t\.csv:2: too many or too few fields"),
        (b'a,b\nx,y\nx,"y\n\n', r"t\.csv:3: not CSV"),
        (b'a,b\nx,"y"z\n', r"t\.csv:2: not CSV"),
        (b"a,b\nx,y\nx,caf\xe9\n", r"t\.csv:3: not UTF-8 at byte"),
        ("a,b\nx,y\n".encode("utf-16"), r"t\.csv:1: not UTF-8"),
        (b"", "an empty file"),
    ],
)
def test_a_malformed_file_is_an_error_that_names_file_line_and_reason(
    tmp_path: Path, data: bytes, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=message):
        read_table(path, ("a", "b"))


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.csv: no such file"):
        read_table(tmp_path / "t.csv", ("a",))
