from pathlib import Path

import numpy as np
import pytest

from harness.cleanfile import read_clean_csv
from harness.errors import DataError


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "clean.csv"
    path.write_text("\n".join(lines))
    return path


def test_without_names_every_row_is_a_consultation_and_empty_is_a_failure(tmp_path: Path) -> None:
    found = read_clean_csv(write(tmp_path, "score,more", "1,x", ",x", "3,x"), "anybody")
    assert np.array_equal(found.scores, [1.0, np.nan, 3.0], equal_nan=True)
    assert len(set(found.clusters)) == 3
    assert found.candidate == ""


def test_rows_belong_to_their_consultation_before_their_note(tmp_path: Path) -> None:
    path = write(tmp_path, "note_key,score,consultation", "n1,1,c", "n2,2,c", "n3,3,d")
    assert read_clean_csv(path).clusters == ("c", "c", "d")
    assert read_clean_csv(write(tmp_path, "note_key,score", "n1,1", "n1,2")).clusters == ("n1", "n1")


def test_flawed_notes_and_other_candidates_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "candidate,note_role,score", "a,clean,1", "a,errored,0", "b,clean,5")
    found = read_clean_csv(path, "a")
    assert (found.scores.tolist(), found.flawed_left_out) == ([1.0], 1)


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (("note,score", "n,low"), "row 2, column 'score'"),
        (("note", "n"), "no column 'score'"),
        (("score,note_role", "1,dirty"), "row 2, column 'note_role'"),
        (("score,note_role", "1,errored"), "no clean notes"),
        (("score,consultation", "1,c", "2,"), "row 3, column 'consultation'"),
        (("score",), "no clean notes"),
        (("",), "an empty file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_row_and_column(
    tmp_path: Path, lines: tuple[str, ...], match: str
) -> None:
    with pytest.raises(DataError, match=match):
        read_clean_csv(write(tmp_path, *lines))
