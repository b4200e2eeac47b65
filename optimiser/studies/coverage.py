"""The coverage study: how often each printed interval holds the truth, on clustered data with ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from harness.metrics import note_scores, pair_outcomes
from harness.stats.bootstrap import Resampling, bootstrap_difference, bootstrap_mean, false_alarm_upper
from harness.stats.calibration import calibrate
from harness.stats.intervals import clopper_pearson_upper, wilson
from harness.stats.resweep import detection_difference
from harness.stats.simultaneous import Simultaneous, simultaneous_bounds
from optimiser.studies.latent import NOISY, STEADY, flag_rates, skill_after
from optimiser.studies.runner import run_jobs
from optimiser.studies.worlds import draw_tables, true_detection, true_threshold

NAME = "coverage"
SKILL, GAIN, CAP = 0.3, 0.1, 0.1
BETTER = {perception: skill_after(SKILL, GAIN, perception) for perception in (STEADY, NOISY)}
CANDIDATES = 10
FROZEN = 8.0  # a threshold that was fixed elsewhere
RATE = 0.3
PLAN = Resampling(2000)
SLACK = 1e-9  # a bound equal to the truth holds it

Held = tuple[bool, float]  # whether the truth is inside, and the width (of a one-sided bound: its distance)
Draw = Callable[[int, np.random.Generator], Held]


@dataclass(frozen=True, slots=True)
class Case:
    """One printed interval. ``kind``: two-sided ones are wanted at 93.5% to 96.5%, bounds at no less than 93.5%."""

    name: str
    kind: Literal["two-sided", "bound"]
    draw: Draw


def equal_pairs(n: int, rng: np.random.Generator) -> Held:
    """Difference in paired discrimination of two equal, noisy candidates."""
    first, second = draw_tables(n, (SKILL, SKILL), NOISY, rng)
    found = bootstrap_difference(pair_outcomes(first), pair_outcomes(second), first.cluster, rng, PLAN)
    return _inside(0.0, found.low, found.high)


def better_pairs(n: int, rng: np.random.Generator) -> Held:
    """Difference in paired discrimination where the truth is +0.10, steady candidates."""
    better, plain = draw_tables(n, (BETTER[STEADY], SKILL), STEADY, rng)
    found = bootstrap_difference(pair_outcomes(better), pair_outcomes(plain), better.cluster, rng, PLAN)
    return _inside(GAIN, found.low, found.high)


def flags_at_frozen(n: int, rng: np.random.Generator) -> Held:
    """Difference in detection at frozen thresholds."""
    tables = draw_tables(n, (BETTER[NOISY], SKILL), NOISY, rng)
    a, b = ((note_scores(t)[0] < FROZEN).astype(np.float64) for t in tables)
    found = bootstrap_mean(a - b, tables[0].cluster, rng, PLAN)
    truth = true_detection(BETTER[NOISY], FROZEN, NOISY) - true_detection(SKILL, FROZEN, NOISY)
    return _inside(truth, found.low, found.high)


def flags_re_swept(n: int, rng: np.random.Generator) -> Held:
    """Difference in detection at the cap, thresholds swept again inside each resample."""
    better, plain = draw_tables(n, (BETTER[STEADY], SKILL), STEADY, rng)
    found = detection_difference(better, plain, CAP, rng, PLAN)
    threshold = true_threshold(CAP, STEADY)
    truth = true_detection(BETTER[STEADY], threshold, STEADY) - true_detection(SKILL, threshold, STEADY)
    return _inside(truth, found.low, found.high)


def simultaneous_lower(n: int, rng: np.random.Generator) -> Held:
    """One-sided bounds of ten candidates' gains, all of them at once; half the candidates are better by 0.10."""
    found, truth = _simultaneous(n, rng)
    return bool(np.all(found.lower <= truth + SLACK)), float((found.estimates - found.lower).mean())


def simultaneous_two_sided(n: int, rng: np.random.Generator) -> Held:
    """Two-sided bounds of ten candidates' gains, all of them at once."""
    found, truth = _simultaneous(n, rng)
    held = np.all((found.low <= truth + SLACK) & (truth - SLACK <= found.high))
    return bool(held), float((found.high - found.low).mean())


def false_alarms(n: int, rng: np.random.Generator) -> Held:
    """Upper bound of a false-alarm rate at a frozen threshold."""
    (table,) = draw_tables(n, (SKILL,), NOISY, rng)
    flags = note_scores(table)[1] < FROZEN
    upper = false_alarm_upper(flags, table.clean_cluster, rng, PLAN)
    return flag_rates(FROZEN, NOISY)[0] <= upper + SLACK, upper - float(flags.mean())


def calibrated(n: int, rng: np.random.Generator) -> Held:
    """Upper bound of the false-alarm rate of a calibrated threshold."""
    (table,) = draw_tables(n, (SKILL,), NOISY, rng)
    found = calibrate(note_scores(table)[1], CAP)
    return flag_rates(found.threshold, NOISY)[0] <= found.rate_upper95 + SLACK, found.rate_upper95


