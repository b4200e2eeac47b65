from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from harness.errors import LedgerError
from optimiser.confirmation import Confirmation, read_confirmation
from optimiser.history import History, block_diff, headline
from optimiser.ledger import read_ledger
from optimiser.records import FreezeRow, Row, StartRow
from optimiser.reporting import Report, campaign_report, summary_lines

GOLDEN = Path(__file__).parents[1] / "golden" / "reports"


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return read_ledger(GOLDEN / "ledger.jsonl")


@pytest.fixture(scope="module")
def confirmation() -> Confirmation:
    return read_confirmation(GOLDEN / "confirmation.json")


@pytest.fixture(scope="module")
def report(rows: tuple[Row, ...], confirmation: Confirmation) -> Report:
    return campaign_report(rows, confirmation)


def test_the_markdown_report_of_the_handmade_campaign_is_as_agreed(report: Report) -> None:
    assert report.markdown == (GOLDEN / "report.md").read_text(encoding="utf-8")


def test_html_and_markdown_hold_the_same_figures(report: Report) -> None:
    assert len(report.plots) == report.markdown.count("*Figure: ") == report.html.count("<img ") == 8


def test_every_proposal_of_the_ledger_has_its_fate_in_the_report(rows: tuple[Row, ...], report: Report) -> None:
    tries = History.of(rows).tries
    assert len(tries) == 7
    for tried in tries:
        assert report.markdown.count(f"\n| {tried.label} | ") >= 1


def test_a_real_campaign_on_verified_notes_carries_no_label(rows: tuple[Row, ...]) -> None:
    start = rows[0]
    assert isinstance(start, StartRow)
    real = (start.model_copy(update={"simulated": False, "clean_verified": True}), *rows[1:])
    text = campaign_report(real, None).html
    assert "SIMULATED" not in text
    assert "unverified clean twin" not in text
    assert summary_lines(real, None)[-1] == "Honesty: real model, verified clean notes"


@pytest.mark.parametrize("length", range(1, 10))
def test_an_unfinished_campaign_is_reported_as_unfinished(rows: tuple[Row, ...], length: int) -> None:
    text = campaign_report(rows[:length], None).markdown
    assert "- Ending: not finished" in text
    assert "Not confirmed" in text
    assert ("Nothing is frozen yet." in text) == (length < 9)


def test_a_kept_seed_is_shown_with_its_text_and_no_diff(rows: tuple[Row, ...]) -> None:
    freeze = rows[-2]
    assert isinstance(freeze, FreezeRow)
    kept = (*rows[:-2], freeze.model_copy(update={"winner": freeze.baseline, "seed_kept": True}), rows[-1])
    text = campaign_report(kept, None).markdown
    assert "The seed seed-1 was kept" in text
    assert "winner |" not in text
    assert "```diff" not in text


def test_the_ending_is_six_plain_lines(rows: tuple[Row, ...], confirmation: Confirmation) -> None:
    lines = summary_lines(rows, confirmation, "campaigns/handmade/report.html")
    assert [line.split(":")[0] for line in lines] == ["Searched", "Found", "Holdout", "Cost", "Report", "Honesty"]
    assert all("\n" not in line for line in lines)
    assert "campaigns/handmade/report.html" in lines[4]
    assert "SIMULATED" in lines[5]
    assert len(summary_lines(rows[:1], None)) == 6


def test_rows_without_a_start_are_refused(rows: tuple[Row, ...]) -> None:
    with pytest.raises(LedgerError, match="start row"):
        History.of(rows[1:])


def test_a_history_counts_what_the_finish_row_counts(rows: tuple[Row, ...]) -> None:
    history = History.of(rows)
    assert history.finish is not None
    assert history.counts == {k: getattr(history.finish, k) for k in ("accepted", "rejected", "invalid")}
    spent = dataclasses.replace(history, finish=None).spend
    assert (spent.calls, spent.tokens) == (history.finish.spend.calls, history.finish.spend.tokens)


def test_the_headline_falls_back_to_commissions_only_where_there_are_no_omissions(rows: tuple[Row, ...]) -> None:
    measured = History.of(rows).tries[0].row.measured[0]
    assert headline(measured) == measured.paired_omissions
    assert headline(measured.model_copy(update={"paired_omissions": None})) == measured.paired_commissions


def test_a_diff_of_equal_blocks_is_empty(rows: tuple[Row, ...]) -> None:
    candidate = History.of(rows).tries[0].candidate
    assert candidate is not None
    assert block_diff(candidate, candidate, "instruction", ("a", "b")) == ""


def test_the_number_beside_a_paired_figure_is_that_of_its_own_pairs(rows: tuple[Row, ...]) -> None:
    seed = History.of(rows).tries[0]
    acceptance = seed.on("acceptance")
    assert acceptance is not None
    omissions = acceptance.wins + acceptance.ties + acceptance.losses
    more = acceptance.model_copy(update={"pairs": omissions + 37})
    row = seed.row.model_copy(update={"measured": (more,)})
    text = campaign_report((rows[0], row, *rows[2:]), None).markdown
    assert f"{acceptance.paired_omissions:.3f} (n {omissions})" in text
    assert f"(n {omissions + 37})" not in text
