"""How much of what is sent a provider's prompt cache could serve: the part that begins an earlier prompt as well.

Tokens are characters / 4. A cache serves whole blocks of a prefix: 128 tokens once 1,024 are shared (the published
rule of OpenAI-style endpoints), or 16 without a least length (vLLM's default). Nothing is ever forgotten here, as a
cache would after minutes; a prompt counts as known once its reply is there.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from harness.llm.client import Client, Reply, Request

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Rule:
    """What a prefix cache serves, in tokens: whole blocks, and nothing below a least shared length."""

    block: int
    least: int = 0

    def served(self, shared: int) -> int:
        """Tokens served of a shared prefix of so many characters.

        >>> Rule(128, 1024).served(4 * 1100), Rule(128, 1024).served(4 * 1000), Rule(16).served(4 * 1000)
        (1024, 0, 992)
        """
        tokens = shared // CHARS_PER_TOKEN
        return 0 if tokens < self.least else tokens // self.block * self.block


HOSTED = Rule(128, 1024)
LOCAL = Rule(16)


class Prefixes(Protocol):
    """A memory of prompts."""

    def shared(self, text: str) -> int:
        """Characters of the longest known prefix of ``text``, as far as this memory can tell."""

    def add(self, text: str) -> None:
        """Remember a prompt."""


class HashedPrefixes:
    """Remembers prefixes by digests at every ``block`` tokens: 8 bytes for each distinct one, whatever was sent."""

    def __init__(self, block: int) -> None:
        self._chars = block * CHARS_PER_TOKEN
        self._known: set[bytes] = set()

    def shared(self, text: str) -> int:
        """A multiple of the block length."""
        length = 0
        for end, key in self._keys(text):
            if key not in self._known:
                break
            length = end
        return length

    def add(self, text: str) -> None:
        """Remember every prefix of whole blocks."""
        self._known.update(key for _, key in self._keys(text))

    def _keys(self, text: str) -> list[tuple[int, bytes]]:
        running, found = hashlib.blake2b(digest_size=8), []
        for start in range(0, len(text) - self._chars + 1, self._chars):
            running.update(text[start : start + self._chars].encode("utf-8", "surrogatepass"))
            found.append((start + self._chars, running.copy().digest()))
        return found


@dataclass(frozen=True, slots=True)
class Shares:
    """Prompt tokens of some calls and how many of them a cache would serve."""

    calls: int = 0
    tokens: int = 0
    served: int = 0

    def __add__(self, other: Shares) -> Shares:
        return Shares(self.calls + other.calls, self.tokens + other.tokens, self.served + other.served)

    def __sub__(self, other: Shares) -> Shares:
        return Shares(self.calls - other.calls, self.tokens - other.tokens, self.served - other.served)

    @property
    def share(self) -> float | None:
        """Served tokens / prompt tokens, in [0, 1], higher = cheaper; None without any token."""
        return self.served / self.tokens if self.tokens else None


@dataclass(frozen=True)
class PrefixMeter:
    """Counts for every role what a cache under ``rule`` would serve, each endpoint with a cache of its own."""

    rule: Rule = HOSTED
    counted: dict[str, Shares] = field(default_factory=dict)
    _caches: dict[str, Prefixes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def around(self, inner: Client, endpoint: str, role: str) -> Client:
        """The client with its calls counted under ``role``; clients of one ``endpoint`` share a cache."""
        cache = self._caches.setdefault(endpoint, HashedPrefixes(self.rule.block))
        return _Metered(inner, self, cache, role)

    def of(self, role: str) -> Shares:
        """What was counted under a role so far."""
        with self._lock:
            return self.counted.get(role, Shares())

    def look(self, cache: Prefixes, text: str, role: str) -> None:
        """Count one prompt that is about to be sent."""
        with self._lock:
            served = self.rule.served(cache.shared(text))
            found = Shares(1, len(text) // CHARS_PER_TOKEN, served)
            self.counted[role] = self.counted.get(role, Shares()) + found

    def learn(self, cache: Prefixes, text: str) -> None:
        """Remember a prompt that was answered."""
        with self._lock:
            cache.add(text)


@dataclass(frozen=True, slots=True)
class _Metered:
    inner: Client
    meter: PrefixMeter
    cache: Prefixes
    role: str

    def send(self, request: Request) -> Reply:
        text = prompt_text(request)
        role = f"{self.role}:{request.stage}" if request.stage else self.role
        self.meter.look(self.cache, text, role)
        reply = self.inner.send(request)
        self.meter.learn(self.cache, text)
        return reply


def prompt_text(request: Request) -> str:
    """The prompt as one text: roles and contents in order."""
    return "".join(f"<{message.role}>{message.content}" for message in request.messages)


def shares_of(counted: Mapping[str, Shares], start: str) -> Shares:
    """The sum over all roles that begin so."""
    return sum((shares for role, shares in counted.items() if role.startswith(start)), Shares())
