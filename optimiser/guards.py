"""What a reflection reply must be before a single judge call is spent on it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from harness.judges.envelope import MARK

BLOCK = re.compile(r"<block>(.*?)</block>", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"</?block>", re.IGNORECASE)
WORD = re.compile(r"\w+")  # of any script; an apostrophe parts words, so that its typography does not matter
# Envelope, contracts (their first words and the keys of their answers), slots, and the tags of a proposal.
KEYS = (
    "score", "verdict", "omissions", "unsupported", "issue", "consistency", "completeness", "verdicts", "facts",
    "evidence", "quote", "questions", "claims", "section",
)  # fmt: skip
CONTRACT = ("ANSWER FORMAT", "Reply with one JSON object", *(f'"{key}"' for key in KEYS))
FORBIDDEN = (MARK, *CONTRACT, "{{", "<block", "</block")


@dataclass(frozen=True, slots=True)
class Screened:
    """A usable block text, or the reason why there is none. ``copied_words`` is the longest run shared with a note."""

    text: str
    reason: str = ""
    copied_words: int = 0


@dataclass(frozen=True)
class Guard:
    """Screens replies. ``runs`` are all word runs of length ``max_copied_words`` in the notes of the search splits."""

    max_chars: int
    max_copied_words: int
    runs: frozenset[str]

    def screen(self, reply: str, seen: Collection[str]) -> Screened:
        """Return the one block of a reply, or why it is an invalid proposal; ``seen`` holds every text tried so far."""
        blocks = BLOCK.findall(reply)
        if len(blocks) != 1:
            return Screened("", f"reply holds {len(blocks)} blocks, not exactly one")
        if len(TAG.findall(reply)) != 2:
            return Screened("", "reply holds a block inside a block, or a tag without its other half")
        text = blocks[0].strip()
        copied = longest_copy(text, self.runs, self.max_copied_words)
        return Screened(text, self._refusal(text, seen, copied), copied)

    def _refusal(self, text: str, seen: Collection[str], copied: int) -> str:
        if not text:
            return "empty block"
        if len(text) > self.max_chars:
            return f"block of {len(text)} characters, over the cap of {self.max_chars}"
        if text in seen:
            return "a text that was tried before"
        found = [mark for mark in FORBIDDEN if mark.lower() in text.lower()]
        if found:
            return f"block holds envelope or contract text {found[0]!r}"
        if copied:
            return f"block copies {copied} words in a row from a note"
        return ""


def word_runs(texts: Iterable[str], length: int) -> frozenset[str]:
    """All runs of ``length`` words in the texts, lower case, punctuation ignored."""
    runs: set[str] = set()
    for text in texts:
        words = WORD.findall(text.lower())
        runs.update(" ".join(words[i : i + length]) for i in range(len(words) - length + 1))
    return frozenset(runs)


def longest_copy(text: str, runs: Collection[str], length: int) -> int:
    """Words in the longest stretch of ``text`` all of whose runs of ``length`` words occur in ``runs``; 0 if none."""
    words = WORD.findall(text.lower())
    longest = current = 0
    for i in range(len(words) - length + 1):
        current = current + 1 if " ".join(words[i : i + length]) in runs else 0
        longest = max(longest, current)
    return longest + length - 1 if longest else 0
