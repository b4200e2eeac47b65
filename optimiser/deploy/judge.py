"""What judges in a deployment: a frozen candidate, its settings, and the threshold that notes are flagged by."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.calibration_file import StoredCalibration
from harness.config import JudgeConfig, ModelConfig, fingerprint
from harness.errors import ConfigError, SealBroken
from harness.judges.build import envelope_of
from harness.types import Candidate, digest
from optimiser.confirmation import Confirmation, read_confirmation
from optimiser.records import Frozen
from optimiser.workspace import Workspace

# Settings of a model that change how it is reached and paid for, not what it answers.
ACCESS = frozenset(
    {"key_env", "headers", "concurrency", "requests_per_minute", "tokens_per_minute", "timeouts", "retries", "prices"}
)


@dataclass(frozen=True, slots=True)
class Deployed:
    """A judge ready for use. A note is flagged iff its score is strictly below ``threshold``.

    ``source`` says where the threshold comes from, ``guarantee`` what it promises; ``changed`` names the settings in
    which ``model`` is another than the frozen one ("" for none): then it is another judge, whose rates nobody measured.
    """

    candidate: Candidate
    judge: JudgeConfig
    model: ModelConfig
    envelope: str
    threshold: float
    source: str
    guarantee: str
    simulated: bool
    changed: tuple[str, ...] = ()

    @property
    def identity(self) -> dict[str, Any]:
        """What may not change while notes are judged into one file, by name."""
        return {
            "candidate": self.candidate.id,
            "settings": f"{self.judge.kind} {fingerprint(self.judge)[:12]}",
            "model": f"{self.model.model} {digest(_answering(self.model))[:12]}",
            "envelope": self.envelope[:12],
            "threshold": self.threshold,
            "threshold_from": self.source,
        }


def read_deployed(path: Path) -> Deployed:
    """The judge of a frozen.json, of a campaign folder, or of a confirmation.json with its frozen.json beside it.

    The winner judges. Its threshold is the frozen one; for a confirmation the one that was fixed for its primary
    rung, at which its detection and false alarms were measured. Raises ConfigError for what is none of the three,
    SealBroken where this version would put other text around the blocks than the winner was frozen with.
    """
    if path.is_dir():
        path = Workspace(path).frozen
    frozen, confirmation = _read(path)
    envelope = envelope_of(frozen.judge)
    if envelope != frozen.envelope:
        found = f"judge prompts with envelope {envelope[:16]}, frozen with {frozen.envelope[:16]}"
        todo = "Judge with the version that froze the candidate, or run the campaign again with this one."
        raise SealBroken(f"using the candidate of {path}", found, todo)
    winner = frozen.winner.candidate()
    threshold, source = frozen.thresholds[winner.id], "frozen"
    if confirmation is not None:
        threshold, source = _confirmed(confirmation, winner.id, path), "confirmed"
    return Deployed(
        candidate=winner,
        judge=frozen.judge,
        model=frozen.model,
        envelope=envelope,
        threshold=threshold,
        source=source,
        guarantee=f"chosen on the campaign's acceptance split for at most {frozen.cap:.0%} false alarms there; "
        "nothing is promised for other notes until it is calibrated on clean ones of theirs",
        simulated=frozen.simulated,
    )


def calibrated(deployed: Deployed, stored: StoredCalibration) -> Deployed:
    """The same judge with a calibrated threshold; ConfigError for a calibration of another candidate's scores."""
    if stored.candidate and stored.candidate != deployed.candidate.id:
        found = f"a calibration of {stored.candidate!r}, the candidate is {deployed.candidate.id!r}"
        todo = "Calibrate on clean notes that this candidate scored, named by its id."
        raise ConfigError("setting the threshold", found, todo)
    return replace(deployed, threshold=stored.threshold, source="calibrated", guarantee=stored.guarantee)


def on_model(deployed: Deployed, model: ModelConfig) -> Deployed:
    """The same candidate on another model; what makes it another judge is named in ``changed``."""
    return replace(deployed, model=model, changed=tuple(_changes(deployed.model, model)))


def _read(path: Path) -> tuple[Frozen, Confirmation | None]:
    try:
        raw = json.loads(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError):
        todo = "Name a frozen.json, a campaign folder or a confirmation.json; let `judgelab run` finish first."
        raise ConfigError("reading the candidate", f"no file {path}", todo) from None
    except ValueError as error:
        raise ConfigError(f"reading {path}", f"not JSON: {error}", "Name the frozen.json of a campaign.") from None
    if isinstance(raw, dict) and str(raw.get("format", "")).startswith("judgelab.frozen/"):
        return _frozen(raw, path), None
    confirmation, beside = read_confirmation(path), path.with_name("frozen.json")
    frozen, _ = _read(beside)
    if (frozen.winner.id, frozen.manifest) != (confirmation.winner.id, confirmation.manifest):
        found = f"{beside} holds winner {frozen.winner.id}, the confirmation is of {confirmation.winner.id}"
        raise ConfigError(f"reading {path}", found, "Keep a confirmation beside the frozen.json that it confirmed.")
    return frozen, confirmation


def _frozen(raw: dict[str, Any], path: Path) -> Frozen:
    try:
        return Frozen.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"reading {path}", f"{where}: {first['msg']}", "Run the campaign again to its end.") from None


def _confirmed(confirmation: Confirmation, candidate: str, path: Path) -> float:
    effort = confirmation.primary.effort
    for point in confirmation.operating_points:
        if (point.effort, point.candidate) == (effort, candidate):
            return point.threshold
    found = f"no operating point of {candidate} at effort {effort}"
    raise ConfigError(f"reading {path}", found, "Use the frozen.json beside it, or calibrate.")


def _answering(model: ModelConfig) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude=set(ACCESS))


def _changes(frozen: ModelConfig, now: ModelConfig) -> list[str]:
    before, after = _answering(frozen), _answering(now)
    return [f"{name}: {before[name]!r} -> {after[name]!r}" for name in before if before[name] != after[name]]
