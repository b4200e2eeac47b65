"""Compose a clean note in one of several styles, and apply one edit to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.data.synthetic.case import GENERAL, Case, Item
from harness.data.synthetic.content.headings import LETTER_CLOSINGS, LETTER_OPENINGS, SECOND_MENTIONS, Layout
from harness.data.synthetic.wording import expand, pick, sentence, shorten, spoken, whole, written

AGAIN = "/again"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a note and the item that it states; ``key`` is "" for a courtesy."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """Sentences under one heading ("" = none)."""

    heading: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A note as blocks of sentences."""

    layout: Layout
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The note as it reads; a block without sentences leaves nothing behind."""
        return self.layout.gap.join(self._block(block) for block in self.blocks if block.lines)

    def _block(self, block: Block) -> str:
        body = self.layout.join.join(self.layout.bullet + line.text for line in block.lines)
        return f"{block.heading}{self.layout.after_heading}{body}" if block.heading else body

    def line(self, key: str) -> str:
        """The sentence with this key; KeyError where there is none."""
        return {line.key: line.text for block in self.blocks for line in block.lines}[key]

    def edited(self, key: str, lines: tuple[str, ...]) -> Draft:
        """The draft with the keyed sentence replaced by any number of sentences."""
        blocks = []
        for block in self.blocks:
            kept: list[Line] = []
            for line in block.lines:
                kept += [Line(key, text) for text in lines] if line.key == key else [line]
            blocks.append(replace(block, lines=tuple(kept)))
        return Draft(self.layout, tuple(blocks))


def wording(item: Item, layout: Layout) -> str:
    """The item's note wording in this style, slots still open."""
    return item.full if layout.full else item.terse


def polish(text: str, layout: Layout) -> str:
    """A filled wording as a sentence of this style."""
    return sentence(shorten(text) if layout.short else text)


def state(item: Item, layout: Layout) -> str:
    """The sentence that states the item in this style."""
    return polish(whole(written(wording(item, layout), item.values)), layout)


def draft_note(case: Case, layout: Layout, repeated: tuple[Item, ...], rng: np.random.Generator) -> Draft:
    """Compose the clean note; the ``repeated`` items are mentioned a second time, in the assessment or plan."""
    blocks: list[Block] = []
    for part in layout.parts:
        here = [item for item in case.items if item.point.section in part.sections]
        groups = [[item for item in here if item.group == g] for g in _groups(case)] if part.by_group else [here]
        heading = pick(part.headings, rng)
        for group in groups:
            lines = [Line(item.id, state(item, layout)) for item in group]
            if part.repeats:
                lines += [_again(item, layout, rng) for item in repeated]
            if lines:
                blocks.append(Block(heading, tuple(lines)))
                heading = ""
    if layout.full:
        blocks = [_courtesy(LETTER_OPENINGS, case, rng), *blocks, _courtesy(LETTER_CLOSINGS, case, rng)]
    return Draft(layout, tuple(blocks))


def _groups(case: Case) -> list[str]:
    return [problem.id for problem in case.problems] + [GENERAL]


def _again(item: Item, layout: Layout, rng: np.random.Generator) -> Line:
    return Line(item.id + AGAIN, polish(pick(SECOND_MENTIONS, rng) + item.text, layout))


def _courtesy(options: tuple[str, ...], case: Case, rng: np.random.Generator) -> Block:
    text = spoken(expand(pick(options, rng), rng), case.patient.names)
    return Block("", (Line("", text),))
