"""The ledger as MLflow runs: one parent per campaign, one child per seed and per proposal, whatever became of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from harness.report.tables import markdown_table
from harness.runs import MAX_TAG, Point, RunLog, RunRecord, RunStatus
from optimiser.confirmation import CandidateReading, Confirmation, Rung
from optimiser.history import History, Try, block_diff, headline, total
from optimiser.records import FinishReason, Measured, ProposalRow, Row, Spend
from optimiser.report_search import fate_table
from optimiser.reporting import Report, campaign_report, summary_lines

STATUSES: dict[FinishReason, RunStatus] = {
    "interrupted": "KILLED",
    "reflector-failed": "FAILED",
    "endpoint-failed": "FAILED",
}
SHORT = 500  # a longer parameter value is left to config.json


def sync(
    rows: Sequence[Row],
    confirmation: Confirmation | None,
    store: RunLog,
    paused: FinishReason | None = None,
    report: Report | None = None,
) -> None:
    """Write all that the ledger and the confirmation hold; what is there already is left alone.

    ``paused`` says why a campaign without a finish row stands still; None = it is at work. ``report`` is the
    campaign's report where the caller has written it already.
    """
    parent, *children = records_of(rows, paused)
    if parent.status != "RUNNING":
        report = report or campaign_report(rows, confirmation)
        parent = dataclasses.replace(
            parent,
            texts={**parent.texts, "report.html": report.html, "report.md": report.markdown},
            description="\n".join(f"- {line}" for line in summary_lines(rows, confirmation, "artifact report.html")),
            images={f"plots/{name}.png": png for name, png in report.plots.items()},
        )
    if confirmation is not None:
        parent = _with_verdict(parent, confirmation)
        children += records_of_confirmation(confirmation, parent.key)
    for record in (parent, *children):
        store.log(record)


def records_of(rows: Sequence[Row], paused: FinishReason | None = None) -> list[RunRecord]:
    """The parent's record first, then one record per seed or proposal row, in ledger order."""
    history = History.of(rows)
    return [_campaign(history, paused), *(_child(history, tried) for tried in history.tries)]


def records_of_confirmation(confirmation: Confirmation, parent_key: str) -> list[RunRecord]:
    """One record per rung and candidate; a kept seed has one per rung."""
    records: list[RunRecord] = []
    for rung in confirmation.rungs:
        sides = {"baseline": rung.baseline} | ({"winner": rung.winner} if rung.winner else {})
        records += [_reading(confirmation, rung, role, side, parent_key) for role, side in sides.items()]
    return records


def _campaign(history: History, paused: FinishReason | None) -> RunRecord:
    start, finish, freeze = history.start, history.finish, history.freeze
    reason = finish.reason if finish else paused
    tags = {
        "kind": "campaign",
        "campaign": start.campaign,
        "simulated": _word(start.simulated),
        "clean_verified": _word(start.clean_verified),
        "engine": str(start.config.get("engine", {}).get("kind", "")),
        "finish_reason": reason or "unfinished",
    } | {f"fingerprint.{name}": value for name, value in start.fingerprint.items()}
    if freeze:
        tags |= {
            "winner": freeze.winner,
            "baseline": freeze.baseline,
            "seed_kept": _word(freeze.seed_kept),
            "plain_maximum": freeze.runner_up_reading[:MAX_TAG],
        }
    return RunRecord(
        key=history.key,
        name=start.campaign,
        tags=tags,
        params=dict(leaves_in(start.config)),
        metrics=(*_curves(history), *_sizes(history), *_noise(history), *_frozen(history)),
        texts={
            "config.json": json.dumps(start.config, indent=2, ensure_ascii=False, sort_keys=True) + "\n",
            "ledger.md": markdown_table(fate_table(history)) + "\n",
        },
        status=STATUSES.get(reason, "FINISHED") if reason else "RUNNING",
    )


