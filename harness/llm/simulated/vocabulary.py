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
        (r"\b(\d{1,2})/7\b", r"\1 days"),
        (r"\b(\d{1,2})/52\b", r"\1 weeks"),
        (r"\b(\d{1,2})/12\b", r"\1 months"),
        (r"(?i)(\d+) over (\d+)", r"\1/\2"),
        (r"(?i)\b(\w+) out of (?:ten|10)\b", r"\1/10"),
        (r"(?i)\b0?(\d{1,2}):00\b", r"\1 o'clock"),
        (r"(?i)\bmillimet(?:re|er)s?\b", "mm"),
        (r"(?i)\bkilos?\b", "kg"),
        (r"(?i)\b(?:phlegm|mucus|gunk)\b", "sputum"),
        (r"(?i)\b(?:chesty|rattly|wet sort of|bring stuff up)\b", "productive"),
        (r"(?i)\bhives\b", "urticaria"),
        (r"(?i)\bchest infection\b", "lower respiratory tract infection"),
        (r"(?i)\bwear and tear\b", "osteoarthritis"),
        (r"(?i)\bpulse\b", "heart rate"),
        (r"(?i)\b(?:throwing up|being sick|been sick)\b", "vomiting"),
        (r"(?i)\bfeverish\b", "fever"),
        (r"(?i)\b(?:haemoptysis|coughed up (?:any )?blood|blood when you cough)\b", "blood sputum cough"),
        (r"(?i)\b(?:heart attack)\b", "myocardial infarction"),
        (r"(?i)\b(?:underactive thyroid)\b", "hypothyroidism"),
        (r"(?i)\b(?:clot in the leg|dvt)\b", "deep vein thrombosis"),
        (r"(?i)\b(?:at home with you|there's me and|live with|lives with)\b", "living with"),
        (r"(?i)\b(?:see you again|look at things again|recall|come back and see)\b", "review"),
        (r"(?i)\brefer(?:ral|red)?\b", "refer"),
        (r"(?i)\b(?:stomach|tummy|belly)\b", "abdominal"),
        (r"(?i)\bhigh blood pressure\b", "hypertension"),
        (r"(?i)\bwater infection\b", "lower urinary tract infection"),
        (r"(?i)\bslipped disc\b", "lumbar disc prolapse"),
        (r"(?i)\b(?:numb in the saddle area|can't control your bladder)\b", "cauda equina"),
        (r"(?i)\b(?:black(?:ed|s)? ?out|pass(?:ed)? out|lost consciousness|faint(?:s|ed)?|syncope)\b", "syncope"),
        (r"(?i)\b(?:pins and needles|tingling|paraesthesia)\b", "tingling"),
        (r"(?i)\bface droops\b", "facial palsy"),
        (r"(?i)\b(?:harm yourself|unsafe)\b", "suicidal"),
        (r"(?i)\b(?:no|nil) change to\b", "continue"),
        (r"(?i)\bstrep\b", "streptococcal"),
        (r"(?i)\bfood stick\w*|trouble swallowing\b", "dysphagia"),
        (r"(?i)\b(?:lips?|tongue) (?:or tongue )?swell\w*", "angioedema"),
        (r"(?i)\b(?:vomit(?:ed|ing)?|threw up|throw up|bring up|brought up) (?:any )?blood\b", "haematemesis"),
        (r"(?i)\bdizz(?:y|iness)\b", "vertigo"),
        (r"(?i)\b(?:to wee|to pee|passing water|pass water)\b", "urine"),
        (r"(?i)\bnocturia\b", "night urine"),
        (r"(?i)\b(?:heartburn|acid reflux|acid coming up)\b", "gastro-oesophageal reflux"),
        (r"(?i)\bstinging|stung|burns?\b", "burning"),
        (r"(?i)\bdysuria\b", "burning urine"),
        (r"(?i)\bsleep disturbed\b", "waking"),
        (r"(?i)\btravelled abroad\b", "foreign travel"),
        (r"(?i)\b(?:self-harm|keep yourself safe)\b", "suicidal"),
        (r"(?i)\bloss of consciousness\b", "syncope"),
        (r"(?i)\bdown (?:my|the|your) (left |right )?leg\b", r"\1sciatica"),
        (r"(?i)\bthrew up\b", "vomited"),
        (r"(?i)\bappendix out\b", "appendicectomy"),
        (r"(?i)\btonsils out\b", "tonsillectomy"),
        (r"(?i)\bgallbladder (?:taken )?out\b", "cholecystectomy"),
        (r"(?i)\brunny nose\b", "coryza"),
        (r"(?i)\ba fit\b", "seizure"),
        (r"(?i)\bblack stools?\b", "melaena"),
        (r"(?i)\b(?:kidney stone)\b", "renal calculus"),
        (r"(?i)\b(?:loose stools?|the runs)\b", "diarrhoea"),
        (r"(?i)\bsame[- ]day\b", "urgent"),
        (r"(?i)\bone\b", " "),
    )
)
EXCLUSIVE: Mapping[str, tuple[str, ...]] = {
    "side": ("left", "right", "bilateral"),
    "certainty": ("possible", "suspected", "likely", "probable", "confirmed", "definite"),
    "relative": ("mother", "father", "brother", "sister", "son", "daughter", "wife", "husband", "aunt", "uncle"),
    "rhythm": ("once", "twice"),
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
    "thought told ask asked question alright lovely perfect absolutely nice cheers yep hmm oh ah "
    "first last next many anyone er erm um uh well mind idea moment clear summarise understood helpful funny forget "
    "fuss bother straight never ever bring stuff really most big sound wait must wonder everything else "
    "touch wood listen deal lie system nightmare joke weather permit list made "
    "impression diagnosis working consider case "
    "far mention matter moving coming together blue borrow normal steady bad school vet grandson park "
    "relief tried gave event develop become attend advise urgent urgently help seek minimal slight"
)
COMMON_WORDS = content_words(
    "hour day week month year daily weekly nightly night morning evening mg mcg ml mm kg twice three times normal "
    "severe mild moderate pain left right lower upper area side"
)
GRAVE_WORDS = content_words(
    "pain chest blood bleeding breath breathless cough fever weight loss faint collapse numbness weakness vomiting "
    "headache vision rash swelling seizure dizzy palpitation stroke cancer suicidal pregnant allergy anaphylaxis "
    "penicillin warfarin insulin dose mg mcg tablet inhaler antibiotic steroid smoke alcohol pressure pulse "
    "temperature rate exam tender urine bowel sweats diabetes asthma hypertension surgery urgent ambulance referral "
    "test scan xray ecg diagnosis infection prescribe review emergency haemoptysis stiff wheeze saturation"
)
