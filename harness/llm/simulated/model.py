"""The simulated model: one plain function from an HTTP request's body and headers to a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from harness.llm.simulated.chance import Noise, noise_of, request_digest
from harness.llm.simulated.cues import read_cues
from harness.llm.simulated.duties import serve
from harness.llm.simulated.faults import HEADER, Delivery, inject
from harness.llm.simulated.reading import Material, read_material
from harness.llm.simulated.reflecting import write_reflection
from harness.llm.simulated.replies import completion, not_found, refused
from harness.llm.simulated.wire import MODELS, ChatBody
from harness.llm.simulated.writing import Text

Writer = Callable[[ChatBody, Material, Noise], Text]


@dataclass(frozen=True, slots=True)
class SimReply:
    """An HTTP answer. ``delivery`` says how its bytes reach the caller, if they do."""

    status: int
    headers: Mapping[str, str]
    payload: Mapping[str, Any]
    delivery: Delivery = field(default_factory=Delivery)


def answer(body: Mapping[str, Any], headers: Mapping[str, str]) -> SimReply:
    """Answer one chat-completions request; equal requests get equal replies.

    ``headers`` may name a fault (see ``faults``); nothing else in them matters. Never raises for
    a body that is JSON: what is not supported is a reply with status 400, as an endpoint does.
    """
    try:
        asked = ChatBody.model_validate(body)
    except ValidationError as error:
        return SimReply(400, {}, refused(error))
    if asked.model not in MODELS:
        return SimReply(404, {}, not_found(asked.model))
    identity = request_digest(asked)
    material = read_material(asked.messages)
    writer = _WRITERS[asked.model]
    lasting = f"{material.instruction}\n{material.transcript}"
    texts = [
        writer(asked, material, noise_of(identity, lasting, (asked.seed, index), asked.temperature))
        for index in range(asked.n or 1)
    ]
    reply = completion(asked, material, texts, identity)
    status, added, payload, delivery = inject(headers.get(HEADER, ""), reply)
    return SimReply(status, added, payload, delivery)


def _judge(body: ChatBody, material: Material, noise: Noise) -> Text:
    return serve(body, material, noise, read_cues(material.instruction))


def _null(body: ChatBody, material: Material, noise: Noise) -> Text:
    calm = body.model_copy(update={"reasoning_effort": "none", "reasoning": None})
    return serve(calm, material, noise, read_cues("faithful and complete"))


def _extract(body: ChatBody, material: Material, noise: Noise) -> Text:
    return serve(body, material, noise, read_cues(material.instruction), usual="facts")


def _audit(body: ChatBody, material: Material, noise: Noise) -> Text:
    return serve(body, material, noise, read_cues(material.instruction), usual="audit")


def _reflect(body: ChatBody, material: Material, noise: Noise) -> Text:
    return Text().write(write_reflection(material, noise.sample))


_WRITERS: Mapping[str, Writer] = {
    "sim-judge": _judge,
    "sim-null": _null,
    "sim-extractor": _extract,
    "sim-auditor": _audit,
    "sim-reflector": _reflect,
}
