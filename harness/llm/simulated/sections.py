"""Where things belong and where they stand: the section of what was said, and of each sentence of a note.

A note's headings and labels decide; where it has none, a paragraph belongs where most of its
sentences do by their words, and a note in one piece is taken sentence by sentence. A sentence that
sums up ("in summary", "of note") belongs to the assessment under whichever heading it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Literal, get_args

from harness.data.sentences import Sentence, outline
from harness.llm.simulated.statements import Statement

Section = Literal["complaint", "history", "medication", "findings", "assessment", "plan"]
SECTIONS: tuple[Section, ...] = get_args(Section)
STORY: frozenset[Section] = frozenset({"complaint", "history", "medication"})
Cue = tuple[Section, re.Pattern[str]]


def _cues(*rows: tuple[Section, str]) -> tuple[Cue, ...]:
    return tuple((section, re.compile(pattern, re.IGNORECASE)) for section, pattern in rows)


_SUMS_UP = re.compile(
    r"\W*(?:in summary|to summari[sz]e|in short|in brief|noted$|noted:|key point|of note|to recap|overall)",
    re.IGNORECASE,
)
_RECAP = re.compile(
    r"\b(?:recap|go over that|all in all|to sum up|to summari[sz]e|you came with|you(?:'ve)? told me|also said|"
    r"(?:got|have) this right)\b",
    re.IGNORECASE,
)
_BY_DOCTOR = _cues(
    (
        "plan",
        r"\b(?:i'?ll (?:give|do|sort|put|ask|send|arrange|book|write|start|refer|get)|prescri\w+|i'd like|i want you|"
        r"refer\w*|review\w*|see you again|urgent\w*|999|check on you|come (?:back|straight)|follow[- ]up|"
        r"arrange\w*|book\w*|order\w*|"
        r"keep (?:the|your|it|away|up)|avoid|stay (?:off|away)|stop (?:the|taking|your)|carry on|continue|"
        r"try to|make sure|"
        r"start (?:you|on|the|a)|(?:take|have) (?:it|them|this|one|two)|every day|"
        r"let's (?:review|check|get|do|start|try|stop)|things again)\b",
    ),
    (
        "assessment",
        r"\b(?:my (?:feeling|impression|thinking|view)|to my mind|dealing with|diagnos\w+|looks like|sounds like|"
        r"i think|"
        r"most likely|probabl[ey]|possibl[ey]|suspect\w*|consistent with|points? to|working on)\b",
    ),
)
_BY_PATIENT = _cues(
    (
        "medication",
        r"\b(?:\d+ ?(?:mg|mcg|micrograms?|ml|units?|puffs?)|allerg\w*|tablets?|medication|medicines?|prescriptions?)\b",
    ),
    (
        "history",
        r"\b(?:operations?|illnesses|surgery|taken out|years (?:ago|back)|when i was|smok\w*|cigarettes?|alcohol|drink|"
        r"living|job|work as|retired|live[sd]? (?:with|alone)|at home|mother|father|mum|dad|aunt|uncle|brother|sister|"
        r"nephew|niece|cousin|grand\w+|family|diagnosed|pets?|travel\w*|abroad)\b",
    ),
)
_WRITTEN = _cues(
    (
        "plan",
        r"\b(?:commence\w*|start(?:ed)?|prescribed|refer\w*|review(?:ed)? (?:in|by)|recall|seek|safety[- ]net|"
        r"told to|knows to|advised?|should|"
        r"is to|are to|will be|repeat|continue|issued|requested|arranged?|booked?|follow[- ]up|urgent)\b",
    ),
    (
        "findings",
        r"\b(?:examination|auscultation|heart rate|pulse|blood pressure|temperature|saturations?|crackles|tender\w*|"
        r"measured|demonstrated|painful arc|degrees|ecg|palpation|dipstick|inspection|"
        r"o/e|on exam|bilaterally|score|revealed|mmhg)\b",
    ),
    ("assessment", r"\b(?:impression|diagnosis|likely|probabl[ey]|possibl[ey]|suspected|picture of|consistent with)\b"),
    (
        "medication",
        r"\b(?:takes|prescribed|established on|allergic|allergy|\d+ ?(?:mg|mcg|micrograms?) (?:once|twice|three))\b",
    ),
    (
        "history",
        r"\b(?:past history|smok\w*|alcohol|works? as|lives? with|mother|father|aunt|sister|brother|retired|"
        r"family history|years ago)\b",
    ),
    (
        "complaint",
        r"\b(?:report(?:s|ed)|present(?:s|ed)|describe[sd]|noticed|den(?:ies|ied)|asked about|suffer\w*|complain\w*|"
        r"has (?:had|an?)|for \d+|over (?:the )?\d+)\b",
    ),
)
_NAMES: tuple[tuple[frozenset[Section], str], ...] = (
    (frozenset({"assessment", "plan"}), r"(?:assessment|impression|imp|diagnos[ie]s|dx|a)\s*(?:and|&|/|,)\s*\w+"),
    (frozenset({"assessment"}), r"(?:assessment|a|imp|impression|dx|ddx|diagnos[ie]s|problems?)"),
    (frozenset({"plan"}), r"(?:plan|p|rx(?:/plan)?|mx|management|follow[- ]?up|treatment|instructions|actions)"),
    (
        frozenset({"findings"}),
        r"(?:o|o/e|ex|exam\w*|objective|findings|vitals?|observations|results?|investigations|physical exam\w*)",
    ),
    (
        STORY,
        r"(?:s|subjective|history\b.*|pc|cc|hpc|hpi|hx|presenting\b.*|reason for\b.*|chief complaint|pmh\w*\b.*|dhx?|"
        r"past\b.*|background|medical (?:background|history)|medications?|drugs?|meds|allerg\w*|shx?\b.*|fhx?\b.*|"
        r"social\b.*|soc\b.*|family\b.*)",
    ),
)
_HEADINGS = tuple((found, re.compile(rf"{pattern}\s*(?::|$)", re.IGNORECASE)) for found, pattern in _NAMES)
_LONGEST = 40  # characters of a heading


@dataclass(frozen=True, slots=True)
class Placed:
    """One sentence of a note and the sections that its place stands for."""

    text: str
    sections: frozenset[Section]


def section_of(statement: Statement) -> Section:
    """The section of a note in which something that was said belongs."""
    if statement.speaker == "doctor":
        return "complaint" if _RECAP.search(statement.text) else _first(_BY_DOCTOR, statement.text) or "findings"
    cues = _BY_PATIENT if statement.speaker == "patient" else _WRITTEN
    return _first(cues, f"{statement.question} {statement.text}") or "complaint"


def accepted(section: Section) -> frozenset[Section]:
    """The sections in which a fact of this one is in place: complaint, history and medication are one story."""
    return STORY if section in STORY else frozenset({section})


@lru_cache(maxsize=4096)
def placed(note: str) -> tuple[Placed, ...]:
    """The sentences of a note in order."""
    under: dict[int, frozenset[Section]] = {}
    here: frozenset[Section] | None = None
    lines = note.split("\n")
    for number, line in enumerate(lines):
        here = _named(line) or here
        if here:
            under[number] = here
    sentences = [(s.line, s.stated, _sums_up(s)) for s in outline(note).sentences]
    if not under:
        under = _by_paragraph(lines, [(line, text) for line, text, summary in sentences if not summary])
    return tuple(
        Placed(
            text,
            frozenset({"assessment"})
            if summary
            else under.get(line) or accepted(_first(_WRITTEN, text) or "complaint"),
        )
        for line, text, summary in sentences
    )


def _sums_up(sentence: Sentence) -> bool:
    return bool(_SUMS_UP.match(sentence.text) or _SUMS_UP.match(sentence.label))


def _named(line: str) -> frozenset[Section] | None:
    """The sections of the heading or label that a line begins with."""
    start = line.strip(" \t•*-")
    head = start[: start.find(":") + 1] if ":" in start else start
    if not 0 < len(head) <= _LONGEST:
        return None
    return next((found for found, pattern in _HEADINGS if pattern.match(head)), None)


def _by_paragraph(lines: list[str], sentences: Iterable[tuple[int, str]]) -> dict[int, frozenset[Section]]:
    """Line -> sections of its paragraph, by its (line, sentence)s, for a note of several paragraphs."""
    paragraph = list(accumulate(int(not line.strip()) for line in lines))
    if not paragraph[-1]:
        return {}
    votes: dict[int, Counter[frozenset[Section]]] = {}
    for line, text in sentences:
        cue = _first(_WRITTEN, text)
        if cue:
            votes.setdefault(paragraph[line], Counter())[accepted(cue)] += 1
    kinds = {key: counter.most_common(1)[0][0] for key, counter in votes.items()}
    return {number: kinds[key] for number, key in enumerate(paragraph) if key in kinds}


def _first(cues: tuple[Cue, ...], text: str) -> Section | None:
    return next((section for section, pattern in cues if pattern.search(text)), None)
