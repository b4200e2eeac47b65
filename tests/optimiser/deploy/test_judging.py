from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.calibration_file import dump_calibration, store
from harness.config import JudgeConfig, ModelConfig
from harness.data.synthetic import build_synthetic
from harness.errors import ConfigError, DataError, EndpointUnreachable
from harness.evaluate import Task
from harness.judges.base import FakeJudge
from harness.judges.build import envelope_of
from harness.outcomes import Failure, Judgement, Outcome, Ruling
from harness.stats.calibration import calibrate
from harness.types import Consultation, Fact, Note
from optimiser.candidates import load_candidate
from optimiser.confirmation import dump_confirmation, read_confirmation
from optimiser.deploy.judge import Deployed, on_model, read_deployed
from optimiser.deploy.notes import judge_notes
from optimiser.deploy.verdicts import Verdict, VerdictFile, verdict_of
from optimiser.records import CandidateRecord, Frozen
from support.cli import Ended, judgelab

ROOT = Path(__file__).parents[3]
SEEDS = {
    "two-stage": {"extract": ROOT / "seeds/stages/extract.md", "check": ROOT / "seeds/two-stage/check.md"},
    "score": {"instruction": ROOT / "seeds/score/bare.md"},
}
STAGES = {"extract": {"model": {"model": "sim-extractor", "base_url": "simulated:"}}}
PAIRS = build_synthetic(consultations=6, pairs_per_consultation=2, seed=3)


def frozen(kind: str = "two-stage", threshold: float = 0.85, **judge: Any) -> Frozen:
    record = CandidateRecord.of(load_candidate(kind, SEEDS[kind]))
    stages = STAGES if kind == "two-stage" else {}
    config = JudgeConfig.model_validate({"kind": kind, "stages": stages} | judge)
    return Frozen(
        campaign="made",
        simulated=True,
        clean_verified=True,
        seed_kept=True,
        winner=record,
        baseline=record,
        judge=config,
        model=ModelConfig(model="sim-judge", base_url="simulated:", concurrency=2),
        cap=0.1,
        thresholds={record.id: threshold},
        envelope=envelope_of(config),
        manifest="m" * 64,
        ledger="l" * 64,
    )


def consultation_records() -> list[dict[str, Any]]:
    return [{"type": "consultation", "id": c.id, "transcript": c.transcript} for c in PAIRS.consultations]


def note_records() -> list[dict[str, Any]]:
    notes = {note.id: note for pair in PAIRS.pairs for note in (pair.clean, pair.flawed)}
    return [{"type": "note", "id": n.id, "consultation_id": n.consultation_id, "text": n.text} for n in notes.values()]


