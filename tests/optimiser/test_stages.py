"""Campaigns on blocks of a judge with stages: what is frozen stays, what is cached is not bought again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.data.synthetic import build_synthetic
from harness.errors import ConfigError
from harness.judges.sanity import check_sanity
from optimiser.campaign import Lab, Result, run_campaign
from optimiser.candidates import load_seeds
from optimiser.config import CampaignConfig
from optimiser.confirm import Means, confirm
from optimiser.laboratory import Laboratory, open_laboratory
from optimiser.ladder import build_ladder
from optimiser.records import CandidateRecord, ProposalRow, Row
from optimiser.workspace import Workspace
from partitions.config import SplitConfig
from partitions.seal import seal
from partitions.splits import open_splits
from support.bench import Reflections

ROOT = Path(__file__).parents[2]
EXTRACT, CHECK = ROOT / "seeds/stages/extract.md", ROOT / "seeds/two-stage/check.md"
SIMULATED = "simulated:"
BLOCKS = (
    "<block>Go through the facts one by one and decide for each: present or absent.</block>",
    "<block>Give an opinion.</block>",
    "<block>For every fact compare dose, side, negation and timing with the note, then rule present or absent.</block>",
    "<block>Be quick about it.</block>",
)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staged")
    seal(build_synthetic(consultations=18, pairs_per_consultation=2, seed=5), SplitConfig(), folder / "split")
    return folder


def config(**changes: object) -> CampaignConfig:
    raw: dict[str, object] = {
        "name": "staged",
        "data": {"source": "synthetic"},
        "judge": {
            "kind": "two-stage",
            "stages": {"extract": {"model": {"model": "sim-extractor", "base_url": SIMULATED}}},
        },
        "target": "check",
        "blocks": {"extract": str(EXTRACT)},
        "seeds": [str(CHECK)],
        "model": {"model": "sim-judge", "base_url": SIMULATED, "concurrency": 2, "effort": "none"},
        "reflector": {"model": "sim-reflector", "base_url": SIMULATED},
        "engine": {"proposals": 4, "minibatch": 2, "stall": 20, "merge_every": 0},
        "acceptance": {"clean_replicates": 1, "training_clean_replicates": 1, "alpha": 0.4},
        "noise": {"notes": 4, "replicates": 2},
        "confirm": {"efforts": ["none", "high"], "replicates": [11], "resamples": 300},
        "underpowered": True,
    }
    return CampaignConfig.model_validate(raw | changes)


BOTH = {"target": ["extract", "check"], "blocks": {}, "seeds": [{"extract": str(EXTRACT), "check": str(CHECK)}]}


@dataclass
class Bench:
    """A sealed split, a call store, and what a campaign bought after each row."""

    split: Path
    folder: Path
    reflections: Reflections = field(default_factory=lambda: Reflections(BLOCKS))
    bought: list[Mapping[str, int]] = field(default_factory=list)

    def run(
        self, given: CampaignConfig, name: str = "a", stop: Callable[[tuple[Row, ...]], None] | None = None
    ) -> Result:
        with self.open(given, name) as laboratory:

            def on_row(rows: tuple[Row, ...]) -> None:
                self.bought.append(laboratory.calls_by_role)
                if stop:
                    stop(rows)

            lab = Lab(
                laboratory.judge_for, self.reflections, simulated=True, on_row=on_row, judge_at=laboratory.judge_at
            )
            return run_campaign(given, Workspace(self.folder / name), open_splits(self.split), lab)

    def open(self, given: CampaignConfig, name: str = "a"):
        return open_laboratory(given, name, self.folder / f"{name}.sqlite")


@pytest.fixture
def bench(sealed: Path, tmp_path: Path) -> Bench:
    shutil.copytree(sealed / "split", tmp_path / "split")  # a confirmation writes in its ledger
    return Bench(tmp_path / "split", tmp_path)


def proposals(result: Result) -> list[ProposalRow]:
    return [row for row in result.rows if isinstance(row, ProposalRow)]


def judged_consultations(bench: Bench, name: str = "a") -> set[str]:
    records = [json.loads(line) for line in Workspace(bench.folder / name).journal.read_text().splitlines()]
    splits = open_splits(bench.split)
    owner = {n.id: n.consultation_id for part in (splits.training, splits.acceptance) for n in part.notes}
    return {owner[record["note_id"]] for record in records if record["type"] == "judgement"}


def test_with_extraction_frozen_no_consultation_is_extracted_twice(bench: Bench) -> None:
    result = bench.run(config())
    judged = [row.candidate for row in proposals(result) if row.status != "invalid"]
    assert len({c.id for c in judged if c is not None}) >= 3
    assert bench.bought[-1]["judge:extract"] == len(judged_consultations(bench))
    assert bench.bought[-1]["judge:check"] > 5 * bench.bought[-1]["judge:extract"]


def test_a_candidate_on_consultations_seen_before_buys_checks_alone(bench: Bench) -> None:
    given = config()
    with bench.open(given) as laboratory:
        first = load_seeds(given)[0]
        other = CandidateRecord.of(first).model_copy(update={"blocks": dict(first.blocks) | {"check": "Rule on each."}})
        pairs = open_splits(bench.split).training
        roles = []
        for candidate in (first, other.candidate()):
            for pair in pairs.pairs:
                laboratory.judge_for(candidate).judge(pairs.by_id[pair.consultation_id], pair.flawed, 0)
            roles.append(laboratory.calls_by_role)
    assert roles[0]["judge:extract"] == len({pair.consultation_id for pair in pairs.pairs})
    assert roles[1]["judge:extract"] - roles[0]["judge:extract"] == 0
    assert roles[1]["judge:check"] == 2 * roles[0]["judge:check"]


def test_no_proposal_changes_a_frozen_block(bench: Bench) -> None:
    result = bench.run(config())
    frozen = load_seeds(config())[0].block("extract")
    rows = proposals(result)
    assert {row.block for row in rows} == {"check"}
    assert {row.candidate.blocks["extract"] for row in rows if row.candidate} == {frozen}
    assert result.frozen is not None
    assert result.frozen.winner.blocks["extract"] == frozen


def test_several_targets_take_turns_and_each_proposal_changes_its_own_block_alone(bench: Bench) -> None:
    result = bench.run(config(**BOTH))
    rows = proposals(result)
    assert [row.block for row in rows] == ["extract", "check", "extract", "check"]
    texts = {seed.id: dict(seed.blocks) for seed in load_seeds(config(**BOTH))}
    for row in rows:
        if row.candidate is not None:
            parent = texts[row.parents[0]]
            changed = {name for name, text in row.candidate.blocks.items() if text != parent[name]}
            assert changed == {row.block}
            texts[row.candidate.id] = row.candidate.blocks


def test_the_same_text_may_be_tried_in_each_block_once(bench: Bench) -> None:
    bench.reflections = Reflections(BLOCKS[:1])
    reasons = [row.reason for row in proposals(bench.run(config(**BOTH)))]
    assert [reason == "a text that was tried before" for reason in reasons] == [False, False, True, True]


def test_the_reflector_is_told_which_block_it_rewrites_and_what_the_others_say(bench: Bench) -> None:
    bench.run(config(**BOTH))
    first, second = bench.reflections.prompts[:2]
    seed = load_seeds(config(**BOTH))[0]
    assert "current block 'extract'" in first
    assert "current block 'check'" in second
    assert first.index(seed.block("extract")) < first.index("OTHER BLOCK check") < first.index(seed.block("check"))
    for prompt in (first, second):
        assert "- extract: is shown the transcript alone" in prompt
        assert "facts that it found in neither" in prompt


class Killed(BaseException):
    """Stands in for kill -9."""


@pytest.mark.parametrize("after", [4])
def test_a_killed_staged_campaign_resumes_to_the_same_ledger_and_buys_nothing_twice(bench: Bench, after: int) -> None:
    def kill(rows: tuple[Row, ...]) -> None:
        if len(rows) == after:
            raise Killed

    bench.run(config(), "whole")
    whole = bench.bought[-1]
    with pytest.raises(Killed):
        bench.run(config(), "killed", kill)
    bench.run(config(), "killed")
    ledgers = [Workspace(bench.folder / name).ledger.read_bytes() for name in ("whole", "killed")]
    assert ledgers[0] == ledgers[1]
    assert bench.bought[-1] == whole


def test_the_effort_ladder_extracts_the_holdout_once_for_all_rungs_and_both_candidates(bench: Bench) -> None:
    given = config()
    result = bench.run(given)
    assert result.frozen is not None
    winner = result.frozen.winner.model_copy(
        update={"id": "", "blocks": result.frozen.winner.blocks | {"check": "Rule present or absent on every fact."}}
    )
    frozen = result.frozen.model_copy(update={"winner": CandidateRecord.of(winner.candidate())})
    before = bench.bought[-1]
    with bench.open(given) as laboratory:
        confirmation = confirm(frozen, bench.split, given.confirm, means(laboratory), datetime(2026, 3, 1, tzinfo=UTC))
        after = laboratory.calls_by_role
    assert [rung.effort for rung in confirmation.rungs] == ["none", "high"]
    holdout = confirmation.primary.n_consultations
    assert after["judge:extract"] - before["judge:extract"] == holdout
    assert after["judge:check"] - before["judge:check"] > 4 * holdout


def means(laboratory: Laboratory) -> Means:
    return Means(lambda record, judge: laboratory.judge_with(record.candidate(), judge), 2, 7, lambda _found: None)


def test_the_first_rung_asks_exactly_what_the_search_asked(bench: Bench) -> None:
    """A token cap written into the rung would replace the stage's own, by which the search had asked."""
    given = config(confirm={"efforts": ["none"], "replicates": [0], "resamples": 300})
    result = bench.run(given)
    assert result.frozen is not None
    assert result.frozen.seed_kept or result.frozen.winner.id != result.frozen.baseline.id
    with bench.open(given) as laboratory:
        before = laboratory.calls_by_role["judge:check"]
        found = confirm(result.frozen, bench.split, given.confirm, means(laboratory), datetime(2026, 3, 1, tzinfo=UTC))
        bought = laboratory.calls_by_role["judge:check"] - before
    sides = 1 if result.frozen.seed_kept else 2
    holdout = open_notes(bench.split)
    assert bought == sides * holdout  # the acceptance split at replicate 0 is in the cache
    assert found.primary.token_cap == given.model.max_tokens


