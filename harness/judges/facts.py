"""The facts of a consultation, found once by the stages that see nothing but its transcript.

``extract`` lists them, ``audit`` drops what the transcript does not support and grades the rest.
Both ask with replicate 0 and a fixed seed, so equal text means an equal request: the client's
cache answers every note of a consultation after the first, and a changed prompt misses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from harness.config import JudgeConfig
from harness.errors import DataError, LeakFound
from harness.judges.asking import Asker, preparing_terms
from harness.judges.base import Form, ReadingT, Sample
from harness.judges.envelope import compose, layout_digest, listing
from harness.judges.keyed import Answered, Item, ask_keyed, keyed_form, object_entry
from harness.judges.parse import Unreadable, parse_object, validate
from harness.llm.client import Client, Message
from harness.types import Candidate, Consultation, Fact, Note, Severity, digest

EXTRACT, AUDIT = "extract", "audit"
MAX_FACTS, MAX_CHARS = 60, 400
ROOM = 6000  # completion tokens for a full list
WINDOW = 120
_LINE = {"type": "string", "maxLength": MAX_CHARS}


class Extracted(BaseModel):
    """One entry of the extraction's answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Annotated[StrictStr, Field(min_length=1)]
    evidence: StrictStr

    def fact(self, key: str) -> Fact:
        """The entry as a fact under an id, of severity "supporting" until an audit grades it."""
        return Fact(key, self.text.strip(), self.evidence.strip()[:MAX_CHARS], "supporting")


