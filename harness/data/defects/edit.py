"""One contiguous edit of a note, and the check that the result still reads as a note."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from harness.data.sentences import Outline, outline
from harness.types import Defect


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``note[start:end]`` by ``text``."""

    start: int
    end: int
    text: str = ""

    def apply(self, note: str) -> str:
        """The edited note."""
        return note[: self.start] + self.text + note[self.end :]


@dataclass(frozen=True, slots=True)
class Option:
    """One possible defect: the flawed text, what is wrong with it, and the sentence it touches."""

    flawed: str
    defect: Defect
    sentence: int


def remove_lines(note: str, whole: Outline, first: int, last: int) -> Edit:
    """Remove the lines ``first..last`` with the headings that would stand empty and the spare blank line."""
    lines = whole.lines
    above = _next_filled(whole, first, -1)
    below = _next_filled(whole, last, +1)
    while above is not None and lines[above].kind in ("heading", "subheading") and _closes(whole, above, below):
        first = above
        above = _next_filled(whole, first, -1)
    start, end = lines[first].start, min(lines[last].end + 1, len(note))
    if below is None:
        return Edit(len(note[:start].rstrip()), len(note))
    if above is None:
        return Edit(0, lines[below].start)
    if note[:start].endswith("\n\n"):
        end = lines[below].start
    return Edit(start, end)


def flaw(clean: str, flawed: str) -> str | None:
    """Why an edited note cannot be used, as a reason that ``plant`` documents, or None."""
    if not outline(flawed).sentences:
        return "would_empty_note"
    if clean.split() == flawed.split():
        return "equal_after_edit"
    if flawed.count("\n\n\n") > clean.count("\n\n\n") or _untidiness(flawed) > _untidiness(clean):
        return "would_break_layout"
    return None


def _untidiness(note: str) -> int:
    """Headings with nothing below them, and gaps in the numbering of lines."""
    numbers = [0, *(int(line.number) for line in outline(note).lines if line.number)]
    gaps = sum(b not in (1, a + 1) for a, b in pairwise(numbers))
    return dangling(note) + gaps


def dangling(note: str) -> int:
    """How many headings have nothing below them."""
    whole = outline(note)
    marks = [i for i, line in enumerate(whole.lines) if line.kind in ("heading", "subheading")]
    return sum(_closes(whole, i, _next_filled(whole, i, +1)) for i in marks)


def _closes(whole: Outline, heading: int, below: int | None) -> bool:
    """True where ``below`` is no content of ``heading``."""
    if below is None:
        return True
    kind = whole.lines[below].kind
    return kind == "heading" or (kind == "subheading" and whole.lines[heading].kind == "subheading")


def _next_filled(whole: Outline, index: int, step: int) -> int | None:
    index += step
    while 0 <= index < len(whole.lines):
        if whole.lines[index].kind != "blank":
            return index
        index += step
    return None
