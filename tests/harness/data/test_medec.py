from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.data.describe import UNVERIFIED, describe
from harness.data.medec import import_medec, numbered
from harness.data.standin import ALONE, STAND_IN
from harness.errors import DataError
from harness.types import PairSet
from partitions.leakage import find_leaks

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "medec"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the MEDEC data is not beside this checkout")

NAME = "MEDEC-MS-TestSet-with-GroundTruth-and-ErrorType.csv"
TEXTS = ["Text", "Sentences", "Error Sentence", "Corrected Sentence", "Corrected Text"]
COLUMNS = ["Text ID", "Error Flag", "Error Type", "Error Sentence ID", *TEXTS]
WRONG = {
    "Text ID": "t-0",
    "Text": "A man is short of breath.\nBlood pressure is\n120/70 mm Hg. Asthma is suspected.",
    "Sentences": "0 A man is short of breath.\r\n1 Blood pressure is\r\n120/70 mm Hg.\r\n2 Asthma is suspected.\r\n",
    "Error Flag": "1",
    "Error Type": "diagnosis",
    "Error Sentence ID": "2",
    "Error Sentence": "Asthma is suspected.",
    "Corrected Sentence": "Heart failure is suspected.",
    "Corrected Text": "A man is short of breath.\nBlood pressure is\n120/70 mm Hg. Heart failure is suspected.",
}
RIGHT = WRONG | {
    "Text ID": "t-1",
    "Text": WRONG["Corrected Text"],
    "Error Flag": "0",
    "Error Sentence ID": "-1",
    **dict.fromkeys(("Error Type", "Error Sentence", "Corrected Sentence", "Corrected Text"), "NA"),
}
EMPTY = dict.fromkeys(COLUMNS, "")
Row = dict[str, str]


def folder(root: Path, *rows: Row, columns: list[str] = COLUMNS) -> Path:
    with (root / NAME).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return root


def renamed(name: str, edit: Callable[[str], str] = lambda text: text, **other: str) -> Row:
    """Another wrong text, its words changed alike in every column that holds them."""
    return WRONG | {column: edit(WRONG[column]) for column in TEXTS} | {"Text ID": name} | other


def test_a_wrong_text_becomes_a_pair_of_the_corrected_and_the_published_text(tmp_path: Path) -> None:
    found = import_medec(folder(tmp_path, WRONG))
    (pair,) = found.pairs
    assert pair.clean.text == WRONG["Corrected Text"]
    assert pair.flawed.text == WRONG["Text"]
    assert pair.pair_class == "alteration"
    assert (pair.defect.before, pair.defect.after) == ("Heart failure is suspected.", "Asthma is suspected.")
    assert (pair.defect.aspect, pair.defect.severity) == (None, None)
    (consultation,) = found.imported.consultations
    assert (consultation.transcript, consultation.stratum) == (STAND_IN, "diagnosis")


def test_a_set_without_conversations_says_that_only_commissions_can_be_read(tmp_path: Path) -> None:
    found = import_medec(folder(tmp_path, WRONG))
    pair_set = PairSet("medec", found.imported.consultations, found.pairs, found.imported.notes, False)
    assert describe(pair_set).labels == (UNVERIFIED, ALONE)


def test_empty_rows_and_right_texts_are_refused_by_name_even_where_floats_stand(tmp_path: Path) -> None:
    floats = RIGHT | {"Error Flag": "0.0", "Error Sentence ID": "-1.0"}
    float_wrong = WRONG | {"Error Flag": "1.0", "Error Sentence ID": "2.0"}
    found = import_medec(folder(tmp_path, float_wrong, EMPTY, floats, EMPTY))
    assert len(found.pairs) == 1
    assert found.imported.refused == {"empty_row": 2, "text_without_error": 1}


