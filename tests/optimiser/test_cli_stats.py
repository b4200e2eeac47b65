"""`judgelab stats` and `judgelab calibrate` as a user runs them; the published figures through the command."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from harness.errors import DataError, LabError, MetricUndefined
from harness.stats.holm import holm
from optimiser.cli.app import build_app

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "omissionbench"
needs_published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="../shared/omissionbench is not on this machine")
HEADER = ("candidate", "note_key", "consultation", "note_role", "pair_class", "score")
CLASSES = ("omit-complete", "omit-partial-weak", "omit-partial-strong", "add", "change")

# candidate: paired, (wins, ties, losses), detected, false alarms, threshold, complete, weak, strong, commissions, means
FIGURES: dict[str, tuple[Any, ...]] = {
    "seed_check_binary": (0.7917, (31, 14, 3), 16, 2, 0.909091, 0.9074, 0.6923, 0.5625, 0.5811, 0.9463, 0.926934875),
    "v3p-01": (0.84375, (35, 11, 2), 16, 1, 0.909091, 0.9444, 0.8846, 0.4375, 0.6486, 0.9476687, 0.924018042),
    "seed_fc_score": (0.6146, (18, 23, 7), 1, 1, 8.0, 0.6852, 0.5385, 0.5, 0.8919, 8.95, 8.729166667),
    "v3m-08": (0.6875, (19, 28, 1), 12, 1, 9.0, 0.7037, 0.5385, 0.875, 0.9595, 9.35, 8.979166667),
}
# file, baseline, candidate: difference, low, high, sign wins and losses, p, flags candidate and baseline, p
COMPARED: list[tuple[Any, ...]] = [
    ("pipeline", "seed_check_binary", "v3p-01", 0.0521, -0.0417, 0.1622, 8, 3, 0.2266, 0, 0, 1.0),
    ("mono", "seed_fc_score", "v3m-08", 0.0729, -0.070, 0.250, 13, 10, 0.678, 11, 0, 0.00098),
]


def run(*arguments: object, code: int = 0) -> str:
    ended = CliRunner().invoke(build_app(), list(map(str, arguments)), catch_exceptions=False)
    assert ended.exit_code == code, ended.output
    return ended.stdout


def run_json(*arguments: object, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", code=code))
    return found


def refused(kind: type[LabError], match: str, *arguments: object) -> None:
    with pytest.raises(kind, match=match):
        CliRunner().invoke(build_app(), list(map(str, arguments)), catch_exceptions=False)


def write(path: Path, rows: list[tuple[object, ...]], header: tuple[str, ...] = HEADER) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def judgements(consultations: int, seed: int = 0, gain: float = 1.0) -> list[tuple[object, ...]]:
    """Two candidates, one clean note and a note of each class for each consultation."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[object, ...]] = []
    for name, drop in (("old", 0.5), ("new", 0.5 + gain)):
        for c in range(consultations):
            rows.append((name, f"{c}|clean", f"made|{c}", "clean", "clean", int(rng.integers(6, 11))))
            rows += [
                (name, f"{c}|{kind}", f"made|{c}", "errored", kind, round(float(rng.integers(6, 11) - drop), 1))
                for kind in CLASSES
            ]
    return rows


@needs_published
@pytest.mark.parametrize("row", COMPARED, ids=[row[0] for row in COMPARED])
def test_compare_prints_every_published_figure(row: tuple[Any, ...]) -> None:
    leg, baseline, candidate, value, low, high, wins, losses, p, ours, theirs, p_flags = row
    path = PUBLISHED / f"valid_scores_{leg}.csv"
    shown = run_json("stats", "compare", path, "--baseline", baseline, "--candidate", candidate)
    assert list(shown["candidates"]) == [baseline, candidate]
    for name in (baseline, candidate):
        check_candidate(shown["candidates"][name], FIGURES[name])
    found = shown["comparison"]
    assert found["difference"]["value"] == pytest.approx(value, abs=5e-5)
    # Published with 4,000 resamples: a 2.5% quantile of them has a standard error of about 0.003 here.
    assert found["difference"]["low"] == pytest.approx(low, abs=0.012)
    assert found["difference"]["high"] == pytest.approx(high, abs=0.012)
    assert (found["sign_test"]["wins"], found["sign_test"]["losses"]) == (wins, losses)
    assert found["sign_test"]["p"] == pytest.approx(p, abs=5e-4)
    assert (found["mcnemar"]["candidate_only"], found["mcnemar"]["baseline_only"]) == (ours, theirs)
    assert found["mcnemar"]["p"] == pytest.approx(p_flags, abs=5e-6)


