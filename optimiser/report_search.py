"""The parts of a report that tell of the search: what was divided, tried, spent and chosen."""

from __future__ import annotations

from harness.report import plots
from harness.report.document import Code, Figure, Paragraph, Part, Section
from harness.report.tables import Table
from optimiser.confirmation import Confirmation
from optimiser.freeze import winners_curse
from optimiser.history import History, Try, block_diff, headline, headline_pairs
from optimiser.records import Measured, ProposalRow
from optimiser.report_noise import WITHIN, within_band

NONE = "–"
MEASURE = "paired discrimination"
COUNTED = "Each counts as a loss in the paired figures."
CURSE = (
    "The candidate that looks best of many is partly the luckiest: its plain value on the split that chose it is too "
    "good. The lower bounds below hold for all finalists at once, so that picking the largest fools nobody, and the "
    "seed is kept unless the winner's bound excludes zero."
)


def number(value: float | None, digits: int = 3) -> str:
    """A plain number, or a dash where there is none."""
    return NONE if value is None else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """A difference with its sign, or a dash."""
    return NONE if value is None else f"{value:+.3f}"


def share(count: int | None, of: int | None) -> str:
    """A rate with its counts, or a dash."""
    return NONE if count is None or not of else f"{count / of:.3f} ({count} of {of})"


def money(dollars: float | None) -> str:
    """US dollars; a dash where no price is known."""
    return NONE if dollars is None else f"${dollars:,.2f}"


def searched(history: History, confirmation: Confirmation | None) -> Section:
    """What was searched, over which splits, and what it was allowed to cost."""
    config, start = history.start.config, history.start
    rows = [
        (name, *(str(sizes.get(k, NONE)) for k in ("consultations", "pairs"))) for name, sizes in start.splits.items()
    ]
    if confirmation is None:
        holdout, openings = ("holdout", NONE, NONE), "The holdout was never opened for this campaign."
    else:
        rung = confirmation.primary
        holdout = ("holdout", str(rung.n_consultations), str(rung.n_pairs))
        openings = f"The holdout had been opened {times(confirmation.opening.number)}, this confirmation included."
    sentence = (
        f"The engine {_at(config, 'engine', 'kind')} searched the {_searched_blocks(history)} of the judge "
        f"{_at(config, 'judge', 'kind')} on {_at(config, 'model', 'model')}, with {_at(config, 'reflector', 'model')} "
        f"proposing changes. {_counted(history)}"
    )
    splits = Table("Splits, disjoint by consultation", ("split", "consultations", "pairs"), (*rows, holdout), openings)
    return Section("What was searched", (Paragraph(sentence), splits, _spend_table(history)))


def texts(history: History) -> Section:
    """The winner's text as a difference to the seed's."""
    freeze = history.freeze
    if freeze is None:
        return Section("Seed and winner", (Paragraph("Nothing is frozen yet."),))
    seed, winner = history.by_candidate.get(freeze.baseline), history.by_candidate.get(freeze.winner)
    if seed is None or winner is None or seed.candidate is None or winner.candidate is None:
        return Section("Seed and winner", (Paragraph("The ledger does not hold the text of both candidates."),))
    if freeze.seed_kept:
        kept = f"The seed {seed.label} was kept: no finalist was shown to be better."
        blocks: list[Part] = [Code(f"Block {name}", text) for name, text in seed.candidate.blocks.items()]
        return Section("Seed and winner", (Paragraph(kept), *blocks))
    said = f"{winner.label} ({winner.candidate.id}) won over {seed.label} ({seed.candidate.id})."
    names = (f"seed {seed.candidate.id}", f"winner {winner.candidate.id}")
    diffs = {b: block_diff(seed.candidate, winner.candidate, b, names) for b in winner.candidate.blocks}
    parts = [Code(f"Block {name}: seed to winner", text, "diff") for name, text in diffs.items() if text]
    return Section("Seed and winner", (Paragraph(said), *parts))


def proposals(history: History) -> Section:
    """Every proposal and what became of it."""
    return Section("Proposals", (*search_figures(history).values(), fate_table(history)))


