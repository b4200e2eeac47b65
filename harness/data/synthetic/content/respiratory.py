"""Cough and breathlessness."""

from __future__ import annotations

from harness.data.synthetic.content.shapes import diagnosis, safety_net
from harness.data.synthetic.content.values import RECENT
from harness.data.synthetic.point import Change, Point, Problem, denial

COUGH = Problem(
    "cough",
    "[this cough|a cough that [won't|just won't] shift|all this coughing]",
    (
        Point(
            "onset",
            "critical",
            "history",
            text="{kind} cough for {span}",
            ask=(
                "[Tell me about|Talk me through|Let's start with] the cough, [when did it start|how long has "
                "that been going]?"
            ),
            said=(
                "[It's been there|I've had the cough|I've been coughing] [about|for maybe|for roughly] "
                "{span}, and it's {kind}"
            ),
            terse="{kind} cough< [for|over|lasting] {span}>",
            full=(
                "{he} [presented with|described|gave a history of] a {kind} cough< [of {span} duration|for "
                "the last {span}]>"
            ),
            slots={
                "kind": (
                    "chesty, I bring stuff up~productive",
                    "a wet sort of cough~productive",
                    "really rattly~rattling productive",
                ),
                "span": RECENT,
            },
            changes=(Change("timing", "span"),),
            core=True,
        ),
        Point(
            "sputum",
            "supporting",
            "history",
            text="{colour} sputum, {amount} a day",
            ask="[And what|What sort of thing] [do you bring up|comes up when you cough]?",
            said="[Mostly|It's] {colour} [phlegm|sputum], [I'd guess|maybe|probably] {amount} a day",
            terse="{colour} sputum<, {amount}/day>",
            full="{he} [expectorates|brings up] {colour} sputum<, approximately {amount} daily>",
            slots={
                "colour": ("green", "yellow", "rusty, brownish~rust-coloured", "grey"),
                "amount": ("a teaspoon~1 teaspoon", "a tablespoon~1 tablespoon", "an eggcup full~1 eggcupful"),
            },
        ),
        denial(
            "haemoptysis",
            "critical",
            "[haemoptysis|blood in sputum]",
            "[Have you|Did you ever|Have you ever] [coughed up any blood|seen blood when you cough]?",
            "[No|No, thankfully], [never any blood|I haven't seen blood|no blood at all]",
        ),
        denial(
            "sweats",
            "supporting",
            "[drenching|night-time] sweats",
            "[Any|Are there any] [sweats at night|night sweats that soak the sheets]?",
            "No, [no sweats like that|I'm not sweating at night|the sheets are dry, no sweats]",
        ),
        Point(
            "nights",
            "peripheral",
            "history",
            text="sleep disturbed, waking {often} nightly",
            ask="[Is it|Has it been] [disturbing your sleep|keeping you up]?",
            said="[Yeah|It does], it wakes me [up|] {often} a night [and my partner's fed up|, honestly|]",
            terse="[sleep disturbed|waking]<, {often} nightly>",
            full="{his} sleep is [broken|disturbed]<, waking {often} each night>",
            slots={"often": ("twice", "three times", "four times", "once")},
        ),
        Point(
            "inhaler",
            "supporting",
            "history",
            text="borrowed a {who}'s salbutamol inhaler, with {effect}",
            ask="[Have you tried anything|What have you tried] for it?",
            said=(
                "[I borrowed|I used] my {who}'s blue inhaler[, salbutamol I think|, the salbutamol one], and "
                "it {effect}"
            ),
            terse="tried {who}'s salbutamol<, {effect}>",
            full="{he} tried a salbutamol inhaler belonging to {his} {who}<, with {effect}>",
            slots={
                "who": ("neighbour", "cousin", "flatmate", "colleague"),
                "effect": ("did nothing~little relief", "helped a bit~slight relief"),
            },
        ),
        Point(
            "crackles",
            "critical",
            "exam",
            text="crackles at the {side} base",
            ask="",
            said="[I can hear|There are|I'm hearing] [some|a few] crackles [down|] at the {side} base[ of your lung|]",
            terse="crackles at {side} base",
            full="auscultation revealed crackles at the {side} base",
            slots={"side": ("left", "right")},
            changes=(Change("laterality", "side"),),
        ),
        diagnosis("lower respiratory tract infection", "a chest infection, lower respiratory tract"),
        Point(
            "antibiotic",
            "critical",
            "plan",
            text="{drug} for {days}",
            ask="[Do I need|Will I need] antibiotics[, do you think|]?",
            said="[Yes, I'd like you to take|I'll give you|I'm going to prescribe] {drug}, for {days}",
            terse="[start|Rx] {drug}< for {days}>",
            full="I have [prescribed|started] {drug}< for {days}>",
            slots={
                "drug": (
                    "amoxicillin 500 mg three times a day~amoxicillin 500 mg three times daily",
                    "doxycycline 100 mg once a day~doxycycline 100 mg once daily",
                    "clarithromycin 500 mg twice a day~clarithromycin 500 mg twice daily",
                ),
                "days": ("5 days", "7 days"),
            },
            changes=(Change("dose", "drug"),),
            clashes=(
                "allergy-penicillin",
                "allergy-erythromycin",
                "drug-atorvastatin",
                "drug-citalopram",
                "drug-apixaban",
            ),
        ),
        safety_net("you cough up blood or become breathless at rest", "coughing blood or breathlessness at rest"),
    ),
)