def check_candidate(found: dict[str, Any], published: tuple[Any, ...]) -> None:
    value, counts, detected, alarms, threshold, complete, weak, strong, commissions, clean, omissions = published
    omitted, point = found["paired"]["omissions"], found["operating_point"]
    assert omitted["value"] == pytest.approx(value, abs=5e-5)
    assert (omitted["wins"], omitted["ties"], omitted["losses"], omitted["n"]) == (*counts, 48)
    assert found["paired"]["commissions"]["value"] == pytest.approx(commissions, abs=5e-5)
    by_class = found["paired"]["by_class"]
    assert {name: by_class[name]["n"] for name in CLASSES} == dict(zip(CLASSES, (27, 13, 8, 17, 20), strict=True))
    for name, expected in zip(CLASSES, (complete, weak, strong), strict=False):
        assert by_class[name]["value"] == pytest.approx(expected, abs=5e-5)
    assert (point["detected"], point["n_flawed"], point["false_alarms"], point["n_clean"]) == (detected, 48, alarms, 20)
    assert (point["threshold"], point["detection"], point["false_alarm_rate"]) == (
        threshold,
        detected / 48,
        alarms / 20,
    )
    assert found["mean_score"]["clean"] == pytest.approx(clean, abs=5e-5)
    assert found["mean_score"]["omissions"] == pytest.approx(omissions, abs=5e-9)


def test_compare_prints_the_promised_keys(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(20))
    shown = run_json("stats", "compare", path, "--baseline", "old", "--candidate", "new", "--cap", "0.2")
    for name in ("old", "new"):
        found = shown["candidates"][name]
        for kind in ("omissions", "commissions"):
            assert {"value", "wins", "ties", "losses", "n"} == set(found["paired"][kind])
        assert set(CLASSES) == set(found["paired"]["by_class"])
        assert {
            "threshold", "detected", "n_flawed", "detection",
            "false_alarms", "n_clean", "false_alarm_rate", "false_alarm_upper95",
        } == set(found["operating_point"])  # fmt: skip
        assert found["operating_point"]["false_alarm_rate"] <= 0.2
        assert 0 < found["auc"] < 1
    compared = shown["comparison"]
    assert {"value", "low", "high"} == set(compared["difference"])
    assert {"wins", "losses", "p"} == set(compared["sign_test"])
    assert {"candidate_only", "baseline_only", "p"} == set(compared["mcnemar"])
    assert {"p", "n_informative"} <= set(compared["sign_flip"])
    narrow, wide = compared["difference"], compared["difference_expanded"]
    assert wide["value"] == narrow["value"]
    assert wide["low"] <= narrow["low"] + 0.01
    assert wide["high"] >= narrow["high"] - 0.01
    tests = ["sign_test", "mcnemar", "sign_flip"]
    assert list(compared["holm"].values()) == holm([compared[name]["p"] for name in tests]).tolist()
    assert list(compared["holm"]) == tests


def test_swapping_the_two_candidates_turns_the_comparison_round(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(12))
    there, back = (
        run_json("stats", "compare", path, "--baseline", a, "--candidate", b)["comparison"]
        for a, b in (("old", "new"), ("new", "old"))
    )
    assert there["difference"]["value"] == -back["difference"]["value"]
    assert there["sign_test"]["wins"] == back["sign_test"]["losses"]
    assert there["mcnemar"]["candidate_only"] == back["mcnemar"]["baseline_only"]
    assert there["sign_flip"] == back["sign_flip"]


def test_the_same_seed_gives_the_same_document(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(12))
    command = ("stats", "compare", path, "--baseline", "old", "--candidate", "new", "--seed", 4, "--json")
    assert run(*command) == run(*command)


def test_candidates_with_different_notes_are_compared_on_the_common_ones_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    rows = judgements(8)
    lacking = [row for row in rows if not (row[0] == "new" and row[2] == "made|3")]
    path = write(tmp_path / "scores.csv", lacking)
    shown = run_json("stats", "compare", path, "--baseline", "old", "--candidate", "new")
    assert shown["comparison"]["left_out"] == {"old": 6, "new": 0}
    assert {found["consultations"] for found in shown["candidates"].values()} == {7}
    without = write(tmp_path / "without.csv", [row for row in rows if row[2] != "made|3"])
    again = run_json("stats", "compare", without, "--baseline", "old", "--candidate", "new")
    assert again["candidates"] == shown["candidates"]
    assert "warning" in CliRunner().invoke(
        build_app(), ["stats", "compare", str(path), "--baseline", "old", "--candidate", "new"]
    ).output  # fmt: skip


def test_a_third_candidate_changes_nothing(tmp_path: Path) -> None:
    rows = judgements(10)
    third = [("third", *row[1:]) for row in rows if row[0] == "old"]
    paths = write(tmp_path / "two.csv", rows), write(tmp_path / "three.csv", third + rows)
    two, three = (run_json("stats", "compare", path, "--baseline", "old", "--candidate", "new") for path in paths)
    assert two["candidates"] == three["candidates"]
    assert two["comparison"] == three["comparison"]


def test_describe_measures_every_candidate_like_compare(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(10))
    shown = run_json("stats", "describe", path)
    assert shown["candidates"] == run_json("stats", "compare", path, "--baseline", "old", "--candidate", "new")[
        "candidates"
    ]  # fmt: skip
    assert "old" in run("stats", "describe", path)


