"""What the simulated reflector can say: sentences for each concept, each in several wordings."""

from __future__ import annotations

from collections.abc import Mapping

from harness.llm.simulated.cues import Concept

OPENINGS = (
    "Judge how well the note stands for what was said in the consultation.",
    "Your task is to rate this note against the conversation it was written from.",
    "Rate the note as a colleague who takes over the patient and has nothing else to read.",
    "Compare the conversation with the note and grade the note.",
    "Act as a reviewer of clinical documentation and rate the note below.",
)
PHRASES: Mapping[Concept, tuple[str, ...]] = {
    "whole": (
        "The note should be complete.",
        "A good note is comprehensive.",
        "Ask whether the record is complete enough to act on.",
    ),
    "omissions": (
        "Look for what was said and has been left out.",
        "Count everything relevant that is missing as a fault.",
        "An omission is as much a fault as an error.",
        "Search for relevant content that the writer dropped.",
    ),
    "support": (
        "Anything in the note that the conversation contradicts or that was invented lowers the mark.",
        "Also look for unsupported content, and for content that the speakers contradict.",
        "Be faithful to the conversation: fabricated content is a fault.",
        "Then turn round and look in the note for content that nobody said, invented or twisted.",
    ),
    "enumerate": (
        "Before grading, list all clinical facts that the speakers establish.",
        "First write down the established facts of the conversation, turn by turn.",
        "Start with an inventory of the relevant findings, taken from the conversation alone.",
        "Begin by going turn by turn and enumerating the clinically useful statements.",
        "Work through the conversation and collect its facts before you read the note again.",
    ),
    "closed": (
        "For each of them give a closed verdict: present or absent.",
        "Take them one by one and settle whether it is present, partial or absent.",
        "Decide for every single one, yes or no, whether a reader would learn it.",
        "Give each its own verdict before you form an overall view.",
    ),
    "details": (
        "Compare the details that carry weight: dose, laterality, negation, duration and frequency.",
        "Check numbers and units, which side is meant, what was denied, and the timing.",
        "A finding without its dose, its duration, its side or its onset is only half there.",
        "Compare values, units, laterality and durations word for word.",
    ),
    "compression": (
        "Do not penalise shorthand or paraphrase.",
        "Abbreviations and condensed phrasing are fine as long as the sense survives.",
        "Never deduct for concise wording.",
        "Rephrased or terse content counts as said.",
    ),
    "severity": (
        "Weigh each fault by its clinical significance and let the gravest make up most of the mark.",
        "Deduct most for what could harm the patient and little for the peripheral.",
        "Let the deduction follow the severity of the fault.",
        "Grade faults by patient safety: critical ones cost most.",
    ),
    "quote": (
        "Before you call something a fault, quote the words that settle it.",
        "Point to the sentence on which each judgement rests.",
        "Back each judgement with a verbatim passage.",
    ),
    "unscoped": (
        "Do not count omissions against the writer.",
        "Ignore gaps; look only at what is on the page.",
        "Disregard missing information.",
    ),
    "brevity": (
        "Reward brevity.",
        "Prefer short notes over long ones.",
        "Shorter notes are better.",
    ),
    "strict": ("Be strict.", "Grade rigorously."),
    "lenient": ("Be lenient in doubtful cases.", "Give the benefit of the doubt."),
}
ORDER: tuple[Concept, ...] = (
    "whole", "omissions", "enumerate", "closed", "details", "support", "quote", "compression", "severity",
    "strict", "lenient", "unscoped", "brevity",
)  # fmt: skip
PADDING = (
    "Keep in mind that documentation serves many readers, each with needs of their own.",
    "Clinical writing has a long tradition, and styles differ between places and people.",
    "Remember that a rating should be made with care and an open mind.",
    "It helps to read slowly, to pause, and to read once more with fresh eyes.",
    "A reviewer is expected to remain courteous, patient and balanced at all times.",
    "Consider the circumstances under which such texts come into being.",
    "Think about who will open this record next week, next month and next year.",
    "There is no hurry; a considered view is worth more than a quick one.",
)
