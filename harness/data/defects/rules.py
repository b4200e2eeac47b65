"""Ways to change one value of a sentence so that it stays grammatical: one rule per family, each with its aspect.

A rule yields (place, new wording) for what it could change. Rules are word patterns: they leave alone
whatever does not fit them exactly, so they change little and what they change reads naturally.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from harness.types import Aspect

Change = tuple[int, int, str]
Rule = Callable[[str], Iterator[Change]]

_BODY = (
    "side|sided|arm|leg|knee|ankle|hip|shoulder|elbow|wrist|hand|foot|thumb|toe|finger|eye|ear|lung|breast|kidney|"
    "breast|calf|thigh|heel|groin|flank|ventricular|ventricle|atrium|atrial|coronary|lower|upper|temple|cheek|jaw|"
    "neck|index|middle|ring|third|fourth|great|total|peripheral|iliac|buttock|forearm|carotid|adrenal|ovary|testicle"
)
_SIDE = re.compile(
    rf"\b(left|right)(?=[ -](?:{_BODY})\b)|(?<=on the )(left|right)\b|(?<=on )(left|right)(?= side)", re.I
)
_DOSE = re.compile(r"\b(\d+(?:\.\d+)?)(?=\s?(?:mg|mcg|micrograms?|milligrams?|ml|units?|puffs?|tablets?)\b)", re.I)
_TIMES = re.compile(
    r"\b(once|twice)(?= (?:a day|daily|per day)\b)|\b(BD|OD|TDS|QDS)\b|\b(two|three|four)(?= times (?:a day|daily))"
)
_OTHER_TIMES = {"once": "twice", "twice": "once", "BD": "QDS", "OD": "BD", "TDS": "OD", "QDS": "BD"}
_OTHER_TIMES |= {"two": "four", "three": "two", "four": "two"}
_SPAN = re.compile(
    r"\b(\d+|(?:(?<=for )|(?<=within )|(?<=in )|(?<=about )|(?<=over )|(?<=than ))an?|one|two|three|four|five|six|"
    r"seven|eight|few) (hour|day|week|month|year)(s?)\b(?![ -]old| of age)",
    re.I,
)
_LONGER = {"hour": "day", "day": "week", "week": "month", "month": "year", "year": "month"}
_SHORT_SPAN = re.compile(r"(?<![\d/-])(\d{1,2})/(7|52|12)\b(?!/)")
_LONGER_SHORT = {"7": "52", "52": "12", "12": "7"}
_SCORE = re.compile(r"\b(\d{1,2})(?=\s?/\s?10\b| out of 10\b)")
_PRESSURE = re.compile(r"(?<![\d/])([89]\d|[12]\d\d)(?=/\d{2,3}\b(?!/))")
_MEASURE = re.compile(r"\b(\d{2,3}(?:\.\d)?)(?=\s?(?:%|percent|bpm|°|degrees|kg|lbs?|pounds|mmHg)(?:\W|$))", re.I)
_AGE = re.compile(r"\b(\d{2})(?=[- ]years?[- ]old\b)")
_CERTAIN = (
    (re.compile(r"\?\s?(?=[A-Za-z]{3})"), ""),
    (re.compile(r"^Likely(?= (?!to|due|secondary|related|from)[a-z]+)"), "definite"),
    (re.compile(r"\bmost likely\b(?! to)", re.I), "definitely"),
    (re.compile(r"\bpossible(?= [a-z]+)", re.I), "definite"),
    (re.compile(r"\bprobable\b", re.I), "definite"),
    (re.compile(r"\bsuspected\b", re.I), "confirmed"),
    (
        re.compile(r"(?<!more )(?<!most )(?<!less )(?<!very )\b(?:possibly|probably|likely)\b(?! to\b)", re.I),
        "definitely",
    ),
)
_RELATIVE = {"mother": "father", "mum": "dad", "mom": "dad", "brother": "sister", "son": "daughter", "aunt": "uncle"}
_RELATIVE |= {"grandmother": "grandfather"}
_RELATIVES = _RELATIVE | {new: old for old, new in _RELATIVE.items() if old != "mum"}
_KIN = re.compile(rf"\b({'|'.join(sorted(_RELATIVES, key=len, reverse=True))})\b", re.I)
_NOT_ANY = re.compile(r"\b(any|ever|yet|either|anymore|much|only|until|other|longer|further|known|more)\b", re.I)
# Signs that take no article: "there is no swelling" becomes "there is swelling".
_SIGNS = "evidence|tenderness|swelling|pain|redness|erythema|o?edema|bruising|numbness|weakness|crepitus|discharge"
_NEGATED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bDenies\b"), "Reports"),
    (re.compile(r"\bdenies\b"), "reports"),
    (re.compile(r"\bdenied\b"), "reported"),
    (re.compile(r"\b(?:Reports|Endorses)\b"), "Denies"),
    (re.compile(r"\b(?:reports|endorses)(?! (?:that|to|he|she|they|being|not|no)\b)"), "denies"),
    (re.compile(r"\b[Nn]on[- ](?=smoker|tender|productive|radiating|painful)"), ""),
    (re.compile(r"^(?:There (?:is|are) no|No evidence of|No|Nil)\s+(?=[A-Za-z])"), ""),
    (re.compile(rf"(?<=\bthere is )no (?=(?:[a-z]+ )?(?:{_SIGNS})\b)"), ""),
    (re.compile(r"(?<=\bthere are )no (?=[a-z])"), ""),
    (re.compile(r"(?:(?<=\bis )|(?<=\bwas )|(?<=\bare )|(?<=\bhas ))not (?=[a-z])"), ""),
    (re.compile(r"\bno (?=evidence of)"), ""),
    (re.compile(r"\bis present\b"), "is absent"),
    (re.compile(r"\bwithout (?=[a-z]+)"), "with "),
    (re.compile(r"\bnot (?=tender|painful|feverish|sexually active|smoking|pregnant)"), ""),
    (re.compile(r"\bNKDA\b"), "Allergic to penicillin"),
)


def _sides(text: str) -> Iterator[Change]:
    for match in _SIDE.finditer(text):
        yield match.start(), match.end(), _cased("right" if match.group().lower() == "left" else "left", match.group())


def _doses(text: str) -> Iterator[Change]:
    for match in _DOSE.finditer(text):
        amount = float(match.group())
        for factor in (2.0, 0.5, 10.0):
            if amount * factor == int(amount * factor) and amount * factor >= 1:
                yield match.start(), match.end(), str(int(amount * factor))
    for match in _TIMES.finditer(text):
        yield match.start(), match.end(), _OTHER_TIMES[match.group()]


def _timings(text: str) -> Iterator[Change]:
    for match in _SPAN.finditer(text):
        unit = _LONGER[match[2].lower()]
        amount = match[1]
        if amount.lower() in ("a", "an"):
            amount = _cased("an" if unit == "hour" else "a", amount)
        yield match.start(), match.end(), f"{amount} {unit}{match[3]}"
    for match in _SHORT_SPAN.finditer(text):
        yield match.start(2), match.end(2), _LONGER_SHORT[match[2]]


def _values(text: str) -> Iterator[Change]:
    for match in _SCORE.finditer(text):
        score = int(match.group())
        if score <= 10:
            yield match.start(), match.end(), str(score - 4 if score > 5 else score + 4)
    for pattern, step in ((_PRESSURE, 30), (_MEASURE, 20), (_AGE, 10)):
        for match in pattern.finditer(text):
            amount = float(match.group())
            small = pattern is _MEASURE and 30 <= amount < 45
            other = amount + 2 if small else (amount - step if amount > 2 * step else amount + step)
            yield match.start(), match.end(), f"{other:.1f}" if "." in match.group() else str(int(other))


def _certainties(text: str) -> Iterator[Change]:
    for pattern, new in _CERTAIN:
        for match in pattern.finditer(text):
            word = _cased(new, match.group())
            article = re.search(r"\b([Aa])n? $", text[: match.start()])
            if article and not new:
                continue
            yield match.start(), match.end(), word


def _subjects(text: str) -> Iterator[Change]:
    for match in _KIN.finditer(text):
        if not re.search(r"\b(he|she|his|her|him|who)\b", text[match.end() :], re.I):
            yield match.start(), match.end(), _cased(_RELATIVES[match.group().lower()], match.group())


def _negations(text: str) -> Iterator[Change]:
    for pattern, new in _NEGATED:
        match = pattern.search(text)
        if match is None or _NOT_ANY.search(text[match.start() : match.end() + 30]):
            continue
        rest = text[match.end() :]
        if new in ("Reports", "reports", "reported", "") and re.search(r"\b(or|but|nor)\b|/|, no\b", rest):
            rest = re.sub(r"\bor\b", "and", rest)
            if re.search(r"\b(but|nor)\b|/|, no\b", rest):
                continue
        if not new and (match.start() == 0 or match.group()[0].isupper()):
            rest = rest[:1].upper() + rest[1:]
        yield match.start(), len(text), new + rest


def _cased(new: str, old: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


RULES: tuple[tuple[Aspect, Rule], ...] = (
    ("dose", _doses),
    ("laterality", _sides),
    ("subject", _subjects),
    ("certainty", _certainties),
    ("timing", _timings),
    ("value", _values),
    ("negation", _negations),
)
