from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.config import DataConfig
from harness.data.build import build_pair_set
from harness.data.describe import UNVERIFIED, describe
from harness.data.pairs import dump_pairs, parse_pairs
from harness.errors import DataError

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
real = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets are not beside this checkout")

VISIT: dict[str, Any] = {
    "type": "consultation",
    "id": "c1",
    "transcript": "doctor: how long?\npatient: dry cough three weeks, left ear pain\ndoctor: rest and fluids",
    "note": "HPC:\nDry cough for 3 weeks.\nPain in the left ear.\n\nPlan:\nRest and fluids.",
}
FLAWED: dict[str, Any] = {
    "type": "note",
    "id": "f",
    "consultation_id": "c1",
    "text": "HPC:\nDry cough for 3 weeks.\n\nPlan:\nRest and fluids.",
    "defect": {"kind": "omission", "fact_text": "Left ear pain", "trace": "complete"},
}


def config(tmp_path: Path, *records: dict[str, Any]) -> DataConfig:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return DataConfig(source="jsonl", path=path, pairs_per_consultation=4, seed=3)


def test_defects_are_planted_where_a_user_gives_clean_notes_only(tmp_path: Path) -> None:
    built = build_pair_set(config(tmp_path, VISIT))
    assert {pair.pair_class.partition("-")[0] for pair in built.pair_set.pairs} == {
        "omission",
        "alteration",
        "addition",
    }
    assert built.planted_refused
    assert not built.pair_set.clean_verified
    assert not built.pair_set.simulated


def test_given_flawed_notes_are_paired_and_none_is_planted(tmp_path: Path) -> None:
    lonely = [
        {"type": "consultation", "id": "c2", "transcript": "doctor: hi"},
        FLAWED | {"id": "g", "consultation_id": "c2"},
    ]
    built = build_pair_set(config(tmp_path, VISIT, FLAWED, *lonely))
    assert [(p.clean.id, p.flawed.id) for p in built.pair_set.pairs] == [("c1-clean", "f")]
    assert built.planted_refused == {"no_clean_note": 1}


def test_clean_notes_are_verified_only_where_the_header_says_so(tmp_path: Path) -> None:
    header = {"type": "dataset", "name": "m", "clean_verified": True}
    assert build_pair_set(config(tmp_path, header, VISIT)).pair_set.clean_verified


def test_a_built_set_survives_writing_and_reading(tmp_path: Path) -> None:
    for records in ((VISIT,), (VISIT, FLAWED)):
        pair_set = build_pair_set(config(tmp_path, *records)).pair_set
        again = parse_pairs(dump_pairs(pair_set), Path("memory"))
        assert dump_pairs(again) == dump_pairs(pair_set)


def test_a_source_without_a_pair_is_an_error_that_says_what_was_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no pair in .*'no_clean_note': 1"):
        build_pair_set(config(tmp_path, VISIT | {"note": None}, FLAWED))


def test_synthetic_sets_are_simulated_and_verified() -> None:
    built = build_pair_set(DataConfig(source="synthetic", consultations=6, pairs_per_consultation=2))
    assert built.pair_set.simulated
    assert built.pair_set.clean_verified
    assert len(built.pair_set.consultations) == 6


@real
def test_real_primock57_builds_equal_bytes_twice_and_is_labelled_unverified() -> None:
    settings = DataConfig(source="primock57", path=SHARED / "primock57")
    built = build_pair_set(settings)
    assert dump_pairs(built.pair_set) == dump_pairs(build_pair_set(settings).pair_set)
    assert describe(built.pair_set).labels == (UNVERIFIED,)
    assert len(built.pair_set.consultations) == 45
    assert built.imported_refused == {}


def test_variants_of_encounters_are_counted_beside_the_set(tmp_path: Path) -> None:
    for folder, key in (("challenge_data", "encounter_id"), ("src_experiment_data", "id")):
        (tmp_path / folder).mkdir()
        talk = VISIT["transcript"].replace("doctor:", "[doctor]").replace("patient:", "[patient]")
        text = f'dataset,{key},dialogue,note\naci,D1,"{talk}","{VISIT["note"]}"\n'
        (tmp_path / folder / "train_aci_asr.csv").write_text(text, encoding="utf-8")
    built = build_pair_set(DataConfig(source="aci-bench", path=tmp_path))
    assert built.imported_refused == {"variant_of_encounter": 1}
    assert built.pair_set.pairs
    assert {pair.consultation_id for pair in built.pair_set.pairs} == {"aci-bench-D1"}
