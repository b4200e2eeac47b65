"""What a prompt cache could serve of the demo campaign's prompts, from the second candidate on. Reported.

Only what is really sent is counted, in the order in which it is sent: no reply that the lab's own cache gave.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness.judges.build import build_judge
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account
from harness.llm.client import Client, Reply, Request
from harness.llm.prefix import HOSTED, LOCAL, HashedPrefixes, Prefixes, Rule, Shares, prompt_text
from harness.llm.store import CallStore, Spent
from optimiser.campaign import Lab, run_campaign
from optimiser.config import load_campaign
from optimiser.laboratory import Clients
from optimiser.records import Row, SeedRow
from optimiser.workspace import Workspace
from support.prefix import ExactPrefixes

CONFIGS = Path(__file__).parents[2] / "configs"


@dataclass
class Recorder:
    """Stands in for the meter of an account: keeps every prompt of the judge."""

    prompts: list[str] = field(default_factory=list)
    first: int = 0

    def around(self, inner: Client, _endpoint: str, _role: str) -> Client:
        recorder = self

        class Recorded:
            def send(self, request: Request) -> Reply:
                recorder.prompts.append(prompt_text(request))
                return inner.send(request)

        return Recorded()

    def on_rows(self, rows: Sequence[Row]) -> None:
        if not self.first and isinstance(rows[-1], SeedRow):
            self.first = len(self.prompts)


def record(config_file: Path, folder: Path) -> Recorder:
    config, recorder = load_campaign(config_file), Recorder()
    workspace = Workspace(folder / "campaign")
    splits, _ = workspace.prepare(config)
    with ExitStack() as stack:
        store = CallStore(folder / "calls.sqlite")
        stack.callback(store.close)
        budget = Budget(Caps(), Spent())
        judges = Clients(stack, Account(store, budget, "bench", recorder), config.seed)
        client = judges.judging(config.judge, config.model)
        reflector = Clients(stack, Account(store, budget, "bench"), config.seed).of(config.reflector)
        lab = Lab(
            lambda candidate: build_judge(config.judge, candidate, client), reflector, True, on_row=recorder.on_rows
        )
        run_campaign(config, workspace, splits, lab)
    return recorder


def share(recorder: Recorder, rule: Rule, cache: Prefixes) -> tuple[Shares, float]:
    """Shares from the second candidate on, and microseconds that a prompt took."""
    counted, began = Shares(), time.perf_counter()
    for number, text in enumerate(recorder.prompts):
        served = rule.served(cache.shared(text))
        cache.add(text)
        if number >= recorder.first:
            counted += Shares(1, len(text) // 4, served)
    return counted, (time.perf_counter() - began) / len(recorder.prompts) * 1e6


def test_share_of_the_demo_campaigns_prompt_tokens_that_begin_an_earlier_prompt(tmp_path: Path) -> None:
    recorder = record(CONFIGS / "demo.yaml", tmp_path)
    tails = [len(text) - text.index("\nTASK\n") for text in recorder.prompts]
    mean = sum(map(len, recorder.prompts)) / len(tails) / 4
    print(f"\ndemo campaign: {len(tails):,} prompts of {mean:,.0f} tokens, {sum(tails) / len(tails) / 4:,.0f} of them")
    print("after the material (block and contract); from the second candidate on, a prompt cache could serve")
    readings = (
        ("blocks of 128 after 1,024", HOSTED, HashedPrefixes(HOSTED.block)),
        ("blocks of 16", LOCAL, HashedPrefixes(LOCAL.block)),
        ("to the token", Rule(1), ExactPrefixes()),
    )
    found = []
    for name, rule, cache in readings:
        counted, cost = share(recorder, rule, cache)
        found.append(counted)
        print(f"  {name:26} {counted.share:7.2%} of {counted.tokens:,} tokens ({cost:.0f} us a prompt)")
    assert found[0].calls > 0
    assert found[0].served <= found[1].served <= found[2].served
