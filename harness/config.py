"""Configuration of data, models and judges: what a user may write in YAML.

Every field says its unit. Unknown keys are errors that name the nearest known key.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import ConfigError
from harness.llm.client import Effort
from harness.types import Severity, digest

IN_PROCESS = "simulated:"


class Settings(BaseModel):
    """Base of every configuration: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(Settings):
    """US dollars per million tokens."""

    input: float = Field(ge=0, description="USD per million prompt tokens")
    cached_input: float | None = Field(None, ge=0, description="USD per million cached prompt tokens; None = input")
    output: float = Field(ge=0, description="USD per million completion tokens, reasoning included")


class Timeouts(Settings):
    """Seconds."""

    connect: float = Field(10, gt=0, description="seconds to open a connection")
    call: float = Field(120, gt=0, description="seconds for one attempt")
    total: float = Field(600, gt=0, description="seconds for one request with all its retries")


class ModelConfig(Settings):
    """One model at one endpoint."""

    model: str = Field(min_length=1, description="model name as the endpoint knows it")
    base_url: str = Field(description="address up to and including /v1, or 'simulated:' for the in-process model")
    key_env: str | None = Field(None, description="NAME of the environment variable that holds the key; never the key")
    temperature: float | None = Field(None, ge=0, le=2, description="sampling temperature; None = not sent")
    seed: int | None = Field(None, description="seed sent where a judge gives none; None = not sent")
    max_tokens: int | None = Field(1024, gt=0, description="completion token cap; None = not sent")
    token_parameter: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="the name under which the endpoint takes the token cap"
    )
    effort: Effort | None = Field(None, description="reasoning effort; None = not sent")
    effort_style: Literal["reasoning_effort", "reasoning"] = Field(
        "reasoning_effort", description="top-level string (OpenAI, vLLM) or {'effort': ...} object (OpenRouter)"
    )
    response_format: Literal["json_schema", "json_object", "text"] = Field(
        "json_schema", description="how a wanted JSON reply is asked for"
    )
    drop: tuple[str, ...] = Field((), description="request parameters never sent to this endpoint")
    prices: Prices | None = Field(None, description="needed for a cap in money")
    concurrency: int = Field(8, ge=1, le=512, description="calls in flight at most")
    requests_per_minute: float | None = Field(None, gt=0, description="calls started per minute at most")
    tokens_per_minute: float | None = Field(None, gt=0, description="prompt and reserved completion tokens per minute")
    timeouts: Timeouts = Timeouts()
    retries: int = Field(4, ge=0, le=20, description="attempts after the first")
    extra_body: Mapping[str, Any] = Field(default_factory=dict, description="added to every request body as it is")
    headers: Mapping[str, str] = Field(default_factory=dict, description="added to every request; no secrets here")

    @property
    def in_process(self) -> bool:
        """True where the simulated model answers without a socket."""
        return self.base_url.startswith(IN_PROCESS)


class StageConfig(Settings):
    """What one stage of a judge does in its own way.

    None = as the judge does it; for a stage that never sees a note: as the model does it.
    """

    model: ModelConfig | None = Field(None, description="another model for this stage; None = the judge's")
    effort: Effort | None = Field(None, description="reasoning effort of this stage")
    temperature: float | None = Field(None, ge=0, le=2, description="sampling temperature of this stage")
    max_tokens: int | None = Field(None, gt=0, description="completion token cap; None = by the length of the answer")


class SeverityWeights(Settings):
    """How much a fact of each severity counts in a weighted coverage."""

    critical: float = Field(4, gt=0, description="weight of a critical fact")
    supporting: float = Field(2, ge=0, description="weight of a supporting fact")
    peripheral: float = Field(1, ge=0, description="weight of a peripheral fact")

    def of(self, severity: Severity) -> float:
        """The weight of one severity."""
        return {"critical": self.critical, "supporting": self.supporting, "peripheral": self.peripheral}[severity]


