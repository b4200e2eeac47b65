"""What a prompt wants, told by the material it holds and the form it asks for, and who writes that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from harness.llm.simulated.answers import Asked, write_answer
from harness.llm.simulated.attention import Attention, attend
from harness.llm.simulated.chance import Noise
from harness.llm.simulated.cues import Cues
from harness.llm.simulated.evidence import compare, compare_listed
from harness.llm.simulated.forms import listed, wanted_form
from harness.llm.simulated.judging import Opinion, Side, form_opinion
from harness.llm.simulated.lookup import Reader, what_is_meant
from harness.llm.simulated.pipeline import Wanted, write_audit, write_list
from harness.llm.simulated.reading import Material
from harness.llm.simulated.wire import ChatBody
from harness.llm.simulated.writing import Text

Usual = Literal["facts", "audit", "answer"]
UNJUDGED = Opinion(10.0, (), (), Side(), Side(), 0.0)


def serve(body: ChatBody, material: Material, noise: Noise, cues: Cues, usual: Usual = "answer") -> Text:
    """Write what the prompt wants; ``usual`` is what a model does where the prompt does not say."""
    form = wanted_form(body.reply_schema, material.contract)
    rows = listed(form) if form else ("facts", {}) if usual == "facts" else None
    if rows:
        return write_list(material, Wanted(*rows, cues, body.effort), noise)
    facts_alone = material.holds("TRANSCRIPT") and material.holds("FACT") and not material.note
    if facts_alone or (usual == "audit" and not form):
        return write_audit(material, form, cues, noise)
    attention = attend(cues, body.effort)
    reader = Reader(material, attention, noise)
    opinion = _opinion(material, attention, noise) if _opines(form, material) else UNJUDGED
    return write_answer(form, Asked(opinion, material.items, reader, material.contract))


def _opines(form: Mapping[str, Any], material: Material) -> bool:
    """Whether the note as a whole is judged: not where every key is about listed items."""
    named: Mapping[str, Any] = form.get("properties", {})
    keyed = bool(named) and all(member.get("type") == "object" for member in named.values())
    return not (material.items and (keyed or material.single or not material.note))


def _opinion(material: Material, attention: Attention, noise: Noise) -> Opinion:
    listed_facts = [what_is_meant(text) for text in material.items.values()] if material.holds("FACTS") else []
    if not listed_facts:
        return form_opinion(compare(material.transcript, material.note), attention, noise)
    guided = replace(attention, span=max(attention.span, float(len(listed_facts))))
    return form_opinion(compare_listed(listed_facts, material.transcript, material.note), guided, noise)
