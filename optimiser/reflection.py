"""Asks the reflection model for a new block, and writes down what it answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import CallFailed
from harness.judges.envelope import fence
from harness.llm.client import Client, Message, Request
from harness.outcomes import Usage
from optimiser.briefing import ONLY, SYSTEM, Subject
from optimiser.feedback import Case
from optimiser.journal import Journal

RULES = """Write the new block.
- Keep what works; change what the failures below call for: procedure before wording.
- General rules only: never mention these cases, names, numbers or phrases from them, and never quote a note.
- Say nothing about the answer format.
- Plain prose or a short numbered procedure, at most {limit} characters.
End the answer with </block> and put <block> before the new block: the whole block, once, and nothing after it.
"""  # The tags stand in this order so that a reply which repeats the sentence holds no block.


@dataclass(frozen=True)
class Answer:
    """A reflection reply; ``failure`` says why there is none."""

    text: str
    failure: str
    usage: Usage


@dataclass(frozen=True)
class Reflector:
    """A client with the journal that makes its answers repeatable; ``system`` says what kind of judge it improves."""

    client: Client
    journal: Journal
    seed: int
    system: str = SYSTEM

    def ask(self, iteration: int, prompt: str) -> Answer:
        """The reply for this iteration: from the journal if there, else bought and recorded."""
        known = self.journal.reply(iteration)
        if known is None:
            known = self._buy(iteration, prompt)
            self.journal.keep_reply(iteration, known)
        return Answer(known["text"], known["failure"], Usage(**known["usage"]))

    def _buy(self, iteration: int, prompt: str) -> dict[str, Any]:
        messages = (Message("system", self.system), Message("user", prompt))
        request = Request(messages=messages, replicate=iteration, seed=self.seed * 1000 + iteration)
        usage, text, failure = Usage(calls=1), "", ""
        try:
            reply = self.client.send(request)
            # Half of an emoji, which a token cap can leave, could not be written to the ledger.
            usage, text = reply.usage, reply.text.encode("utf-8", "replace").decode()
            failure = "reply cut by the token cap" if reply.truncated else ""
        except CallFailed as error:
            failure = f"reflection call failed: {error.found}"
        # What a call took in seconds, or whether a cache served it, is not part of the campaign's history.
        kept = {"calls": 1, "prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        return {"text": text, "failure": failure, "usage": kept | {"cost": usage.cost}}


def mutation_prompt(
    block: str,
    cases: Sequence[Case],
    rejected: Sequence[str],
    limits: tuple[int, int],
    subject: Subject = ONLY,
) -> str:
    """The prompt for a rewrite of one block. ``limits``: (characters of a block, characters of a case)."""
    named = f" {subject.name!r}" if subject.name else ""
    head = f"The judge's current block{named}:\n" + fence("BLOCK", block) + _others(subject)
    return head + "\n" + _cases(cases, limits[1]) + _rejected(rejected) + "\n" + RULES.format(limit=limits[0])


def merge_prompt(
    blocks: tuple[str, str], cases: Sequence[Case], limits: tuple[int, int], subject: Subject = ONLY
) -> str:
    """The prompt for a crossover of two blocks that lead on different consultations."""
    named = f" {subject.name!r}" if subject.name else ""
    head = (
        f"Two blocks{named} lead on different consultations. Combine what makes each of them work into one.\n"
        + fence("BLOCK A", blocks[0])
        + "\n"
        + fence("BLOCK B", blocks[1])
        + _others(subject)
    )
    return head + "\n" + _cases(cases, limits[1]) + "\n" + RULES.format(limit=limits[0])


def _others(subject: Subject) -> str:
    if not subject.others:
        return ""
    parts = [fence(f"OTHER BLOCK {name}", text) for name, text in subject.others]
    return "\nBlocks of its other steps, which stay as they are this time:\n" + "\n".join(parts)


def _cases(cases: Sequence[Case], width: int) -> str:
    if not cases:
        return "On this batch the judge ordered every pair rightly. Make the block clearer or shorter.\n"
    parts = [fence(f"CASE {number}", case.text(width)) for number, case in enumerate(cases, start=1)]
    return "What the judge got wrong, one case each:\n" + "\n".join(parts)


def _rejected(rejected: Sequence[str]) -> str:
    if not rejected:
        return ""
    return "\nRecent edits that did not help:\n" + "".join(f"- {line}\n" for line in rejected)
