from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.data.aci_bench import VARIANTS, clean_note, closed, import_aci_bench, maybe_swapped, transcript_of
from harness.errors import DataError

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "aci-bench"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the ACI-Bench data is not beside this checkout")

TALK = (
    "[doctor] hi , martha . any pain ?\n[patient] no , i do n't\n[patient]\n[doctor] hey , dragon , show me the x-ray ."
)
NOTE = "\n CHIEF COMPLAINT\n\nPain\u202f5\u00a0mg.\u200b\n\n\n\nPLAN\n\n\u2022 Rest. \n"


def table(path: Path, *rows: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def row(encounter: str, dialogue: str = TALK, note: str = NOTE) -> dict[str, str]:
    return {"dataset": "aci", "encounter_id": encounter, "dialogue": dialogue, "note": note}


def small(root: Path, *rows: dict[str, str]) -> Path:
    table(root / "challenge_data" / "train.csv", *(rows or (row("D1"), row("D2"))))
    table(
        root / "challenge_data" / "train_metadata.csv",
        {"encounter_id": "D1", "id": "ACI1"},
        {"encounter_id": "D2", "id": "ACI2"},
    )
    for family in ("aci_asr", "aci_asrcorr"):
        other = {"dataset": "aci", "id": "ACI1", "dialogue": f"[doctor] {family}", "note": NOTE}
        table(root / "src_experiment_data" / f"train_{family}.csv", other)
    return root


def test_one_consultation_per_encounter_and_every_variant_refused_by_name(tmp_path: Path) -> None:
    got = import_aci_bench(small(tmp_path))
    assert [(c.id, c.group) for c in got.consultations] == [("aci-bench-D1",) * 2, ("aci-bench-D2",) * 2]
    assert got.refused == {"variant_of_encounter": 2}
    assert {d.item for d in got.details} == {"ACI1:aci_asr", "ACI1:aci_asrcorr"}


def test_a_chosen_variant_takes_the_place_of_the_challenge_transcript(tmp_path: Path) -> None:
    got = import_aci_bench(small(tmp_path), variant="aci_asr")
    assert [c.transcript.split("\n")[0] for c in got.consultations] == [
        "doctor: aci_asr",
        "doctor: hi, martha. any pain?",
    ]
    assert got.refused == {"variant_of_encounter": 1}


def test_an_unknown_or_absent_variant_is_an_error_that_names_the_choices(tmp_path: Path) -> None:
    small(tmp_path)
    with pytest.raises(DataError, match="Use one of challenge, aci_asr"):
        import_aci_bench(tmp_path, variant="asr")
    with pytest.raises(DataError, match="no transcripts of variant 'virtscribe_asr'"):
        import_aci_bench(tmp_path, variant="virtscribe_asr")


def test_turns_lose_tokenising_blanks_and_keep_spoken_commands() -> None:
    assert transcript_of(TALK).split("\n") == [
        "doctor: hi, martha. any pain?",
        "patient: no, i don't",
        "doctor: hey, dragon, show me the x-ray.",
    ]


def test_a_line_without_a_tag_continues_the_turn_before() -> None:
    got = transcript_of("[patient_guest] he fell\n[ inaudible 00:09:25 ] twice\n[doctor] ok")
    assert got == "guest: he fell [ inaudible 00:09:25 ] twice\ndoctor: ok"


@given(st.text(alphabet="ab n't'.,?! 1-", max_size=40))
def test_closing_blanks_changes_no_other_character_and_is_idempotent(text: str) -> None:
    assert closed(text).replace(" ", "") == text.replace(" ", "")
    assert closed(closed(closed(text))) == closed(closed(text))


def test_notes_have_plain_blanks_and_no_zero_width_characters() -> None:
    assert clean_note(NOTE) == "CHIEF COMPLAINT\n\nPain 5 mg.\n\nPLAN\n\n\u2022 Rest."


def test_a_patient_who_examines_and_orders_is_reported_and_kept(tmp_path: Path) -> None:
    swapped = (
        "[patient] any chest pain ? have you noticed swelling ?\n[doctor] no\n"
        "[patient] let's take a look . i'm going to order an x-ray\n[doctor] thanks"
    )
    got = import_aci_bench(
        small(
            tmp_path,
            row("D1", swapped),
            row("D2", swapped.replace("doctor", "x").replace("patient", "doctor").replace("[x]", "[patient]")),
        )
    )
    assert [d.item for d in got.details if d.reason == "speakers_maybe_swapped"] == ["D1"]
    assert len(got.consultations) == 2
    assert "speakers_maybe_swapped" not in got.refused
    assert not maybe_swapped(got.consultations[1].transcript)


def test_an_encounter_with_only_a_guest_is_reported_and_kept(tmp_path: Path) -> None:
    got = import_aci_bench(small(tmp_path, row("D1", "[doctor] hi\n[patient_guest] he coughs")))
    assert [d.item for d in got.details if d.reason == "no_patient_turn"] == ["D1"]
    assert got.consultations[0].transcript.endswith("guest: he coughs")


def test_empty_transcripts_notes_and_repeats_are_refused_by_name(tmp_path: Path) -> None:
    rows = (row("D1"), row("D2", dialogue="[doctor] \n"), row("D3", note=" \u200b\n"), row("D1"))
    got = import_aci_bench(small(tmp_path, *rows))
    assert {k: v for k, v in got.refused.items() if k != "variant_of_encounter"} == {
        "empty_note": 1,
        "empty_transcript": 1,
        "repeated_encounter": 1,
    }
    assert [c.id for c in got.consultations] == ["aci-bench-D1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,encounter_id,note\na,b,c\n", r"train\.csv:1: no column dialogue"),
        ("dataset,encounter_id,dialogue,note\na,b,c\n", r"train\.csv:2: too many or too few fields"),
        ('dataset,encounter_id,dialogue,note\na,b,c,"d', r"train\.csv:2: not CSV"),
        ("dataset,encounter_id,dialogue,note\n", "no encounters"),
    ],
)
def test_a_malformed_table_is_an_error_that_names_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "challenge_data").mkdir()
    (tmp_path / "challenge_data" / "train.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        import_aci_bench(tmp_path)


def test_a_folder_without_the_challenge_data_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds challenge_data/"):
        import_aci_bench(tmp_path)


@real
def test_the_real_set_has_its_published_counts() -> None:
    got = import_aci_bench(REAL)
    assert (len(got.consultations), len(got.notes)) == (187, 187)
    assert got.refused == {"variant_of_encounter": 233}
    assert Counter(c.stratum for c in got.consultations) == {"aci": 102, "virtassist": 49, "virtscribe": 36}
    families = Counter(d.item.partition(":")[2] for d in got.details if d.reason == "variant_of_encounter")
    assert families == {"aci_asr": 70, "aci_asrcorr": 102, "virtscribe_asr": 36, "virtscribe_humantrans": 25}
    assert {d.item for d in got.details if d.reason == "no_patient_turn"} == {"D2N076", "D2N099"}
    dragons = [c for c in got.consultations if c.stratum == "virtassist" and "dragon" in c.transcript]
    assert len(dragons) == 49
    assert len({n.text for n in got.notes}) == len({c.transcript for c in got.consultations}) == 187
    speakers = {line.partition(": ")[0] for c in got.consultations for line in c.transcript.split("\n")}
    assert speakers == {"doctor", "patient", "guest"}
    assert not [n for n in got.notes if set(n.text) & set("\u00a0\u202f\u200b") or n.text != n.text.strip()]


@real
@pytest.mark.parametrize(("variant", "changed"), tuple(zip(VARIANTS, (0, 14, 36, 0), strict=True)))
def test_a_real_variant_changes_only_the_transcripts_that_are_known_to_differ(variant: str, changed: int) -> None:
    plain = {c.id: c.transcript for c in import_aci_bench(REAL).consultations}
    other = import_aci_bench(REAL, variant)
    assert len(other.consultations) == 187
    assert sum(c.transcript != plain[c.id] for c in other.consultations) == changed
