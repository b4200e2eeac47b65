"""Templates to text: alternatives, slots, detail marks, and the shorthand of telegraphic notes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

ItemT = TypeVar("ItemT")
_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_DETAIL = re.compile(r"<[^<>]*>")
_NUMBERS = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine"}
_COUNTED = re.compile(r"\b([2-9])(?= (?:days|weeks|months|years|hours)\b)")
_SHORTHAND = (
    (re.compile(r"\bleft\b(?!-)"), "L"),
    (re.compile(r"\bright\b(?!-)"), "R"),
    (re.compile(r"\b(\d+) days?\b(?! (?:per|each|a)\b)"), r"\1/7"),
    (re.compile(r"\b(\d+) weeks?\b"), r"\1/52"),
    (re.compile(r"\b(\d+) months?\b"), r"\1/12"),
    (re.compile(r"\btwice daily\b"), "BD"),
    (re.compile(r"\bonce daily\b"), "OD"),
    (re.compile(r"\bthree times daily\b"), "TDS"),
    (re.compile(r"\bfour times daily\b"), "QDS"),
    (re.compile(r"\bat night\b"), "nocte"),
    (re.compile(r"\bwhen needed\b"), "PRN"),
    (re.compile(r"\bhistory of\b"), "h/o"),
    (re.compile(r"\bblood pressure\b"), "BP"),
    (re.compile(r"\bheart rate\b"), "HR"),
    (re.compile(r"^no "), "nil "),
)


def pick(options: Sequence[ItemT], rng: np.random.Generator) -> ItemT:
    """One of the options, each equally likely."""
    return options[int(rng.integers(len(options)))]


def chance(probability: float, rng: np.random.Generator) -> bool:
    """True with the given probability."""
    return bool(rng.random() < probability)


def expand(template: str, rng: np.random.Generator) -> str:
    """Choose every ``[a|b]``, innermost first."""
    while match := _ALTERNATIVES.search(template):
        choice = pick(match.group(1).split("|"), rng)
        template = template[: match.start()] + choice + template[match.end() :]
    return tidy(template)


def spoken(template: str, values: Mapping[str, str]) -> str:
    """Fill the slots as they are said."""
    return _SLOT.sub(lambda m: values[m.group(1)].split("~")[0], template)


def written(template: str, values: Mapping[str, str]) -> str:
    """Fill the slots as they are written; detail marks stay."""
    return _SLOT.sub(lambda m: values[m.group(1)].split("~")[-1], template)


def whole(text: str) -> str:
    """The text with its detail, without the marks.

    >>> whole("cough< for 3 days>")
    'cough for 3 days'
    """
    return tidy(text.replace("<", "").replace(">", ""))


def fragment(text: str) -> str:
    """The text without its marked detail.

    >>> fragment("cough< for 3 days>")
    'cough'
    """
    return tidy(_DETAIL.sub("", text))


def tidy(text: str) -> str:
    """Single blanks, and none before punctuation.

    >>> tidy(" a  cough , dry ")
    'a cough, dry'
    """
    return re.sub(r"\s+(?=[,.;?!])", "", re.sub(r" {2,}", " ", text)).strip()


def sentence(text: str, stop: str = ".") -> str:
    """Capital first, full stop last unless the text brings its own.

    >>> sentence("dry cough")
    'Dry cough.'
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else stop)


def shorten(text: str) -> str:
    """The shorthand of a telegraphic note.

    >>> shorten("left knee pain for 3 days")
    'L knee pain for 3/7'
    """
    for pattern, short in _SHORTHAND:
        text = pattern.sub(short, text)
    return text


def number_words(text: str) -> str:
    """Small counts of days, weeks, months and years in words.

    >>> number_words("about 3 weeks")
    'about three weeks'
    """
    return _COUNTED.sub(lambda m: _NUMBERS[m.group(1)], text)


def hedged(text: str, hedge: str) -> str:
    """The text after a hedge, its capital lowered unless it is an "I" or a name.

    >>> hedged("No, none", "Um, ")
    'Um, no, none'
    >>> hedged("I am fine", "Well, ")
    'Well, I am fine'
    """
    if not hedge:
        return text
    lowered = text if re.match(r"I\b", text) else text[:1].lower() + text[1:]
    return hedge + lowered
