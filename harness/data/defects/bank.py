"""Statements to add where no transcript supports them, by section, in telegraphic and in prose wording.

``keys`` are the words that make a statement specific: where one of them occurs in the transcript or
the note, the statement is not used there. ``adult`` statements are not used for children.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.data.sentences import Section


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement in two wordings."""

    section: Section
    telegraphic: str
    prose: str
    keys: tuple[str, ...]
    adult: bool = False


def _of(section: Section, *rows: tuple[str, str, str], adult: bool = False) -> tuple[Statement, ...]:
    return tuple(Statement(section, short, long, tuple(keys.split()), adult) for short, long, keys in rows)


BANK: tuple[Statement, ...] = (
    *_of(
        "history",
        ("Woke twice with night sweats", "The patient also woke twice this week with night sweats.", "sweats sweating"),
        ("Intermittent ringing in both ears", "There has been intermittent ringing in both ears.", "ringing tinnitus"),
        ("Gums bleed on brushing", "The gums bleed on brushing.", "gums brushing"),
        ("Taste altered since onset", "The sense of taste has been altered since onset.", "taste"),
        ("Hoarse voice in the mornings", "The voice has been hoarse in the mornings.", "hoarse voice"),
        ("Brief double vision last week", "There was a brief episode of double vision last week.", "double vision"),
        ("Calf cramps at night", "The patient has cramps in both calves at night.", "cramp cramps calf calves"),
        ("Easy bruising noticed", "The patient has noticed easy bruising.", "bruise bruising bruises"),
        (
            "One fainting episode last month",
            "There was one fainting episode last month.",
            "faint fainting fainted passed",
        ),
        ("Food sticks on swallowing", "Solid food sometimes sticks on swallowing.", "swallow swallowing sticks"),
    ),
    *_of(
        "past",
        ("Glandular fever as teenager", "The patient had glandular fever as a teenager.", "glandular mono"),
        ("Appendicectomy in childhood", "The patient had an appendectomy in childhood.", "appendix appendectomy"),
        ("Previous shingles", "The patient has had shingles before.", "shingles"),
        ("Psoriasis, mild", "The patient has a history of mild psoriasis.", "psoriasis"),
        ("Kidney stone 10 yrs ago", "The patient passed a kidney stone 10 years ago.", "stone stones"),
        ("Iron deficiency anaemia", "The patient was once treated for iron deficiency anemia.", "iron anemia anaemia"),
        ("Tonsillectomy", "The patient had a tonsillectomy.", "tonsil tonsils tonsillectomy"),
    ),
    *_of(
        "drugs",
        ("Omeprazole 20mg OD", "The patient takes omeprazole 20 mg once daily.", "omeprazole"),
        ("Amitriptyline 10mg at night", "The patient takes amitriptyline 10 mg at night.", "amitriptyline"),
        ("Folic acid 5mg OD", "The patient takes folic acid 5 mg once daily.", "folic folate"),
        ("Loratadine 10mg PRN", "The patient takes loratadine 10 mg as needed.", "loratadine claritin"),
        ("Candesartan 8mg OD", "The patient takes candesartan 8 mg once daily.", "candesartan"),
        ("Codeine 30mg PRN", "The patient takes codeine 30 mg as needed.", "codeine"),
    ),
    *_of(
        "allergy",
        ("Rash with trimethoprim", "The patient developed a rash with trimethoprim.", "trimethoprim"),
        ("Allergic to plasters", "The patient is allergic to adhesive dressings.", "plasters adhesive dressing"),
        ("Intolerant of codeine", "The patient does not tolerate codeine.", "codeine"),
    ),
    *_of(
        "family",
        ("Uncle - glaucoma", "An uncle has glaucoma.", "uncle glaucoma"),
        ("Aunt - Parkinson's disease", "An aunt has Parkinson disease.", "aunt parkinson parkinsons"),
        ("Cousin - coeliac disease", "A cousin has celiac disease.", "cousin coeliac celiac"),
        ("Grandfather - abdominal aortic aneurysm", "A grandfather had an aortic aneurysm.", "aneurysm grandfather"),
    ),
    *_of(
        "social",
        ("Vapes daily", "The patient vapes daily.", "vape vapes vaping"),
        ("Carer for elderly neighbour", "The patient cares for an elderly neighbor.", "carer neighbor neighbour"),
        ("Swims twice a week", "The patient swims twice a week.", "swim swims swimming"),
        ("Recently moved house", "The patient recently moved house.", "moved moving house"),
        ("Drives a lorry for a living", "The patient drives a truck for a living.", "lorry truck drive drives driving"),
        adult=True,
    ),
    *_of(
        "exam",
        ("Mild pallor of conjunctivae", "There is mild pallor of the conjunctivae.", "pallor pale conjunctivae"),
        ("Small mobile cervical node", "There is a small mobile cervical lymph node.", "node nodes lymph"),
        ("Fine tremor of outstretched hands", "There is a fine tremor of the outstretched hands.", "tremor shaking"),
        ("Dry mucous membranes", "The mucous membranes are dry.", "mucous membranes"),
    ),
    *_of(
        "results",
        ("Ferritin low at 9", "The ferritin was low at 9.", "ferritin"),
        ("Vitamin D 28, low", "The vitamin D level was low at 28.", "vitamin"),
        ("Calcium slightly raised", "The calcium was slightly raised.", "calcium"),
        ("Urate 0.52, raised", "The uric acid level was raised.", "urate uric"),
    ),
    *_of(
        "plan",
        ("Refer to dermatology", "We will refer the patient to dermatology.", "dermatology dermatologist"),
        ("Repeat liver tests in 4 weeks", "We will repeat the liver tests in 4 weeks.", "liver"),
        ("Start vitamin B12 injections", "We will start vitamin B12 injections.", "b12 injection injections"),
        ("Ambulatory ECG for 48 hours", "We will arrange an ambulatory ECG for 48 hours.", "ecg ekg ambulatory holter"),
        ("Flu jab offered and given", "The influenza vaccine was offered and given.", "flu influenza vaccine jab"),
        ("Sick note for 2 weeks", "A work note was given for 2 weeks.", "sick note certificate"),
        ("Ultrasound of thyroid requested", "An ultrasound of the thyroid was requested.", "ultrasound thyroid"),
    ),
)
