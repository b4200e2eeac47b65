from __future__ import annotations

from harness.llm.client import FakeClient, Message, Request
from harness.llm.prefix import PrefixMeter, Rule, Shares
from harness.report.document import Document, render_markdown
from optimiser.records import CandidateRecord, Row, SeedRow, Spend
from optimiser.report_calls import AfterFirst, Bought, calls_lines, calls_sections

SEED = SeedRow(
    candidate=CandidateRecord(id="a", judge="score", blocks={"instruction": "x"}), measured=(), spend=Spend()
)
STAGES = {"judge:check": 1200, "judge:extract": 40, "reflect": 6}


def send(meter: PrefixMeter, text: str, times: int = 1) -> None:
    client = meter.around(FakeClient(lambda _request: "{}"), "endpoint", "judge")
    for _ in range(times):
        client.send(Request((Message("user", text),)))


def rows(count: int) -> tuple[Row, ...]:
    return (SEED,) * count


def test_the_share_is_counted_from_the_first_measured_seed_on() -> None:
    meter = PrefixMeter(Rule(1))
    watch = AfterFirst(meter)
    send(meter, "w" * 394)
    watch.on_rows(rows(1))
    send(meter, "w" * 394, times=3)
    watch.on_rows(rows(2))
    assert watch.shares() == Shares(3, 300, 300)


def test_a_process_that_did_not_buy_the_first_candidate_reports_no_share() -> None:
    """Its memory begins empty: what the process before it had sent would look new."""
    meter = PrefixMeter(Rule(1))
    watch = AfterFirst(meter)
    assert watch.shares() is None
    watch.on_rows(rows(1))
    send(meter, "w" * 400)
    assert watch.shares() is None


def test_the_report_says_what_each_stage_bought_and_what_a_cache_could_serve() -> None:
    bought = Bought(STAGES, Shares(10, 1000, 910))
    sections = calls_sections(bought)
    page = render_markdown(Document("t", (), (), sections))
    assert "1,200" in page
    assert "91.0% of the judge's 1,000 prompt tokens" in page
    assert len(calls_lines(bought)) == 2


def test_a_judge_of_one_call_and_no_share_adds_nothing_to_a_report() -> None:
    assert calls_sections(Bought({"judge": 9, "reflect": 1})) == ()
    assert calls_lines(Bought({"judge": 9}, Shares())) == ()
