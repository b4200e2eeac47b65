"""The layout of the published set, in small and by hand: the set itself is not here."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.config import DataConfig
from harness.data.build import build_pair_set
from harness.data.omissionbench import import_omissionbench
from harness.data.pairs import dump_pairs, parse_pairs
from harness.errors import DataError

CLEAN = "Knee pain for 3 days.\nAllergic to penicillin.\nAvoid penicillin.\nPlan: rest."
Record = dict[str, Any]


def pair(kind: str = "omit", level: str | None = "complete", **other: Any) -> Record:
    errored = {
        "omit": CLEAN.replace("Allergic to penicillin.\n", ""),
        "add": CLEAN + "\nTakes aspirin.",
        "change": CLEAN.replace("3 days", "3 weeks"),
    }[kind]
    partial = f"-{level.partition('-')[0]}" if level else ""
    record: Record = {
        "pair_id": f"aci|D1|{kind}",
        "type": kind,
        "class": f"{kind}{partial}",
        "residual_level": level,
        "severity": "critical",
        "stratum": "aci",
        "id": "D1",
        "split": "eval",
        "clean": CLEAN,
        "errored": errored,
        "fact": "Allergic to penicillin" if kind == "omit" else None,
        "what": "the duration" if kind == "change" else None,
        "change": "aspirin was added" if kind == "add" else None,
        "residual": {"sites": [], "verified_sites": [], "strongest": None},
        "eval_set": True,
        "verification": {"passes": 2},
    }
    return record | other


ALL = [
    pair(),
    pair(
        level="partial-strong",
        pair_id="aci|D1|omitps|mc2",
        residual={"verified_sites": [{"quote": "Avoid  penicillin.", "section": "plan", "strength": "paraphrase"}]},
    ),
    pair(level="partial-weak", pair_id="aci|D1|omit2", severity="supporting"),
    pair("add", None),
    pair("change", None, severity=None),
    pair(pair_id="aci|D1|dev", eval_set=False, residual_level=None),
]
SHEET: Record = {
    "id": "D1",
    "transcript": "...",
    "source": "aci",
    "fact_sheet": {
        "must_contain": [
            {"fact": "Allergic to penicillin", "evidence": "I can't have penicillin", "load_bearing": "high"},
            {"fact": "Knee pain for 3 days", "evidence": "three days", "load_bearing": "medium"},
        ],
        "must_not_contain": [],
        "salience_traps": [],
    },
}


def folder(root: Path, records: Any = ALL, sheets: Any = None, transcripts: tuple[str, ...] = ("aci/D1",)) -> Path:
    (root / "pairs").mkdir(exist_ok=True)
    (root / "transcripts").mkdir(exist_ok=True)
    whole = {"dataset_version": "factorial-v1", "pairs": records} if isinstance(records, list) else records
    (root / "pairs" / "dataset_v2.json").write_text(json.dumps(whole, indent=1), encoding="utf-8")
    for name in transcripts:
        path = root / "transcripts" / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"[doctor] Any allergies?\r\n[patient] I can't have penicillin.\r\n")
    if sheets is not None:
        (root / "fact_sheets").mkdir(exist_ok=True)
        (root / "fact_sheets" / "aci.json").write_text(json.dumps(sheets), encoding="utf-8")
    return root


def test_classes_come_from_the_record_and_never_from_the_id(tmp_path: Path) -> None:
    found = import_omissionbench(folder(tmp_path))
    assert {p.id: p.pair_class for p in found.pairs} == {
        "aci|D1|omit": "omission-complete",
        "aci|D1|omitps|mc2": "omission-restated",
        "aci|D1|omit2": "omission-fragment",
        "aci|D1|add": "addition",
        "aci|D1|change": "alteration",
    }
    assert [p.defect.severity for p in found.pairs] == ["critical", "critical", "supporting", "critical", None]
    assert [p.defect.fact_text for p in found.pairs][-2:] == ["aspirin was added", "the duration"]


def test_only_pairs_of_the_evaluation_set_are_kept(tmp_path: Path) -> None:
    found = import_omissionbench(folder(tmp_path))
    assert found.imported.refused == {"not_in_eval_set": 1}
    assert [d.item for d in found.imported.details] == ["aci|D1|dev"]


def test_notes_are_named_as_in_published_judgements_and_equal_clean_texts_are_one_note(tmp_path: Path) -> None:
    found = import_omissionbench(folder(tmp_path, [*ALL, pair(pair_id="other", clean=CLEAN + " Now.")]))
    digest = hashlib.sha256(CLEAN.encode()).hexdigest()[:12]
    assert len(found.imported.notes) == 2
    assert found.imported.notes[0].id == f"aci|D1|clean|{digest}"
    assert found.pairs[0].flawed.id == "aci|D1|omit|err"
    assert [(c.id, c.stratum) for c in found.imported.consultations] == [("aci|D1", "aci")]


def test_surviving_mentions_are_the_verified_ones_that_stand_in_the_note(tmp_path: Path) -> None:
    lost = pair(level="partial-weak", residual={"verified_sites": [{"quote": "nowhere"}, {"quote": "Plan: rest."}]})
    found = import_omissionbench(folder(tmp_path, [lost, ALL[1]]))
    assert [p.defect.surviving for p in found.pairs] == [("Plan: rest.",), ("Avoid  penicillin.",)]
    assert [(d.reason, d.item) for d in found.imported.details] == [("mention_not_in_note", "aci|D1|omit")]


def test_fact_sheets_become_facts_graded_by_what_rests_on_them(tmp_path: Path) -> None:
    found = import_omissionbench(folder(tmp_path, sheets=[SHEET, SHEET | {"id": "unused"}]))
    (consultation,) = found.imported.consultations
    assert [(f.id, f.severity, f.evidence) for f in consultation.facts] == [
        ("f1", "critical", "I can't have penicillin"),
        ("f2", "supporting", "three days"),
    ]


def test_a_consultation_without_a_sheet_is_kept_and_told(tmp_path: Path) -> None:
    other = pair(pair_id="p2", id="D2")
    found = import_omissionbench(folder(tmp_path, [pair(), other], SHEET, ("aci/D1", "aci/D2")))
    assert [len(c.facts) for c in found.imported.consultations] == [2, 0]
    assert [(d.reason, d.item) for d in found.imported.details] == [("no_fact_sheet", "aci|D2")]


def test_an_id_of_two_strata_is_told_apart_by_the_sheets_path(tmp_path: Path) -> None:
    other = pair(pair_id="p2", stratum="primock")
    found = import_omissionbench(folder(tmp_path, [pair(), other], SHEET, ("aci/D1", "primock/D1")))
    assert {c.id: len(c.facts) for c in found.imported.consultations} == {"aci|D1": 2, "primock|D1": 0}


def test_missing_and_empty_transcripts_are_refused_by_name_with_their_pairs(tmp_path: Path) -> None:
    root = folder(
        tmp_path, [pair(), pair(pair_id="p2", id="D2"), pair(pair_id="p3", id="D3")], None, ("aci/D1", "aci/D2")
    )
    (root / "transcripts" / "aci" / "D2.txt").write_text(" \n")
    found = import_omissionbench(root)
    assert found.imported.refused == {"empty_transcript": 1, "missing_transcript": 1}
    assert [p.consultation_id for p in found.pairs] == ["aci|D1"]


@pytest.mark.parametrize("wrap", [lambda r: r, lambda r: {"items": r}, lambda r: {"data": r}])
def test_a_bare_list_and_other_names_of_it_are_read_too(tmp_path: Path, wrap: Any) -> None:
    root = folder(tmp_path)
    (root / "pairs" / "dataset_v2.json").write_text(json.dumps(wrap(ALL)), encoding="utf-8")
    assert len(import_omissionbench(root).pairs) == 5


def test_stratum_and_pair_id_have_their_published_defaults(tmp_path: Path) -> None:
    bare = {
        key: value
        for key, value in pair().items()
        if key in ("id", "type", "clean", "errored", "fact", "residual_level")
    }
    found = import_omissionbench(folder(tmp_path, [bare], None, ("authored/D1",)))
    assert [(p.id, p.consultation_id) for p in found.pairs] == [("authored|D1|omit", "authored|D1")]


MALFORMED: dict[str, tuple[Any, str]] = {
    "no id": ({"id": ""}, r"pair 2 \(second\): id: "),
    "no clean text": ({"clean": "\n"}, r"pair 2 \(second\): clean: "),
    "no errored text": ({"errored": None}, r"pair 2 \(second\): errored: "),
    "an unknown type": ({"type": "swap"}, r"pair 2 \(second\): type: "),
    "an unknown level": ({"residual_level": "partial"}, r"pair 2 \(second\): residual_level: "),
    "an omission without its level": ({"residual_level": None, "class": None}, r"an omission without residual_level"),
    "an addition with a level": ({"type": "add", "class": "add"}, r"type 'add' with residual_level 'complete'"),
    "a class that contradicts": ({"class": "omit-partial"}, r"class 'omit-partial' with residual_level 'complete'"),
    "an unknown severity": ({"severity": "high"}, r"pair 2 \(second\): severity: "),
    "no fact": ({"fact": " "}, r"no fact: what was left out"),
    "equal sides": ({"errored": CLEAN + " \n"}, r"clean and errored are the same text"),
    "an id twice": ({"pair_id": "aci|D1|omit"}, r"pair 2 \(aci\|D1\|omit\): pair id 'aci\|D1\|omit' twice"),
    "mentions of another shape": ({"residual": {"verified_sites": ["text"]}}, r"residual\.verified_sites\.0"),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_record_is_an_error_with_file_record_and_reason(tmp_path: Path, name: str) -> None:
    change, message = MALFORMED[name]
    with pytest.raises(DataError, match=r"dataset_v2\.json, pair 2.*" + message.removeprefix("pair 2 ")):
        import_omissionbench(folder(tmp_path, [pair(), pair(pair_id="second") | change]))


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pairs_file_cut_anywhere_is_refused_with_its_name(tmp_path: Path, data: st.DataObject) -> None:
    root = folder(tmp_path)
    path = root / "pairs" / "dataset_v2.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(DataError, match=r"dataset_v2\.json"):
        import_omissionbench(root)


@pytest.mark.parametrize("whole", ["[]", "{}", '{"pairs": {}}', '"text"'])
def test_a_file_without_pairs_is_refused(tmp_path: Path, whole: str) -> None:
    root = folder(tmp_path)
    (root / "pairs" / "dataset_v2.json").write_text(whole)
    with pytest.raises(DataError, match="no list of pairs"):
        import_omissionbench(root)


SHEETS: dict[str, tuple[Any, str]] = {
    "no facts": ({"id": "D1", "fact_sheet": {"must_contain": []}}, r"record 1: fact_sheet\.must_contain"),
    "an unknown grade": (
        {"id": "D1", "fact_sheet": {"must_contain": [{"fact": "x", "load_bearing": "low"}]}},
        r"record 1: fact_sheet\.must_contain\.0\.load_bearing",
    ),
    "two sheets": ([SHEET, SHEET], r"record 2: a second fact sheet of 'aci\|D1'"),
}


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_a_malformed_fact_sheet_is_an_error_with_file_and_record(tmp_path: Path, name: str) -> None:
    sheets, message = SHEETS[name]
    with pytest.raises(DataError, match=r"aci\.json, " + message):
        import_omissionbench(folder(tmp_path, sheets=sheets))


def test_a_built_set_survives_writing_and_reading(tmp_path: Path) -> None:
    built = build_pair_set(DataConfig(source="omissionbench", path=folder(tmp_path, sheets=SHEET)))
    assert built.planted_refused == {}
    again = parse_pairs(dump_pairs(built.pair_set), Path("memory"))
    assert dump_pairs(again) == dump_pairs(built.pair_set)