def write_lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_usage(text: str) -> list[dict[str, Any]]:
    """Verdicts by note: the order is that of arrival, and seconds differ."""
    records = [json.loads(line) for line in text.splitlines()]
    return sorted(({k: v for k, v in r.items() if k != "usage"} for r in records), key=lambda r: str(r["note"]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "frozen.json").write_text(frozen().model_dump_json())
    write_lines(tmp_path / "notes.jsonl", [*consultation_records(), *note_records()])
    return tmp_path


def judged(folder: Path, *options: object) -> Ended:
    return judgelab("judge", "--candidate", "frozen.json", "notes.jsonl", *options, cwd=folder)


def test_every_note_gets_one_line_with_its_missing_facts_graded_and_shown_in_the_transcript(folder: Path) -> None:
    ended = judged(folder, "--out", "v.jsonl", "--json")
    lines = read_lines(folder / "v.jsonl")
    assert sorted(line["note"] for line in lines) == sorted(record["id"] for record in note_records())
    assert all(line["flag"] == (line["score"] < 0.85) for line in lines)
    assert all(line["simulated"] and line["threshold"] == 0.85 for line in lines)
    spoken = {c.id: c.transcript for c in PAIRS.consultations}
    facts = [(fact, line["consultation"]) for line in lines for fact in line["missing"]]
    assert facts
    assert {fact["verdict"] for fact, _ in facts} == {"absent"}
    assert all(fact["severity"] for fact, _ in facts)
    assert sum(fact["evidence"] in spoken[owner] for fact, owner in facts) > len(facts) / 2
    flagged = sum(line["flag"] for line in lines)
    assert ended.returncode == (1 if flagged else 0)
    summary = json.loads(ended.stdout)
    assert (summary["flagged"], summary["judged now"]) == (flagged, len(lines))
    assert summary["threshold"] == "0.85 (frozen)"


@pytest.mark.parametrize(("threshold", "code"), [(0.0, 0), (1.1, 1)])
def test_the_exit_code_says_whether_a_note_was_flagged(folder: Path, threshold: float, code: int) -> None:
    (folder / "frozen.json").write_text(frozen("score", threshold * 10).model_dump_json())
    ended = judged(folder)
    assert ended.returncode == code, ended.stderr
    assert {json.loads(line)["flag"] for line in ended.stdout.splitlines()} == {bool(code)}


def test_a_campaign_folder_serves_as_candidate_and_consultations_may_stand_in_a_file_of_their_own(folder: Path) -> None:
    (folder / "frozen.json").write_text(frozen("score", 5).model_dump_json())
    write_lines(folder / "talks.jsonl", consultation_records())
    write_lines(folder / "only.jsonl", note_records())
    whole = judged(folder)
    parts = judgelab("judge", "--candidate", ".", "only.jsonl", "--consultations", "talks.jsonl", cwd=folder)
    assert without_usage(parts.stdout) == without_usage(whole.stdout)


def test_the_same_command_goes_on_and_a_finished_one_judges_nothing(folder: Path) -> None:
    judged(folder, "--out", "whole.jsonl")
    whole = (folder / "whole.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (folder / "part.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:40])  # killed in the middle of a write
    resumed = judged(folder, "--out", "part.jsonl", "--json")
    assert json.loads(resumed.stdout)["judged before"] == 5
    assert without_usage((folder / "part.jsonl").read_text()) == without_usage(whole.decode())
    again = judged(folder, "--out", "whole.jsonl", "--json")
    assert json.loads(again.stdout)["judged now"] == 0
    assert (folder / "whole.jsonl").read_bytes() == whole
    assert again.returncode == resumed.returncode


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda f: f.model_copy(update={"thresholds": {f.winner.id: 0.5}}), "threshold: 0.85 -> 0.5"),
        (lambda f: f.model_copy(update={"model": f.model.model_copy(update={"effort": "high"})}), "model: sim-judge"),
        (lambda f: f.model_copy(update={"judge": f.judge.model_copy(update={"samples": 3})}), "settings: two-stage"),
    ],
)
def test_verdicts_of_another_judge_are_not_gone_on_with_and_stay_as_they_are(
    folder: Path, change: Callable[[Frozen], Frozen], named: str
) -> None:
    judged(folder, "--out", "v.jsonl")
    before = (folder / "v.jsonl").read_bytes()
    (folder / "frozen.json").write_text(change(frozen()).model_dump_json())
    refused = judged(folder, "--out", "v.jsonl")
    assert refused.returncode == 3
    assert named in refused.stderr
    assert (folder / "v.jsonl").read_bytes() == before


def test_a_note_that_changed_since_its_verdict_is_refused_by_id(folder: Path) -> None:
    judged(folder, "--out", "v.jsonl")
    records = [*consultation_records(), *note_records()]
    records[-1]["text"] += " Addendum: none."
    write_lines(folder / "notes.jsonl", records)
    refused = judged(folder, "--out", "v.jsonl")
    assert refused.returncode == 3
    assert records[-1]["id"] in refused.stderr


def test_a_calibrated_threshold_rules_and_says_what_it_promises(folder: Path) -> None:
    winner = frozen().winner.id
    values = np.linspace(0.5, 1.0, 40)
    stored = store(winner, calibrate(values, 0.1, None), values)
    (folder / "c.json").write_bytes(dump_calibration(stored))
    ended = judged(folder, "--calibration", "c.json", "--out", "v.jsonl", "--json")
    assert {line["threshold"] for line in read_lines(folder / "v.jsonl")} == {stored.threshold}
    summary = json.loads(ended.stdout)
    assert summary["threshold"].endswith("(calibrated)")
    assert summary["guarantee"] == stored.guarantee
    other = stored.model_copy(update={"candidate": "somebody"})
    (folder / "c.json").write_bytes(dump_calibration(other))
    refused = judged(folder, "--calibration", "c.json")
    assert refused.returncode == 3
    assert "somebody" in refused.stderr


