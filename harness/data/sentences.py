"""Cut a note into lines, headings and sentences, each with its place in the text.

A line is cut at ``.``, ``?`` or ``!`` before a capital or a digit, after its bullet, number and label
are set apart. Headings are known by their words, by standing alone in capitals, or by a list below
them. A label such as ``PMH:`` or ``Cardiovascular:`` belongs to its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from harness.data.words import content_words

Section = Literal[
    "history", "past", "drugs", "allergy", "family", "social", "exam", "results", "assessment", "plan", "concerns"
]
LineKind = Literal["blank", "heading", "subheading", "text"]

_SECTIONS: tuple[tuple[Section, str], ...] = (
    ("assessment", r"(imp|impression|assessment|dx|ddx|diagnos[ie]s|medical reasoning|problems?)\b(?! and plan)"),
    (
        "plan",
        r"(plan|instructions?|follow|fu\b|rx\b|mx\b|management|safety|treatment|assessment and plan|"
        r"medical treatment|additional testing|patient education|patient agreements|orders?\b|specialist)",
    ),
    ("drugs", r"(dhx?\b|medications?\b|current medications?|meds?\b|drugs?\b)"),
    ("allergy", r"(allerg|nkda)"),
    ("family", r"(fm?hx?\b|family)"),
    ("social", r"(shx?\b|social|occ\b|occupation)"),
    ("past", r"(pmhx?\b|psh\b|pmsh\b|past|medical history|surgical|background)"),
    ("exam", r"(ex\b|o/?e\b|exam|physical|vitals?|observations|msk\b)"),
    ("results", r"(results?|labs?\b|imaging|investigations?)"),
    ("concerns", r"ice\b"),
    (
        "history",
        r"(pc\b|cc\b|hpc\b|hpi\b|hx\b|chief|history|presenting|interval|subjective|review of systems|ros\b|se\b)",
    ),
)
_MATCHERS = tuple((section, re.compile(pattern, re.IGNORECASE)) for section, pattern in _SECTIONS)
_BULLET = re.compile(r"\s*(?:[•*–-]\s*|\(?(?P<number>\d{1,2})[.)]\s+)?")
_LABEL = re.compile(r"(?P<label>[A-Za-z][A-Za-z/&,()' -]{0,44}?)\s?(?::|\s-\s|-\s)[ \t]*(?=\S)")
_CUT = re.compile(r"(?<=[.?!])[ \t]+(?=[A-Z0-9“\"(?])")
_ABBREVIATED = re.compile(r"\b(?:dr|mr|mrs|ms|st|vs|e\.g|i\.e|no|approx|occ|prev|[A-Z])\.$", re.IGNORECASE)
_BARE = re.compile(
    r"(?:pmhx?|psh|dhx?|shx?|fhx?|fmhx?|hpc|imp|ddx|plan|past medical history|medications?|allergies)\b", re.IGNORECASE
)
_VALUE = re.compile(r"[\d,:]|\b(?:nkda|nad)\b", re.IGNORECASE)
_HEADING_WORDS = 7


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``text[start:end]`` without its line end."""

    kind: LineKind
    start: int
    end: int
    section: Section
    number: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``text`` is ``note[start:end]``; ``line`` is its line's index; ``label`` stands before it."""

    text: str
    start: int
    end: int
    line: int
    section: Section
    label: str
    alone: bool

    @property
    def stated(self) -> str:
        """The sentence, with its label where it says little without: ``Blood Pressure: 118/77``."""
        measured = self.text[:1].isdigit() and not _section(self.label)
        needed = measured or len(content_words(self.text)) < 2
        return f"{self.label}: {self.text}" if self.label and self.alone and needed else self.text


