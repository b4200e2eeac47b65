"""Background facts that any consultation can hold: drugs, allergy, history, family, work, vital signs, follow-up."""

from __future__ import annotations

import dataclasses

import numpy as np

from harness.data.synthetic.content.drugs import ALLERGIES, DRUGS
from harness.data.synthetic.content.values import RELATIVE, YEARS
from harness.data.synthetic.point import Change, Point
from harness.data.synthetic.wording import chance, pick

_ILLNESS = Point(
    "illness",
    "supporting",
    "background",
    "{what} {span} ago",
    "[Any|Have you had any] [other medical problems|operations or illnesses] [in the past|before this]?",
    "I had {what}, [about|must be|roughly] {span} [ago|back]",
    "[past|previous] {what}<, {span} ago>",
    "[past history includes|there is a past history of] {what}< {span} ago>",
    slots={
        "what": (
            "my gallbladder taken out~cholecystectomy",
            "my appendix out~appendicectomy",
            "a hernia repair~inguinal hernia repair",
            "a broken wrist~wrist fracture",
            "shingles",
            "a kidney stone~renal calculus",
            "a cataract operation~cataract surgery",
            "a stomach ulcer~peptic ulcer",
            "my tonsils out~tonsillectomy",
            "pneumonia",
        ),
        "span": YEARS,
    },
    changes=(Change("timing", "span"),),
)
_FAMILY = Point(
    "family",
    "supporting",
    "social",
    "{relative} had {what} at {years}",
    "[Does anything run|Is there anything running] in the family[, any illnesses|, medically speaking|]?",
    "My {relative} had {what} [at|at about] {years}",
    "FH: {relative} {what}<, aged {years}>",
    "{his} {relative} had {what}< at the age of {years}>",
    slots={
        "relative": RELATIVE,
        "what": (
            "a heart attack~myocardial infarction",
            "a stroke~stroke",
            "bowel cancer",
            "glaucoma",
            "an underactive thyroid~hypothyroidism",
            "type 2 diabetes",
            "a clot in the leg~deep vein thrombosis",
        ),
        "years": tuple(str(n) for n in range(41, 79)),
    },
    changes=(Change("subject", "relative"),),
)
_WORK = Point(
    "work",
    "peripheral",
    "social",
    "works as {job}",
    "[What do you do|Remind me what you do] for [work|a living]?",
    "I'm {job}[, for my sins|, have been for years|]",
    "[occupation|job]: {job}",
    "{he} works as {job}",
    slots={
        "job": tuple(
            f"a {job}"
            for job in (
                "bus driver",
                "primary school teacher",
                "bricklayer",
                "florist",
                "warehouse picker",
                "librarian",
                "chef",
                "hairdresser",
                "plumber",
                "postal worker",
                "care assistant",
                "taxi driver",
                "carpenter",
                "music tutor",
                "dog groomer",
                "bookkeeper",
                "roofer",
                "baker",
                "lorry driver",
                "landscape gardener",
                "call centre manager",
                "tailor",
                "locksmith",
                "paralegal",
                "fishmonger",
            )
        )
    },
)
_SMOKING = Point(
    "smoking",
    "supporting",
    "social",
    "smokes {count} cigarettes a day",
    "[Do you smoke|Are you a smoker|Can I ask whether you smoke][ at all| these days| nowadays|]?",
    "[Yeah|I do, sadly|Yes], [about|around] {count} [cigarettes |a day, cigarettes that is, ]daily",
    "smokes<, {count} cigarettes/day>",
    "{he} [smokes|is a current smoker]<, getting through {count} cigarettes a day>",
    slots={"count": tuple(str(n) for n in range(4, 31))},
    changes=(Change("value", "count"),),
)
_ALCOHOL = Point(
    "alcohol",
    "peripheral",
    "social",
    "alcohol {count} units a week",
    "[How about|And what about|Do you drink any] alcohol[, roughly|, in a typical week|, if any|]?",
    "[I reckon|Probably] {count} units[ a week|, weekly, if I'm honest|, say, in a week]",
    "alcohol< {count} units/week>",
    "{he} [drinks|consumes] alcohol<, around {count} units per week>",
    slots={"count": tuple(str(n) for n in range(3, 40))},
    changes=(Change("value", "count"),),
)
_HOME = Point(
    "home",
    "peripheral",
    "social",
    "lives with {who}",
    "[Who's at home with you|Who do you live with|What's the set-up at home]?",
    "[I live with|It's me and|There's me and] {who}",
    "lives with {who}",
    "{he} lives with {who}",
    slots={
        "who": (
            "two teenage sons",
            "an elderly aunt",
            "a lodger",
            "three flatmates",
            "a grown-up daughter",
            "a retired husband~retired spouse",
            "a greyhound and nobody else~nobody else, keeps greyhound",
            "four grandchildren",
            "a younger stepbrother",
        ),
    },
)
_PRESSURE = Point(
    "pressure",
    "supporting",
    "exam",
    "blood pressure {value}",
    "",
    "[Your blood pressure today is|Blood pressure's] {value}",
    "blood pressure {value} mmHg",
    "blood pressure [was|measured] {value} mmHg",
    slots={
        "value": tuple(f"{s} over {d}~{s}/{d}" for s in range(108, 172, 3) for d in range(s // 2 + 6, s // 2 + 18, 3))
    },
    changes=(Change("value", "value"),),
)
_PULSE = Point(
    "pulse",
    "supporting",
    "exam",
    "heart rate {value} a minute",
    "",
    "[Your heart rate is|Your pulse is] {value}[ a minute|]",
    "heart rate {value}/min",
    "[the |]heart rate was {value} per minute",
    slots={"value": tuple(str(n) for n in range(56, 112))},
    changes=(Change("value", "value"),),
)
_FOLLOW = Point(
    "follow",
    "supporting",
    "plan",
    "review in {span} by {who}",
    (
        "[When should I come back|Do I need to see someone again|Who sees me next|When am I seen next][, then|"
        ", doctor|, roughly|]?"
    ),
    "[I'd like {who} to see you|Let's have {who} look at things|{who} should check on you] again in {span}",
    "[review|recall]< in {span}>, {who}",
    "{he} will be reviewed by {who}< in {span}>",
    slots={
        "span": ("10 days", "2 weeks", "3 weeks", "4 weeks", "5 weeks", "6 weeks", "8 weeks", "12 weeks"),
        "who": ("the practice nurse", "our pharmacist", "a registrar", "the same doctor", "the locum"),
    },
    changes=(Change("timing", "span"),),
    core=True,
)


_ANOTHER = "[Any other|Do you take any other|And are there other] [tablets|medicines|prescriptions][ as well|]?"


def general_points(stratum: str, clashes: frozenset[str], rng: np.random.Generator) -> tuple[list[Point], list[Point]]:
    """The background points of one consultation, without the clashing ones, and some that it does not mention."""
    able = [drug for drug in DRUGS if drug.id not in clashes]
    drugs = [able[int(i)] for i in rng.permutation(len(able))[:3]]
    allergies = [allergy for allergy in ALLERGIES if allergy.id not in clashes]
    taken = drugs[: pick((1, 1, 2), rng)]
    taken[1:] = [dataclasses.replace(point, ask=_ANOTHER) for point in taken[1:]]
    order = [(_FAMILY, _WORK, _SMOKING, _ALCOHOL, _HOME)[int(i)] for i in rng.permutation(5)]
    social, silent = order[:2], order[2:]
    if chance(0.5, rng):
        social.append(silent.pop())
    vitals = [] if stratum == "telephone" else [pick((_PRESSURE, _PULSE), rng)]
    points = [*taken, pick(allergies, rng), *social, *vitals, _FOLLOW]
    if chance(0.5, rng):
        points.insert(0, _ILLNESS)
    return points, drugs[len(taken) :] + silent