def test_versions_of_one_vignette_are_one_group(tmp_path: Path) -> None:
    other = renamed("t-2", lambda text: text.replace("A man", "A woman"))
    stranger = {
        "Text ID": "t-3",
        "Text": "Nobody fell today. All is well now.",
        "Sentences": "0 Nobody fell today.\n1 All is well now.",
        "Error Sentence ID": "1",
        "Error Sentence": "All is well now.",
        "Corrected Sentence": "All was well then.",
        "Corrected Text": "Nobody fell today. All was well then.",
    }
    found = import_medec(folder(tmp_path, WRONG, stranger | {"Error Flag": "1", "Error Type": "treatment"}, other))
    groups = {c.id: c.group for c in found.imported.consultations}
    assert groups == {"medec-t-0": "medec-t-0", "medec-t-3": "medec-t-3", "medec-t-2": "medec-t-0"}


def test_equal_stand_ins_are_no_near_duplicates(tmp_path: Path) -> None:
    found = import_medec(folder(tmp_path, WRONG, renamed("t-2", lambda text: text.replace("breath", "sleep"))))
    whole = PairSet("medec", found.imported.consultations, found.pairs, found.imported.notes)
    leaks = find_leaks(whole, {c.id: c.id for c in whole.consultations}).leaks
    assert [leak.kind for leak in leaks if leak.kind == "transcript"] == []


def test_mojibake_is_undone_where_that_is_exact_and_refused_by_name_where_not(tmp_path: Path) -> None:
    mangled = renamed("t-4", lambda text: text.replace("man", "man â€“ 5 Î¼g"))
    lost = renamed("t-5", lambda text: text.replace("man", "man â€ old"))
    found = import_medec(folder(tmp_path, mangled, lost))
    assert found.pairs[0].flawed.text.startswith("A man – 5 μg is")
    assert found.imported.refused == {"mojibake": 1}
    assert [d.item for d in found.imported.details if d.reason == "mojibake_undone"] == ["t-4"]


def test_a_correction_that_changes_more_than_its_sentence_is_refused_by_name(tmp_path: Path) -> None:
    more = WRONG | {"Corrected Text": WRONG["Corrected Text"].replace("A man", "A woman")}
    assert import_medec(folder(tmp_path, more)).imported.refused == {"corrected_elsewhere": 1}


def test_a_line_that_does_not_start_with_the_next_number_continues_the_sentence() -> None:
    assert numbered("0 It is\n1 120/70 mm\nHg.\n7 tablets.\n\n2 End") == ["It is", "120/70 mm Hg. 7 tablets.", "End"]