class JudgeConfig(Settings):
    """One judge: a kind with its options. The evolving text is in a Candidate, not here."""

    kind: str = Field("score", description="member of the judge family, e.g. 'score', 'binary' or 'pipeline'")
    samples: int = Field(1, ge=1, le=64, description="samples per judgement")
    aggregation: Literal["winsorised", "mean", "majority"] = Field(
        "winsorised", description="how samples become one score"
    )
    structured: bool = Field(True, description="ask for the reply as structured output")
    effort: Effort | None = Field(None, description="reasoning effort of the judge; None = the model's")
    temperature: float | None = Field(1.0, ge=0, le=2, description="sampling temperature of the judge")
    max_tokens: int | None = Field(None, gt=0, description="completion token cap; None = the model's")
    flag_below: float | None = Field(None, description="the judge's own rule: flagged iff score < this; None = none")
    seed: int = Field(11, description="base of the per-call seeds")
    stages: Mapping[str, StageConfig] = Field(
        default_factory=dict, description="settings of single stages, by the name of their block"
    )
    facts: Literal["extracted", "given"] = Field(
        "extracted", description="facts found by the judge's own stages, or those that came with the consultation"
    )
    weights: SeverityWeights = SeverityWeights()
    partial_credit: float = Field(0.5, ge=0, le=1, description="share of a fact's weight for a partial mention")
    second_look: bool = Field(True, description="look once more for facts marked absent, quotes verified")
    thresholds: tuple[float, float] | None = Field(
        None, description="marks of the two parts of a combined judge, chosen jointly; None = the parts' own"
    )


class DataConfig(Settings):
    """Where the consultations, notes and pairs come from."""

    source: Literal["synthetic", "primock57", "aci-bench", "mts-dialog", "medec", "omissionbench", "jsonl"] = Field(
        description="which importer or generator"
    )
    path: Path | None = Field(None, description="folder of the source, relative to the configuration file")
    consultations: int = Field(96, ge=6, description="how many to generate (synthetic only)")
    pairs_per_consultation: int = Field(5, ge=1, le=20, description="flawed notes per clean note at most")
    seed: int = Field(20261, description="seed of generation and of planted defects")

    @model_validator(mode="after")
    def _path_where_needed(self) -> DataConfig:
        if self.source != "synthetic" and self.path is None:
            raise ValueError(f"source {self.source!r} needs a path")
        return self


ConfigT = TypeVar("ConfigT", bound=BaseModel)


def parse_config(kind: type[ConfigT], raw: object, where: str) -> ConfigT:
    """Validate ``raw`` as ``kind``; a ConfigError names the key, the reason and the nearest known key."""
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        # An unknown key first: it is often the one that another error misses.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        path = ".".join(str(part) for part in first["loc"])
        todo = "Correct the value."
        if first["type"] == "extra_forbidden":
            section = _section(kind, first["loc"][:-1])
            near = difflib.get_close_matches(str(first["loc"][-1]), section.model_fields, n=1, cutoff=0.5)
            todo = f"Did you mean {near[0]!r}?" if near else f"Remove the key; see the fields of {section.__name__}."
        what = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        found = f"{path or 'the document'}: {what}{more}"
        raise ConfigError(f"reading {where}", found, todo) from None


def load_yaml(path: Path) -> Any:
    """Read one YAML file; ConfigError where it is missing or not YAML."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise ConfigError("reading a configuration", f"no file {path}", "Check the path.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"reading {path}", f"not YAML: {error}", "Mend the file.") from None


def fingerprint(config: BaseModel) -> str:
    """Digest of a configuration's values."""
    return digest(config.model_dump(mode="json"))


def _section(kind: type[BaseModel], path: tuple[int | str, ...]) -> type[BaseModel]:
    """The model whose keys stand at a path: a key that is right elsewhere is no help here."""
    for part in path:
        field = kind.model_fields.get(str(part))
        if field is None:  # a place in a list, or a name of the user's in a mapping
            continue
        annotation = field.annotation
        nested = [k for k in (annotation, *get_args(annotation)) if isinstance(k, type) and issubclass(k, BaseModel)]
        if not nested:
            break
        kind = nested[0]
    return kind
