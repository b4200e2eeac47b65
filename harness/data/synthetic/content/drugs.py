"""Regular medication and allergies."""

from __future__ import annotations

from harness.data.synthetic.point import Change, Point

_FREQUENCY = {1: "once a day~once daily", 2: "twice a day~twice daily"}


def _drug(name: str, doses: tuple[str, ...], times: int, reason: str) -> Point:
    return Point(
        f"drug-{name.replace(' ', '-')}",
        "critical",
        "background",
        f"takes {name} {{dose}} {{often}} for {reason}",
        "[What|Which] [medicines|tablets|regular medication] [are you on|do you take][ at the moment|, normally|]?",
        f"[I'm on|I take] {name}[, that's|,] {{dose}} {{often}}[,|] for [the |my |]{reason}",
        f"[takes |on |]{name}< {{dose}} {{often}}>, [for |indication ]{reason}",
        f"{{he}} [takes|is established on|is prescribed] {name}< {{dose}} {{often}}> for {reason}",
        slots={"dose": doses, "often": (_FREQUENCY[times],)},
        changes=(Change("dose", "dose"),),
    )


DRUGS = (
    _drug("ramipril", ("2.5 mg", "5 mg", "10 mg"), 1, "hypertension"),
    _drug("amlodipine", ("5 mg", "10 mg"), 1, "raised pressure"),
    _drug("metformin", ("500 mg", "850 mg", "1000 mg"), 2, "diabetes"),
    _drug("sertraline", ("50 mg", "100 mg", "150 mg"), 1, "depression"),
    _drug("levothyroxine", ("50 micrograms", "75 micrograms", "100 micrograms"), 1, "thyroid"),
    _drug("atorvastatin", ("20 mg", "40 mg", "80 mg"), 1, "cholesterol"),
    _drug("apixaban", ("2.5 mg", "5 mg"), 2, "atrial fibrillation"),
    _drug("bisoprolol", ("1.25 mg", "2.5 mg", "3.75 mg"), 1, "angina"),
    _drug("lansoprazole", ("15 mg", "30 mg"), 1, "reflux"),
    _drug("citalopram", ("10 mg", "20 mg"), 1, "anxiety"),
    _drug("indapamide", ("1.5 mg", "2.5 mg"), 1, "fluid retention"),
    _drug("allopurinol", ("100 mg", "200 mg", "300 mg"), 1, "gout"),
    _drug("lamotrigine", ("25 mg", "50 mg", "75 mg"), 2, "epilepsy"),
    _drug("candesartan", ("4 mg", "8 mg", "16 mg"), 1, "migraine prevention"),
)


def _allergy(name: str, reactions: tuple[str, ...]) -> Point:
    return Point(
        f"allergy-{name.replace(' ', '-')}",
        "critical",
        "background",
        f"{name} allergy, {{reaction}}",
        (
            "[Any allergies|Are you allergic to anything|Allergies at all|Do you react badly to anything], "
            "[drugs, foods|medicines or otherwise|tablets, foods, plasters|that you know of]?"
        ),
        f"[Yes, |I am, ]{name}[, it|, that] [gave me|brought on|caused] {{reaction}}",
        f"[allergic to {name}|{name} allergy]< [(]{{reaction}})>".replace("[(]", "("),
        f"{{he}} is allergic to {name}<, which caused {{reaction}}>",
        slots={"reaction": reactions},
    )


_REACTIONS = (
    "a widespread rash~widespread rash",
    "lip swelling",
    "hives~urticaria",
    "wheezing~wheeze",
    "facial swelling",
)
ALLERGIES = tuple(
    _allergy(name, _REACTIONS)
    for name in (
        "penicillin",
        "trimethoprim",
        "codeine",
        "latex",
        "aspirin",
        "erythromycin",
        "shellfish",
        "elastoplast",
    )
)
