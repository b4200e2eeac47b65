"""Noise that a request determines, in three parts of one unit spread.

``trait``: a lasting reading of one statement of one transcript under one instruction, so it is the
same in all notes of a consultation and says nothing about the next one. ``habit``: what all samples
of a request share. ``sample``: what differs between the samples and seeds of one request; it
shrinks with the temperature and is gone at 0.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from dataclasses import dataclass
from statistics import NormalDist

from harness.llm.simulated.wire import ChatBody
from harness.types import digest

TRAIT, HABIT, SAMPLE = 0.994, 0.06, 0.09  # their squares sum to one
OWN = 0.55  # of the spread of an overall impression at temperature 1 that is a sample's own
_LEVELS = 4096
_NORMAL = NormalDist()
_GAUSS = tuple(_NORMAL.inv_cdf((level + 0.5) / _LEVELS) for level in range(_LEVELS))


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of one sample. ``key`` makes the traits, ``heat`` in [0, 2] is the temperature."""

    key: int
    habit: random.Random
    sample: random.Random
    heat: float

    def about(self, text: str, salt: int = 0) -> float:
        """A draw of about unit spread on one statement."""
        trait = _GAUSS[_mixed(zlib.crc32(text.encode()) ^ self.key, salt) % _LEVELS]
        return TRAIT * trait + HABIT * self.habit.gauss(0, 1) + SAMPLE * self.heat * self.sample.gauss(0, 1)

    def impression(self) -> float:
        """A draw of about unit spread on the note as a whole."""
        kept: float = (1 - OWN**2) ** 0.5
        return kept * self.habit.gauss(0, 1) + OWN * self.heat * self.sample.gauss(0, 1)


def cut_for(probability: float) -> float:
    """The value that a unit draw stays below with this probability, in (0, 1).

    >>> cut_for(0.5)
    0.0
    """
    return _NORMAL.inv_cdf(min(0.999, max(0.001, probability)))


def request_digest(body: ChatBody) -> str:
    """Identifies what is asked: everything but seed, number, token cap and logprobs."""
    asked = body.model_dump(mode="json", by_alias=True, exclude=set(_ASIDE), exclude_none=True)
    return digest(asked)


def noise_of(identity: str, lasting: str, sample: tuple[int | None, int], temperature: float | None) -> Noise:
    """The noise of one sample (seed, index) of a request; ``lasting`` is what its traits depend on.

    No seed counts as seed 0, so equal requests get equal replies.
    """
    seed, index = sample
    heat = 1.0 if temperature is None else temperature
    return Noise(zlib.crc32(lasting.encode()), stream(identity), stream(f"{identity}/{seed or 0}/{index}"), heat)


def _mixed(key: int, salt: int) -> int:
    """Scatter a checksum: checksums of like texts are alike in their bits."""
    key = (key + salt * 0x9E3779B1) * 0x85EBCA6B & 0xFFFFFFFF
    key = (key ^ key >> 15) * 0xC2B2AE35 & 0xFFFFFFFF
    return key ^ key >> 16


def stream(key: str) -> random.Random:
    """A generator seeded by the digest of a text."""
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


_ASIDE = [
    "seed", "n", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "user", "store", "metadata",
    "stream",
]  # fmt: skip
