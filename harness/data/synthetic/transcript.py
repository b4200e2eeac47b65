"""Compose the dialogue of a case: small talk, questions and answers, recap, plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.data.synthetic.case import GENERAL, Case, Item
from harness.data.synthetic.content import talk
from harness.data.synthetic.point import BY_DOCTOR
from harness.data.synthetic.wording import chance, expand, pick, sentence, spoken

DOCTOR, PATIENT = "doctor", "patient"
MINIMUM_WORDS = 520
AT_A_DISTANCE = ("telephone", "home visit")
Turn = tuple[str, str]


def compose_transcript(case: Case, rng: np.random.Generator) -> str:
    """The transcript, one turn a line; every item's ``said`` stands in it verbatim."""
    topics = talk.CHATTER if case.stratum in AT_A_DISTANCE else (*talk.CHATTER, talk.TRAVEL)
    chatter = [topics[int(i)] for i in rng.permutation(len(topics))]
    body = _history(case, rng) + _background(case, rng) + _exam(case, rng) + _plan(case, rng)
    turns = _greeting(case, rng) + _small_talk(chatter[0], rng) + _opening(case, rng) + body
    spare = chatter[1:]
    while spare and _words(turns) < MINIMUM_WORDS:
        turns = turns[:2] + _small_talk(spare.pop(), rng) + turns[2:]
    turns += _goodbye(rng)
    return "\n".join(f"{speaker}: {text}" for speaker, text in turns)


def _words(turns: Sequence[Turn]) -> int:
    return sum(len(text.split()) for _, text in turns)


def _say(template: str, case: Case, rng: np.random.Generator) -> str:
    return sentence(spoken(expand(template, rng), case.patient.names))


def _greeting(case: Case, rng: np.random.Generator) -> list[Turn]:
    return [
        (DOCTOR, _say(talk.GREETINGS[case.stratum], case, rng)),
        (PATIENT, _say(talk.REPLIES, case, rng)),
    ]


def _small_talk(exchange: tuple[str, str], rng: np.random.Generator) -> list[Turn]:
    question, answer = exchange
    return [(DOCTOR, sentence(expand(question, rng))), (PATIENT, sentence(expand(answer, rng)))]


def _opening(case: Case, rng: np.random.Generator) -> list[Turn]:
    template = talk.COMPLAINTS_TWO if len(case.complaints) == 2 else talk.COMPLAINTS_THREE
    values = dict(zip("abc", case.complaints, strict=False))
    return [
        (DOCTOR, sentence(expand(pick(talk.OPENERS, rng), rng))),
        (PATIENT, sentence(spoken(expand(template, rng), values))),
    ]


def _history(case: Case, rng: np.random.Generator) -> list[Turn]:
    turns: list[Turn] = []
    for number, (problem, complaint) in enumerate(zip(case.problems, case.complaints, strict=True)):
        items = [i for i in case.items if i.group == problem.id and i.point.section not in BY_DOCTOR]
        exchanges = [_exchange(item, rng) for item in items]
        if number:
            lead = sentence(spoken(expand(pick(talk.TURNS, rng), rng), {"a": _yours(complaint)}))
            exchanges[0] = [(DOCTOR, f"{lead} {exchanges[0][0][1]}"), *exchanges[0][1:]]
        turns += [turn for exchange in exchanges for turn in exchange]
    return turns


def _yours(complaint: str) -> str:
    words = {"my": "your", "i": "you", "i'm": "you're", "i've": "you've", "me": "you", "i'd": "you'd"}
    return " ".join(words.get(word.lower(), word) for word in complaint.split())


def _background(case: Case, rng: np.random.Generator) -> list[Turn]:
    items = [i for i in case.items if i.group == GENERAL and i.point.section not in BY_DOCTOR]
    return [turn for item in items for turn in _exchange(item, rng)]


def _exchange(item: Item, rng: np.random.Generator) -> list[Turn]:
    """The doctor's question and the answer that establishes the item."""
    tail = expand(pick(talk.TAILS, rng), rng)
    return [
        (DOCTOR, pick(talk.LEADS, rng) + sentence(item.ask)),
        (PATIENT, f"{sentence(item.said)} {sentence(tail) if tail else tail}".strip()),
    ]


def _exam(case: Case, rng: np.random.Generator) -> list[Turn]:
    items = [item for item in case.items if item.point.section == "exam"]
    if not items:
        return []
    turns = [
        (DOCTOR, sentence(expand(talk.EXAM[0] if case.stratum in AT_A_DISTANCE else pick(talk.EXAM, rng), rng))),
        (PATIENT, pick(talk.ACKS, rng)),
    ]
    return turns + _statements(items, rng)


def _plan(case: Case, rng: np.random.Generator) -> list[Turn]:
    items = [item for item in case.items if item.point.section in ("assessment", "plan")]
    heard = [item for item in case.items if item.point.core and item.point.section == "history"]
    facts = ", and ".join(item.text for item in heard)
    turns = [
        (DOCTOR, sentence(spoken(expand(talk.RECAP, rng), {"facts": facts}))),
        (PATIENT, pick(talk.ACKS, rng)),
        (DOCTOR, sentence(expand(talk.PLAN, rng))),
    ]
    return turns + _statements(items, rng)


def _statements(items: Sequence[Item], rng: np.random.Generator) -> list[Turn]:
    """The doctor's own statements, after a question where one leads to them, with acknowledgements."""
    turns: list[Turn] = []
    for item in items:
        if item.ask and chance(0.5, rng):
            turns.append((PATIENT, sentence(item.ask)))
        turns.append((DOCTOR, pick(talk.STEPS, rng) + sentence(item.said)))
        if chance(0.6, rng):
            turns.append((PATIENT, pick(talk.ACKS, rng)))
    return turns


def _goodbye(rng: np.random.Generator) -> list[Turn]:
    question, last = talk.GOODBYES
    return [
        (DOCTOR, sentence(expand(question, rng))),
        (PATIENT, sentence(expand(talk.FAREWELLS, rng))),
        (DOCTOR, sentence(expand(last, rng))),
    ]
