"""What the simulated endpoint accepts: the chat-completions body, checked where its bytes enter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.llm.client import Effort

MODELS = ("sim-judge", "sim-null", "sim-extractor", "sim-auditor", "sim-reflector")
SERVED_BY = "judgelab-simulated-1"


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class TextPart(_Wire):
    """One part of a message given as a list."""

    type: Literal["text"]
    text: str


class ChatMessage(_Wire):
    """One message; ``content`` may be a list of text parts."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]
    name: str | None = None

    @property
    def text(self) -> str:
        """The content as one string."""
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class SchemaFormat(_Wire):
    """The named schema inside a ``json_schema`` response format."""

    name: str
    schema_: Mapping[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None
    description: str | None = None


class ResponseFormat(_Wire):
    """How the reply must look."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: SchemaFormat | None = None


class Reasoning(_Wire):
    """The object style of asking for reasoning effort."""

    effort: Effort | None = None


class ChatBody(_Wire):
    """A chat-completions request; a key that is not named here is refused by name."""

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    n: int | None = Field(None, ge=1, le=128)
    seed: int | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    reasoning_effort: Effort | None = None
    reasoning: Reasoning | None = None
    response_format: ResponseFormat | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    stream: Literal[False] | None = None
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    user: str | None = None
    store: bool | None = None
    metadata: dict[str, str] | None = None

    @property
    def cap(self) -> int | None:
        """Completion tokens at most, reasoning included; None = no cap."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def effort(self) -> Effort:
        """The reasoning effort under either name; ``none`` where nothing is asked."""
        return self.reasoning_effort or (self.reasoning.effort if self.reasoning else None) or "none"

    @property
    def reply_schema(self) -> Mapping[str, Any]:
        """The JSON schema of the wanted reply; empty where none is given."""
        wanted = self.response_format.json_schema if self.response_format else None
        return (wanted.schema_ if wanted else None) or {}
