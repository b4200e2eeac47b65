"""The noise floor in words, for the terminal and for the report."""

from __future__ import annotations

from harness.report.document import Paragraph, Section
from harness.report.tables import Table
from optimiser.history import History
from optimiser.records import NoiseRow, NullRaces

TITLE = "Noise floor and acceptance"
WITHIN = "smaller than the run-to-run band"


def noise_words(row: NoiseRow) -> tuple[str, ...]:
    """What a reader must know before any difference, in plain sentences."""
    detection = "" if row.detection_band is None else f" and of detection {row.detection_band:.3f}"
    saved = "there is no variance to save" if row.saved is None else f"variance saved: {row.saved:.0%}"
    return (
        f"the baseline repeats its own score {row.equal_repeats:.0%} of the time; {row.tied_pairs:.0%} of pair "
        f"readings are ties ({row.pairs} pairs of {row.consultations} consultations, {row.replicates} runs)",
        f"run-to-run band of paired discrimination {row.band:.3f}{detection}; a smaller difference on as many pairs "
        "is what a rerun does by itself",
        f"scoring clean twins {row.clean_replicates} times: {saved}",
        *(f"ignored by the endpoint: {words}" for words in row.ignored),
    )


def acceptance_words(races: NullRaces) -> str:
    """The error of the acceptance test beside that of the plain sum, and what a child costs."""
    return (
        f"an equal child is accepted at most {races.alpha:.0%} of the time: {races.accepted:.1%} in {races.races:,} "
        f"simulated races, where 'the minibatch sum went up' accepts {races.plain_sum:.1%}. A child that is no better "
        f"takes {races.consultations:.1f} consultations and {races.judgements:.0f} judgements on average"
    )


def within_band(history: History, difference: float, pairs: int | None) -> bool:
    """True where a difference is no larger than the baseline's band, scaled to as many pairs."""
    return history.noise is not None and bool(pairs) and abs(difference) <= history.noise.band_over(pairs or 1)


def noise_floor(history: History) -> Section:
    """The baseline against itself, and what follows for the acceptance of children."""
    row = history.noise
    if row is None:
        return Section(TITLE, (Paragraph("The baseline was not measured against itself."),))
    runs = [("paired discrimination", *(f"{value:.3f}" for value in row.paired_runs), f"{row.band:.3f}")]
    if row.detection_band is not None:
        detection = (f"{value:.3f}" for value in row.detection_runs)
        runs.append(("detection at one threshold", *detection, f"{row.detection_band:.3f}"))
    columns = ("", *(f"run {number + 1}" for number in range(row.replicates)), "band")
    note = f"{row.pairs} pairs and {row.notes} notes of the training split; {row.failures} judgements without a score."
    words = (*noise_words(row), acceptance_words(row.races))
    reasoning = tuple((effort, f"{tokens:,.0f}") for effort, tokens in row.reasoning.items())
    return Section(
        TITLE,
        (
            *(Paragraph(line[:1].upper() + line[1:] + ".") for line in words),
            Table("The same judge, run again", columns, tuple(runs), note),
            *((Table("Reasoning tokens of one note by effort", ("effort", "tokens"), reasoning),) if reasoning else ()),
        ),
    )
