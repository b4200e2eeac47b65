"""Takes a prompt apart: fenced material, instruction, answer contract, listed facts.

Only what stands outside the fences can instruct. A fence is closed by its own label and key alone,
so a marker line or an order inside the material stays material.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.llm.simulated.wire import ChatMessage

_BEGINS = re.compile(r"^===== (?P<label>[^\n]+?) (?P<key>[0-9a-f]{12}) begins =====\n", re.MULTILINE)
_CONTRACT = "\nANSWER FORMAT\n"
_TASK = re.compile(r"(?:\A|\n)TASK\n")
_FACT = re.compile(
    r"^[ \t]*[-*]?[ \t]*\"?([A-Za-z][A-Za-z_-]{0,12}\d{1,4}|\d{1,3})\"?[ \t]*[:.)][ \t]+(\S.*)$", re.MULTILINE
)
LISTS = ("FACT", "CLAIM", "QUESTION")
_TURN = re.compile(r"^\s*(?:doctor|patient|clinician|nurse)\s*:.*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Material:
    """A prompt in parts. ``fenced`` are (label, text) in order; ``facts`` are (id, text)."""

    fenced: tuple[tuple[str, str], ...]
    instruction: str
    contract: str
    facts: tuple[tuple[str, str], ...]

    def labelled(self, start: str) -> tuple[str, ...]:
        """The fenced texts whose label starts so."""
        return tuple(text for label, text in self.fenced if label.startswith(start))

    def holds(self, start: str) -> bool:
        """Whether a fenced part has a label that starts so."""
        return any(label.startswith(start) for label, _ in self.fenced)

    @property
    def single(self) -> bool:
        """Whether there is one fact to look up, in a fence of its own."""
        return any(label == "FACT" for label, _ in self.fenced)

    @property
    def items(self) -> Mapping[str, str]:
        """Id -> text of the listed items: those of the fenced lists, else whatever looks like a list.

        A single item that stands in a fence without an id goes under the label in small letters.
        """
        found: dict[str, str] = {}
        for label, text in self.fenced:
            if label.startswith(LISTS):
                found.update(_FACT.findall(text) or {label.lower(): " ".join(text.split())}.items())
        return found or dict(self.facts)

    @property
    def transcript(self) -> str:
        """The fenced transcript, or the turns found in the prompt where nothing is fenced."""
        found = self.labelled("TRANSCRIPT")
        return found[0] if found else "\n".join(_TURN.findall(self.instruction))

    @property
    def note(self) -> str:
        """The fenced note; empty where there is none."""
        found = self.labelled("NOTE")
        return found[0] if found else ""


def read_material(messages: Sequence[ChatMessage]) -> Material:
    """Take the messages of one request apart."""
    return _take_apart("\n\n".join(message.text for message in messages))


@lru_cache(maxsize=256)
def _take_apart(prompt: str) -> Material:
    fenced: list[tuple[str, str]] = []
    outside: list[str] = []
    at = 0
    while match := _BEGINS.search(prompt, at):
        closing = f"\n===== {match['label']} {match['key']} ends ====="
        end = prompt.find(closing, match.end() - 1)
        if end < 0:
            break
        fenced.append((match["label"], prompt[match.end() : end]))
        outside.append(prompt[at : match.start()])
        at = end + len(closing)
    rest = "".join([*outside, prompt[at:]])
    before, found, contract = rest.rpartition(_CONTRACT)
    instruction = before if found else rest
    task = _TASK.search(instruction)
    if task:
        instruction = instruction[task.end() :]
    listed = [text for label, text in fenced if not label.startswith(("TRANSCRIPT", "NOTE"))]
    facts = dict(pair for text in (*listed, rest) for pair in _FACT.findall(text))
    return Material(tuple(fenced), instruction.strip(), contract, tuple(facts.items()))
