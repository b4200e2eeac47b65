"""Paper consultations, and a judge and a reflector that act by the statistical model of ``latent``.

The texts are words without meaning, since nobody reads them: the judge works on the names of notes and on the skill
that is written in its block. Everything else of a campaign is real.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass

import numpy as np

from harness.errors import ConfigError
from harness.llm.client import FakeClient, Reply, Request
from harness.outcomes import Judgement, Outcome, Usage
from harness.types import TRACES, Candidate, Consultation, Defect, Note, Pair, PairSet
from optimiser.studies.latent import Floats, Perception, clustered, perceive, points

SKILL = re.compile(r"share of ([01]\.\d+)")
ONE_CALL = Usage(calls=1)


def paper_set(consultations: int) -> PairSet:
    """Consultations with a clean note and three omission pairs each; no two share a run of words."""
    made, pairs = [], []
    for number in range(consultations):
        key = f"c{number:04d}"
        words = [hashlib.sha256(f"{key}/{i}".encode()).hexdigest()[:7] for i in range(24)]
        facts = [" ".join(words[6 * i : 6 * i + 6]) for i in range(4)]
        made.append(Consultation(key, "paper", "patient: " + ". ".join(facts)))
        clean = Note(f"{key}/clean", key, ". ".join(facts) + ".")
        for fact, trace in zip(facts, TRACES, strict=False):  # the last fact stays
            text = clean.text.replace(f"{fact}. ", "")
            defect = Defect("omission", fact, trace=trace, severity="critical", evidence=fact)
            pairs.append(Pair(f"{key}/{trace}", key, clean, Note(f"{key}/{trace}", key, text, defect)))
    return PairSet("paper", tuple(made), tuple(pairs), simulated=True)


def block(skill: float, wording: int) -> str:
    """An instruction that carries a skill; ``wording`` tells equal ones apart."""
    return f"Wording {wording}: look for what was left out, and perceive a share of {skill:.6f} of it."


def skill_of(candidate: Candidate) -> float:
    """The skill that a candidate's block carries."""
    found = SKILL.search(candidate.block("instruction"))
    if found is None:
        raise ConfigError("reading a block of the planted study", "no skill in it", "Write it with `block`.")
    return float(found[1])


@dataclass(frozen=True, slots=True)
class PaperJudge:
    """Scores by the model. ``world`` seeds all draws: those of a note are the same for every candidate."""

    candidate: Candidate
    skill: float
    perception: Perception
    world: int

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        """A Judgement in whole points."""
        own, run = self.candidate.id, f"{self.candidate.id}/{replicate}"
        haze = self._draw(run, note.id, 2)
        seen = np.array(False)
        if note.defect is not None:
            parts = (self._pair(consultation, note, ""), self._pair(consultation, note, own), haze[1])
            seen = perceive(parts, self.skill, self.perception)
        score = points(self._draw("level", consultation.id, 1)[0], haze[0], seen, self.perception)
        return Judgement(note.id, own, replicate, float(score), usage=ONE_CALL, simulated=True)

    def _pair(self, consultation: Consultation, note: Note, whose: str) -> Floats:
        of_cluster = self._draw(f"trait/{whose}", consultation.id, 1)[0]
        return clustered(of_cluster, self._draw(f"trait/{whose}", note.id, 1)[0], self.perception)

    def _draw(self, what: str, about: str, count: int) -> list[Floats]:
        stream = random.Random(f"{self.world}/{what}/{about}")
        return [np.asarray(stream.gauss(0, 1)) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Scripted:
    """A reflector that proposes a better block with chance ``share``, else one as good as the seed."""

    seed_skill: float
    better_skill: float
    share: float
    seed: int

    def send(self, request: Request) -> Reply:
        """A reply with one block; equal iterations get equal replies."""
        lucky = random.Random(f"{self.seed}/{request.replicate}").random() < self.share
        text = block(self.better_skill if lucky else self.seed_skill, request.replicate)
        return FakeClient(lambda _request: f"<block>{text}</block>").send(request)
