"""The content terms of a text: what two wordings must share to speak of the same thing.

A number forms one term with its unit, so that "5 mg" and "5 weeks" share nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[./]\d+)*|[a-z]+")
_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "asked",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "but",
        "by",
        "can",
        "confirmed",
        "could",
        "day",
        "days",
        "denied",
        "denies",
        "describes",
        "described",
        "did",
        "direct",
        "do",
        "does",
        "each",
        "for",
        "from",
        "gave",
        "get",
        "gives",
        "going",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "including",
        "into",
        "is",
        "it",
        "its",
        "last",
        "lasting",
        "like",
        "may",
        "me",
        "more",
        "most",
        "my",
        "nil",
        "no",
        "noted",
        "not",
        "of",
        "on",
        "once",
        "one",
        "only",
        "or",
        "our",
        "out",
        "over",
        "past",
        "patient",
        "per",
        "positive",
        "present",
        "presented",
        "previous",
        "questioning",
        "reported",
        "reports",
        "review",
        "said",
        "seen",
        "she",
        "since",
        "so",
        "some",
        "started",
        "still",
        "takes",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "today",
        "took",
        "twice",
        "up",
        "us",
        "was",
        "we",
        "week",
        "weeks",
        "were",
        "when",
        "which",
        "while",
        "who",
        "will",
        "with",
        "without",
        "would",
        "year",
        "years",
        "you",
        "your",
        "month",
        "months",
        "current",
        "currently",
        "daily",
        "duration",
        "gets",
        "history",
        "negative",
        "now",
        "ago",
        "reviewed",
        "around",
        "approximately",
        "aged",
        "age",
        "od",
        "bd",
        "tds",
        "qds",
        "nocte",
        "prn",
        "three",
        "four",
        "likely",
        "possible",
        "probable",
        "impression",
        "prescribed",
        "indication",
        "issued",
        "discussed",
        "occupation",
        ("works"),
    ]
)
_UNITS = frozenset(
    [
        "mg",
        "micrograms",
        "ml",
        "days",
        "day",
        "weeks",
        "week",
        "months",
        "month",
        "years",
        "year",
        "hours",
        "hour",
        "units",
        "mmhg",
        ("times"),
    ]
)
_SAME = {
    "l": "left",
    "r": "right",
    "bp": "pressure",
    "hr": "heart",
    "mcg": "micrograms",
    "h": "",
    "o": "",
    "s": "",
    "t": "",
}
_SPAN = {"7": "day", "52": "week", "12": "month"}


def terms(text: str) -> frozenset[str]:
    """Stemmed content words and numbers of a text, shorthand read as what it stands for.

    >>> sorted(terms("No swelling of the left knee for 3 days"))
    ['3day', 'knee', 'left', 'swell']
    >>> sorted(terms("L knee 3/7"))
    ['3day', 'knee', 'left']
    """
    tokens = _TOKEN.findall(text.lower())
    found: set[str] = set()
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if token[0].isdigit():
            found.add(_number(token, after))
        elif token not in _STOP and token not in _UNITS:
            found.add(_SAME.get(token, stem(token)))
    return frozenset(found - {""})


def _number(token: str, after: str) -> str:
    count, _, base = token.partition("/")
    if base in _SPAN:
        return count + _SPAN[base]
    return token + (stem(after) if after in _UNITS else "")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without common endings.

    >>> stem("tablets"), stem("swelling"), stem("allergies")
    ('tablet', 'swell', 'allergy')
    """
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word


def numbers(found: frozenset[str]) -> frozenset[str]:
    """Those terms that are numbers, with their units."""
    return frozenset(term for term in found if term[0].isdigit())


def sentences(text: str) -> list[str]:
    """The sentences and lines of a note or a turn."""
    return [part.strip() for part in re.split(r"(?<=[.?!])\s+|\n", text) if part.strip()]