def fate_table(history: History) -> Table:
    """One row per seed and proposal, accepted, rejected and invalid alike."""
    columns = ("try", "kind", "fate", "why", "parents", "minibatch", "acceptance", "characters", "calls")
    rows = tuple(_fate(history, tried) for tried in history.tries)
    note = (
        "Minibatch: summed paired outcomes of parent and child on the same pairs. Acceptance: paired omissions, "
        "failures counted as losses, with the number of pairs; measured only for what got that far."
    )
    return Table("Every seed and proposal", columns, rows, note)


def search_figures(history: History) -> dict[str, Figure]:
    """Lineage, scores over proposals, and length against score."""
    labels = {t.label for t in history.tries}
    nodes = [
        plots.Node(t.label, history.status(t), tuple(p for p in map(history.label, t.parents) if p in labels))
        for t in history.tries
    ]
    scored = [(t, value) for t in history.tries if (value := _score(t)) is not None]
    found = {
        "lineage": Figure("Lineage", plots.lineage(nodes), "Each proposal under the candidates it was made from."),
    }
    if not scored:
        return found
    spots = [plots.Spot(t.label, t.iteration, value, history.status(t)) for t, value in scored]
    lengths = [plots.Spot(t.label, _length(t), value, history.status(t)) for t, value in scored]
    kept: list[tuple[float, float]] = []
    for tried, value in scored:
        if tried.status in ("seed", "accepted"):
            kept.append((tried.iteration, max([value, *(y for _, y in kept)])))
    kept.append((max(t.iteration for t in history.tries), kept[-1][1]))
    found["progress"] = Figure(
        "Scores over proposals",
        plots.progress(spots, kept, MEASURE),
        f"On the acceptance split, which {len(scored)} of {len(history.tries)} tries reached.",
    )
    if len(scored) > 1:
        found["length"] = Figure(
            "Length against score",
            plots.length_against_score(lengths, MEASURE),
            "On the acceptance split. Longer is dearer for every note that is ever judged.",
        )
    return found


def standings(history: History) -> Section:
    """Who won on the acceptance split, and what the plain maximum would have done."""
    freeze = history.freeze
    if freeze is None:
        return Section("Freeze", (Paragraph("Nothing is frozen yet."),))
    ending = " (kept)" if freeze.seed_kept else " (winner)"
    read = {s.candidate: _acceptance(history, s.candidate) for s in freeze.standings}
    pairs = {candidate: history.pairs_at_freeze(found) if found else None for candidate, found in read.items()}
    rows = tuple(
        (
            history.label(s.candidate) + (ending if s.candidate == freeze.winner else ""),
            _over(s.value, pairs[s.candidate]),
            _over_seed(history, s.difference, pairs[s.candidate]) if s.candidate != freeze.baseline else NONE,
            signed(s.lower) if s.candidate != freeze.baseline else NONE,
        )
        for s in freeze.standings
    )
    columns = ("candidate", "value (n pairs)", "over the seed", "simultaneous lower bound")
    curse = winners_curse(freeze)
    gain = f" Winner's curse: its gain {curse}, which is less the luck of having been picked." if curse else ""
    reading = freeze.runner_up_reading[:1].upper() + freeze.runner_up_reading[1:]
    parts: list[Part] = [Paragraph(CURSE), Table("Standings on the acceptance split", columns, rows)]
    parts += freeze_figures(history).values()
    return Section("Freeze", (*parts, Paragraph(f"{reading}.{gain}")))


def freeze_figures(history: History) -> dict[str, Figure]:
    """Acceptance standings with their simultaneous bounds, and the finalists' operating points."""
    freeze = history.freeze
    if freeze is None:
        return {}
    spans = [
        plots.Span(history.label(s.candidate), s.difference, s.lower, None, s.candidate == freeze.winner)
        for s in freeze.standings
        if s.candidate != freeze.baseline
    ]
    found: dict[str, Figure] = {}
    if spans:
        found["standings"] = Figure(
            "Gain over the seed",
            plots.intervals(spans, f"difference in {MEASURE} on the acceptance split"),
            "Lower bounds hold for all finalists at once; there are no upper bounds.",
        )
    spots = [
        plots.Spot(t.label, m.false_alarms / m.n_clean, m.detected / m.n_flawed, history.status(t))
        for t in (history.by_candidate[s.candidate] for s in freeze.standings if s.candidate in history.by_candidate)
        if (m := t.on("acceptance")) is not None
        and m.detected is not None
        and m.false_alarms is not None
        and m.n_clean
        and m.n_flawed
    ]
    if spots:
        cap = float(history.start.config.get("acceptance", {}).get("cap", 0.1))
        found["rates"] = Figure(
            "Detection and false alarms on the acceptance split",
            plots.rates(spots, cap),
            "Thresholds were chosen on this same split: optimistic.",
        )
    return found


