"""The simulated reflector: current block and failures -> a new block, usually better, sometimes not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from harness.llm.simulated.cues import Concept, read_cues
from harness.llm.simulated.phrases import OPENINGS, ORDER, PADDING, PHRASES
from harness.llm.simulated.reading import Material

SHARES = (("better", 0.60), ("neutral", 0.15), ("bloated", 0.08), ("harmful", 0.10), ("malformed", 0.07))
HARMFUL: frozenset[Concept] = frozenset({"unscoped", "brevity"})
NEEDED: tuple[tuple[str, tuple[Concept, ...]], ...] = (
    ("missed omission", ("omissions", "enumerate", "closed")),
    ("(fragment", ("details", "severity")),
    ("(restated", ("details", "severity")),
    ("missed commission", ("support", "details")),
    ("false alarm", ("compression", "quote", "severity")),
)
TIDYING: tuple[Concept, ...] = ("severity", "compression", "quote")
_KIND = re.compile(r"^kind:\s*(.+)$", re.MULTILINE)
_BLOATED = 6200


def write_reflection(material: Material, rng: random.Random) -> str:
    """The reply to a reflection prompt."""
    blocks = material.labelled("BLOCK")
    concepts: set[Concept] = set()
    for block in blocks:
        concepts |= read_cues(block).found
    manner = rng.choices([name for name, _ in SHARES], [share for _, share in SHARES])[0]
    kinds = [kind for case in material.labelled("CASE") for kind in _KIND.findall(case)]
    if manner == "better":
        text = _compose((concepts - HARMFUL) | set(_added(concepts, kinds, rng)), rng)
    elif manner == "harmful":
        text = _compose(_harmed(concepts, rng), rng)
    else:
        text = _compose(concepts, rng)
    if manner == "bloated":
        text = _pad(text, rng)
    if manner == "malformed":
        return _malformed(text, rng)
    return f"{_remark(kinds)}\n<block>\n{text}\n</block>"


def _added(concepts: set[Concept], kinds: Iterable[str], rng: random.Random) -> list[Concept]:
    """One to four concepts that the shown failures call for and the block lacks: an edit or a whole procedure."""
    wanted = [c for kind in kinds for mark, called in NEEDED if mark in kind for c in called]
    open_ones = [c for c in dict.fromkeys(wanted) if c not in concepts]
    if not open_ones:
        open_ones = [c for c in TIDYING if c not in concepts]
    count = min(len(open_ones), rng.choices((1, 2, 3, 4), (0.25, 0.25, 0.25, 0.25))[0])
    weights = [wanted.count(c) + 1 for c in open_ones]
    chosen: list[Concept] = []
    while len(chosen) < count:
        pick = rng.choices(open_ones, weights)[0]
        if pick not in chosen:
            chosen.append(pick)
    return chosen


def _harmed(concepts: set[Concept], rng: random.Random) -> set[Concept]:
    if rng.random() < 0.5:
        return (concepts - {"omissions", "whole", "enumerate", "closed"}) | {"unscoped"}
    return (concepts - {"details", "severity"}) | {"brevity"}


def _compose(concepts: Iterable[Concept], rng: random.Random) -> str:
    held = set(concepts)
    sentences = [rng.choice(OPENINGS), *(rng.choice(PHRASES[c]) for c in ORDER if c in held)]
    if rng.random() < 0.5:
        return " ".join(sentences)
    steps = [f"{number}. {sentence}" for number, sentence in enumerate(sentences[1:], start=1)]
    return "\n".join([sentences[0], *steps])


def _pad(text: str, rng: random.Random) -> str:
    while len(text) <= _BLOATED:
        text += " " + rng.choice(PADDING)
    return text


def _malformed(text: str, rng: random.Random) -> str:
    form = rng.choice(("bare", "two", "empty"))
    if form == "bare":
        return text
    if form == "two":
        return f"<block>\n{text}\n</block>\nor\n<block>\n{text}\n</block>"
    return "<block>\n</block>"


def _remark(kinds: list[str]) -> str:
    return f"The {len(kinds)} cases were read; the block below answers them." if kinds else "A clearer block follows."
