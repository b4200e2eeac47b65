from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.data.mts_dialog import import_mts_dialog
from harness.data.mts_study import MEASURES, read_study
from harness.errors import DataError

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "mts-dialog"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the MTS-Dialog data is not beside this checkout")

SUMMARIES = "MTS-Dialog-Automatic-Summaries-ValidationSet.csv"
SCORES = "MTS-Dialog-Manual-Scores4CorrelationStudy.csv"
GOOD = {
    "FactualPrecision": "1",
    "FactualRecall": "0.25",
    "FactualF1": "0.4",
    "HallucinationRate": "0",
    "OmissionRate": "0.5",
}
Row = dict[str, str]


def text(number: int, system: int) -> Row:
    dialogue = f"Doctor: How is knee {number}? \r\nPatient: Sore."
    return {
        "ID": str(number),
        "Dialogue": dialogue,
        "Reference Summary": "x",
        "Automatic Summary": f"Knee {number}, {system}.",
    }


def texts(dialogues: int = 3, systems: int = 2) -> list[Row]:
    return [text(number + 5, system) for system in range(systems) for number in range(dialogues)]


def folder(root: Path, rows: list[Row], scores: list[Row]) -> Path:
    (root / "correlation-study").mkdir(exist_ok=True)
    for name, table in ((SUMMARIES, rows), (SCORES, scores)):
        with (root / "correlation-study" / name).open("w", newline="", encoding="utf-8-sig") as stream:
            writer = csv.DictWriter(stream, list(table[0]), lineterminator="\r\n")
            writer.writeheader()
            writer.writerows(table)
    return root


def test_summaries_and_scores_match_by_row_number_and_blocks_are_systems(tmp_path: Path) -> None:
    scores = [GOOD | {"OmissionRate": str(number / 10)} for number in range(6)]
    found = read_study(folder(tmp_path, texts(), scores))
    assert found.systems == ("system-1", "system-2")
    assert [(s.consultation.id[-1], s.system[-1], s.human["OmissionRate"]) for s in found.summaries] == [
        ("5", "1", 0.0), ("6", "1", 0.1), ("7", "1", 0.2), ("5", "2", 0.3), ("6", "2", 0.4), ("7", "2", 0.5),
    ]  # fmt: skip
    assert found.summaries[3].note.text == "Knee 5, 1."
    assert found.summaries[0].consultation == found.summaries[3].consultation


def test_a_row_with_an_invalid_score_is_left_out_by_name(tmp_path: Path) -> None:
    scores = [GOOD] * 4 + [GOOD | {"OmissionRate": "-1"}] + [GOOD]
    found = read_study(folder(tmp_path, texts(), scores))
    assert len(found.summaries) == 5
    assert [(refusal.reason, refusal.item) for refusal in found.refused] == [
        ("invalid_score", "mts-dialog-validation-6-system-2")
    ]


@given(st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_summary_file_with_two_rows_swapped_is_refused_unless_they_are_of_one_dialogue(
    tmp_path: Path, first: int, second: int
) -> None:
    rows = texts()
    rows[first], rows[second] = rows[second], rows[first]
    root = folder(tmp_path, rows, [GOOD] * 6)
    if first % 3 == second % 3:
        assert len(read_study(root).summaries) == 6
        return
    with pytest.raises(DataError, match=rf"{SUMMARIES}:\d+: dialogue|no whole blocks"):
        read_study(root)


MALFORMED: dict[str, tuple[list[Row], list[Row], str]] = {
    "a score row lost": (texts(), [GOOD] * 5, r"6 summaries and 5 rows of scores"),
    "a summary row lost": (texts()[:-1], [GOOD] * 5, rf"{SUMMARIES}:\d+: 5 rows are no whole blocks of 3"),
    "another dialogue": ([*texts()[:-1], text(7, 1) | {"Dialogue": "Doctor: no"}], [GOOD] * 6, r": dialogue '7'"),
    "an empty summary": ([*texts()[:-1], text(7, 1) | {"Automatic Summary": " "}], [GOOD] * 6, r"an empty summary"),
    "no speaker": ([r | {"Dialogue": "Sore."} for r in texts()], [GOOD] * 6, rf"{SUMMARIES}:2: a dialogue in which"),
    "no number": (texts(), [GOOD] * 5 + [GOOD | {"OmissionRate": ""}], rf"{SCORES}:7: OmissionRate '' is no number"),
    "a share over 1": (texts(), [GOOD | {"HallucinationRate": "2"}, *[GOOD] * 5], rf"{SCORES}:2: HallucinationRate 2"),
    "columns mixed up": (texts(), [GOOD | {"FactualF1": "0.9"}] * 6, rf"{SCORES}:2: FactualF1 0.9 where precision"),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_study_is_an_error_with_file_line_and_reason(tmp_path: Path, name: str) -> None:
    rows, scores, message = MALFORMED[name]
    with pytest.raises(DataError, match=message):
        read_study(folder(tmp_path, rows, scores))


@pytest.mark.parametrize("column", sorted(MEASURES))
def test_scores_without_one_of_their_columns_are_refused(tmp_path: Path, column: str) -> None:
    scores = [{name: value for name, value in GOOD.items() if name != column}] * 6
    with pytest.raises(DataError, match=rf"{SCORES}:1: no column {column}"):
        read_study(folder(tmp_path, texts(), scores))


@real
def test_the_real_study_has_its_published_counts() -> None:
    found = read_study(REAL)
    assert len(found.summaries) == 319
    assert [refusal.reason for refusal in found.refused] == ["invalid_score"]
    assert Counter(s.system for s in found.summaries) == {
        "system-1": 80,
        "system-2": 80,
        "system-3": 80,
        "system-4": 79,
    }
    assert sum(s.human["OmissionRate"] > 0 for s in found.summaries) == 213
    assert sum(s.human["OmissionRate"] == 0 for s in found.summaries) == 106
    clusters = {s.consultation.id: s.consultation.transcript for s in found.summaries}
    assert len(clusters) == 80
    own = {c.id: c.transcript for c in import_mts_dialog(REAL).consultations}
    shared = clusters.keys() & own.keys()
    assert len(shared) == 64
    assert all(clusters[name] == own[name] for name in shared)