def test_a_confirmation_brings_the_threshold_that_its_rates_were_measured_at(tmp_path: Path) -> None:
    confirmation = read_confirmation(ROOT / "tests/golden/reports/confirmation.json")
    winner, effort = confirmation.winner, confirmation.primary.effort
    point = next(p for p in confirmation.operating_points if (p.candidate, p.effort) == (winner.id, effort))
    made = frozen("score").model_copy(
        update={"winner": winner, "thresholds": {winner.id: 1.25}, "manifest": confirmation.manifest}
    )
    (tmp_path / "confirmation.json").write_bytes(dump_confirmation(confirmation))
    (tmp_path / "frozen.json").write_text(made.model_dump_json())
    found = read_deployed(tmp_path / "confirmation.json")
    assert (found.threshold, found.source) == (point.threshold, "confirmed")
    assert (read_deployed(tmp_path).threshold, read_deployed(tmp_path).source) == (1.25, "frozen")
    (tmp_path / "frozen.json").write_text(made.model_copy(update={"manifest": "other"}).model_dump_json())
    with pytest.raises(ConfigError, match="the confirmation is of"):
        read_deployed(tmp_path / "confirmation.json")


def test_half_a_character_in_an_answer_does_not_end_the_run() -> None:
    cut = Ruling(Fact("f1", "a fall \ud83d", "I fell \ud83d", "critical"), "absent", "\ud83d")
    outcome = Judgement("n0", "k", 0, 4, missing=("a fall \ud83d",), wrong=("\ud83d",), rulings=(cut,))
    line = verdict_of(deployed(), TALK, TASKS[0].note, outcome).model_dump_json()
    assert [fact["fact"] for fact in json.loads(line)["missing"]] == ["a fall ?"]


def test_another_model_is_called_another_judge(folder: Path) -> None:
    (folder / "m.yaml").write_text("model: sim-null\nbase_url: 'simulated:'\nconcurrency: 2\n")
    ended = judged(folder, "--model", "m.yaml", "--json", "--out", "v.jsonl")
    assert "another judge than the frozen one" in ended.stderr
    assert "'sim-judge' -> 'sim-null'" in ended.stderr
    assert json.loads(ended.stdout)["model"] == "sim-null (not the frozen one)"
    assert judged(folder, "--out", "v.jsonl").returncode == 3


def test_how_an_endpoint_is_reached_and_paid_does_not_make_it_another_judge(folder: Path) -> None:
    deployed = read_deployed(folder / "frozen.json")
    faster = deployed.model.model_copy(update={"concurrency": 64, "retries": 0, "key_env": "KEY"})
    assert on_model(deployed, faster).changed == ()
    assert on_model(deployed, faster).identity == deployed.identity
    warmer = deployed.model.model_copy(update={"temperature": 0.3})
    assert on_model(deployed, warmer).changed == ("temperature: None -> 0.3",)


def test_prompts_that_were_changed_since_the_freeze_are_refused(folder: Path) -> None:
    (folder / "frozen.json").write_text(frozen().model_copy(update={"envelope": "0" * 64}).model_dump_json())
    refused = judged(folder)
    assert refused.returncode == 3
    assert "envelope" in refused.stderr


def test_what_cannot_be_read_as_a_note_is_named_and_makes_the_exit_code_2(folder: Path) -> None:
    records = [*consultation_records(), *note_records()]
    records += [{"type": "note", "id": "blank", "consultation_id": records[0]["id"], "text": "  "}]
    records += [{"type": "note", "id": "stray", "consultation_id": "nobody", "text": "A note."}]
    write_lines(folder / "notes.jsonl", records)
    ended = judged(folder, "--json", "--out", "v.jsonl")
    assert ended.returncode == 2
    assert "'blank', empty_note" in ended.stderr
    assert json.loads(ended.stdout)["not scored (treat as flagged)"] == {
        "empty_note": 1,
        "note_without_consultation": 1,
    }


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("judge",), "no notes or no --candidate"),
        (("judge", "--candidate", "nowhere.json", "notes.jsonl"), "no file nowhere.json"),
        (("judge", "--candidate", "notes.jsonl", "notes.jsonl"), "not JSON"),
        (("judge", "--candidate", "frozen.json", "nowhere.jsonl"), "nowhere.jsonl"),
        (("judge", "--candidate", "frozen.json", "frozen.json"), "frozen.json:1"),
        (("judge", "--candidate", "frozen.json", "notes.jsonl", "--calibration", "none.json"), "none.json"),
    ],
)
def test_misuse_says_what_is_wrong_and_writes_nothing(folder: Path, arguments: tuple[str, ...], found: str) -> None:
    before = sorted(folder.iterdir())
    ended = judgelab(*arguments, "--out", "v.jsonl", cwd=folder)
    assert ended.returncode == 3
    assert found in ended.stderr
    assert sorted(folder.iterdir()) == before