def failures(history: History) -> Table:
    """Judgements without a score, wherever there were any during the search."""
    rows = tuple(
        (t.label, m.split, str(m.failures), str(m.pairs)) for t in history.tries for m in t.row.measured if m.failures
    )
    return Table("Failures during the search", ("try", "split", "failures", "pairs"), rows, COUNTED)


def times(count: int) -> str:
    """A count of occasions in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _searched_blocks(history: History) -> str:
    target = history.start.config.get("target", NONE)
    names = [target] if isinstance(target, str) else list(target)
    seeds = [t.candidate for t in history.tries if t.candidate is not None][:1]
    frozen = sorted(set(seeds[0].blocks) - set(names)) if seeds else []
    held = f" ({', '.join(frozen)} frozen)" if frozen else ""
    return f"block{'s' if len(names) > 1 else ''} {', '.join(names)}{held}"


def _spend_table(history: History) -> Table:
    caps, spend = history.start.config.get("budget", {}), history.spend
    asked = _at(history.start.config, "engine", "proposals")
    rows = (
        ("proposals", asked, str(sum(history.counts.values()))),
        ("calls", _cap(caps.get("calls")), f"{spend.calls:,}"),
        ("tokens", _cap(caps.get("tokens")), f"{spend.tokens:,}"),
        ("US dollars", money(caps.get("dollars")), money(spend.dollars)),
    )
    note = "Spend is what the calls cost when first bought, cached replies included. A dash: no cap, or no known price."
    return Table("Plan and spend of the search", ("", "at most", "used"), rows, note)


def _fate(history: History, tried: Try) -> tuple[str, ...]:
    row = tried.row
    proposal = row if isinstance(row, ProposalRow) else None
    moved = NONE
    if proposal and proposal.before is not None and proposal.after is not None:
        moved = f"{proposal.before:.2f} → {proposal.after:.2f}"
    return (
        tried.label,
        proposal.kind if proposal else "seed",
        history.status(tried),
        proposal.reason if proposal else "given",
        ", ".join(map(history.label, tried.parents)) or NONE,
        moved,
        _valued(_score(tried), tried.on("acceptance")),
        NONE if tried.candidate is None else f"{_length(tried):,}",
        f"{row.spend.calls:,}",
    )


def _counted(history: History) -> str:
    counts = history.counts
    listed = ", ".join(f"{counts[status]} {status}" for status in counts)
    return f"It made {sum(counts.values())} proposals: {listed}."


def _valued(value: float | None, measured: Measured | None) -> str:
    return _over(value, headline_pairs(measured) if measured else None)


def _over_seed(history: History, difference: float, pairs: int | None) -> str:
    return signed(difference) + (f" ({WITHIN})" if within_band(history, difference, pairs) else "")


def _over(value: float | None, pairs: int | None) -> str:
    return NONE if value is None else f"{value:.3f}" + (f" (n {pairs})" if pairs is not None else "")


def _acceptance(history: History, candidate: str) -> Measured | None:
    tried = history.by_candidate.get(candidate)
    return tried.on("acceptance") if tried else None


def _score(tried: Try) -> float | None:
    acceptance = tried.on("acceptance")
    return headline(acceptance) if acceptance else None


def _length(tried: Try) -> int:
    return sum(len(text) for text in tried.candidate.blocks.values()) if tried.candidate else 0


def _at(config: dict[str, object], section: str, key: str) -> str:
    part = config.get(section)
    return str(part.get(key, NONE)) if isinstance(part, dict) else NONE


def _cap(value: float | None) -> str:
    return NONE if value is None else f"{value:,}"
