"""Points that recur from problem to problem with other content: diagnosis, prescription, safety net, referral."""

from __future__ import annotations

from harness.data.synthetic.point import Change, Point

ONCE, TWICE = "once a day~once daily", "twice a day~twice daily"
THRICE, FOUR_TIMES = "three times a day~three times daily", "four times a day~four times daily"
# What a careful doctor does not combine with an anti-inflammatory.
NSAID_CLASHES = (
    "allergy-aspirin",
    "drug-apixaban",
    "drug-ramipril",
    "drug-candesartan",
    "drug-indapamide",
    "drug-sertraline",
    "drug-citalopram",
)
_SURE = ("most likely~likely", "probably~probable", "possibly~possible")
_DEFINITE = ("confirmed", "definite", "established")


def diagnosis(written: str, said: str) -> Point:
    """The doctor's working diagnosis, hedged; a certain one is false."""
    return Point(
        "diagnosis",
        "critical",
        "assessment",
        f"{{sure}} {written}",
        (
            "[What do you think it is|So what is it|Is it serious|What have I got|Do you know what it is], "
            "[doctor|then|in your view]?"
        ),
        f"[I think|My feeling is|To my mind|Putting it together,] [this is|it's|we're dealing with] {{sure}} {said}",
        f"[{{sure}} {written}|{written}, {{sure}}|working diagnosis: {{sure}} {written}|picture of {{sure}} {written}]",
        f"[my impression is of|the working diagnosis is|this is|I consider this a case of] {{sure}} {written}",
        slots={"sure": _SURE},
        changes=(Change("certainty", "sure", _DEFINITE),),
        core=True,
    )


def prescription(drug: str, doses: tuple[str, ...], often: str, how: str, clashes: tuple[str, ...] = ()) -> Point:
    """A new drug; ``how`` is the course or the advice that goes with it."""
    return Point(
        f"rx-{drug.split()[0]}",
        "critical",
        "plan",
        f"{drug} {{dose}} {{often}} {how}",
        (
            "[Can I take something|Is there anything that helps|Do I need medicine|What can you give me] [for "
            "it|for that|with that]?"
        ),
        (
            f"[I'll give you|Let's try|I'm going to prescribe|I'd like to start you on] {drug}, {{dose}} "
            f"{{often}}[,|] {how}"
        ),
        f"[start|Rx|commence|prescribed|issued] {drug}< {{dose}} {{often}}> {how}",
        f"I have [started|prescribed|issued] {drug}< {{dose}} {{often}}> {how}",
        slots={"dose": doses, "often": (often,)},
        changes=(Change("dose", "dose"),),
        clashes=clashes,
    )


def safety_net(said: str, written: str) -> Point:
    """When to seek help; ``said`` follows "if"."""
    return Point(
        "return",
        "critical",
        "plan",
        f"seek urgent help if {written}",
        "[When should I worry|What should I look out for|What if it gets worse][, then|, though|, doctor|]?",
        f"[If|Now, if|Listen, if|Remember, if] {said}, [get help urgently|you need urgent help|get urgent help]",
        f"[urgent help if|to seek help urgently if|seek urgent attention if|safety net, urgent help for] {written}",
        f"{{he}} [knows|was advised|has been told] to seek urgent help [if there is|in the event of] {written}",
    )


def referral(where: str, said: str, waits: tuple[str, ...]) -> Point:
    """A referral or test with its waiting time."""
    return Point(
        f"refer-{where.split()[0].lower()}",
        "supporting",
        "plan",
        f"{where} within {{wait}}",
        "[Will I need any tests|Shouldn't somebody check that|What happens next]?",
        f"I'll [arrange|sort out|book|request] {said}[, you should hear|, it should happen] within {{wait}}",
        f"[arrange|request|book|refer for] {where}< within {{wait}}>",
        f"I have [arranged|requested|referred {{him}} for] {where}< to take place within {{wait}}>",
        slots={"wait": waits},
        changes=(Change("timing", "wait"),),
    )
