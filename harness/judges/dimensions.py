"""One call, two ratings from 1 to 5, consistency and completeness; the score is the lower of the two."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt

from harness.judges.base import Form, Scale
from harness.judges.contracts import LISTS, Contract, ListingAnswer, listing_schema
from harness.judges.parse import Unreadable, Verdict, parse_object, validate
from harness.judges.single import single_kind

LOW, HIGH = 1, 5
Rating = Annotated[StrictInt, Field(ge=LOW, le=HIGH)]
_RATING = {"type": "integer", "minimum": LOW, "maximum": HIGH}


class _DimensionsAnswer(ListingAnswer):
    consistency: Rating
    completeness: Rating


def read_dimensions(text: str) -> Verdict | Unreadable:
    """Read ``{"consistency": 1..5, "completeness": 1..5, ...}`` as the lower of the two.

    A note is as good as its worse side: a mean would let a tidy note make up for what it leaves
    out. Things listed beside two 5s are no contradiction: they may weigh nothing.
    """
    raw = parse_object(text)
    if isinstance(raw, Unreadable):
        return raw
    answer = validate(_DimensionsAnswer, raw)
    if isinstance(answer, Unreadable):
        return answer
    return answer.verdict(float(min(answer.consistency, answer.completeness)))


DIMENSIONS = Contract(
    Form(
        name="dimensions",
        text=(
            "Reply with one JSON object and nothing else. It has exactly these keys:\n"
            f'- "consistency": an integer from {LOW} (worst) to {HIGH} (best)\n'
            f'- "completeness": an integer from {LOW} (worst) to {HIGH} (best)\n' + LISTS
        ),
        schema=listing_schema({"consistency": _RATING, "completeness": _RATING}),
        read=read_dimensions,
    ),
    Scale(low=LOW, high=HIGH, pass_mark=HIGH),
)
KIND = single_kind(DIMENSIONS)