def test_a_table_without_omissions_is_described_and_not_compared(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", [row for row in judgements(6) if not str(row[4]).startswith("omit")])
    found = run_json("stats", "describe", path)["candidates"]["old"]
    assert found["paired"]["omissions"] is None
    assert found["operating_point"] is None
    assert found["paired"]["commissions"]["n"] == 12
    refused(MetricUndefined, "no omission pair", "stats", "compare", path, "--baseline", "old", "--candidate", "new")


def test_more_consultations_resolve_a_smaller_gain(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(20))
    command = ("stats", "power", path, "--baseline", "old", "--candidate", "new", "--gain")
    found = run_json(*command, 0.05)
    sizes = {int(n): gain for n, gain in found["minimum_detectable_at"].items()}
    assert list(sizes) == [10, 20, 40, 80]
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert sizes[20] == pytest.approx(found["minimum_detectable"])
    assert not found["resolved"]
    assert found["consultations_needed"] > 20
    easy = run_json(*command, 0.9)
    assert easy["resolved"]
    assert easy["consultations_needed"] <= 20


@pytest.mark.parametrize(
    ("baseline", "candidate", "match"), [("old", "nobody", "'nobody'.*'old', 'new'"), ("old", "old", "twice")]
)
def test_a_candidate_that_cannot_be_compared_is_refused(
    tmp_path: Path, baseline: str, candidate: str, match: str
) -> None:
    path = write(tmp_path / "scores.csv", judgements(4))
    refused(DataError, match, "stats", "compare", path, "--baseline", baseline, "--candidate", candidate)


@pytest.mark.parametrize(
    ("place", "cell", "match"),
    [
        (5, "good", "row 6, column 'score'.*'good'"),
        (3, "broken", "row 6, column 'note_role'"),
        (4, "typo", "row 6, column 'pair_class'"),
        (1, "0|omit-complete", "row 6, column 'pair_class'.*not as in row 3"),
        (2, "made|99", "row 6, column 'consultation'.*0 clean notes"),
    ],
)
def test_a_malformed_row_is_named_with_column_and_reason(tmp_path: Path, place: int, cell: str, match: str) -> None:
    rows = [list(row) for row in judgements(4)]
    rows[4][place] = cell
    path = write(tmp_path / "scores.csv", [tuple(row) for row in rows])
    refused(DataError, match, "stats", "compare", path, "--baseline", "old", "--candidate", "new")


def test_a_calibration_is_written_and_holds_for_more_of_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    old, same, worse = (
        write(tmp_path / name, [(f"c{i}", float(score)) for i, score in enumerate(scores)], ("consultation", "score"))
        for name, scores in (
            ("old.csv", rng.normal(8, 1, 200)),
            ("same.csv", rng.normal(8, 1, 200)),
            ("worse.csv", rng.normal(6, 1, 200)),
        )
    )
    stored = tmp_path / "calibration.json"
    found = run_json("calibrate", "--scores", old, "--cap", 0.05, "--out", stored)
    assert (found["rank"], found["consultations"]) == (10, 200)
    assert json.loads(stored.read_text())["threshold"] == found["threshold"]
    assert run_json("calibrate", "check", stored, same)["verdict"] == "holds"
    assert run_json("calibrate", "check", stored, worse, code=1)["verdict"] == "above the cap"
    sure = run_json("calibrate", "--scores", old, "--cap", 0.05, "--confidence", 0.95)
    assert sure["threshold"] < found["threshold"]
    assert sure["rate_upper95"] <= 0.05


def test_only_clean_notes_of_the_named_candidate_calibrate(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", judgements(20))
    found = run_json("calibrate", "--scores", path, "--cap", 0.05, "--candidate", "new")
    assert (found["candidate"], found["consultations"], found["flawed_left_out"]) == ("new", 20, 100)
    refused(DataError, "several candidates.*'old', 'new'", "calibrate", "--scores", path)
    refused(DataError, "no candidate 'nobody'", "calibrate", "--scores", path, "--candidate", "nobody")


def spoil(**changes: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda stored: stored | changes


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (spoil(threshold=9.5), "threshold 9.5 where its scores give 1"),
        (spoil(consultations=7), "40 scores of 7"),
        (spoil(version=2), "version"),
        (spoil(surprise=1), "surprise"),
        (spoil(scores=[]), "0 scores of 40"),
    ],
)
def test_a_calibration_file_that_was_edited_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]], match: str
) -> None:
    scores = write(tmp_path / "clean.csv", [(i,) for i in range(40)], ("score",))
    stored = tmp_path / "calibration.json"
    run("calibrate", "--scores", scores, "--out", stored)
    stored.write_text(json.dumps(change(json.loads(stored.read_text()))))
    refused(LabError, match, "calibrate", "check", stored, scores)


def test_too_few_clean_notes_are_refused_with_the_number_that_would_do_and_nothing_is_written(tmp_path: Path) -> None:
    scores = write(tmp_path / "clean.csv", [(i,) for i in range(18)], ("score",))
    stored = tmp_path / "calibration.json"
    refused(MetricUndefined, "at least 19", "calibrate", "--scores", scores, "--out", stored)
    assert not stored.exists()
    refused(LabError, "no file", "calibrate", "check", stored, scores)
    refused(LabError, "no scores", "calibrate")
