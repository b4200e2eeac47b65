from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.data.jsonl import (
    ConsultationRecord,
    DefectRecord,
    NoteRecord,
    format_help,
    import_jsonl,
    pair_up,
    read_jsonl,
)
from harness.errors import DataError
from harness.types import Fact

TALK = "doctor: any pain?\npatient: my knee"
VISIT: dict[str, Any] = {"type": "consultation", "id": "c1", "transcript": TALK, "note": "Knee pain."}
DEFECT: dict[str, Any] = {"kind": "alteration", "fact_text": "Knee pain", "before": "Knee", "after": "Hip"}
FLAWED: dict[str, Any] = {"type": "note", "id": "f", "consultation_id": "c1", "text": "Hip pain.", "defect": DEFECT}


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n\n" for r in records), encoding="utf-8")
    return path


def test_the_example_in_the_description_can_be_imported_and_paired(tmp_path: Path) -> None:
    example = format_help().partition("Example\n")[2].partition("    (a record")[0]
    path = tmp_path / "example.jsonl"
    path.write_text(example.replace("\n     ", " "), encoding="utf-8")
    source = read_jsonl(path)
    assert (source.name, source.clean_verified) == ("clinic-a", False)
    assert [p.defect.after for p in pair_up(source)[0]] == ["Hip"]


@pytest.mark.parametrize("kind", [ConsultationRecord, NoteRecord, DefectRecord])
def test_the_description_names_every_key(kind: type[ConsultationRecord | NoteRecord | DefectRecord]) -> None:
    assert [key for key in kind.model_fields if key not in format_help()] == []


def test_a_folder_is_read_whole_in_any_order_of_records(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", FLAWED)
    write(tmp_path / "b.jsonl", VISIT | {"facts": [{"id": "1", "text": "knee", "severity": "critical"}], "group": "g"})
    got = import_jsonl(tmp_path)
    assert {note.id for note in got.notes} == {"c1-clean", "f"}
    assert (got.consultations[0].facts, got.consultations[0].cluster) == ((Fact("1", "knee", "", "critical"),), "g")
    assert got.refused == {}


def test_without_a_header_the_file_gives_the_name_and_nothing_is_verified(tmp_path: Path) -> None:
    source = read_jsonl(write(tmp_path / "mine.jsonl", VISIT))
    assert (source.name, source.clean_verified) == ("mine", False)


def test_only_the_user_can_declare_clean_notes_verified(tmp_path: Path) -> None:
    source = read_jsonl(write(tmp_path / "a.jsonl", VISIT, {"type": "dataset", "name": "m", "clean_verified": True}))
    assert source.clean_verified


def test_what_is_empty_or_belongs_nowhere_is_refused_by_name(tmp_path: Path) -> None:
    omission = {"kind": "omission", "fact_text": "x", "trace": "restated", "surviving": ["not there"]}
    path = write(
        tmp_path / "a.jsonl",
        VISIT,
        {"type": "consultation", "id": "c2", "transcript": " \n"},
        {"type": "note", "id": "n2", "consultation_id": "c2", "text": "Cough."},
        {"type": "note", "id": "n3", "consultation_id": "c1", "text": "\n"},
        FLAWED | {"id": "n4", "defect": omission},
    )
    got = import_jsonl(path)
    assert got.refused == {
        "empty_note": 1,
        "empty_transcript": 1,
        "note_without_consultation": 1,
        "quote_not_in_note": 1,
    }
    assert {d.item for d in got.details} == {"c2", "n2", "n3", "n4"}
    assert [note.id for note in got.notes] == ["c1-clean"]


def test_a_named_twin_is_used_and_an_unnamed_one_must_be_the_only_one(tmp_path: Path) -> None:
    second = {"type": "note", "id": "other", "consultation_id": "c1", "text": "Pain in the knee."}
    alone = {"type": "consultation", "id": "c2", "transcript": TALK}
    records = (
        VISIT,
        alone,
        second,
        FLAWED,
        FLAWED | {"id": "g", "clean": "other"},
        FLAWED | {"id": "h", "consultation_id": "c2"},
    )
    pairs, refused = pair_up(read_jsonl(write(tmp_path / "a.jsonl", *records)))
    assert [(p.flawed.id, p.clean.id) for p in pairs] == [("g", "other")]
    assert refused == {"no_clean_note": 1, "several_clean_notes": 1}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([VISIT, VISIT], r"a\.jsonl:3: reading a consultation: id 'c1' twice"),
        ([VISIT, FLAWED, FLAWED], r"a\.jsonl:5: reading a note: id 'f' twice"),
        ([{"type": "dataset"}, {"type": "dataset"}], r"a\.jsonl:3: reading the header: a second dataset record"),
        ([VISIT | {"transcrpt": "x"}], r"a\.jsonl:1: transcrpt: Extra inputs"),
        ([{"type": "visit"}], r"a\.jsonl:1: type: Input tag 'visit'"),
        ([{"id": "c1"}], r"a\.jsonl:1: type: Unable to extract tag"),
        ([{"type": "note", "id": "n", "text": "x"}], r"a\.jsonl:1: consultation_id: Field required"),
        ([FLAWED | {"defect": DEFECT | {"kind": "typo"}}], r"a\.jsonl:1: defect\.kind: Input should be"),
        ([FLAWED | {"defect": DEFECT | {"trace": "complete"}}], r"a\.jsonl:1: reading a defect: kind 'alteration'"),
        ([FLAWED | {"defect": None, "clean": "x"}], r"a\.jsonl:1: reading a note: 'clean' without 'defect'"),
        ([["list"]], r"a\.jsonl:1: not a JSON object"),
    ],
)
def test_a_record_that_does_not_fit_is_an_error_with_file_and_line(
    tmp_path: Path, records: list[Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        import_jsonl(write(tmp_path / "a.jsonl", *records))


@pytest.mark.parametrize(
    ("flawed", "message"),
    [
        (FLAWED | {"text": " Knee  pain.\n"}, "two sides with equal text"),
        (FLAWED | {"clean": "nobody"}, "names 'nobody' as its clean twin"),
        (FLAWED | {"clean": "f"}, "names 'f' as its clean twin"),
    ],
)
def test_an_impossible_pair_is_an_error(tmp_path: Path, flawed: dict[str, Any], message: str) -> None:
    source = read_jsonl(write(tmp_path / "a.jsonl", VISIT, flawed))
    with pytest.raises(DataError, match=message):
        pair_up(source)


def test_missing_files_and_empty_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file or folder"):
        import_jsonl(tmp_path / "none")
    with pytest.raises(DataError, match=r"no \*\.jsonl file"):
        import_jsonl(tmp_path)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_notes_keep_their_text_whatever_it_is(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("text") / "a.jsonl"
    got = import_jsonl(write(path, VISIT | {"note": text}))
    assert got.notes[0].text == text.replace("\r\n", "\n").replace("\r", "\n")