def open_notes(split: Path) -> int:
    manifest = open_splits(split).manifest.splits["holdout"]
    return manifest.pairs + len(manifest.consultations)


@pytest.mark.parametrize("facts", ["extracted", "given"])
def test_a_judge_by_facts_passes_the_sanity_check(bench: Bench, facts: str) -> None:
    given = config(judge=config().judge.model_copy(update={"facts": facts}).model_dump())
    with bench.open(given) as laboratory:
        sanity = check_sanity(laboratory.judge_for(load_seeds(given)[0]))
        roles = laboratory.calls_by_role
    assert sanity.ordered
    assert sanity.failures == 0
    assert roles.get("judge:extract", 0) == (1 if facts == "extracted" else 0)


def test_a_ladder_that_no_rung_would_move_is_refused(bench: Bench) -> None:
    given = config(judge={"kind": "two-stage", "stages": {"check": {"effort": "low"}}})
    result = bench.run(config(engine={"proposals": 1, "minibatch": 2, "stall": 9}))
    assert result.frozen is not None
    pinned = result.frozen.model_copy(update={"judge": given.judge})
    with pytest.raises(ConfigError, match="efforts of their own"):
        build_ladder(pinned, given.confirm)
    alone = given.confirm.model_copy(update={"efforts": ("none",)})
    assert len(build_ladder(pinned, alone)) == 1
