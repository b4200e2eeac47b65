from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from harness.config import JudgeConfig, ModelConfig
from harness.data.mts_study import MEASURES, Study, Summary
from harness.errors import ConfigError, DataError
from harness.types import Candidate, Consultation, Note
from optimiser.cli.app import build_app
from optimiser.config import BudgetConfig
from optimiser.external import Means, check_judges, dump_external, without
from optimiser.grid.cells import Cell
from optimiser.laboratory import open_account

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "data" / "mts-dialog"
real = pytest.mark.skipif(not REAL.is_dir(), reason="the MTS-Dialog data is not beside this checkout")
FACTS = ["left knee pain", "dry cough", "penicillin allergy", "smokes cigarettes", "father had stroke", "takes aspirin"]
MODEL = ModelConfig(model="sim-judge", base_url="simulated:", effort="none")
FLOOR = Cell("lexical", "lexical", JudgeConfig(kind="lexical"), Candidate("lexical", ()), MODEL, {})
SCORED = Cell("bare", "bare", JudgeConfig(), Candidate("score", (("instruction", "Is all of it there?"),)), MODEL, {})


def summary(dialogue: int, system: int) -> Summary:
    """A note that holds as many of the dialogue's facts as its dialogue and its system say."""
    held = 1 + (dialogue + 2 * system) % len(FACTS)
    said = "\n".join(f"patient: {fact} {dialogue}" for fact in FACTS)
    key = f"mts-dialog-validation-{dialogue}"
    human = dict.fromkeys(MEASURES, held / len(FACTS)) | {"OmissionRate": 1 - held / len(FACTS)}
    note = Note(f"{key}-s{system}", key, " ".join(f"{fact} {dialogue}." for fact in FACTS[:held]))
    return Summary(Consultation(key, "mts-dialog", said), note, f"system-{system}", human)


STUDY = Study(tuple(summary(dialogue, system) for system in (1, 2) for dialogue in range(10)), ())


def checked(tmp_path: Path, *cells: Cell, study: Study = STUDY, **means: Any) -> Any:
    with open_account(BudgetConfig(), "test", tmp_path / "cache.sqlite") as purse:
        return check_judges(study, cells, purse, Means(resamples=200, **means))


def of(found: Any, measure: str, statistic: str = "spearman", systems: str = "all") -> Any:
    (check,) = found.judges
    return next(c for c in check.correlations if (c.measure, c.statistic, c.systems) == (measure, statistic, systems))


def test_a_judge_that_counts_what_people_counted_ranks_as_they_do(tmp_path: Path) -> None:
    found = checked(tmp_path, FLOOR)
    for systems in ("all", "system-1", "system-2"):
        for statistic in ("spearman", "kendall"):
            recall, omission = (of(found, m, statistic, systems) for m in ("FactualRecall", "OmissionRate"))
            assert recall.value > 0.95
            assert recall.low <= recall.value <= recall.high
            assert (omission.value, omission.low, omission.high) == (-recall.value, -recall.high, -recall.low)
            assert (omission.expected, recall.expected) == (-1, 1)


def test_a_judge_without_texts_makes_no_call_and_is_not_simulated(tmp_path: Path) -> None:
    found = checked(tmp_path, FLOOR)
    assert (found.spend.calls, found.simulated, found.judges[0].model) == (0, False, "")


def test_the_same_check_again_buys_nothing_and_writes_the_same_bytes(tmp_path: Path) -> None:
    first = checked(tmp_path, SCORED, FLOOR)
    assert first.simulated
    assert first.spend.calls >= len(STUDY.summaries)
    assert dump_external(checked(tmp_path, SCORED, FLOOR)) == dump_external(first)


def test_a_measure_that_never_varies_has_no_value_and_says_why(tmp_path: Path) -> None:
    flat = Study(
        tuple(Summary(s.consultation, s.note, s.system, s.human | {"FactualF1": 1.0}) for s in STUDY.summaries), ()
    )
    found = of(checked(tmp_path, FLOOR, study=flat), "FactualF1")
    assert (found.value, found.low, found.high) == (None, None, None)
    assert "1 different values" in found.undefined


