"""Draw one case: a patient, their problems, and what this consultation establishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.data.synthetic.content.background import general_points
from harness.data.synthetic.content.people import Patient, draw_patient
from harness.data.synthetic.content.problems import PROBLEMS
from harness.data.synthetic.content.talk import HEDGES
from harness.data.synthetic.frames import framed
from harness.data.synthetic.point import BY_DOCTOR, Point, Problem
from harness.data.synthetic.wording import chance, expand, hedged, number_words, pick, sentence, spoken, whole, written

STRATA = ("gp", "emergency", "follow-up", "telephone", "home visit")
GENERAL = "general"
_PER_PROBLEM = {2: (7, 8), 3: (4, 5)}


@dataclass(frozen=True, slots=True)
class Item:
    """A point as this consultation has it.

    ``ask``, ``said`` and ``text`` are final; ``terse`` and ``full`` keep their slots,
    so that a false value can be put into the very same wording.
    """

    id: str
    group: str
    point: Point
    values: Mapping[str, str]
    ask: str
    said: str
    text: str
    terse: str
    full: str


@dataclass(frozen=True, slots=True)
class Case:
    """What one consultation establishes (``items``) and what it could have but did not (``spare``)."""

    stratum: str
    patient: Patient
    problems: tuple[Problem, ...]
    complaints: tuple[str, ...]
    items: tuple[Item, ...]
    spare: tuple[Item, ...]


def draw_case(index: int, rng: np.random.Generator) -> Case:
    """One case; strata rotate with the index, everything else is drawn."""
    stratum = STRATA[index % len(STRATA)]
    patient = draw_patient(rng)
    problems = _problems(2 if chance(0.5, rng) else 3, rng)
    used: list[Item] = []
    spare: list[Item] = []
    for problem in problems:
        chosen = _choose(problem.points, pick(_PER_PROBLEM[len(problems)], rng), stratum, rng)
        for point in problem.points:
            if _possible(point, stratum):
                (used if point in chosen else spare).append(_draw(point, problem.id, patient, rng))
    clashes = frozenset(clash for item in used for clash in item.point.clashes)
    wanted, unwanted = general_points(stratum, clashes, rng)
    used += [_draw(point, GENERAL, patient, rng) for point in wanted]
    spare += [_draw(point, GENERAL, patient, rng) for point in unwanted]
    complaints = tuple(expand(problem.complaint, rng) for problem in problems)
    return Case(stratum, patient, problems, complaints, tuple(used), tuple(spare))


def _problems(count: int, rng: np.random.Generator) -> tuple[Problem, ...]:
    order = rng.permutation(len(PROBLEMS))
    return tuple(PROBLEMS[int(i)] for i in order[:count])


def _possible(point: Point, stratum: str) -> bool:
    return stratum != "telephone" or point.section != "exam"


def _choose(points: Sequence[Point], count: int, stratum: str, rng: np.random.Generator) -> list[Point]:
    open_points = [point for point in points if _possible(point, stratum)]
    core = [point for point in open_points if point.core]
    rest = [point for point in open_points if not point.core]
    order = rng.permutation(len(rest))
    return core + [rest[int(i)] for i in order[: max(0, count - len(core))]]


def _draw(point: Point, group: str, patient: Patient, rng: np.random.Generator) -> Item:
    point = framed(point, rng)
    values = {slot: expand(pick(options, rng), rng) for slot, options in point.slots.items()}
    if "span" in values and point.section == "history" and chance(0.15, rng):
        values["span"] = _corrected(values["span"], point.slots["span"], rng)
    values |= patient.pronouns
    said = spoken(expand(point.said, rng), values)
    if point.section not in BY_DOCTOR:
        said = number_words(said) if chance(0.3, rng) else said
        said = hedged(said, pick(HEDGES, rng))
    return Item(
        id=f"{group}-{point.id}",
        group=group,
        point=point,
        values=values,
        ask=spoken(expand(point.ask, rng), values),
        said=sentence(said, stop=""),
        text=whole(written(expand(point.text, rng), values)),
        terse=expand(point.terse, rng),
        full=expand(point.full, rng),
    )


def _corrected(true: str, spans: Sequence[str], rng: np.random.Generator) -> str:
    """A duration that is first said wrong and put right in the same breath."""
    slip = pick([span for span in spans if span != true], rng)
    return expand(f"{slip}, no[, sorry|, I tell a lie|, hang on|, more like], {true}~{true}", rng)
