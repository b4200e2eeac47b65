from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path

import pytest

from harness.config import DataConfig
from harness.data.build import build_pair_set
from harness.data.mts_dialog import import_mts_dialog
from harness.errors import DataError
from harness.types import PairSet
from partitions.leakage import find_leaks

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "mts-dialog"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the MTS-Dialog data is not beside this checkout")

COLUMNS = ["ID", "section_header", "section_text", "dialogue"]
TRAIN, TEST = "MTS-Dialog-TrainingSet.csv", "MTS-Dialog-TestSet-1-MEDIQA-Chat-2023.csv"
Row = dict[str, str]


def row(number: int, section: str = "GENHX", note: str = "", dialogue: str = "") -> Row:
    words = " ".join(random.Random(number).choices([f"w{i}" for i in range(999)], k=40))
    return {
        "ID": str(number),
        "section_header": section,
        "section_text": note or f"The patient reports {words}.",
        "dialogue": dialogue or f"Doctor: How are you? \r\nPatient: I have {words}. \r\nDoctor: Right {number}.",
    }


def folder(root: Path, *rows: Row, name: str = TRAIN, columns: list[str] = COLUMNS, bom: bool = False) -> Path:
    with (root / name).open("w", newline="", encoding="utf-8-sig" if bom else "utf-8") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return root


def test_a_note_is_its_section_under_its_full_heading_and_turns_have_our_speakers(tmp_path: Path) -> None:
    found = import_mts_dialog(folder(tmp_path, row(1, "FAM/SOCHX", "He smokes and\r\ndrinks every day. ")))
    (note,) = found.notes
    assert note.text == "FAMILY HISTORY/SOCIAL HISTORY\nHe smokes and\ndrinks every day."
    (consultation,) = found.consultations
    assert [line.partition(":")[0] for line in consultation.transcript.split("\n")] == ["doctor", "patient", "doctor"]
    assert (consultation.id, consultation.stratum) == ("mts-dialog-train-1", "FAM/SOCHX")


def test_ids_that_restart_in_every_file_name_different_consultations(tmp_path: Path) -> None:
    other = row(2) | {"ID": "1"}
    found = import_mts_dialog(folder(folder(tmp_path, row(1)), other, name=TEST, bom=True))
    assert [c.id for c in found.consultations] == ["mts-dialog-train-1", "mts-dialog-test1-1"]


def test_short_and_empty_notes_and_repeated_items_are_refused_by_name(tmp_path: Path) -> None:
    rows = [
        row(1),
        row(1) | {"ID": "2"},
        row(3, note="Noncontributory."),
        row(4, note=" . "),
        dict.fromkeys(COLUMNS, ""),
    ]
    rows += [row(5) | {"dialogue": " "}]
    found = import_mts_dialog(folder(tmp_path, *rows))
    assert found.refused == {
        "empty_note": 1,
        "empty_row": 1,
        "empty_transcript": 1,
        "repeated_item": 1,
        "short_note": 1,
    }
    assert [c.id for c in found.consultations] == ["mts-dialog-train-1"]


def test_one_dialogue_with_two_notes_or_one_note_of_two_dialogues_is_one_group(tmp_path: Path) -> None:
    same_dialogue = row(2) | {"dialogue": row(1)["dialogue"]}
    same_note = row(3) | {"section_text": row(1)["section_text"]}
    found = import_mts_dialog(folder(tmp_path, row(1), same_dialogue, same_note, row(4)))
    assert [c.group[-1] for c in found.consultations] == ["1", "1", "1", "4"]


def test_mended_speakers_are_told_and_kept(tmp_path: Path) -> None:
    talk = "Gest_family: He fell. Doctor: When was that?\n.\nPatient: Today, I think it was"
    found = import_mts_dialog(folder(tmp_path, row(1, dialogue=talk)))
    assert found.refused == {}
    assert [d.reason for d in found.details] == ["line_without_speaker", "speaker_mid_line", "speaker_misspelt"]


MALFORMED: dict[str, tuple[list[Row], str]] = {
    "an unknown section": ([row(1, "GENERAL")], r":2: unknown section 'GENERAL'"),
    "columns shifted to the right": ([row(1) | {"section_header": "1", "ID": "x"}], r":2: id 'x' is no number"),
    "an id twice": ([row(1), row(2) | {"ID": "1"}], r":5: id '1' twice"),
    "note and dialogue swapped": (
        [row(1) | {"dialogue": row(1)["section_text"], "section_text": row(1)["dialogue"]}],
        r":2: a dialogue in which no line names a speaker",
    ),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_row_is_an_error_with_file_and_line(tmp_path: Path, name: str) -> None:
    rows, message = MALFORMED[name]
    with pytest.raises(DataError, match=r"MTS-Dialog-TrainingSet\.csv" + message):
        import_mts_dialog(folder(tmp_path, *rows))


@pytest.mark.parametrize("column", COLUMNS)
def test_a_file_without_one_of_its_columns_is_refused(tmp_path: Path, column: str) -> None:
    with pytest.raises(DataError, match=rf"{TRAIN}:1: no column {column}"):
        import_mts_dialog(folder(tmp_path, row(1), columns=[c for c in COLUMNS if c != column]))


def test_a_folder_without_the_files_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no dialogue with a note in .*MTS-Dialog-TrainingSet"):
        import_mts_dialog(tmp_path)


def test_defects_are_planted_in_sections_and_refusals_are_counted(tmp_path: Path) -> None:
    talk = "Doctor: how long?\nPatient: dry cough three weeks, left ear pain\nDoctor: rest and fluids then"
    note = "Dry cough for 3 weeks. Pain in the left ear. He will rest and take fluids."
    built = build_pair_set(DataConfig(source="mts-dialog", path=folder(tmp_path, row(1, note=note, dialogue=talk))))
    assert {pair.pair_class.partition("-")[0] for pair in built.pair_set.pairs} >= {"omission"}
    assert built.planted_refused
    assert not built.pair_set.clean_verified


@real
def test_the_real_set_has_its_published_counts() -> None:
    found = import_mts_dialog(REAL)
    assert found.refused == {"short_note": 366}
    assert len(found.consultations) == len(found.notes) == 1201 + 80 + 200 + 200 - 366
    parts = Counter(c.id.split("-")[2] for c in found.consultations)
    assert parts == {"train": 935, "validation": 64, "test1": 163, "test2": 153}
    told = Counter(d.reason for d in found.details if d.reason != "short_note")
    assert told == {"speaker_misspelt": 5, "speaker_mid_line": 1, "line_without_speaker": 1}
    speakers = {line.partition(": ")[0] for c in found.consultations for line in c.transcript.split("\n")}
    assert speakers == {"doctor", "patient", "guest", "clinician"}


@real
def test_no_two_groups_of_the_real_set_share_a_note_or_a_dialogue() -> None:
    found = import_mts_dialog(REAL)
    sizes = Counter(Counter(c.group for c in found.consultations).values())
    assert sizes == {1: 1229, 2: 38, 3: 2, 4: 1}
    whole = PairSet("mts-dialog", found.consultations, (), found.notes)
    assert find_leaks(whole, {c.id: c.cluster for c in whole.consultations}).leaks == ()