def test_dialogues_that_a_search_has_seen_are_left_out_and_counted(tmp_path: Path) -> None:
    study, seen = without(STUDY, {"mts-dialog-validation-3", "another"})
    assert (len(study.summaries), seen) == (18, 2)
    with open_account(BudgetConfig(), "test", tmp_path / "cache.sqlite") as purse:
        found = check_judges(study, [FLOOR], purse, Means(resamples=200), seen)
    assert (found.dialogues, found.left_out) == (9, {"seen_by_search": 2})
    with pytest.raises(DataError, match="saw every dialogue"):
        without(STUDY, {s.consultation.id for s in STUDY.summaries})


def test_failures_are_counted_by_reason_and_correlated_nowhere(tmp_path: Path) -> None:
    wordless = summary(0, 1)
    bad = Summary(
        Consultation("w", "mts-dialog", "patient: ok"), Note("w-s1", "w", "Fine."), "system-1", wordless.human
    )
    found = checked(tmp_path, FLOOR, study=Study((*STUDY.summaries, bad), ()))
    assert found.judges[0].failures == {"no-facts": 1}
    assert (found.judges[0].scored, of(found, "OmissionRate").summaries) == (20, 20)


def study_folder(root: Path) -> Path:
    """Four dialogues by two systems, as published."""
    folder = root / "mts" / "correlation-study"
    folder.mkdir(parents=True)
    texts, scores = [], []
    for system in (1, 2):
        for dialogue in range(4):
            one = summary(dialogue, system)
            talk = one.consultation.transcript.replace("patient:", "Patient:")
            texts.append({"ID": str(dialogue), "Dialogue": talk, "Automatic Summary": one.note.text})
            share = one.human["FactualRecall"]
            scores.append(one.human | {"FactualPrecision": 1, "FactualF1": 2 * share / (1 + share)})
    for name, rows in (("Automatic-Summaries-ValidationSet", texts), ("Manual-Scores4CorrelationStudy", scores)):
        with (folder / f"MTS-Dialog-{name}.csv").open("w", newline="", encoding="utf-8-sig") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return folder.parent


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app("external"), ["external", "mts-dialog", *map(str, arguments)])


CAMPAIGN = """
name: tiny
data: {source: synthetic}
seeds: [SEED]
model: {model: sim-judge, base_url: "simulated:", effort: none}
reflector: {model: sim-reflector, base_url: "simulated:"}
"""


def test_a_campaign_file_gives_its_first_seed_with_the_floor_beside_it(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text(CAMPAIGN.replace("SEED", str(ROOT / "seeds/score/bare.md")))
    out = tmp_path / "out"
    found = run(study_folder(tmp_path), "--judge", config, "--out", out, "--resamples", 200, "--json")
    assert found.exit_code == 0, found.output
    written = json.loads((out / "external.json").read_text())
    assert json.loads(found.stdout[found.stdout.index("{") :]) == written
    assert [judge["kind"] for judge in written["judges"]] == ["score", "lexical"]
    assert (written["simulated"], written["summaries"], written["systems"]) == (True, 8, ["system-1", "system-2"])


def test_a_grid_file_gives_every_cell_and_the_table_is_labelled(tmp_path: Path) -> None:
    config = tmp_path / "g.yaml"
    config.write_text(
        'name: g\ndata: {source: synthetic}\nmodel: {model: sim-judge, base_url: "simulated:", effort: none}\ncells:\n'
        f"  - {{name: bare, blocks: {{instruction: {ROOT / 'seeds/score/bare.md'}}}}}\n"
        "  - {name: words, judge: {kind: lexical}}\n"
    )
    found = run(study_folder(tmp_path), "--judge", config, "--out", tmp_path / "out", "--resamples", 200)
    assert found.exit_code == 0, found.output
    assert [line for line in ("bare", "words", "OmissionRate", "SIMULATED") if line not in found.output] == []
    names = [judge["name"] for judge in json.loads((tmp_path / "out/external.json").read_text())["judges"]]
    assert names == ["bare", "words"]


def test_no_judge_at_all_is_a_mistake_with_a_remedy(tmp_path: Path) -> None:
    found = run(study_folder(tmp_path), "--out", tmp_path / "out")
    assert isinstance(found.exception, ConfigError)
    assert "--judge" in str(found.exception)
    assert not (tmp_path / "out").exists()


@real
def test_word_overlap_alone_already_ranks_real_summaries_as_people_do(tmp_path: Path) -> None:
    from harness.data.mts_study import read_study

    found = checked(tmp_path, FLOOR, study=read_study(REAL))
    assert (found.summaries, found.dialogues, found.left_out) == (319, 80, {"invalid_score": 1})
    omission = of(found, "OmissionRate")
    assert omission.high < 0