def test_given_facts_that_are_not_given_are_refused_before_anything_is_written(folder: Path) -> None:
    (folder / "frozen.json").write_text(frozen(facts="given").model_dump_json())
    refused = judged(folder, "--out", "v.jsonl")
    assert refused.returncode == 3
    assert "without facts" in refused.stderr
    assert not (folder / "v.jsonl").exists()


TALK = Consultation("c", "made", "doctor: Any pain?\npatient: My knee.")
TASKS = tuple(Task(TALK, Note(f"n{i}", "c", f"Note number {i}."), 0) for i in range(30))


def deployed() -> Deployed:
    found = frozen("score", 5)
    return Deployed(
        found.winner.candidate(), found.judge, found.model, found.envelope, 5, "frozen", "nothing", simulated=True
    )


def test_an_interrupted_run_keeps_every_verdict_that_was_made(tmp_path: Path) -> None:
    def score(_consultation: Consultation, note: Note, _replicate: int) -> float:
        if note.id == "n12":
            raise KeyboardInterrupt
        return 4.0

    with VerdictFile(tmp_path / "v.jsonl", deployed().identity) as file, pytest.raises(KeyboardInterrupt):
        judge_notes(deployed(), FakeJudge(score), TASKS, 1, file.append)
    with VerdictFile(tmp_path / "v.jsonl", deployed().identity) as file:
        assert set(file.known) >= {f"n{i}" for i in range(12)}


def test_a_dead_endpoint_stops_the_run_and_its_notes_are_tried_again(tmp_path: Path) -> None:
    class Dying:
        def judge(self, _consultation: Consultation, note: Note, replicate: int) -> Outcome:
            number = int(note.id[1:])
            return (
                Judgement(note.id, "k", replicate, 7) if number < 5 else Failure(note.id, "k", replicate, "call-failed")
            )

    with VerdictFile(tmp_path / "v.jsonl", deployed().identity) as file, pytest.raises(EndpointUnreachable):
        judge_notes(deployed(), Dying(), TASKS, 1, file.append)
    assert len(read_lines(tmp_path / "v.jsonl")) < len(TASKS)
    with VerdictFile(tmp_path / "v.jsonl", deployed().identity) as file:
        assert set(file.known) == {f"n{i}" for i in range(5)}
    assert len(read_lines(tmp_path / "v.jsonl")) == 5


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    with (
        VerdictFile(tmp_path / "v.jsonl", deployed().identity),
        pytest.raises(DataError, match="another process"),
        VerdictFile(tmp_path / "v.jsonl", deployed().identity),
    ):
        pass


words = st.text(max_size=20)
facts = st.builds(Fact, id=words, text=words, evidence=words, severity=st.sampled_from(["critical", "peripheral"]))
outcomes = st.one_of(
    st.builds(Failure, note_id=st.just("n0"), candidate_id=st.just("k"), replicate=st.just(0), reason=words),
    st.builds(
        Judgement,
        note_id=st.just("n0"),
        candidate_id=st.just("k"),
        replicate=st.just(0),
        score=st.floats(0, 10),
        flagged=st.sampled_from([None, True, False]),
        missing=st.lists(words, max_size=3).map(tuple),
        wrong=st.lists(words, max_size=3).map(tuple),
        rulings=st.lists(st.builds(Ruling, facts, st.just("absent"), words), max_size=3).map(tuple),
    ),
)


@given(outcomes)
@settings(max_examples=100, deadline=None)
def test_a_verdict_reads_back_from_its_line_and_names_every_missing_thing_once(outcome: Outcome) -> None:
    verdict = verdict_of(deployed(), TALK, TASKS[0].note, outcome)
    line = verdict.model_dump_json()
    assert "\n" not in line
    assert Verdict.model_validate_json(line) == verdict
    if isinstance(outcome, Failure):
        assert (verdict.flag, verdict.score, verdict.failure) == (None, None, outcome.reason)
    else:
        assert verdict.flag == (outcome.score < 5)
        named = [fact.fact for fact in verdict.missing]
        assert set(named) == {ruling.fact.text for ruling in outcome.rulings} | set(outcome.missing)