class Extraction(BaseModel):
    """The extraction's answer; a judge that wants more of each fact narrows the type of its entries."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    facts: Sequence[Extracted]


class _Audited(Answered):
    verdict: Literal["supported", "unsupported"]
    severity: Severity


def extraction_form(
    kind: type[Extraction], more: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> Form[tuple[Fact, ...]]:
    """The form ``{"facts": [{"text", "evidence", ...}, ...]}``, read as facts f1, f2, ...

    ``more`` gives what an entry holds besides: name -> (its words in the prompt, its schema).
    """

    def read(text: str) -> tuple[Fact, ...] | Unreadable:
        raw = parse_object(text)
        answer = raw if isinstance(raw, Unreadable) else validate(kind, raw)
        if isinstance(answer, Unreadable):
            return answer
        named = [fact for fact in answer.facts if fact.text.strip()][:MAX_FACTS]
        return tuple(fact.fact(f"f{number}") for number, fact in enumerate(named, start=1)) or Unreadable("no-facts")

    members = {"text": _LINE, "evidence": _LINE} | {name: schema for name, (_, schema) in more.items()}
    parts = ['"text" (the fact in one short sentence)']
    parts += [f'"{name}" ({words})' for name, (words, _) in more.items()]
    entry = {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
    return Form(
        name="facts",
        text=(
            "Reply with one JSON object and nothing else. It has exactly one key:\n"
            f'- "facts": a list of objects, each with {", ".join(parts)} and "evidence" (the words of the transcript '
            "that establish it)\n"
            f"Give at most {MAX_FACTS} facts.\n"
        ),
        schema={
            "type": "object",
            "properties": {"facts": {"type": "array", "minItems": 1, "maxItems": MAX_FACTS, "items": entry}},
            "required": ["facts"],
            "additionalProperties": False,
        },
        read=read,
    )


EXTRACTION = extraction_form(Extraction, {})
AUDITING = object_entry(
    _Audited,
    'an object with "verdict" ("supported" or "unsupported" by the transcript) and "severity" ("critical", '
    '"supporting" or "peripheral")',
    {
        "verdict": {"type": "string", "enum": ["supported", "unsupported"]},
        "severity": {"type": "string", "enum": ["critical", "supporting", "peripheral"]},
    },
)


@dataclass(frozen=True, slots=True)
class FactFinder:
    """Finds the facts of a consultation: extracted (and audited where ``audited``), or those that came with it."""

    config: JudgeConfig
    candidate: Candidate
    client: Client
    audited: bool
    form: Form[tuple[Fact, ...]] = EXTRACTION

    def find(self, consultation: Consultation, note: Note) -> Sample[tuple[Fact, ...]]:
        """The facts, with ids f1, f2, ... ``note`` is not shown to any stage: it is what they must be blind to.

        Raises DataError where the configuration wants given facts and there are none, LeakFound
        where a stage's prompt holds wording of the note that the transcript does not.
        """
        if self.config.facts == "given":
            return Sample(given_facts(consultation))
        parts = (("TRANSCRIPT", consultation.transcript),)
        messages = compose(parts, self.candidate.block(EXTRACT), self.form.text)
        found = self._asker(EXTRACT, self.form).ask(self._blind(messages, consultation, note), 0, 0)
        if isinstance(found.reading, Unreadable) or not self.audited:
            return found
        return self._audit(consultation, note, found.reading).after(found)

    def _audit(self, consultation: Consultation, note: Note, facts: Sequence[Fact]) -> Sample[tuple[Fact, ...]]:
        def ask(items: Sequence[Item], added: int) -> Sample[Mapping[str, _Audited]]:
            form = keyed_form("fact", [key for key, _ in items], AUDITING)
            parts = (("TRANSCRIPT", consultation.transcript), ("FACTS", listing(items)))
            messages = compose(parts, self.candidate.block(AUDIT), form.text)
            return self._asker(AUDIT, form).ask(self._blind(messages, consultation, note), 0, added)

        answered = ask_keyed(ask, items_of(facts))
        if isinstance(answered.reading, Unreadable):
            return answered.read_as(answered.reading)
        graded = answered.reading
        kept = tuple(
            replace(fact, severity=graded[fact.id].severity) for fact in facts if graded[fact.id].verdict == "supported"
        )
        return answered.read_as(kept or Unreadable("no-facts"))

    def _asker(self, stage: str, form: Form[ReadingT]) -> Asker[ReadingT]:
        return Asker(preparing_terms(self.config, stage, ROOM), form, self.client)

    @staticmethod
    def _blind(messages: tuple[Message, ...], consultation: Consultation, note: Note) -> tuple[Message, ...]:
        require_blind(messages, consultation, note)
        return messages


def given_facts(consultation: Consultation) -> tuple[Fact, ...]:
    """The facts that came with a consultation under the ids f1, f2, ...: their own ids may say what was planted."""
    if not consultation.facts:
        raise DataError(
            f"judging a note of consultation {consultation.id!r} by given facts",
            "a consultation without facts",
            "Give it facts, or let the judge find them with `facts: extracted`.",
        )
    return tuple(replace(fact, id=f"f{number}") for number, fact in enumerate(consultation.facts, start=1))


def items_of(facts: Sequence[Fact]) -> tuple[Item, ...]:
    """Facts as (id, text): what a checker may see of them."""
    return tuple((fact.id, fact.text) for fact in facts)


def require_blind(messages: Sequence[Message], consultation: Consultation, note: Note) -> None:
    """Raise LeakFound where the prompt holds a stretch of the note: its first, middle or last 120 characters.

    Compared without regard to case and white space; a stretch that the transcript itself holds is no leak.
    """
    prompt = _plain(" ".join(message.content for message in messages))
    spoken, text = _plain(consultation.transcript), _plain(note.text)
    starts = (0, max(0, len(text) // 2 - WINDOW // 2), max(0, len(text) - WINDOW))
    for window in {text[start : start + WINDOW] for start in starts}:
        if len(window) == WINDOW and window in prompt and window not in spoken:
            raise LeakFound(
                f"asking a stage that must not see notes about consultation {consultation.id!r}",
                f"text of note {note.id!r} in its prompt: {window[:40]!r}...",
                "Look for note text in the block of that stage; it was written for one case.",
            )


def facts_digest(config: JudgeConfig, audited: bool, extraction: Form[tuple[Fact, ...]] = EXTRACTION) -> str:
    """Digest of all fixed text of the stages that find the facts."""
    if config.facts == "given":
        return "given"
    parts: list[object] = [layout_digest(("TRANSCRIPT",), extraction.text)]
    forms: list[object] = [extraction.schema]
    if audited:
        form = keyed_form("fact", ("f1",), AUDITING)
        parts.append(layout_digest(("TRANSCRIPT", "FACTS"), form.text))
        forms.append(form.schema)
    return digest([parts, forms if config.structured else None])


def fact_blocks(audited: bool) -> tuple[str, ...]:
    """Names of the blocks of the stages that find the facts."""
    return (EXTRACT, AUDIT) if audited else (EXTRACT,)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
