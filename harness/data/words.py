"""Content words: the unit in which support, survival and overlap are measured.

Overlap of words, not of meaning: two texts that say the same in other words share none. The light
stemmer and the tables below bring the commonest spellings together (``SOB`` and ``short of breath``,
``3/7`` and ``three days``), so that a note in shorthand can be compared with speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)?|[a-z]+(?:'[a-z]+)*")
_DURATIONS = {"7": "day", "52": "week", "12": "month"}

_STOPPED_TEXT = """
    a about above after again all also am an and any are as at be because been before being between both but by can
    cannot could did do does doing don down during each few for from further get gets getting go goes going got had
    has have having he her here hers him his how however i if in into is it its itself just like me more most my no
    nor not now of off on once only or other our out over own per please quite really same she should so some such
    than that the their them then there these they this those through to too under until up upon us very was we well
    were what when where which while who whom why will with within without would yeah yes yet you your okay ok um uh
    na n't nt dont doesnt didnt isnt wasnt im ive id youre thats theres lets gon wan gonna wanna kind sort bit lot
    nil negative positive ve re ll s t m d may might must shall patient patients pt pts mr mrs ms dr doctor state
    states stated report reports reported deny denies denied note notes noted endorse endorses endorsed describe
    describes described history hx symptom symptoms sx present presents today currently current otherwise regarding
    feel feels feeling think thinks say says said know known want wants make makes see seen thing things time times
    take takes taking taken use uses used using
"""
_STOPPED = frozenset(_STOPPED_TEXT.split())
_NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"""
_NUMBERS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())}
_NUMBERS |= {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
_SHORTHAND_TEXT = """
    sob=short+breath cp=chest+pain abdo=abdominal tummy=abdominal stomach=abdominal belly=abdominal temp=temperature
    etoh=alcohol drink=alcohol htn=hypertension nkda=drug+allergy allergic=allergy allergies=allergy abx=antibiotic
    antibiotics=antibiotic mum=mother mom=mother dad=father smoker=smoke smoking=smoke smokes=smoke wt=weight
    med=medication meds=medication haematuria=blood+urine dysuria=pain+urine pu=urine pee=urine urinary=urine
    bd=twice+day od=once+day rx=prescribe nauseous=nausea tingly=tingling daily=day weekly=week monthly=month
    shortness=short breathless=short+breath breathlessness=short+breath nsaids=nsaid poo=bowel stools=bowel stool=bowel
"""
_SHORTHAND = {row.partition("=")[0]: row.partition("=")[2].split("+") for row in _SHORTHAND_TEXT.split()}
_TIME = frozenset(("hour", "day", "week", "month", "year", "ago", "last", "night"))
_ENDINGS = ("ations", "ation", "ness", "ings", "ing", "edly", "ied", "ies", "ed", "ly", "es", "s", "ic", "al", "y", "e")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A crude common stem of one lower-case word.

    >>> stem("stopped") == stem("stopping") == stem("stops")
    True
    """
    if len(word) <= 3:
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word.removesuffix(ending)
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls":
                base = base[:-1]
            return base if base == word or len(base) <= 4 or ending in ("al", "ic", "y", "e") else stem(base)
    return word


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text.lower().replace("’", "'")):
        amount, slash, unit = token.partition("/")
        if slash and unit in _DURATIONS:
            yield amount
            yield _DURATIONS[unit]
        elif token in _SHORTHAND:
            yield from _SHORTHAND[token]
        else:
            yield _NUMBERS.get(token, token.removesuffix("'s"))


@lru_cache(maxsize=50_000)
def content_words(text: str) -> frozenset[str]:
    """The stemmed words and numbers of a text without function words and note-writing words.

    >>> sorted(content_words("Denies chest pain for 3/7"))
    ['3', 'chest', 'day', 'pain']
    """
    found = (stem(token) for token in _tokens(text) if token not in _STOPPED and (len(token) > 1 or token.isdigit()))
    return frozenset(found)


def overlap(part: frozenset[str], whole: frozenset[str]) -> float:
    """Share of ``part`` that stands in ``whole``, in [0, 1]; 0 for an empty ``part``."""
    return len(part & whole) / len(part) if part else 0.0


def telling(words: frozenset[str]) -> frozenset[str]:
    """The words that are neither numbers nor units of time: those that can show that a fact is meant."""
    return frozenset(word for word in words if not word[0].isdigit()) - _TIME
