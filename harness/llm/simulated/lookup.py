"""Looks the listed items of a prompt up, one by one: facts and questions in the note, claims in the transcript."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from harness.llm.simulated.attention import Attention
from harness.llm.simulated.chance import Noise, cut_for
from harness.llm.simulated.evidence import Finding, claim_evidence, echo, fact_evidence, nearest
from harness.llm.simulated.paraphrase import best_sentence
from harness.llm.simulated.reading import Material
from harness.llm.simulated.sections import SECTIONS, Section, accepted, placed, section_of

FULL = 0.3  # evidence up to which a fact is fully present
CLOSE_UP = 0.5  # share of the noise that is left where one fact is asked about in a call of its own
SKIM = 0.04  # chance, per listed item and unit of slip, that an item is skimmed and passes for found
ECHO = 0.03  # evidence that a second mention adds there: it makes surer, and shows in the odds alone
KIND_EYE = 0.08  # further evidence that a second look lets pass: it searches for what was missed
IMAGINED = 0.04  # share of gone facts for which a second look quotes words that are not in the note
HALF = 0.5  # evidence up to which a second look still finds a part
_SEEN, _AGAIN, _IMAGINED, _SKIMMED = 2, 5, 6, 7  # salts that keep the draws on one item apart
_TAG = re.compile(r"^\[(\w+)\]\s*(?=\S)")
_QUESTION = re.compile(
    r"^(?:is|are|do|does|did|has|have|was|were|can|would|will)\b[^?]*?"
    r"\b(?:say|state|record|mention|document|report|include|list|contain|show|carry|tell|give|cover|note that)"
    r"(?:s|ed|ing)?\b(?: that\b| of\b)?[ :]+(?=\w)",
    re.IGNORECASE,
)
_ASKS_FOR = re.compile(
    r"^(?:is|are|does|do|has|have|was|were) |\b(?:recorded|mentioned|stated|documented|noted)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Sight:
    """What one item came to.

    ``absence`` is the perceived evidence that it is not there: about 0 = surely there, 1 = surely
    not, a little beyond by noise. ``quote`` is the wording that comes nearest, ``section`` where
    that stands; ``displaced`` is True where the item is in the text and not where it belongs.
    """

    absence: float
    quote: str = ""
    section: Section = "complaint"
    displaced: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """A judge's eye on one prompt: the same item always looks the same under one instruction."""

    material: Material
    attention: Attention
    noise: Noise

    @property
    def cut(self) -> float:
        """Evidence from which an item counts as absent."""
        return self.attention.tolerance

    def look(self, item: str) -> Sight:
        """Look an item up in the whole text."""
        plain = what_is_meant(item)
        if self.material.holds("CLAIM"):
            finding = claim_evidence(plain, self.material.transcript)
            return Sight(self._perceived(finding, item, 1.0))
        text = self.material.note or self.material.transcript
        sight = Sight(self._perceived(fact_evidence(plain, text), item, self.attention.detail))
        return replace(sight, absence=sight.absence - ECHO * echo(plain, text)) if self.material.single else sight

    def look_again(self, item: str) -> Sight:
        """Search the note for wording of an item that was not found: a kinder eye that must quote what it saw."""
        plain = what_is_meant(item)
        detail = fact_evidence(plain, self.material.note).detail
        text, share = best_sentence(plain, self.material.note)
        absence = 1 - share - KIND_EYE + self.attention.slip * self.noise.about(item, _AGAIN)
        if detail > FULL:
            absence = max(absence, (FULL + HALF) / 2)
        if absence < HALF:
            return Sight(absence, self._verbatim(text))
        if self.noise.about(item, _IMAGINED) < cut_for(IMAGINED):
            return Sight(FULL / 2, plain)
        return Sight(max(absence, self.cut))

    def look_in_place(self, item: str) -> Sight:
        """Look an item up in the part of the note where it belongs, and in the whole note."""
        tag, plain = _TAG.match(item), what_is_meant(item)
        finding = fact_evidence(plain, self.material.note)
        home = next((s for s in SECTIONS if tag and s == tag[1].lower()), section_of(finding.statement))
        absence = self._perceived(finding, item, self.attention.detail)
        parts = placed(self.material.note)
        own = [part.text for part in parts if part.sections & accepted(home)]
        there = fact_evidence(plain, "\n".join(own)) if own else None
        apart = self._perceived(there, item, self.attention.detail) if there else 1.0
        quote, _ = nearest(plain, self.material.note)
        displaced = absence < self.cut <= apart
        found = next((part.sections for part in parts if part.text == quote), frozenset(SECTIONS))
        strange = [s for s in SECTIONS if s not in accepted(home)]
        elsewhere = next((s for s in strange if s in found), strange[0])
        return Sight(absence, self._verbatim(quote), elsewhere if displaced else home, displaced)

    def _perceived(self, finding: Finding, item: str, detail: float) -> float:
        evidence = max(finding.whole, detail * finding.detail)
        if self.material.single:
            return evidence + CLOSE_UP * self.attention.slip * self.noise.about(item, _SEEN)
        skimmed = cut_for(SKIM * self.attention.slip * len(self.material.items))
        if self.noise.about(item, _SKIMMED) < skimmed:
            evidence = min(evidence, FULL / 2)
        return evidence + self.attention.slip * self.noise.about(item, _SEEN)

    def _verbatim(self, text: str) -> str:
        """The longest end of a sentence that stands in the note as it is: a label may have been put before it."""
        while text and text not in self.material.note:
            _, _, text = text.partition(" ")
        return text


def what_is_meant(item: str) -> str:
    """The fact inside a listed item: without the section before it, and a question without its asking.

    >>> what_is_meant("[history] Appendicectomy in 2010"), what_is_meant("Does the note say that he smokes?")
    ('Appendicectomy in 2010', 'he smokes')
    """
    plain = _TAG.sub("", item).strip()
    if not plain.endswith("?"):
        return plain
    plain = plain.rstrip("? ")
    return _QUESTION.sub("", plain) if _QUESTION.match(plain) else _ASKS_FOR.sub("", plain).strip()