def _child(history: History, tried: Try) -> RunRecord:
    row, candidate = tried.row, tried.candidate
    kind = row.kind if isinstance(row, ProposalRow) else "seed"
    tags = {
        "kind": kind,
        "status": tried.status,
        "campaign": history.start.campaign,
        "simulated": _word(history.start.simulated),
        "parents": " ".join(tried.parents),
        "row": str(tried.row_number),
    }
    texts: dict[str, str] = {}
    metrics = [Point("iteration", tried.iteration, tried.iteration)]
    if candidate is not None:
        tags |= {
            "candidate": candidate.id,
            "winner": _word(history.freeze is not None and history.freeze.winner == candidate.id),
        }
        for block, text in candidate.blocks.items():
            texts[f"instruction/{block}.txt"] = text
            tags[f"sha256.{block}"] = sha256(text.encode()).hexdigest()
        texts |= _diffs(history, tried)
        metrics.append(Point("characters", sum(map(len, candidate.blocks.values())), tried.iteration))
    for measured in row.measured:
        metrics += _measures(measured, tried.iteration)
    if isinstance(row, ProposalRow):
        tags["reason"] = row.reason[:MAX_TAG]
        texts |= {"reply.txt": row.reply, "evidence.json": json.dumps(row.evidence, indent=2, sort_keys=True) + "\n"}
        metrics += _decision(row)
    metrics += [*_standing(history, tried), *_spent(row.spend, tried.iteration)]
    ending = "" if kind == "seed" else f"-{kind}-{tried.status}"
    key = f"{history.key}/row {tried.row_number}"
    return RunRecord(key, f"{tried.label}{ending}", history.key, tags, metrics=tuple(metrics), texts=texts)


def _reading(
    confirmation: Confirmation, rung: Rung, role: str, reading: CandidateReading, parent_key: str
) -> RunRecord:
    effort = rung.effort or "default"
    tags = {
        "kind": "confirmation",
        "role": role,
        "candidate": reading.candidate,
        "campaign": confirmation.campaign,
        "effort": effort,
        "primary": _word(rung.primary),
        "verdict": rung.verdict,
        "simulated": _word(confirmation.simulated),
        "opening": str(confirmation.opening.number),
        "fingerprint.manifest": confirmation.manifest,
        "model": confirmation.model,
    }
    numbers: dict[str, Any] = reading.model_dump(mode="json", exclude={"candidate"})
    if role == "winner" and rung.comparison is not None:
        numbers["difference"] = rung.comparison.model_dump(mode="json")
    key = f"{parent_key}/opening {confirmation.opening.number}/{effort}/{role}"
    metrics = tuple(Point(f"holdout.{name}", value) for name, value in numbers_in(numbers))
    return RunRecord(key, f"confirm-{effort}-{role}", parent_key, tags, metrics=metrics)


def _with_verdict(parent: RunRecord, confirmation: Confirmation) -> RunRecord:
    tags = {**parent.tags, "verdict": confirmation.verdict, "holdout_openings": str(confirmation.opening.number)}
    comparison = confirmation.primary.comparison
    points: tuple[Point, ...] = ()
    if comparison is not None:
        gain = comparison.omissions
        points = tuple(Point(f"holdout.difference.{k}", getattr(gain, k)) for k in ("value", "low", "high"))
    texts = {**parent.texts, "confirmation.json": confirmation.model_dump_json(indent=2) + "\n"}
    return dataclasses.replace(parent, tags=tags, metrics=(*parent.metrics, *points), texts=texts)


def _curves(history: History) -> Iterator[Point]:
    """After each try: the best acceptance score kept so far, the counts and the spend; step = iteration."""
    latest: dict[tuple[str, int], Point] = {}
    best: float | None = None
    counts = {"accepted": 0, "rejected": 0, "invalid": 0}
    first = [history.noise.spend] if history.noise else []
    for position, tried in enumerate(history.tries, 1):
        acceptance = tried.on("acceptance")
        score = headline(acceptance) if acceptance else None
        if tried.status in ("seed", "accepted") and score is not None:
            best = score if best is None else max(best, score)
        if tried.status in counts:
            counts[tried.status] += 1
        step = tried.iteration
        points = [Point("best.acceptance.paired", best, step)] if best is not None else []
        points += [Point(name, count, step) for name, count in counts.items()]
        points += [Point("proposals", sum(counts.values()), step)]
        points += _spent(total([*first, *(t.row.spend for t in history.tries[:position])]), step)
        latest |= {(point.name, point.step): point for point in points}  # several seeds share step 0
    yield from latest.values()
    if history.finish or history.freeze:
        yield from _spent(history.spend, max((t.iteration for t in history.tries), default=0) + 1)


