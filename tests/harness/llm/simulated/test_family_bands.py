"""The calibration of the designs with stages: run as they are, with the seeds that are shipped for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from harness.config import JudgeConfig, ModelConfig
from harness.data.synthetic import build_synthetic
from harness.judges.build import blocks_of, build_judge
from harness.llm.client import Reply, Request
from harness.llm.simulated import bands
from harness.llm.simulated.direct import DirectClient
from harness.outcomes import Judgement
from harness.types import Candidate, PairSet

MARGIN = 0.03  # the sampling error of a rate over 300 pairs
SEEDS = Path(__file__).resolve().parents[4] / "seeds"
FOLDERS = ("stages", "pipeline")  # where blocks stand that several kinds share
NAMES = {
    "binary": "bare",
    "dimensions": "bare",
    "faithfulness": "as-shipped",
    "fact-list": "bare",
}  # of a kind's `instruction`
MODELS = {"extract": "sim-extractor", "audit": "sim-auditor"}
ALONE = ("extract", "audit", "questions")  # stages that see no note, so that every note of a consultation repeats them
FEW, MANY = 50, 100  # consultations


@dataclass(frozen=True)
class Endpoint:
    """The simulated models, each stage by its own; what sees no note is bought once."""

    bought: dict[object, Reply] = field(default_factory=dict)

    def send(self, request: Request) -> Reply:
        model = MODELS.get(request.stage, "sim-judge")
        client = DirectClient(ModelConfig(model=model, base_url="simulated:"))
        if request.stage not in ALONE:
            return client.send(request)
        key = (request.stage, request.messages)
        if key not in self.bought:
            self.bought[key] = client.send(request)
        return self.bought[key]


@cache
def corpus(consultations: int) -> PairSet:
    whole = build_synthetic(consultations=MANY, pairs_per_consultation=5, seed=20261)
    return whole.of(c.id for c in whole.consultations[:consultations])


def block(kind: str, name: str) -> str:
    """The text of a shipped seed for one block of a kind."""
    file = f"{NAMES[kind] if name == 'instruction' else name.replace('_', '-')}.md"
    path = next(SEEDS / folder / file for folder in (kind, *FOLDERS) if (SEEDS / folder / file).is_file())
    return path.read_text(encoding="utf-8").split("---", 2)[2]


@cache
def judgements(kind: str, consultations: int) -> Mapping[str, Judgement]:
    candidate = Candidate(kind, tuple((name, block(kind, name)) for name in blocks_of(kind)))
    judge = build_judge(JudgeConfig(kind=kind), candidate, Endpoint())
    notes = {note.id: note for pair in corpus(consultations).pairs for note in (pair.clean, pair.flawed)}
    found = {}
    for key, note in notes.items():
        outcome = judge.judge(corpus(consultations).by_id[note.consultation_id], note, 0)
        assert isinstance(outcome, Judgement), outcome
        found[key] = outcome
    return found


def outcomes(kind: str, consultations: int, *classes: str) -> list[float]:
    """1 = the flawed note got less, 0.5 = a tie, 0 = it got more; a pair each."""
    found = judgements(kind, consultations)
    pairs = [p for p in corpus(consultations).pairs if p.pair_class.startswith(classes)]
    scores = [(found[p.flawed.id].score, found[p.clean.id].score) for p in pairs]
    return [1.0 if flawed < clean else 0.5 if flawed == clean else 0.0 for flawed, clean in scores]


def discrimination(kind: str, consultations: int, *classes: str) -> float:
    values = outcomes(kind, consultations, *classes)
    return sum(values) / len(values)


def size(kind: str) -> int:
    """Kinds that are compared with each other are run over more consultations."""
    return MANY if kind in ("two-stage", "pipeline") else FEW


def assert_within(value: float, band: bands.Band) -> None:
    assert band[0] - MARGIN <= value <= band[1] + MARGIN


@pytest.mark.parametrize("kind", list(bands.FAMILY))
def test_omissions_lie_in_the_band_of_the_design(kind: str) -> None:
    assert_within(discrimination(kind, size(kind), "omission"), bands.FAMILY[kind][0])


@pytest.mark.parametrize("kind", list(bands.FAMILY))
def test_commissions_lie_in_the_band_of_the_design(kind: str) -> None:
    assert_within(discrimination(kind, size(kind), "addition", "alteration"), bands.FAMILY[kind][1])


@pytest.mark.parametrize("kind", list(bands.FAMILY))
def test_no_published_design_sees_an_omission_that_is_restated_elsewhere(kind: str) -> None:
    assert_within(discrimination(kind, size(kind), "omission-restated"), bands.RESTATED)


def test_a_check_by_section_sees_omissions_that_are_restated_elsewhere() -> None:
    assert_within(discrimination("sectioned", FEW, "omission-restated"), bands.IN_PLACE)


def test_one_closed_question_a_fact_read_as_odds_ties_less_and_sees_more() -> None:
    binary, odds = (outcomes(kind, MANY, "omission") for kind in ("two-stage", "log-odds"))
    assert odds.count(0.5) < binary.count(0.5) / 10
    assert sum(odds) / len(odds) >= sum(binary) / len(binary) + bands.CLOSE_UP_GAIN


def test_the_predicate_about_critical_facts_detects_more_than_the_score_at_its_false_alarm_rate() -> None:
    found, pairs = judgements("pipeline", MANY), corpus(MANY).pairs
    clean = [found[key] for key in {p.clean.id for p in pairs}]
    flawed = [found[p.flawed.id] for p in pairs if p.pair_class.startswith("omission")]
    alarms = sum(bool(j.flagged) for j in clean)
    marks = [j.score for j in found.values() if sum(c.score < j.score for c in clean) <= alarms]
    swept = max(sum(j.score < mark for j in flawed) for mark in marks)
    assert 0 < alarms < 0.1 * len(clean)
    assert sum(bool(j.flagged) for j in flawed) > swept + 0.03 * len(flawed)
