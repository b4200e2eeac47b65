"""Noise that a request determines: a part that every sample shares, and a part of each sample's own."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from harness.llm.simulated.wire import ChatBody
from harness.types import digest

OWN = 0.45  # of the spread at temperature 1 that differs between samples; the rest is one model's habit


@dataclass(frozen=True, slots=True)
class Noise:
    """Two seeded streams; ``own`` in [0, 1] is the share of the second in the mixture."""

    habit: random.Random
    sample: random.Random
    own: float

    def gauss(self) -> float:
        """A draw with unit spread at temperature 1, less at lower temperatures."""
        kept: float = (1 - OWN**2) ** 0.5
        return kept * self.habit.gauss(0, 1) + self.own * self.sample.gauss(0, 1)

    def happens(self, probability: float) -> bool:
        """True with the given probability; what an undecided draw would be is shared by most samples."""
        shared, single = self.habit.random(), self.sample.random()
        return (single if self.own and single < self.own * OWN else shared) < probability


def request_digest(body: ChatBody) -> str:
    """Identifies what is asked: everything but seed, number, token cap and logprobs."""
    asked = body.model_dump(mode="json", by_alias=True, exclude=set(_ASIDE), exclude_none=True)
    return digest(asked)


def noise_of(identity: str, seed: int | None, index: int, temperature: float | None) -> Noise:
    """The noise of one sample of a request. No seed counts as seed 0: equal requests get equal replies."""
    own = OWN * min(1.0 if temperature is None else temperature, 2.0)
    return Noise(stream(identity), stream(f"{identity}/{seed or 0}/{index}"), own)


def stream(key: str) -> random.Random:
    """A generator seeded by the digest of a text."""
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


_ASIDE = [
    "seed", "n", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "user", "store", "metadata", "stream",
]  # fmt: skip
