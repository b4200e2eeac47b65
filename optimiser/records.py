"""What a campaign writes down: ledger rows and the frozen winner, as versioned JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from harness.config import JudgeConfig, ModelConfig, Settings
from harness.types import Candidate

FinishReason = Literal[
    "completed",  # all proposals were made
    "stalled",  # no accepted child for `engine.stall` proposals
    "budget",  # the next step would pass a cap in calls, tokens or dollars
    "time",  # the cap in seconds
    "stop-file",  # the file STOP appeared in the campaign folder
    "interrupted",  # Ctrl-C or SIGTERM
    "reflector-failed",  # too many failed reflection calls in a row
    "no-valid-proposal",  # every proposal was invalid
    "endpoint-failed",  # the judge's endpoint failed for good
]


class Spend(Settings):
    """Logical spend: what the campaign's calls cost at first purchase, whoever paid it."""

    calls: int = 0
    tokens: int = 0
    dollars: float | None = None


class CandidateRecord(Settings):
    """A candidate as bytes."""

    id: str
    judge: str
    blocks: dict[str, str]
    parents: tuple[str, ...] = ()
    origin: str = "seed"

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateRecord:
        """The record of a candidate."""
        return cls(
            id=candidate.id,
            judge=candidate.judge,
            blocks=dict(candidate.blocks),
            parents=candidate.parents,
            origin=candidate.origin,
        )

    def candidate(self) -> Candidate:
        """The candidate of a record."""
        return Candidate(self.judge, tuple(self.blocks.items()), self.parents, self.origin)


class Measured(Settings):
    """Point measures of one candidate on one split or fold, worst-case reading of failures.

    ``paired_*`` in [0, 1], 0.5 = coin flip, higher is better; detection and false alarms at the
    threshold that the cap allows on this same set.
    """

    split: str
    consultations: int
    pairs: int
    paired_omissions: float | None = None
    paired_commissions: float | None = None
    by_class: dict[str, float] = Field(default_factory=dict)
    wins: int = 0
    ties: int = 0
    losses: int = 0
    detected: int | None = None
    n_flawed: int | None = None
    false_alarms: int | None = None
    n_clean: int | None = None
    threshold: float | None = None
    auc: float | None = None
    failures: int = 0


class StartRow(Settings):
    """First row: what this campaign is."""

    type: Literal["start"] = "start"
    campaign: str
    simulated: bool
    clean_verified: bool
    fingerprint: dict[str, str]
    config: dict[str, Any]
    splits: dict[str, dict[str, int]]


class NullRaces(Settings):
    """Simulated races of a child that equals its parent, and what the plain sum would have made of them."""

    races: int
    alpha: float = Field(description="share that the sequential test may accept at most")
    accepted: float = Field(description="share that the sequential test accepts")
    plain_sum: float = Field(description="share that 'the minibatch sum went up' accepts, on the same streams")
    consultations: float = Field(description="mean number of training consultations until a decision")
    judgements: float = Field(description="mean number of judgements per child, those of its parent included")


