"""Leave out one sentence or clause that the transcript supports, and read from the text what survives."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from harness.data.defects.edit import Edit, Option, flaw, remove_lines
from harness.data.defects.severity import severity_of
from harness.data.defects.support import evidence_for
from harness.data.sentences import Outline, Sentence, outline
from harness.data.words import content_words, overlap, telling
from harness.types import Defect, Trace

MIN_WORDS = 2
RESTATED = 0.5
QUOTES = 3
_REFERS_BACK = re.compile(r"(this|these|those|it|they|however|also|which|but|and|otherwise)\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"(and|or|but|if|which|who|as|when|with|then|so|nor|although|because|since)\b", re.IGNORECASE)
_NEGATION = re.compile(r"(no|nil|denies|not|never|without)\b", re.IGNORECASE)


def omissions(note: str, transcript: str, refused: Counter[str]) -> list[Option]:
    """Every omission that the note allows; refusals are counted into ``refused`` by reason."""
    whole = outline(note)
    options = []
    for index, sentence in enumerate(whole.sentences):
        reason, edit = _removal(note, whole, index)
        for removed, cut in [(sentence.stated, edit), *_clauses(note, whole, sentence)]:
            if cut is None:
                refused[f"omission:{reason}"] += 1
                continue
            result = _option(note, transcript, index, removed, cut)
            if isinstance(result, str):
                refused[f"omission:{result}"] += 1
            else:
                options.append(result)
    return options


def trace_of(removed: str, flawed: str) -> tuple[Trace, tuple[str, ...]]:
    """How much of ``removed`` is still in the flawed note, with quotes of where.

    ``complete``: none of its content words; ``restated``: at least half of them, two or more and not
    only numbers, in one sentence; ``fragment``: anything between. The quotes are the sentences that hold most of it.
    """
    wanted = content_words(removed)
    lines = [line.strip() for line in flawed.split("\n") if wanted & content_words(line)]
    if not lines:
        return "complete", ()
    held = [quote for quote in dict.fromkeys(_quotes(flawed)) if wanted & content_words(quote)]
    held.sort(key=lambda quote: -len(wanted & content_words(quote)))
    strong = [quote for quote in held if _restates(quote, wanted)]
    held = held or lines
    return ("restated" if strong else "fragment"), tuple((strong or held)[:QUOTES])


def _restates(quote: str, wanted: frozenset[str]) -> bool:
    shared = wanted & content_words(quote)
    return len(shared) >= MIN_WORDS and bool(telling(shared)) and overlap(wanted, shared) >= RESTATED


def _quotes(note: str) -> list[str]:
    """The sentences of a note, with their label where they say little without; headings restate nothing."""
    said = []
    for sentence in outline(note).sentences:
        labelled = sentence.stated != sentence.text
        start = note.rindex(sentence.label, 0, sentence.start) if labelled else sentence.start
        said.append(note[start : sentence.end])
    return said


def _option(note: str, transcript: str, index: int, removed: str, cut: Edit) -> Option | str:
    if len(content_words(removed)) < MIN_WORDS:
        return "too_few_content_words"
    evidence = evidence_for(removed, transcript)
    if not evidence:
        return "not_supported_by_transcript"
    flawed = cut.apply(note)
    reason = flaw(note, flawed)
    if reason:
        return reason
    section = outline(note).sentences[index].section
    trace, surviving = trace_of(removed, flawed)
    if surviving and not any(telling(content_words(removed) & content_words(quote)) for quote in surviving):
        return "only_numbers_survive"
    defect = Defect(
        kind="omission",
        fact_text=removed,
        trace=trace,
        severity=severity_of(removed, section),
        evidence=evidence,
        before=note[cut.start : cut.end].strip(" \t\n,;"),
        surviving=surviving,
    )
    return Option(flawed, defect, index)


def _removal(note: str, whole: Outline, index: int) -> tuple[str, Edit | None]:
    """The edit that removes a sentence, or a reason why none leaves a readable note."""
    sentence = whole.sentences[index]
    mates = [s for s in whole.sentences if s.line == sentence.line]
    place = mates.index(sentence)
    if sentence.alone:
        after = whole.lines[sentence.line + 1 : sentence.line + 3]
        if whole.lines[sentence.line].number and any(line.number for line in after):
            return "numbered_item_with_successor", None
        return "", remove_lines(note, whole, sentence.line, sentence.line)
    if place + 1 < len(mates):
        if _REFERS_BACK.match(mates[place + 1].text):
            return "next_sentence_refers_back", None
        return "", Edit(sentence.start, mates[place + 1].start)
    return "", Edit(mates[place - 1].end, sentence.end)


def _clauses(note: str, whole: Outline, sentence: Sentence) -> Iterator[tuple[str, Edit]]:
    """Comma and semicolon clauses of a telegraphic note, the first one (which carries the sense) excepted."""
    pieces = list(re.finditer(r"[^,;]+", sentence.text))
    if not whole.telegraphic or len(pieces) < 2 or _CONJUNCTION.match(sentence.text):
        return
    lead = _NEGATION.match(sentence.text)
    for place, piece in enumerate(pieces[1:], start=1):
        words = piece.group().strip().rstrip(".?!")
        following = pieces[place + 1].group().strip() if place + 1 < len(pieces) else ""
        if not words or _CONJUNCTION.match(words) or _CONJUNCTION.match(following) or re.search(r"[()\d]$|^\d", words):
            continue
        if not all(_balanced(part) for part in (piece.group(), sentence.text[: piece.start()])):
            continue
        end = sentence.start + piece.start() + len(piece.group().rstrip().rstrip(".?!"))
        yield (f"{lead.group()} {words}" if lead else words), Edit(sentence.start + piece.start() - 1, end)


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")")
