"""The words that the simulated model knows: shorthand, exclusive details, small talk, grave matters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.data.words import content_words

SHORTHAND: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), wording)
    for pattern, wording in (
        (r"\bL\b", "left"),
        (r"\bR\b", "right"),
        (r"\bB/L\b", "bilateral"),
        (r"\bBP\b", "blood pressure"),
        (r"\bHR\b", "heart rate"),
        (r"\bRR\b", "breathing rate"),
        (r"(?i)\b(?:tds|tid)\b", "three times daily"),
        (r"(?i)\b(?:qds|qid)\b", "four times daily"),
        (r"(?i)\b(?:bd|bid)\b", "twice daily"),
        (r"(?i)\bod\b", "once daily"),
        (r"(?i)\bprn\b", "when needed"),
        (r"(?i)\bnocte\b", "night"),
        (r"(?i)\bh/o\b", "history of"),
        (r"(?i)\b(?:yrs?|yo)\b", "year"),
        (r"(?i)\bwks?\b", "week"),
        (r"(?i)\bhrs?\b", "hour"),
        (r"(?i)\bmilligrams?\b", "mg"),
        (r"(?i)\bmicrograms?\b", "mcg"),
        (r"(?i)(?<=\d)(?=(?:mg|mcg|ml|g|kg|cm|mm)\b)", " "),
        (r"(?i)\bs/b\b", "seen by"),
    )
)
EXCLUSIVE: Mapping[str, tuple[str, ...]] = {
    "side": ("left", "right", "bilateral"),
    "unit": ("hour", "day", "week", "month", "year"),
    "certainty": ("possible", "suspected", "likely", "probable", "confirmed", "definite"),
    "relative": ("mother", "father", "brother", "sister", "son", "daughter", "wife", "husband", "aunt", "uncle"),
    "rhythm": ("once", "twice", "weekly", "monthly", "hourly", "nightly"),
    "moment": ("morning", "night", "evening", "afternoon"),
    "course": ("worse", "better", "sudden", "gradual", "constant", "intermittent"),
}
ALIASES = {
    "mum": "mother", "mom": "mother", "dad": "father", "maybe": "possible", "probably": "probable",
    "possibly": "possible", "query": "possible", "suspect": "suspected", "certain": "definite",
    "definitely": "definite",
    "worsening": "worse", "worsened": "worse", "improving": "better", "improved": "better", "suddenly": "sudden",
    "gradually": "gradual", "both": "bilateral", "nights": "night", "mornings": "morning",
}  # fmt: skip
CLASS_OF = {word: name for name, words in EXCLUSIVE.items() for word in words}
TALK = content_words(
    "guess maybe probably about roughly mostly honest honestly suppose actually thanks thank fine good right great "
    "sure tell talk hear okay start come let hello hi bye doctor morning sorry worry worried mean keep put look "
    "looking people something anything nothing someone way back long little much even since ago around pretty "
    "thought told ask asked question alright lovely perfect absolutely nice cheers yep hmm oh ah first last next many anyone"
)
GRAVE_WORDS = content_words(
    "pain chest blood bleeding breath breathless cough fever weight loss faint collapse numbness weakness vomiting "
    "headache vision rash swelling seizure dizzy palpitation stroke cancer suicidal pregnant allergy anaphylaxis "
    "penicillin warfarin insulin dose mg mcg tablet inhaler antibiotic steroid smoke alcohol pressure pulse "
    "temperature rate exam tender urine bowel sweats diabetes asthma hypertension surgery urgent ambulance referral "
    "test scan xray ecg diagnosis infection prescribe review emergency haemoptysis stiff wheeze saturation"
)
