"""Transcript and note -> statements: content words, polarity, details and clinical salience, from the text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from harness.data.sentences import outline
from harness.data.words import content_words
from harness.llm.simulated.vocabulary import ALIASES, CLASS_OF, GRAVE_WORDS, SHORTHAND, TALK

_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?")
_CONTRACTED = re.compile(r"\b\w+['’](?:m|ve|d|ll|re|s|t)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:no|nil|not|never|none|neither|nor|without|den(?:y|ies|ied|ying)|negative|absent|nothing|"
    r"haven't|hasn't|don't|doesn't|didn't|isn't|aren't|wasn't|nope|nkda)\b",
    re.IGNORECASE,
)
_SHORT_ANSWER = re.compile(
    r"\s*(?:(?:as far as i know|let's see|now you mention it|funny you ask|"
    r"how can i put it|right|oh dear|well|er|erm|um|uh|oh|so|hmm|i mean|let me think|to be honest),?\s+)*"
    r"(?:no|nope|yes|yeah|yep|never|not|none|nothing|sometimes|a bit|occasionally)\b",
    re.I,
)
_TURN = re.compile(r"^\s*([A-Za-z][A-Za-z _.-]{0,24}?)\s*:\s*(.+)$")
_COURTESY = re.compile(
    r"(?:dear|yours|with (?:best|kind)|(?:kind )?regards|thank you for|many thanks|"
    r"sincerely|to dr \w+|regarding (?:mr|mrs|ms|miss)|"
    r"i (?:saw|reviewed) (?:mr|mrs|ms|miss)|dr \w+$)\b",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"(?i:\s*(?:sorry|good (?:morning|afternoon|evening|to see)|nice to see|morning|hello|hi)\b|"
    r".*\b(?:wife|husband|boss|barber|neighbour|daughter|sister|mother|son|mate|partner)\b.*\b"
    r"(?:says?|reckons?|complain\w*|nag\w*|begg\w*|ignor\w*|made me|told me)\b|"
    r".*\b(?:two|three|couple of|few) things\b|.*\bmade a list\b)|.*\bDr [A-Z]"
)
_TOPIC = re.compile(
    r"\d\s*(?:mg|mcg|micrograms|ml|units?|times|weeks?|days?|months?|years?|hours?|minutes)|"
    r"\b(?:review|look at things again|see you|refer|prescri|i'll give|i'd like you to|work|job|for a living|"
    r"retired|diet|murmur|sounds?|infection|depress|anxi|\w+itis|\w+osis|disc|trauma|injury|travel|alcohol|drink|cigarette|smok|"
    r"allerg|operation|surgery|mother|father|brother|sister had|live|keep|avoid|exercise|at home|set-up|family|pets|"
    r"in your ears|bring|sleep|awake|urgent|999|straight (?:back|to)|tongue|mouth|breathing|incontinen|faint|sick)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\b(\d+(?:\.\d+)?|[a-z]+) (hour|day|week|month|year)s?\b", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:(?:past|family|social|medical|history|medications?|drugs?|pmh|allergies|background|and|/|&|current|exam\w*|"
    r"findings|results|assessment|plan|objective|subjective|impression)[\s:/&-]*)+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.?!;])\s+|(?<=\s)[-•*]\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said or written.

    ``words`` are content words and numbers, ``numbers`` the numbers among them, ``details`` are
    (class, value) of details that exclude each other; ``asked`` are the words of the question
    that a yes or no answers; ``denied`` is True where it is negated; ``salience`` >= 0 says
    how much a clinician would care. ``speaker`` (in small letters) said it after being asked
    ``question``; both are empty for what is written.
    """

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    details: frozenset[tuple[str, str]]
    asked: frozenset[str]
    denied: bool
    salience: float
    speaker: str = field(default="", compare=False)
    question: str = field(default="", compare=False)


@lru_cache(maxsize=1024)
def said(transcript: str) -> tuple[Statement, ...]:
    """The statements of a transcript; a short answer takes over the words of its question."""
    found: list[Statement] = []
    question = ""
    for line in transcript.splitlines():
        turn = _TURN.match(line)
        speaker, text = (turn[1].lower(), turn[2]) if turn else ("patient", line)
        for part in _SENTENCE.split(text):
            if part.rstrip().endswith("?"):
                question = part
            elif not _CHAT.match(part):
                statement = _answer(part, question) if speaker == "patient" else _statement(part, "", False)
                if len(statement.words | statement.asked) >= (1 if question and speaker == "patient" else 2):
                    found.append(replace(statement, speaker=speaker, question=question))
        if speaker == "patient":
            question = ""
    return tuple(found)


def _answer(part: str, question: str) -> Statement:
    closed = bool(_SHORT_ANSWER.match(part))
    merged = question if closed or len(part.split()) <= 4 else ""
    statement = _statement(part, merged, closed)
    if not merged and _TOPIC.search(question):
        return replace(statement, salience=statement.salience + 1.0)
    return statement


@lru_cache(maxsize=8192)
def written(note: str) -> tuple[Statement, ...]:
    """The statements of a note: its sentences with their labels, single words left out."""
    kept = (s.stated for s in outline(note).sentences if not (_COURTESY.match(s.text) or _HEADING.fullmatch(s.text)))
    return tuple(s for s in (_statement(text, "", False) for text in kept) if s.words)


@lru_cache(maxsize=20_000)
def _statement(text: str, question: str, closed: bool) -> Statement:
    plain = _plain(text)
    own, asked = _content(plain), _content(_plain(question))
    words = own | asked
    numbers = frozenset(word for word in words if word[0].isdigit())
    details = {(CLASS_OF[name], name) for raw in _WORDS.findall(plain.lower()) if (name := _known(raw)) in CLASS_OF}
    salience = sum(2.0 for word in words if word in GRAVE_WORDS) + 1.0 * len(numbers) + 0.3 * len(words)
    return Statement(
        text.strip(),
        own or asked if closed else words,
        numbers,
        frozenset(details | _spans(plain)),
        asked if closed else frozenset(),
        bool(_NEGATED.search(plain)),
        salience + 0.7 * len(details) + bool(_TOPIC.search(plain)) + (1.0 if closed and asked else 0.0),
    )


def _content(plain: str) -> frozenset[str]:
    return content_words(_CONTRACTED.sub(" ", plain)) - TALK


def _spans(plain: str) -> set[tuple[str, str]]:
    """Lengths of time: the number is the class, so that 3 days contradict 3 weeks and not 5 hours."""
    counted = ((next(iter(content_words(number)), ""), unit.lower()) for number, unit in _SPAN.findall(plain))
    return {(f"{number} of", unit) for number, unit in counted if number[:1].isdigit()}


def _known(word: str) -> str:
    name = ALIASES.get(word, word)
    return name if name in CLASS_OF else name.removesuffix("s")


def _plain(text: str) -> str:
    for pattern, wording in SHORTHAND:
        text = pattern.sub(wording, text)
    return text
