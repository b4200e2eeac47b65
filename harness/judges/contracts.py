"""Output contracts: what a judge must answer, in words, as a JSON schema, and how it is read.

The words stand in every prompt; the schema goes along where the judge asks for structured
output. Both name the same keys. Arrays and strings of the schema are bounded, because a
server that decodes under a schema may otherwise list without end and be cut by the token cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr

from harness.judges.base import Form, Scale
from harness.judges.parse import Unreadable, Verdict, parse_object, validate

MAX_ITEMS = 12
MAX_CHARS = 200
LISTS = f"""\
- "omissions": a list of strings, each naming in a few words one thing that the note leaves out; [] if there is none
- "unsupported": a list of strings, each naming in a few words one thing that the note says and the transcript does \
not support; [] if there is none
Give at most {MAX_ITEMS} strings in a list.
"""


@dataclass(frozen=True, slots=True)
class Contract:
    """A single-call judge's form of answer, and the scale of its scores."""

    form: Form[Verdict]
    scale: Scale


class ListingAnswer(BaseModel):
    """An answer with both lists.

    Keys that a reply has beyond the contract are ignored; a model may think aloud in them.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    omissions: list[StrictStr]
    unsupported: list[StrictStr]

    def verdict(self, score: float) -> Verdict:
        """The verdict with this score; blank strings name nothing."""
        return Verdict(score, _named(self.omissions), _named(self.unsupported))


class _ScoreAnswer(ListingAnswer):
    score: Annotated[StrictInt, Field(ge=0, le=10)]


def upper(value: object) -> object:
    """A word in capitals, for a closed choice in any case; ValueError for what is no string."""
    if not isinstance(value, str):
        raise ValueError("not a string")
    return value.strip().upper()


class _BinaryAnswer(ListingAnswer):
    word: Annotated[Literal["PASS", "FAIL"], BeforeValidator(upper)] = Field(alias="verdict")


def read_score(text: str) -> Verdict | Unreadable:
    """Read ``{"score": 0..10, ...}``. Things listed beside a 10 are no contradiction: they may weigh nothing."""
    raw = parse_object(text)
    if isinstance(raw, Unreadable):
        return raw
    answer = validate(_ScoreAnswer, raw)
    return answer if isinstance(answer, Unreadable) else answer.verdict(float(answer.score))


def read_binary(text: str) -> Verdict | Unreadable:
    """Read ``{"verdict": "PASS" | "FAIL", ...}`` as 1 or 0.

    PASS beside a listed omission or unsupported statement is a contradiction and no verdict.
    FAIL with nothing listed is readable: a judge may see that a note is bad without naming why.
    """
    raw = parse_object(text)
    if isinstance(raw, Unreadable):
        return raw
    answer = validate(_BinaryAnswer, raw)
    if isinstance(answer, Unreadable):
        return answer
    verdict = answer.verdict(1.0 if answer.word == "PASS" else 0.0)
    if verdict.score == 1.0 and (verdict.missing or verdict.wrong):
        return Unreadable("contradiction")
    return verdict


def _named(items: list[str]) -> tuple[str, ...]:
    return tuple(item.strip() for item in items if item.strip())


def listing_schema(own: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an answer with these keys of its own and both lists."""
    listing = {"type": "array", "maxItems": MAX_ITEMS, "items": {"type": "string", "maxLength": MAX_CHARS}}
    return {
        "type": "object",
        "properties": {**own, "omissions": listing, "unsupported": listing},
        "required": [*own, "omissions", "unsupported"],
        "additionalProperties": False,
    }


SCORE = Contract(
    Form(
        name="score",
        text=(
            "Reply with one JSON object and nothing else. It has exactly these keys:\n"
            '- "score": an integer from 0 (worst) to 10 (best)\n' + LISTS
        ),
        schema=listing_schema({"score": {"type": "integer", "minimum": 0, "maximum": 10}}),
        read=read_score,
    ),
    Scale(low=0, high=10, pass_mark=8),
)
BINARY = Contract(
    Form(
        name="binary",
        text=(
            "Reply with one JSON object and nothing else. It has exactly these keys:\n"
            '- "verdict": "PASS" or "FAIL"; "PASS" only if both lists below are empty\n' + LISTS
        ),
        schema=listing_schema({"verdict": {"type": "string", "enum": ["PASS", "FAIL"]}}),
        read=read_binary,
    ),
    Scale(low=0, high=1, pass_mark=1, votes=True),
)