@dataclass(frozen=True, slots=True)
class Outline:
    """A note's lines and sentences."""

    lines: tuple[Line, ...]
    sentences: tuple[Sentence, ...]

    @property
    def telegraphic(self) -> bool:
        """True where half of the sentences have at most six words."""
        lengths = sorted(len(s.text.split()) for s in self.sentences)
        return bool(lengths) and lengths[len(lengths) // 2] <= 6


@lru_cache(maxsize=4096)
def outline(note: str) -> Outline:
    """Cut a note into lines and sentences; every sentence satisfies ``note[s.start:s.end] == s.text``."""
    raw = note.split("\n")
    lines: list[Line] = []
    sentences: list[Sentence] = []
    section: Section = "history"
    start = 0
    for index, (line, following) in enumerate(zip(raw, _following(raw), strict=True)):
        kind = _kind(line, following)
        opened = _section(line) if kind == "heading" else None
        if kind == "text":
            opened = _opened(line)
        section = opened or section
        match = _BULLET.match(line)
        number = (match["number"] or "") if match else ""
        lines.append(Line(kind, start, start + len(line), section, number))
        if kind == "text":
            label, spans = _spans(line)
            own = (_section(label) if label else None) or section
            alone = len(spans) == 1
            sentences += [Sentence(line[a:b], start + a, start + b, index, own, label, alone) for a, b in spans]
        start += len(line) + 1
    return Outline(tuple(lines), tuple(sentences))


def tidy(note: str) -> str:
    """A note with LF line ends, no trailing blanks, no outer blank lines and at most one blank line in a row."""
    lines = [line.rstrip() for line in note.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


@lru_cache(maxsize=20_000)
def _kind(line: str, following: str) -> LineKind:
    bare = line.strip()
    if not bare:
        return "blank"
    introduces = bare.endswith(":") and bool(following) and bare[0] not in "•*-"
    if len(bare.split()) > _HEADING_WORDS or not any(c.isalpha() for c in bare):
        return "subheading" if introduces else "text"
    name = bare.rstrip(" :;-")
    if _VALUE.search(name) or bare.endswith(".") or bare[0] in "•*-":
        named = False
    elif _section(bare):
        named = _names_only(name)
    else:
        named = name.isupper() and len(name) >= 4 and len(name.split()) <= 3
    if named:
        return "heading"
    listed = bool(re.match(r"\s*[•*-]", following)) and not re.match(r"[•*-]", bare)
    if introduces or (listed and ":" not in bare[:-1] and " - " not in bare):
        return "subheading"
    return "text"


def _names_only(name: str) -> bool:
    """True where a line is a section's name and says nothing more."""
    section = next((m.match(name) for _, m in _MATCHERS if m.match(name)), None)
    if section is None:
        return False
    rest = name[section.end() :].strip(" :-/&s").lower()
    return not rest or name.isupper() or rest in {"history", "of present illness", "complaint", "on", "up", "and plan"}


@lru_cache(maxsize=20_000)
def _section(line: str) -> Section | None:
    name = line.strip(" \t•*-")
    return next((section for section, matcher in _MATCHERS if matcher.match(name)), None)


@lru_cache(maxsize=20_000)
def _opened(line: str) -> Section | None:
    """The section that an inline label such as ``PMH:``, or a bare ``PMH`` before text, opens."""
    body = line[_prefix(line) :]
    bare = _BARE.match(body)
    if bare:
        return _section(bare.group())
    match = _LABEL.match(body)
    return _section(match["label"]) if match and _names_only(match["label"].strip()) else None


def _prefix(line: str) -> int:
    match = _BULLET.match(line)
    return match.end() if match else 0


@lru_cache(maxsize=20_000)
def _spans(line: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A line's label and the places of its sentences."""
    begin = _prefix(line)
    label = ""
    match = _LABEL.match(line, begin)
    if match and (line[match.start() : match.end()].rstrip().endswith(":") or _section(match["label"])):
        label, begin = match["label"].strip(), match.end()
    spans: list[tuple[int, int]] = []
    for cut in [*_CUT.finditer(line, begin), None]:
        end = cut.start() if cut else len(line.rstrip())
        if cut and _ABBREVIATED.search(line[begin:end]):
            continue
        if line[begin:end].strip():
            spans.append((begin, end))
        begin = cut.end() if cut else begin
    return label, tuple(spans)


def _following(lines: list[str]) -> list[str]:
    """For every line the next one that is not blank."""
    found, last = [], ""
    for line in reversed(lines):
        found.append(last)
        last = line if line.strip() else last
    return found[::-1]
