"""What a judge with stages really bought, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping

from harness.report.document import Section
from harness.report.tables import Table

STAGE = "judge:"
NOTE = (
    "Calls that were really sent, search and confirmation together. A stage that sees no note is asked once per "
    "consultation and its reply serves every note and every candidate that shares its block; the spend of the search "
    "counts such a reply with each judgement that rests on it."
)


def staged(bought: Mapping[str, int]) -> bool:
    """Whether the judge's calls belong to stages."""
    return any(role.startswith(STAGE) for role in bought)


def calls_lines(bought: Mapping[str, int]) -> tuple[str, ...]:
    """One line of calls by role for a judge with stages, none for another.

    >>> calls_lines({"judge:check": 1200, "judge:extract": 40, "reflect": 6})
    ('Bought: 1,200 check, 40 extract, 6 reflect calls.',)
    >>> calls_lines({"judge": 9})
    ()
    """
    if not staged(bought):
        return ()
    listed = ", ".join(f"{count:,} {role.removeprefix(STAGE)}" for role, count in sorted(bought.items()))
    return (f"Bought: {listed} calls.",)


def calls_section(bought: Mapping[str, int]) -> Section:
    """The same as a table."""
    rows = tuple((role.removeprefix(STAGE), f"{count:,}") for role, count in sorted(bought.items()))
    return Section("Calls by stage", (Table("Calls bought, by what asked", ("asked by", "calls"), rows, NOTE),))
