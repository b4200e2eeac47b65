from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.data.primock57 import import_primock57, read_textgrid
from harness.errors import DataError

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "primock57"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the PriMock57 data is not beside this checkout")

HEADER = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 9\ntiers? <exists> \nsize = 1\nitem []: \n'
)


def textgrid(*intervals: tuple[float, str]) -> bytes:
    body = f'\titem [1]:\n\t\tclass = "IntervalTier"\n\t\tname = "Speaker"\n\t\tintervals: size = {len(intervals)}\n'
    for number, (start, text) in enumerate(intervals, start=1):
        body += f'\t\tintervals [{number}]:\n\t\t\txmin = {start} \n\t\t\txmax = {start + 1} \n\t\t\ttext = "{text}" \n'
    return (HEADER + body).replace("\n", "\r\n").encode()


def write(root: Path, stem: str, note: str | None, doctor: bytes | None, patient: bytes | None) -> None:
    for folder in ("notes", "transcripts"):
        (root / folder).mkdir(exist_ok=True)
    if note is not None:
        (root / "notes" / f"{stem}.json").write_text(json.dumps({"note": note, "highlights": []}), encoding="utf-8")
    for speaker, data in (("doctor", doctor), ("patient", patient)):
        if data is not None:
            (root / "transcripts" / f"{stem}_{speaker}.TextGrid").write_bytes(data)


DOCTOR = textgrid(
    (0, "Hello <UNIN/> there."), (2.5, ""), (4, "<INAUDIBLE_SPEECH/>"), (5, "Any <UNSURE>fever</UNSURE>?")
)
PATIENT = textgrid((1, "My knee hurts."), (6, "No."), (7, " "))


def test_speakers_come_from_file_names_and_turns_are_in_order_of_their_start(tmp_path: Path) -> None:
    write(tmp_path, "day1_consultation01", "Knee pain.\nNo fever.", DOCTOR, PATIENT)
    got = import_primock57(tmp_path)
    assert got.consultations[0].transcript.split("\n") == [
        "doctor: Hello there.",
        "patient: My knee hurts.",
        "doctor: Any fever?",
        "patient: No.",
    ]
    assert (got.notes[0].text, got.refused, got.details) == ("Knee pain.\nNo fever.", {}, ())


def test_white_space_of_notes_is_tidied_and_their_words_are_kept(tmp_path: Path) -> None:
    write(tmp_path, "a", "Knee pain. \r\n\r\n\r\n\r\n1.\tRest “now” \n\n", DOCTOR, PATIENT)
    assert import_primock57(tmp_path).notes[0].text == "Knee pain.\n\n1.\tRest “now”"


@pytest.mark.parametrize(
    ("note", "doctor", "patient", "reason"),
    [
        (None, DOCTOR, PATIENT, "missing_note"),
        ("Knee pain.", None, PATIENT, "missing_doctor_transcript"),
        ("Knee pain.", DOCTOR, None, "missing_patient_transcript"),
        (" \n", DOCTOR, PATIENT, "empty_note"),
        ("Knee pain.", textgrid((0, "<UNIN/>")), textgrid((0, "")), "empty_transcript"),
    ],
)
def test_what_is_missing_or_empty_is_refused_by_name(
    tmp_path: Path, note: str | None, doctor: bytes | None, patient: bytes | None, reason: str
) -> None:
    write(tmp_path, "good", "Cough.\nNo fever.", DOCTOR, PATIENT)
    write(tmp_path, "bad", note, doctor, patient)
    got = import_primock57(tmp_path)
    assert got.refused == {reason: 1}
    assert [c.id for c in got.consultations] == ["primock57-good"]
    assert got.details[0].item == "bad"


OWN = "PC: tired all the time\nHPC: felt weak for six weeks after travel\nPlan: bloods including serology next week"
OTHER = "PC: headache\nHPC: three days of pain over the right eye, worse in light\nPlan: regular paracetamol with food"


