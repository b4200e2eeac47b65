from __future__ import annotations

import io

import pytest
import rich.console
from hypothesis import given
from hypothesis import strategies as st

from harness.report.tables import Table, markdown_table, rich_table

cells = st.text(alphabet=st.sampled_from("ab|\\ \n[]/0123.-`*"), max_size=12)


def unescaped_pipes(line: str) -> int:
    return line.replace("\\\\", "").replace("\\|", "").count("|")


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=4))
def test_no_cell_can_break_a_markdown_table(rows: list[tuple[str, str]]) -> None:
    lines = markdown_table(Table("Caption", ("a", "b"), tuple(rows))).split("\n")[2:]
    assert len(lines) == 2 + len(rows)
    assert {unescaped_pipes(line) for line in lines} == {3}


def test_columns_of_numbers_are_set_flush_right() -> None:
    rows = (("seed", "0.5", "12 of 48", "+0.10"), ("1", "–", "1,200", "$2.50"))
    assert Table("", ("name", "value", "count", "other"), rows).numeric == (False, True, True, True)


def test_a_row_with_another_number_of_cells_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 columns"):
        Table("Caption", ("a", "b"), (("1",),))


def test_a_terminal_table_prints_markup_as_it_is() -> None:
    console = rich.console.Console(file=io.StringIO(), width=80)
    console.print(rich_table(Table("Caption", ("a",), (("[bold]x[/bold]",),), "A note.")))
    assert isinstance(console.file, io.StringIO)
    assert "[bold]x[/bold]" in console.file.getvalue()
    assert "A note." in console.file.getvalue()