class NoiseRow(Settings):
    """The baseline judge against itself, before the search: on a sample of the training text, replicate by replicate.

    Paired figures are in [0, 1]; a band is the largest minus the smallest run. Variances are of a consultation's mean
    pair outcome over reruns.
    """

    type: Literal["noise"] = "noise"
    candidate: str
    consultations: int
    pairs: int
    notes: int
    replicates: int
    equal_repeats: float = Field(description="share of pairs of repeats on one note with the same score")
    tied_pairs: float = Field(description="share of pair readings in which flawed and clean score the same")
    paired_runs: tuple[float, ...]
    detection_runs: tuple[float, ...] = Field(description="at one threshold; empty where the cap allows none")
    clean_replicates: int = Field(description="how often the acceptance split scores a clean twin")
    variance_once: float = Field(description="with the clean twin scored once")
    variance_replicated: float = Field(description="with the clean twin scored `clean_replicates` times")
    rerun_variance: float = Field(description="of the difference of a pair's outcome between two reruns")
    rerun_correlation: float = Field(description="of two such differences that share a clean twin, in [-1, 1]")
    races: NullRaces
    failures: int
    reasoning: dict[str, float] = Field(default_factory=dict, description="effort -> mean reasoning tokens; asked only")
    ignored: tuple[str, ...] = Field((), description="parameters that the endpoint visibly ignores, in words")
    spend: Spend

    @property
    def band(self) -> float:
        """How far apart reruns of the same judge came out, in paired discrimination."""
        return max(self.paired_runs) - min(self.paired_runs)

    @property
    def detection_band(self) -> float | None:
        """The same in detection at one threshold."""
        return max(self.detection_runs) - min(self.detection_runs) if self.detection_runs else None

    @property
    def saved(self) -> float | None:
        """Share of the run-to-run variance that replicated clean twins save; None where there is no variance."""
        return 1 - self.variance_replicated / self.variance_once if self.variance_once > 0 else None

    def band_over(self, pairs: int) -> float:
        """The band scaled to a set of another size, by the square root of the numbers of pairs."""
        return float(self.band * (self.pairs / pairs) ** 0.5)


class SeedRow(Settings):
    """One seed candidate, measured."""

    type: Literal["seed"] = "seed"
    candidate: CandidateRecord
    measured: tuple[Measured, ...]
    spend: Spend


class ProposalRow(Settings):
    """One proposal, whatever became of it. ``candidate`` is None where the reply held no usable block."""

    type: Literal["proposal"] = "proposal"
    iteration: int
    kind: Literal["mutation", "merge"]
    block: str = Field("", description="the block that was to change")
    status: Literal["accepted", "rejected", "invalid"]
    reason: str
    candidate: CandidateRecord | None = None
    parents: tuple[str, ...]
    reply: str = Field("", description="the reflection model's raw reply")
    minibatch: tuple[str, ...] = ()
    before: float | None = Field(None, description="parent's summed paired outcome on the minibatch")
    after: float | None = Field(None, description="child's summed paired outcome on the minibatch")
    evidence: dict[str, Any] = Field(default_factory=dict, description="the acceptance test's numbers")
    copied_words: int = Field(0, description="longest run of words shared with a training note")
    measured: tuple[Measured, ...] = ()
    spend: Spend


class Standing(Settings):
    """One candidate's reading at freeze; differences are to the baseline seed on the acceptance split."""

    candidate: str
    value: float
    difference: float
    lower: float = Field(description="simultaneous lower bound of the difference")


class FreezeRow(Settings):
    """Who won, and why."""

    type: Literal["freeze"] = "freeze"
    winner: str
    baseline: str
    seed_kept: bool
    standings: tuple[Standing, ...]
    expected_gain: float | None = Field(None, description="winner's gain less the optimism of having been picked")
    runner_up_reading: str = Field(description="what the plain maximum would have chosen, in words")
    spend: Spend


class FinishRow(Settings):
    """Last row: how it ended."""

    type: Literal["finish"] = "finish"
    reason: FinishReason
    proposals: int
    accepted: int
    rejected: int
    invalid: int
    spend: Spend


Row = StartRow | NoiseRow | SeedRow | ProposalRow | FreezeRow | FinishRow
ROW: TypeAdapter[Row] = TypeAdapter(Annotated[Row, Field(discriminator="type")])


class Frozen(Settings):
    """The frozen outcome of a campaign: all that confirmation and deployment need."""

    format: Literal["judgelab.frozen/1"] = "judgelab.frozen/1"
    campaign: str
    simulated: bool
    clean_verified: bool
    seed_kept: bool
    winner: CandidateRecord
    baseline: CandidateRecord
    judge: JudgeConfig
    model: ModelConfig
    cap: float
    thresholds: dict[str, float] = Field(description="candidate id -> threshold chosen on the acceptance split")
    envelope: str = Field(description="digest of the prompt parts around the block")
    manifest: str = Field(description="digest of the sealed manifest")
    ledger: str = Field(description="sha256 of the ledger up to the freeze row")