def test_a_note_that_stands_twice_is_trimmed_to_one_copy(tmp_path: Path) -> None:
    write(tmp_path, "twice", f"{OWN}\n\n{OWN.replace('tired', 'tired ')} \n", DOCTOR, PATIENT)
    got = import_primock57(tmp_path)
    assert got.notes[0].text == OWN
    assert (got.refused, [d.reason for d in got.details]) == ({}, ["note_doubled_trimmed"])


def test_a_note_that_starts_again_and_differs_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "twice", f"{OWN}\n{OWN} and an examination", DOCTOR, PATIENT)
    got = import_primock57(tmp_path)
    assert (got.refused, got.notes, got.consultations) == ({"note_doubled": 1}, (), ())


def test_a_note_that_ends_with_another_note_is_cut_where_the_other_begins(tmp_path: Path) -> None:
    write(tmp_path, "a", f"{OWN}\n10.  13:30-13:50\n\t“my head”\nNote: {OTHER}\n", DOCTOR, PATIENT)
    write(tmp_path, "b", OTHER, DOCTOR, PATIENT)
    got = import_primock57(tmp_path)
    assert [note.text for note in got.notes] == [OWN, OTHER]
    assert [d.reason for d in got.details] == ["note_of_other_trimmed"]


def test_a_note_that_holds_another_note_in_its_middle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a", f"{OWN}\n{OTHER}\nReview in one week", DOCTOR, PATIENT)
    write(tmp_path, "b", OTHER, DOCTOR, PATIENT)
    got = import_primock57(tmp_path)
    assert got.refused == {"note_of_other_consultation": 1}
    assert [note.text for note in got.notes] == [OTHER]


def test_a_textgrid_that_is_cut_short_is_an_error_that_names_file_and_line(tmp_path: Path) -> None:
    write(tmp_path, "a", "Cough.", DOCTOR[:-60], PATIENT)
    with pytest.raises(DataError, match=r"a_doctor\.TextGrid:\d+: 3 readable intervals where the header says 4"):
        import_primock57(tmp_path)


def test_a_file_that_is_no_textgrid_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "a", "Cough.", b"hello", PATIENT)
    with pytest.raises(DataError, match="no ooTextFile header"):
        import_primock57(tmp_path)


def test_a_note_file_that_is_not_json_is_an_error_that_names_it(tmp_path: Path) -> None:
    write(tmp_path, "a", "x", DOCTOR, PATIENT)
    (tmp_path / "notes" / "a.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.json:1"):
        import_primock57(tmp_path)


def test_a_folder_without_the_two_subfolders_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds transcripts/ and notes/"):
        import_primock57(tmp_path)


@real
def test_the_real_set_has_its_published_counts() -> None:
    got = import_primock57(REAL)
    assert (len(got.consultations), len(got.notes), got.refused) == (45, 45, {})
    assert sorted((d.reason, d.item) for d in got.details) == [
        ("note_doubled_trimmed", "day4_consultation09"),
        ("note_of_other_trimmed", "day5_consultation09"),
    ]
    notes = {note.consultation_id: note.text for note in got.notes}
    assert notes["primock57-day4_consultation09"].count("Tight chest") == 1
    assert notes["primock57-day5_consultation09"].endswith("FU 1 week later with GP.")
    turns = [line for c in got.consultations for line in c.transcript.split("\n")]
    assert not [turn for turn in turns if "<" in turn or turn.endswith(": ")]
    assert len(turns) == 5_639 - 291


@real
def test_the_real_intervals_and_utterances_have_their_published_counts() -> None:
    tiers = {
        speaker: [
            u for path in sorted(REAL.glob(f"transcripts/*_{speaker}.TextGrid")) for u in read_textgrid(path, speaker)
        ]
        for speaker in ("doctor", "patient")
    }
    assert sum(len(tier) for tier in tiers.values()) == 10_795
    spoken = {speaker: sum(bool(u.text) for u in tier) for speaker, tier in tiers.items()}
    assert sum(spoken.values()) == 5_639 - 291