TEXT = WRONG["Text"]
MALFORMED: dict[str, tuple[list[Row], str]] = {
    "a wrong text flagged right": ([WRONG | {"Error Flag": "0"}], r":2: flag 0 with Error Type 'diagnosis'"),
    "a right text flagged wrong": ([WRONG, RIGHT | {"Error Flag": "1"}], r":11: flag 1 with error type 'NA'"),
    "a right text with an id": ([RIGHT | {"Error Sentence ID": "2"}], r":2: flag 0 with Error Sentence ID '2'"),
    "another flag": ([WRONG | {"Error Flag": "yes"}], r":2: error flag 'yes'"),
    "an unknown type": ([WRONG | {"Error Type": "spelling"}], r":2: flag 1 with error type 'spelling'"),
    "an id out of range": ([WRONG | {"Error Sentence ID": "3"}], r":2: error sentence id '3' of 3 sentences"),
    "an id that is no number": ([WRONG | {"Error Sentence ID": "-1"}], r":2: error sentence id '-1'"),
    "the id of another sentence": ([WRONG | {"Error Sentence ID": "1"}], r":2: sentence 1 is not the error sentence"),
    "the text of another row": ([WRONG | {"Text": "Somebody else."}], r":2: the error sentence .* is not in the text"),
    "the correction of another row": ([WRONG | {"Corrected Text": "Other."}], r":2: the corrected sentence .* is not"),
    "no change": (
        [WRONG | {"Corrected Sentence": "Asthma is suspected.", "Corrected Text": TEXT}],
        r":2: an error sentence that equals",
    ),
    "an id twice": ([WRONG, WRONG], r":11: text id 't-0' twice"),
    "no id": ([WRONG | {"Text ID": " "}], r":2: text id ''"),
    "a right text without words": ([RIGHT | {"Text": " "}], r":2: an empty text"),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_row_that_contradicts_itself_is_an_error_with_file_and_line(tmp_path: Path, name: str) -> None:
    rows, message = MALFORMED[name]
    with pytest.raises(DataError, match=r"MEDEC-MS-TestSet.*" + message):
        import_medec(folder(tmp_path, *rows))


@pytest.mark.parametrize("column", COLUMNS)
def test_a_file_without_one_of_its_columns_is_refused(tmp_path: Path, column: str) -> None:
    with pytest.raises(DataError, match=rf"{NAME}:1: no column {column}"):
        import_medec(folder(tmp_path, WRONG, columns=[c for c in COLUMNS if c != column]))


@pytest.mark.parametrize("column", [c for c in COLUMNS if c not in ("Text ID", "Error Type", "Error Flag")])
def test_a_column_shifted_by_one_row_is_refused(tmp_path: Path, column: str) -> None:
    other = renamed("t-2", lambda text: text.replace("is suspected", "was found"), **{"Error Sentence ID": "2"})
    other |= {"Sentences": other["Sentences"].replace("2 ", "again.\r\n2 ", 1)}
    rows = [WRONG, other, WRONG | {"Text ID": "t-3", "Error Sentence ID": "1"} | _blood()]
    values = [row[column] for row in rows]
    shifted = [row | {column: value} for row, value in zip(rows, [values[-1], *values[:-1]], strict=True)]
    with pytest.raises(DataError, match=rf"{NAME}:\d+"):
        import_medec(folder(tmp_path, *shifted))


def _blood() -> Row:
    error, right = "Blood pressure is 120/70 mm Hg.", "Blood pressure is 220/70 mm Hg."
    correct = TEXT.replace("120", "220").replace("is\n", "is ")
    return {"Error Sentence": error, "Corrected Sentence": right, "Corrected Text": correct}


def test_a_folder_without_the_files_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no texts in .*MEDEC-MS-\*\.csv"):
        import_medec(tmp_path)
    with pytest.raises(DataError, match="no folder"):
        import_medec(tmp_path / "nowhere")


@real
def test_the_real_set_has_its_published_counts() -> None:
    found = import_medec(REAL)
    assert found.imported.refused == {"corrected_elsewhere": 2, "empty_row": 328, "text_without_error": 481}
    assert len(found.pairs) == 252 + 318 - 2
    assert found.imported.refused["text_without_error"] == 227 + 254
    assert Counter(d.reason for d in found.imported.details)["mojibake_undone"] == 124
    parts = Counter(c.id.split("-")[2] for c in found.imported.consultations)
    assert parts == {"test": 250, "val": 318}
    types = Counter(c.stratum for c in found.imported.consultations)
    expected = {"diagnosis": 179, "management": 247, "treatment": 66, "pharmacotherapy": 57, "causalOrganism": 21}
    assert sum((Counter(expected) - types).values()) == 2
    assert {d.item for d in found.imported.details if d.reason == "corrected_elsewhere"} == {
        "ms-test-15",
        "ms-test-273",
    }


@real
def test_every_real_edit_stands_in_its_notes_and_no_two_groups_share_a_text() -> None:
    found = import_medec(REAL)
    for pair in found.pairs:
        assert pair.defect.before in pair.clean.text
        assert pair.defect.after in pair.flawed.text
    whole = PairSet("medec", found.imported.consultations, found.pairs, found.imported.notes)
    assert find_leaks(whole, {c.id: c.cluster for c in whole.consultations}).leaks == ()
