from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import BudgetExhausted, CallFailed, EndpointUnreachable, LabError
from harness.llm.client import FakeClient, Reply, Request
from optimiser.feedback import Case
from optimiser.guards import Guard
from optimiser.journal import Journal
from optimiser.reflection import Reflector, merge_prompt, mutation_prompt

LIMITS = (6000, 1200)


@dataclass
class Scripted:
    """Answers or raises, and remembers every request."""

    answer: str | LabError = "<block>Judge.</block>"
    finish: str = "stop"
    requests: list[Request] = field(default_factory=list)

    def send(self, request: Request) -> Reply:
        self.requests.append(request)
        if isinstance(self.answer, LabError):
            raise self.answer
        text = self.answer
        return FakeClient(lambda _: text, self.finish).send(request)


def reflector(folder: Path, client: Scripted, seed: int = 7) -> Reflector:
    return Reflector(client, Journal(folder / "journal.jsonl"), seed)


def test_a_reply_is_bought_once_and_read_from_the_journal_ever_after(tmp_path: Path) -> None:
    client = Scripted()
    one = reflector(tmp_path, client)
    first = one.ask(1, "prompt")
    assert one.ask(1, "prompt") == first
    one.journal.close()
    again = reflector(tmp_path, client)
    assert again.ask(1, "prompt") == first
    again.journal.close()
    assert len(client.requests) == 1


def test_iterations_are_asked_apart_even_with_equal_prompts(tmp_path: Path) -> None:
    """B19: a cache must not answer the second reflection with the first."""
    client = Scripted()
    one = reflector(tmp_path, client)
    for iteration in (1, 2, 3):
        one.ask(iteration, "the same prompt")
    one.journal.close()
    assert len({(r.replicate, r.seed) for r in client.requests}) == 3
    assert len({r.replicate for r in client.requests}) == 3


def test_a_failed_call_is_a_reason_that_stays_when_asked_again(tmp_path: Path) -> None:
    """B07: asking again on resume could turn it into another campaign."""
    failing = Scripted(CallFailed("asking", "status 429 after 5 attempts", "wait"))
    one = reflector(tmp_path, failing)
    answer = one.ask(1, "prompt")
    one.journal.close()
    assert (answer.text, answer.failure) == ("", "reflection call failed: status 429 after 5 attempts")
    assert answer.usage.calls == 1
    again = reflector(tmp_path, Scripted())
    assert again.ask(1, "prompt") == answer
    again.journal.close()


@pytest.mark.parametrize(
    "error",
    [BudgetExhausted("buying", "cap of 9", "raise it"), EndpointUnreachable("calling", "refused", "start it")],
    ids=lambda error: type(error).__name__,
)
def test_what_concerns_the_campaign_is_raised_and_leaves_no_reply(tmp_path: Path, error: LabError) -> None:
    one = reflector(tmp_path, Scripted(error))
    with pytest.raises(type(error)):
        one.ask(1, "prompt")
    assert one.journal.reply(1) is None
    one.journal.close()


def test_a_reply_cut_by_the_token_cap_is_not_read_as_a_block(tmp_path: Path) -> None:
    one = reflector(tmp_path, Scripted("<block>Judge.</block>", finish="length"))
    answer = one.ask(1, "prompt")
    one.journal.close()
    assert answer.failure == "reply cut by the token cap"
    assert answer.text


def test_half_an_emoji_in_a_reply_does_not_end_the_campaign(tmp_path: Path) -> None:
    one = reflector(tmp_path, Scripted("<block>Judge \ud83d well.</block>"))
    answer = one.ask(1, "prompt")
    one.journal.close()
    assert answer.text.encode("utf-8") == b"<block>Judge ? well.</block>"


case = Case("missed omission (complete)", (0,), (("fact", "a fall in May"), ("severity", "critical")))
hostile = st.sampled_from(["{limit}", "{0}", "{{}}", "%s", "<block>", "</block>", "===== BLOCK", "$name"])
texts = st.lists(st.one_of(hostile, st.text(max_size=10)), max_size=6).map("".join)


@given(texts, texts, st.lists(texts, max_size=4))
@settings(max_examples=100, deadline=None)
def test_block_cases_and_rejected_edits_stand_in_the_prompt_as_they_are(
    block: str, fact: str, rejected: list[str]
) -> None:
    """Nothing is formatted into: a block that holds braces or tags changes no other part of the prompt."""
    made = Case("missed", (0,), (("fact", f"x{fact}"),))
    prompt = mutation_prompt(block, [made], rejected, LIMITS)
    assert f"\n{block}\n" in prompt
    assert made.text(LIMITS[1]) in prompt
    assert all(f"- {line}\n" in prompt for line in rejected)
    assert prompt.endswith("and nothing after it.\n")
    assert "at most 6000 characters" in prompt


def test_a_merge_prompt_holds_both_blocks_and_the_cases() -> None:
    prompt = merge_prompt(("First block.", "Second block."), [case], LIMITS)
    for part in ("First block.", "Second block.", "a fall in May"):
        assert prompt.count(part) == 1


def test_without_a_case_the_prompt_says_so_instead_of_showing_nothing() -> None:
    assert "ordered every pair rightly" in mutation_prompt("Judge.", [], [], LIMITS)
    assert "ordered every pair rightly" not in mutation_prompt("Judge.", [case], [], LIMITS)


def test_the_answer_that_the_prompt_asks_for_passes_the_guard_and_the_prompt_itself_does_not() -> None:
    """B28: a reflection model that repeats what it was told must not be taken for one that answered."""
    guard = Guard(6000, 9, frozenset())
    prompt = mutation_prompt("Judge.", [case], [], LIMITS)
    assert guard.screen("<block>A new procedure.</block>", ("Judge.",)).reason == ""
    for echo in (prompt, prompt[-400:], prompt.splitlines()[-1]):
        assert guard.screen(echo, ("Judge.",)).reason
        assert guard.screen(f"{echo}\n<block>A new procedure.</block>", ("Judge.",)).reason
