"""The calibration: paired discrimination on the synthetic corpus lies in the bands that are written down."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from harness.data.synthetic import build_synthetic
from harness.judges.contracts import SCORE
from harness.judges.envelope import wrap
from harness.judges.parse import Verdict
from harness.llm.simulated import bands
from harness.llm.simulated.model import answer
from harness.types import Note, Pair, PairSet

MARGIN = 0.03  # the sampling error of a rate over 300 pairs
SHARED = Path(__file__).resolve().parents[4].parent / "shared"


@cache
def corpus() -> PairSet:
    return build_synthetic(consultations=100, pairs_per_consultation=5, seed=20261)


def score(note: Note, block: str, model: str = "sim-judge", effort: str = "none", samples: int = 1) -> float:
    transcript = corpus().by_id[note.consultation_id].transcript
    content = wrap(transcript, note.text, block, SCORE.form.text)[0].content
    body = {"model": model, "messages": [{"role": "user", "content": content}], "seed": 11, "n": samples}
    choices = answer(body | {"reasoning_effort": effort}, {}).payload["choices"]
    return sum(read(choice["message"]["content"]) for choice in choices) / samples


def read(text: str) -> float:
    verdict = SCORE.form.read(text)
    assert isinstance(verdict, Verdict)
    return verdict.score


@cache
def outcomes(block: str, model: str = "sim-judge", effort: str = "none", samples: int = 1) -> Mapping[str, float]:
    notes = {note.id: note for pair in corpus().pairs for note in (pair.clean, pair.flawed)}
    scores = {key: score(note, block, model, effort, samples) for key, note in notes.items()}
    return {p.id: _outcome(scores[p.flawed.id], scores[p.clean.id]) for p in corpus().pairs}


def _outcome(flawed: float, clean: float) -> float:
    return 1.0 if flawed < clean else 0.5 if flawed == clean else 0.0


def discrimination(found: Mapping[str, float], *classes: str) -> float:
    pairs: list[Pair] = [p for p in corpus().pairs if p.pair_class.startswith(classes)]
    return sum(found[p.id] for p in pairs) / len(pairs)


def within(value: float, band: bands.Band) -> bool:
    return band[0] - MARGIN <= value <= band[1] + MARGIN


@pytest.mark.parametrize("block", list(bands.OMISSIONS))
def test_omissions_lie_in_the_band_of_the_instruction(block: str) -> None:
    assert within(discrimination(outcomes(block), "omission"), bands.OMISSIONS[block])


@pytest.mark.parametrize("block", list(bands.COMMISSIONS))
def test_commissions_lie_in_the_band_of_the_instruction(block: str) -> None:
    assert within(discrimination(outcomes(block), "addition", "alteration"), bands.COMMISSIONS[block])


def test_the_more_of_a_fact_survives_the_harder_it_is_to_miss() -> None:
    found = {key: outcomes(bands.PROCEDURE)[key] for key in outcomes(bands.PROCEDURE)}
    complete, fragment, restated = (
        discrimination(found, f"omission-{trace}") for trace in ("complete", "fragment", "restated")
    )
    assert complete > fragment - MARGIN
    assert fragment > restated + 0.1
    assert within(restated, bands.RESTATED)


def test_eight_samples_help_a_little() -> None:
    def pooled(samples: int) -> float:
        return discrimination(outcomes(bands.BOTH, samples=samples), "omission", "addition", "alteration")

    assert within(pooled(8) - pooled(1), bands.EIGHT_SAMPLES)


def test_effort_helps_a_judge_that_is_asked_for_completeness() -> None:
    gain = discrimination(outcomes(bands.BOTH, effort="high"), "omission") - discrimination(
        outcomes(bands.BOTH), "omission"
    )
    assert within(gain, bands.HIGH_EFFORT)


def test_strictness_moves_the_level_more_than_the_order() -> None:
    strict = bands.BOTH + " Be strict."
    cleans = list({p.clean.id: p.clean for p in corpus().pairs}.values())
    fall = sum(score(note, bands.BOTH) - score(note, strict) for note in cleans) / len(cleans)
    classes = ("omission", "addition", "alteration")
    shift = discrimination(outcomes(strict), *classes) - discrimination(outcomes(bands.BOTH), *classes)
    assert fall > 0.5
    assert abs(shift) < 0.06


def test_a_null_judge_scores_alike_whatever_the_instruction() -> None:
    notes = list({n.id: n for pair in corpus().pairs for n in (pair.clean, pair.flawed)}.values())
    plain, procedure = ([score(note, block, "sim-null") for note in notes] for block in (bands.PLAIN, bands.PROCEDURE))
    differences = [a - b for a, b in zip(plain, procedure, strict=True)]
    mean = sum(differences) / len(notes)
    spread = (sum((d - mean) ** 2 for d in differences) / len(notes)) ** 0.5
    by_consultation = len(corpus().consultations) ** 0.5
    assert spread > 0
    assert abs(mean) < 3 * spread / by_consultation


def test_a_null_judge_ignores_effort() -> None:
    classes = ("omission", "addition", "alteration")
    calm = discrimination(outcomes(bands.BOTH, model="sim-null"), *classes)
    busy = discrimination(outcomes(bands.BOTH, model="sim-null", effort="high"), *classes)
    assert abs(calm - busy) < 0.08


def test_a_diluted_procedure_is_worth_less() -> None:
    padding = " Documentation has many readers." * 220
    diluted = discrimination(outcomes(bands.PROCEDURE + padding), "omission")
    assert diluted < discrimination(outcomes(bands.PROCEDURE), "omission") - MARGIN


def test_real_notes_get_more_than_three_different_scores() -> None:
    folder = SHARED / "data" / "primock57"
    if not folder.is_dir():
        pytest.skip(f"no real notes at {folder}")
    from harness.data.primock57 import import_primock57  # here: without the data the importer is not needed

    imported = import_primock57(folder)
    notes = {n.consultation_id: n for n in imported.notes}
    scores = set()
    for consultation in imported.consultations[:25]:
        note = notes[consultation.id]
        content = wrap(consultation.transcript, note.text, bands.BOTH, SCORE.form.text)[0].content
        reply = answer({"model": "sim-judge", "messages": [{"role": "user", "content": content}]}, {})
        scores.add(read(reply.payload["choices"][0]["message"]["content"]))
    assert len(scores) > 3
