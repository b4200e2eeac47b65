"""A report as a value: labelled sections of paragraphs, tables, figures and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.report.tables import Table, markdown_table


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain prose."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture; ``alt`` says in words what it shows."""

    caption: str
    png: bytes
    alt: str

    @property
    def name(self) -> str:
        """The caption as a file name without ending.

        >>> Figure("Length, against score", b"", "").name
        'length-against-score'
        """
        return "-".join(re.findall(r"[a-z0-9]+", self.caption.lower()))


@dataclass(frozen=True, slots=True)
class Code:
    """A text shown as it is, e.g. a unified diff."""

    caption: str
    text: str
    language: Literal["diff", "text"] = "text"


Part = Paragraph | Table | Figure | Code


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """What a reader must know before any number; ``danger`` is the louder of the two."""

    name: str
    meaning: str
    kind: Literal["danger", "caution"]


@dataclass(frozen=True, slots=True)
class Document:
    """One report. ``facts`` are (name, value) lines at its top."""

    title: str
    labels: tuple[Label, ...]
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def render_markdown(document: Document) -> str:
    """The report as Markdown; of a figure only its caption and description remain."""
    blocks = [f"# {document.title}"]
    blocks += [f"> **{label.name}** {label.meaning}" for label in document.labels]
    blocks.append("\n".join(f"- {name}: {value}" for name, value in document.facts))
    for section in document.sections:
        blocks.append(f"## {section.title}")
        for part in section.parts:
            blocks += _markdown(part)
    return "\n\n".join(blocks) + "\n"


def _markdown(part: Part) -> Iterator[str]:
    if isinstance(part, Paragraph):
        yield part.text
    elif isinstance(part, Table):
        yield markdown_table(part)
    elif isinstance(part, Figure):
        yield f"*Figure: {part.caption}. {part.alt}*"
    else:
        # A fence longer than any run of backticks inside cannot be closed by the text.
        fence = "`" * max(3, 1 + max((len(run) for run in _backticks(part.text)), default=0))
        yield f"**{part.caption}**"
        yield f"{fence}{part.language}\n{part.text}\n{fence}"


def _backticks(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if run]