def _sizes(history: History) -> Iterator[Point]:
    for split, sizes in history.start.splits.items():
        yield from (Point(f"{split}.{name}", count) for name, count in sizes.items())


def _noise(history: History) -> Iterator[Point]:
    if history.noise is None:
        return
    numbers = history.noise.model_dump(exclude={"spend", "ignored", "paired_runs", "detection_runs"})
    yield from (Point(f"noise.{name}", value) for name, value in numbers_in(numbers))
    derived = {
        "band": history.noise.band,
        "detection_band": history.noise.detection_band,
        "saved": history.noise.saved,
    }
    yield from (Point(f"noise.{name}", value) for name, value in derived.items() if value is not None)


def _frozen(history: History) -> Iterator[Point]:
    if history.freeze is None:
        return
    winner = history.standing(history.freeze.winner)
    if winner is not None:
        yield from (Point(f"freeze.{k}", getattr(winner, k)) for k in ("value", "difference", "lower"))
    if history.freeze.expected_gain is not None:
        yield Point("freeze.expected_gain", history.freeze.expected_gain)


def _standing(history: History, tried: Try) -> Iterator[Point]:
    standing = history.standing(tried.candidate.id) if tried.candidate else None
    if standing is not None and tried.status in ("seed", "accepted"):
        yield from (Point(f"freeze.{k}", getattr(standing, k), tried.iteration) for k in ("difference", "lower"))


def _measures(measured: Measured, step: int) -> Iterator[Point]:
    for name, value in measured.model_dump(exclude={"split", "by_class"}).items():
        yield Point(f"{measured.split}.{name}", value, step)
    for name, value in measured.by_class.items():
        yield Point(f"{measured.split}.class.{name}", value, step)
    pairs = (("detection_rate", "detected", "n_flawed"), ("false_alarm_rate", "false_alarms", "n_clean"))
    for name, count, of in pairs:
        top, bottom = getattr(measured, count), getattr(measured, of)
        yield Point(f"{measured.split}.{name}", None if top is None or not bottom else top / bottom, step)


def _decision(row: ProposalRow) -> Iterator[Point]:
    for name in ("before", "after"):
        value = getattr(row, name)
        if value is not None:
            yield Point(f"minibatch.{name}", value, row.iteration)
    yield Point("copied_words", row.copied_words, row.iteration)
    yield Point("reply_characters", len(row.reply), row.iteration)
    places = {parent: f"parent_{n}" for n, parent in enumerate(row.parents, 1)}
    evidence = {places.get(name, name): value for name, value in row.evidence.items()}
    yield from (Point(f"evidence.{name}", value, row.iteration) for name, value in numbers_in(evidence))


def _spent(spend: Spend, step: int) -> list[Point]:
    points = [Point("spend.calls", spend.calls, step), Point("spend.tokens", spend.tokens, step)]
    return points + ([Point("spend.dollars", spend.dollars, step)] if spend.dollars is not None else [])


def _diffs(history: History, tried: Try) -> dict[str, str]:
    parent = history.by_candidate.get(tried.parents[0]) if tried.parents else None
    if parent is None or parent.candidate is None or tried.candidate is None:
        return {}
    names = (parent.label, tried.label)
    diffs = {b: block_diff(parent.candidate, tried.candidate, b, names) for b in tried.candidate.blocks}
    return {f"diff/{block}.diff": text + "\n" for block, text in diffs.items() if text}


def numbers_in(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number inside nested mappings, under its dotted path; flags count as numbers, texts and None do not."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from numbers_in(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, int | float):
        yield path, float(value)


def leaves_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Leaves of a configuration under dotted paths; long ones are left to config.json."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from leaves_in(inner, f"{path}.{name}" if path else str(name))
        return
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= SHORT:
        yield path, text


def _word(flag: bool) -> str:
    return "true" if flag else "false"
