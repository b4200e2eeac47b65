"""Hold judges against scores that people gave: does a judge rank real summaries as they do?

Every summary is judged against its dialogue; the judge's score is then rank-correlated with each human measure,
over all systems and within each. Nothing here is planted or chosen by us, and nothing is tuned on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from harness.config import Settings
from harness.data.mts_study import MEASURES, Study
from harness.errors import DataError, MetricUndefined
from harness.evaluate import Task, evaluate
from harness.judges.build import build_judge
from harness.llm.build import Account
from harness.outcomes import Judgement, Outcome
from harness.stats.bootstrap import Resampling
from harness.stats.correlation import Statistic, rank_correlation
from optimiser.grid.cells import Cell
from optimiser.laboratory import Clients
from optimiser.records import Spend

FILE_NAME = "external.json"
ALL = "all"
STATISTICS: tuple[Statistic, ...] = ("spearman", "kendall")


class Correlation(Settings):
    """One rank correlation of a judge's scores with a human measure, in [-1, 1].

    ``expected`` is the sign that a good judge has: the score is higher for better notes, a rate of omissions lower.
    """

    measure: str
    expected: Literal[-1, 1]
    systems: str = Field(description="one system, or 'all'")
    statistic: Statistic
    summaries: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    undefined: str = Field("", description="why there is no value")


class JudgeCheck(Settings):
    """One judge against the people; ``failures`` are summaries without a score, by reason."""

    name: str
    kind: str
    model: str = Field(description="empty for a judge that asks none")
    judge: str = Field(description="digest of judge, texts, prompts and model")
    simulated: bool
    scored: int
    failures: dict[str, int]
    correlations: tuple[Correlation, ...]


class External(Settings):
    """The whole check, as written to external.json."""

    format: Literal["judgelab.external/1"] = "judgelab.external/1"
    study: str
    simulated: bool
    summaries: int
    dialogues: int
    systems: tuple[str, ...]
    left_out: dict[str, int] = Field(description="summaries that no judge was asked about, by reason")
    replicates: int
    resamples: int
    seed: int
    judges: tuple[JudgeCheck, ...]
    spend: Spend


@dataclass(frozen=True)
class Means:
    """How to check: repeats of each judgement, resamples, seed; and who wants to see outcomes."""

    replicates: int = 1
    resamples: int = 10_000
    seed: int = 7
    on_outcome: Callable[[Outcome], None] = field(default=lambda _outcome: None)


def without(study: Study, seen: Collection[str]) -> tuple[Study, int]:
    """The study without the dialogues that a search has seen, and how many summaries that leaves out.

    DataError where nothing is left.
    """
    kept = tuple(summary for summary in study.summaries if summary.consultation.id not in seen)
    if not kept:
        raise DataError("checking a judge", "a search that saw every dialogue of the study", "Search on other data.")
    return Study(kept, study.refused), len(study.summaries) - len(kept)


def check_judges(study: Study, cells: Sequence[Cell], purse: Account, means: Means, seen: int = 0) -> External:
    """Judge every summary with every cell, and correlate; ``seen`` counts what ``without`` left out."""
    tasks = _tasks(study, means.replicates)
    with ExitStack() as stack:
        clients = Clients(stack, purse, means.seed)
        judges = [build_judge(c.judge, c.candidate, clients.judging(c.judge, c.model)) for c in cells]
        outcomes = [
            evaluate(judge, tasks, cell.model.concurrency, means.on_outcome)
            for judge, cell in zip(judges, cells, strict=True)
        ]
    checks = tuple(_check(study, cell, found, means) for cell, found in zip(cells, outcomes, strict=True))
    spent = purse.budget.spent
    left_out = Counter(refusal.reason for refusal in study.refused) + Counter({"seen_by_search": seen})
    return External(
        study="mts-dialog",
        simulated=any(check.simulated for check in checks),
        summaries=len(study.summaries),
        dialogues=len({summary.consultation.id for summary in study.summaries}),
        systems=study.systems,
        left_out=dict(sorted(left_out.items())),
        replicates=means.replicates,
        resamples=means.resamples,
        seed=means.seed,
        judges=checks,
        spend=Spend(calls=spent.calls, tokens=spent.tokens, dollars=spent.dollars),
    )


def dump_external(found: External) -> bytes:
    """The bytes of external.json."""
    return (found.model_dump_json(indent=1) + "\n").encode()


def _tasks(study: Study, replicates: int) -> tuple[Task, ...]:
    """Dialogue by dialogue, so that the prompts of one transcript follow one another."""
    ordered = sorted(study.summaries, key=lambda summary: summary.consultation.id)
    return tuple(Task(s.consultation, s.note, replicate) for s in ordered for replicate in range(replicates))


def _check(study: Study, cell: Cell, outcomes: Sequence[Outcome], means: Means) -> JudgeCheck:
    scores = _scores(study, outcomes)
    return JudgeCheck(
        name=cell.name,
        kind=cell.judge.kind,
        model=cell.model.model if cell.candidate.blocks else "",  # no text, no call
        judge=cell.id,
        simulated=any(outcome.simulated for outcome in outcomes),
        scored=int((~np.isnan(scores)).sum()),
        failures=dict(sorted(Counter(o.reason for o in outcomes if not isinstance(o, Judgement)).items())),
        correlations=tuple(_correlations(study, scores, means)),
    )


def _scores(study: Study, outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    """Mean score over the repeats of each summary (summaries,); NaN where none succeeded."""
    by_note: dict[str, list[float]] = {}
    for outcome in outcomes:
        if isinstance(outcome, Judgement):
            by_note.setdefault(outcome.note_id, []).append(outcome.score)
    means = {name: sum(values) / len(values) for name, values in by_note.items()}
    return np.array([means.get(summary.note.id, np.nan) for summary in study.summaries])


def _correlations(study: Study, scores: NDArray[np.float64], means: Means) -> list[Correlation]:
    systems = np.array([summary.system for summary in study.summaries])
    clusters = np.array([summary.consultation.id for summary in study.summaries])
    groups: Mapping[str, NDArray[np.bool_]] = {ALL: np.ones(len(systems), dtype=bool)} | {
        name: systems == name for name in study.systems
    }
    found = []
    for measure, expected in MEASURES.items():
        human = np.array([summary.human[measure] for summary in study.summaries])
        for group, rows in groups.items():
            for statistic in STATISTICS:
                blank = Correlation(
                    measure=measure,
                    expected=1 if expected > 0 else -1,
                    systems=group,
                    statistic=statistic,
                    summaries=int((~np.isnan(scores[rows])).sum()),
                )
                found.append(_filled(blank, (scores[rows], human[rows]), clusters[rows], means))
    return found


def _filled(
    blank: Correlation,
    columns: tuple[NDArray[np.float64], NDArray[np.float64]],
    clusters: NDArray[np.str_],
    means: Means,
) -> Correlation:
    rng = np.random.default_rng([means.seed, 8])  # the same dialogues are drawn for every judge and measure
    try:
        interval = rank_correlation(columns, clusters, rng, blank.statistic, Resampling(means.resamples))
    except MetricUndefined as error:
        return blank.model_copy(update={"undefined": error.found})
    values = {name: round(getattr(interval, name), 6) for name in ("value", "low", "high")}
    return blank.model_copy(update=values)
