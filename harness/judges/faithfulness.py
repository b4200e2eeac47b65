"""One call, YES or NO: is there a problem with the note? What counts as one is the block's matter."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from harness.judges.base import Form, Scale
from harness.judges.contracts import LISTS, Contract, ListingAnswer, listing_schema, upper
from harness.judges.parse import Unreadable, Verdict, parse_object, validate
from harness.judges.single import single_kind


class _IssueAnswer(ListingAnswer):
    issue: Annotated[Literal["YES", "NO"], BeforeValidator(upper)]


def read_issue(text: str) -> Verdict | Unreadable:
    """Read ``{"issue": "YES" | "NO", ...}`` as 0 or 1: YES is the bad answer.

    NO beside a listed omission or unsupported statement is a contradiction and no verdict; YES
    with nothing listed is readable.
    """
    raw = parse_object(text)
    if isinstance(raw, Unreadable):
        return raw
    answer = validate(_IssueAnswer, raw)
    if isinstance(answer, Unreadable):
        return answer
    verdict = answer.verdict(0.0 if answer.issue == "YES" else 1.0)
    if verdict.score == 1.0 and (verdict.missing or verdict.wrong):
        return Unreadable("contradiction")
    return verdict


ISSUE = Contract(
    Form(
        name="issue",
        text=(
            "Reply with one JSON object and nothing else. It has exactly these keys:\n"
            '- "issue": "YES" if the note has a problem, "NO" if it has none; "NO" only if both lists below are empty\n'
            + LISTS
        ),
        schema=listing_schema({"issue": {"type": "string", "enum": ["NO", "YES"]}}),
        read=read_issue,
    ),
    Scale(low=0, high=1, pass_mark=1, votes=True),
)
KIND = single_kind(ISSUE)
