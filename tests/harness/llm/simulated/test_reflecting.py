from __future__ import annotations

import re
from collections import Counter

from harness.judges.envelope import fence
from harness.llm.simulated.cues import read_cues
from harness.llm.simulated.model import answer
from harness.llm.simulated.reflecting import HARMFUL

SEED = "Judge how faithful to the transcript and how complete the note is."
CASES = (
    "kind: missed omission (complete)\nfact: penicillin allergy\nseverity: critical",
    "kind: missed commission (alteration, dose)\nfact: ramipril 5 mg\nseverity: critical",
    "kind: false alarm\nwhat the judge named: cough",
)


def reply(blocks: dict[str, str], seed: int, cases: tuple[str, ...] = CASES) -> str:
    content = "\n".join(fence(label, text) for label, text in blocks.items())
    content += "\n".join(fence(f"CASE {number}", case) for number, case in enumerate(cases, start=1))
    body = {"model": "sim-reflector", "messages": [{"role": "user", "content": content}], "seed": seed}
    return str(answer(body, {}).payload["choices"][0]["message"]["content"])


def block_of(text: str) -> str:
    found = re.findall(r"<block>(.*?)</block>", text, re.DOTALL)
    return str(found[0]).strip() if len(found) == 1 else ""


def manner(text: str) -> str:
    block = block_of(text)
    before, after = read_cues(SEED).found, read_cues(block).found
    if not block:
        return "malformed"
    if len(block) > 6000:
        return "bloated"
    if after & {"unscoped", "brevity"}:
        return "harmful"
    return "better" if after > before else "neutral"


def test_equal_prompts_and_seeds_get_equal_blocks_and_other_seeds_others() -> None:
    assert reply({"BLOCK": SEED}, 1) == reply({"BLOCK": SEED}, 1)
    assert len({reply({"BLOCK": SEED}, seed) for seed in range(20)}) > 15


def test_replies_are_better_neutral_bloated_harmful_and_malformed_in_their_shares() -> None:
    counts = Counter(manner(reply({"BLOCK": SEED}, seed)) for seed in range(600))
    wanted = {"better": 0.60, "neutral": 0.15, "bloated": 0.08, "harmful": 0.10, "malformed": 0.07}
    for name, share in wanted.items():
        assert abs(counts[name] / 600 - share) < 0.06, (name, counts)


def test_a_better_block_answers_a_class_of_failure_that_was_shown() -> None:
    only_false_alarms = (CASES[2],)
    added: set[str] = set()
    for seed in range(60):
        text = reply({"BLOCK": SEED}, seed, only_false_alarms)
        if manner(text) == "better":
            added |= read_cues(block_of(text)).found - read_cues(SEED).found
    assert added == {"compression", "quote", "severity"}


def test_a_merge_holds_what_both_parents_say() -> None:
    first, second = "List all facts. Look for what is left out.", "Give the verdict present or absent for each."
    merged = [reply({"BLOCK A": first, "BLOCK B": second}, seed) for seed in range(40)]
    both = read_cues(first).found | read_cues(second).found
    assert sum(read_cues(block_of(text)).found >= both for text in merged) > 25


def test_concepts_add_up_over_generations() -> None:
    block = SEED
    for seed in range(14):
        child = block_of(reply({"BLOCK": block}, seed))
        found = read_cues(child).found
        if len(child) < 6000 and found > read_cues(block).found and not found & HARMFUL:
            block = child
    assert read_cues(block).found >= {"omissions", "enumerate", "closed", "details"}


def test_a_harmful_sentence_of_a_parent_is_dropped_by_a_better_child() -> None:
    parent = SEED + " Reward brevity."
    children = [read_cues(block_of(reply({"BLOCK": parent}, seed))).found for seed in range(40)]
    assert sum("brevity" not in found and "omissions" in found for found in children) > 5
