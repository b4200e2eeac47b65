"""A small campaign that runs in a second: handmade pairs, a judge that reads its block, a scripted reflector."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.llm.client import FakeClient, Reply, Request
from harness.outcomes import Judgement, Outcome, Usage
from harness.types import Candidate, Consultation, Defect, Note, Pair, PairSet
from optimiser.campaign import Lab, Result, run_campaign
from optimiser.config import CampaignConfig
from optimiser.records import Row
from optimiser.workspace import Workspace
from partitions.splits import open_splits

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "knoll", "lotus")


def pair_set(consultations: int = 36) -> PairSet:
    """Consultations with three omission pairs and an addition each; no two share a sentence."""
    made, pairs = [], []
    for number in range(consultations):
        key = f"c{number:03d}"
        facts = [f"{WORDS[(number * 5 + i * 7) % 12]} sign {key} measures {number * 10 + i} units" for i in range(4)]
        made.append(Consultation(key, "handmade", f"MARK-{key} patient: " + ". ".join(f"I have {f}" for f in facts)))
        clean = Note(f"{key}/n", key, f"NOTE-{key} " + ". ".join(facts) + ".")
        for i, trace in enumerate(("complete", "fragment", "restated")):
            defect = Defect("omission", facts[i], trace=trace, severity="critical", evidence=f"I have {facts[i]}")
            text = clean.text.replace(facts[i] + ". ", f"{WORDS[i]}. " if trace != "complete" else "")
            pairs.append(Pair(f"{key}/{i}", key, clean, Note(f"{key}/{i}", key, text, defect)))
        added = Defect("addition", f"takes drug {key}", severity="supporting", after=f"takes drug {key}")
        pairs.append(Pair(f"{key}/a", key, clean, Note(f"{key}/a", key, f"{clean.text} takes drug {key}.", added)))
    return PairSet("handmade", tuple(made), tuple(pairs), simulated=True)


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    return int(hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8], 16) / 2**32


@dataclass
class BlockJudge:
    """Sees a defect with a chance that grows with how often its block says ``check``; counts what it was asked."""

    candidate: Candidate
    asked: list[tuple[str, str, int]]
    gain: float = 0.45

    def judge(self, consultation: Consultation, note: Note, replicate: int) -> Outcome:
        self.asked.append((self.candidate.id, note.id, replicate))
        skill = min(0.25 + self.gain * self.candidate.block("instruction").count("check"), 0.95)
        noise = round(2 * chance(self.candidate.id, note.id, replicate))
        seen = note.defect is not None and chance(note.id, replicate, self.candidate.id, 1) < skill
        score = 8 - noise - (4 if seen else 0)
        return Judgement(note.id, self.candidate.id, replicate, score, score < 8, usage=Usage(calls=1), simulated=True)


@dataclass
class Reflections:
    """A client that answers from a list, round and round, and remembers every prompt."""

    blocks: tuple[str, ...]
    prompts: list[str] = field(default_factory=list)

    def send(self, request: Request) -> Reply:
        self.prompts.append("\n".join(message.content for message in request.messages))
        text = self.blocks[(request.replicate - 1) % len(self.blocks)]
        return FakeClient(lambda _: text).send(request)


BLOCKS = (
    "<block>Judge kindly.</block>",
    "<block>Judge and check every fact.</block>",
    "<block>Only judge the style.</block>",
    "no block at all",
    "<block>Judge, check every fact and check it twice.</block>",
    "<block>Read slowly and judge.</block>",
)


@dataclass
class Bench:
    """One sealed split with a configuration; ``run`` starts or resumes a campaign in a folder."""

    folder: Path
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def config(self, **changes: object) -> CampaignConfig:
        raw = {
            "name": "bench",
            "data": {"source": "synthetic"},
            "seeds": [str(self.folder / "seed.md")],
            "model": {"model": "sim-judge", "base_url": "simulated:", "concurrency": 4},
            "reflector": {"model": "sim-reflector", "base_url": "simulated:"},
            "engine": {"proposals": 6, "minibatch": 4, "stall": 20},
            "acceptance": {"alpha": 0.2},
            "underpowered": True,
        }
        return CampaignConfig.model_validate(raw | changes)

    def run(
        self,
        name: str,
        config: CampaignConfig | None = None,
        reflector: object | None = None,
        judge: Callable[[Candidate], object] | None = None,
        stop: Callable[[tuple[Row, ...]], None] = lambda _rows: None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> Result:
        workspace = Workspace(self.folder / name)
        splits = open_splits(self.folder / "split")
        lab = Lab(
            judge_for=judge or (lambda candidate: BlockJudge(candidate, self.asked)),
            reflector=reflector or Reflections(BLOCKS),
            simulated=True,
            on_row=stop,
            clock=clock,
        )
        return run_campaign(config or self.config(), workspace, splits, lab)

    def ledger(self, name: str) -> bytes:
        return Workspace(self.folder / name).ledger.read_bytes()
