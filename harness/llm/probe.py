"""Ask an endpoint what it can do, before a campaign depends on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.config import ModelConfig
from harness.errors import CallFailed
from harness.llm.client import Client, Effort, Message, Reply, Request
from harness.outcomes import Usage

# Far from any replicate of a judgement, so that a probe neither reads nor fills its cache entries.
FIRST_REPLICATE = 900_000
_SCHEMA = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
PROBE = Request(messages=(Message("user", 'Answer with the JSON object {"ready": true}.'),), schema=_SCHEMA)


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What an endpoint did with tiny requests.

    ``structured``: the reply was JSON, as asked. ``logprobs``: they came back (None = not asked).
    ``repeats_agree``: share in [0, 1] of repeats with the first reply's text (None = not tried).
    ``reasoning``: effort -> reasoning tokens. ``warnings`` are in words, empty where all is well.
    """

    model: str
    simulated: bool
    finish: str
    usage: Usage
    structured: bool | None
    logprobs: bool | None
    repeats_agree: float | None
    reasoning: tuple[tuple[Effort, int], ...]
    warnings: tuple[str, ...]


def probe(
    client: Client, config: ModelConfig, request: Request = PROBE, repeats: int = 0, efforts: Sequence[Effort] = ()
) -> ProbeReport:
    """Send one tiny request, ``repeats`` equal ones, and one per effort.

    A refused parameter, a wrong key or model name, an unreachable endpoint raise as they
    would later, only earlier. Raises CallFailed where the reply has no text.
    """
    first = client.send(replace(request, replicate=FIRST_REPLICATE))
    if not first.text.strip():
        raise _empty(config, first)
    texts = [client.send(replace(request, replicate=FIRST_REPLICATE + 1 + i)).text for i in range(repeats)]
    reasoning = tuple((effort, _reasoning(client, request, effort)) for effort in efforts)
    structured = None if request.schema is None else _is_json(first.text)
    logprobs = None if request.logprobs is None else bool(first.logprobs)
    agree = sum(text == first.text for text in texts) / len(texts) if texts else None
    report = ProbeReport(
        model=first.model,
        simulated=first.simulated,
        finish=first.finish,
        usage=first.usage,
        structured=structured,
        logprobs=logprobs,
        repeats_agree=agree,
        reasoning=reasoning,
        warnings=(),
    )
    return replace(report, warnings=tuple(_warnings(report)))


def _reasoning(client: Client, request: Request, effort: Effort) -> int:
    return client.send(replace(request, replicate=FIRST_REPLICATE, effort=effort)).usage.reasoning_tokens


def _warnings(report: ProbeReport) -> list[str]:
    found = []
    if report.usage.prompt_tokens + report.usage.completion_tokens == 0:
        found.append("no usage is reported: caps count the estimate of every call, and costs are unknown")
    if report.structured is False:
        found.append("a JSON reply was asked for and another one came: try `response_format: json_object` or `text`")
    if report.logprobs is False:
        found.append("logprobs were asked for and none came")
    if report.repeats_agree is not None and report.repeats_agree < 1:
        found.append(
            f"{report.repeats_agree:.0%} of equal requests got the first reply again: nothing fixes its replies"
        )
    if len(report.reasoning) > 1 and len({tokens for _, tokens in report.reasoning}) == 1:
        found.append("reasoning tokens are equal at every effort: effort has no visible effect here")
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def _empty(config: ModelConfig, reply: Reply) -> CallFailed:
    tokens = reply.usage.reasoning_tokens
    found = f"an empty reply (finish {reply.finish!r}, {tokens} reasoning tokens)"
    todo = "Raise `max_tokens`: thinking may have used it up." if reply.truncated else "Try the model by hand."
    return CallFailed(f"probing {config.model!r} at {config.base_url}", found, todo)
