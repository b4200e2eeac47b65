"""The content terms of a text: what two wordings must share to speak of the same thing.

A number forms one term with its unit, so that "5 mg" and "5 weeks" share nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[./]\d+)*|[a-z]+")
_STOP_TEXT = (
    "mmhg "
    "a about advise after age aged ago all also am an and any approximately are around arrange arranged as "
    "asked at bd be because been before being book but by can case confirmed consider could current currently "
    "daily day days denied denies described describes diagnosis did direct discussed do does duration each "
    "for four from gave get gets gives going had has have he help her him his history how i if impression in "
    "including indication into is issued it its known last lasting like likely may me minute minutes month "
    "months more most my negative nil no nocte not noted now occupation od of on once one only or our out "
    "over past patient per positive possible prescribed present presented previous prn probable qds "
    "questioning referred reported reports request requested review reviewed safety said seconds seek seen "
    "she since so some started still takes tds than that the their them then there they this three to today "
    "took twice up urgent urgently us wait was we week weeks were when which while who will with within "
    "without working works would year years you your"
)
_STOP = frozenset(_STOP_TEXT.split())
_UNITS_TEXT = (
    "mg micrograms ml days day weeks week months month years year hours hour minute minutes seconds degrees "
    "mm kg units times"
)
_UNITS = frozenset(_UNITS_TEXT.split())
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


@lru_cache(maxsize=8192)
def terms(text: str) -> frozenset[str]:
    """Stemmed content words and numbers of a text, shorthand read as what it stands for.

    >>> sorted(terms("No swelling of the left knee for 3 days"))
    ['3day', 'knee', 'left', 'swell']
    >>> sorted(terms("L knee 3/7"))
    ['3day', 'knee', 'left']
    """
    tokens = _TOKEN.findall(text.lower())
    found: set[str] = set()
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):
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
