"""What a judge with stages really bought, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.llm.prefix import PrefixMeter, Shares, shares_of
from harness.report.document import Paragraph, Part, Section
from harness.report.tables import Table
from optimiser.records import Row, SeedRow

JUDGE = "judge"
RULE = (
    "Counted: the part of a prompt that begins a prompt of the same endpoint that was answered before, in blocks of "
    "128 tokens from 1,024 on, tokens being characters / 4 and nothing forgotten. The endpoint's own counts may differ."
)
STAGE = "judge:"
NOTE = (
    "Calls that were really sent, search and confirmation together. A stage that sees no note is asked once per "
    "consultation and its reply serves every note and every candidate that shares its block; the spend of the search "
    "counts such a reply with each judgement that rests on it."
)


@dataclass(frozen=True, slots=True)
class Bought:
    """What one campaign really bought: calls by role, over all its processes.

    ``prefix`` counts the judge's prompts after the first candidate, where one process bought all of them.
    """

    by_role: Mapping[str, int] = field(default_factory=dict)
    prefix: Shares | None = None


UNKNOWN = Bought()


class AfterFirst:
    """Watches a search, to tell what a prompt cache would serve once the first candidate is measured."""

    def __init__(self, meter: PrefixMeter) -> None:
        self._meter = meter
        self._first: Shares | None = None

    def on_rows(self, rows: Sequence[Row]) -> None:
        """Remember what had been sent when the first seed was measured."""
        if self._first is None and any(isinstance(row, SeedRow) for row in rows):
            self._first = shares_of(self._meter.counted, JUDGE)

    def shares(self) -> Shares | None:
        """The judge's prompts since then; None where this process did not buy the first candidate itself."""
        if self._first is None or not self._first.calls:
            return None
        return shares_of(self._meter.counted, JUDGE) - self._first


def staged(bought: Mapping[str, int]) -> bool:
    """Whether the judge's calls belong to stages."""
    return any(role.startswith(STAGE) for role in bought)


def calls_lines(bought: Bought) -> tuple[str, ...]:
    """A sentence of calls by role for a judge with stages, and one of the prefix share where it is known.

    >>> calls_lines(Bought({"judge:check": 1200, "judge:extract": 40, "reflect": 6}))
    ('Bought: 1,200 check, 40 extract, 6 reflect calls.',)
    >>> calls_lines(Bought({"judge": 9}))
    ()
    """
    lines = []
    if staged(bought.by_role):
        listed = ", ".join(f"{count:,} {role.removeprefix(STAGE)}" for role, count in sorted(bought.by_role.items()))
        lines.append(f"Bought: {listed} calls.")
    if bought.prefix is not None and bought.prefix.share is not None:
        lines.append(f"Prefix: {_prefix(bought.prefix)}.")
    return tuple(lines)


def calls_sections(bought: Bought) -> tuple[Section, ...]:
    """The same as a section with a table; none where there is nothing to say."""
    parts: list[Part] = []
    if staged(bought.by_role):
        rows = tuple((role.removeprefix(STAGE), f"{count:,}") for role, count in sorted(bought.by_role.items()))
        parts.append(Table("Calls bought, by what asked", ("asked by", "calls"), rows, NOTE))
    if bought.prefix is not None and bought.prefix.share is not None:
        parts.append(Paragraph(f"Prompt cache: {_prefix(bought.prefix)}. {RULE}"))
    return (Section("What was bought", tuple(parts)),) if parts else ()


def _prefix(shares: Shares) -> str:
    assert shares.share is not None
    tokens = f"{shares.tokens:,} prompt tokens ({shares.tokens / shares.calls:,.0f} a prompt)"
    return f"{shares.share:.1%} of the judge's {tokens} after the first candidate could be cached"