def wilson_rate(n: int, rng: np.random.Generator) -> Held:
    """Wilson interval of a rate of independent trials, rates drawn between 0.05 and 0.95."""
    rate = float(rng.uniform(0.05, 0.95))
    found = wilson(int(rng.binomial(n, rate)), n)
    return _inside(rate, found.low, found.high)


def exact_upper(n: int, rng: np.random.Generator) -> Held:
    """Clopper-Pearson bound of a rate of independent trials."""
    count = int(rng.binomial(n, RATE))
    upper = clopper_pearson_upper(count, n)
    return upper + SLACK >= RATE, upper - count / n


CASES: tuple[Case, ...] = (
    Case("paired difference, equal candidates", "two-sided", equal_pairs),
    Case("paired difference, true +0.10", "two-sided", better_pairs),
    Case("detection difference, frozen thresholds", "two-sided", flags_at_frozen),
    Case("detection difference, re-swept", "two-sided", flags_re_swept),
    Case("ten gains at once, two-sided", "two-sided", simultaneous_two_sided),
    Case("ten gains at once, lower bounds", "bound", simultaneous_lower),
    Case("false-alarm rate, upper bound", "bound", false_alarms),
    Case("calibrated false-alarm rate, upper bound", "bound", calibrated),
    Case("rate of independent trials, Wilson", "two-sided", wilson_rate),
    Case("rate of independent trials, exact upper bound", "bound", exact_upper),
)


@dataclass(frozen=True, slots=True)
class CoverageStudy:
    """What is run: data sets for every case and size, in chunks."""

    sets: int = 2000
    seed: int = 2028
    sizes: tuple[int, ...] = (20, 47, 150)
    chunk: int = 100

    @property
    def chunks(self) -> int:
        """Chunks of each case and size."""
        return -(-self.sets // self.chunk)

    @property
    def jobs(self) -> int:
        """Chunks in all."""
        return self.chunks * len(self.sizes) * len(CASES)


@dataclass(frozen=True, slots=True)
class CoverageJob:
    """One chunk of data sets."""

    study: CoverageStudy
    case: str
    size: int
    number: int


@dataclass(frozen=True, slots=True)
class CoverageLine:
    """How many of ``sets`` intervals held the truth, and how wide they were together."""

    case: str
    size: int
    sets: int
    held: int
    width: float


def run_coverage(
    study: CoverageStudy, path: Path, workers: int, on_done: Callable[[str], None] = lambda _key: None
) -> tuple[CoverageLine, ...]:
    """Run or resume the study; its lines stand in ``path``. Returns one line for each case and size."""
    jobs = {
        f"{case.name} {size} {number:04d}": CoverageJob(study, case.name, size, number)
        for number in range(study.chunks)
        for size in study.sizes
        for case in CASES
    }
    header = {"kind": NAME, "seed": study.seed, "chunk": study.chunk}
    lines = run_jobs(coverage_chunk, jobs, path, header, workers, on_done)
    chunks = [CoverageLine(**line) for line in lines.values()]
    return tuple(_total(chunks, case.name, size) for case in CASES for size in study.sizes)


def coverage_chunk(job: CoverageJob) -> Mapping[str, Any]:
    """Draw one chunk and count."""
    names = [case.name for case in CASES]
    index = names.index(job.case)
    rng = np.random.default_rng([job.study.seed, index, job.size, job.number])
    found = [CASES[index].draw(job.size, rng) for _ in range(job.study.chunk)]
    held, widths = sum(inside for inside, _ in found), sum(width for _, width in found)
    return asdict(CoverageLine(job.case, job.size, len(found), held, widths))


def _total(chunks: Sequence[CoverageLine], case: str, size: int) -> CoverageLine:
    mine = [chunk for chunk in chunks if (chunk.case, chunk.size) == (case, size)]
    sets, held, width = (sum(values) for values in zip(*((c.sets, c.held, c.width) for c in mine), strict=True))
    return CoverageLine(case, size, int(sets), int(held), float(width))


def _inside(truth: float, low: float, high: float) -> Held:
    return low - SLACK <= truth <= high + SLACK, high - low


def _simultaneous(n: int, rng: np.random.Generator) -> tuple[Simultaneous, Any]:
    skills = (SKILL,) * (1 + CANDIDATES // 2) + (BETTER[STEADY],) * (CANDIDATES // 2)
    tables = draw_tables(n, skills, STEADY, rng)
    outcomes = np.stack([pair_outcomes(table) for table in tables])
    truth = np.array([0.0] * (CANDIDATES // 2) + [GAIN] * (CANDIDATES // 2))
    return simultaneous_bounds(outcomes[1:] - outcomes[0], tables[0].cluster, rng, 0.05, PLAN.resamples), truth
