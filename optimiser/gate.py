"""Gate: a confirmation -> an exit code for CI, with JUnit XML and a Markdown summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from xml.etree import ElementTree

from harness.errors import DataError
from optimiser.config import GateConfig
from optimiser.confirmation import Confirmation, Rung, read_confirmation
from optimiser.findings import effort_name
from optimiser.rung import decide

# What XML 1.0 cannot hold even escaped.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

ExitCode = Literal[0, 1, 2, 3]
PASS: Final = 0
REGRESSION: Final = 1
INCONCLUSIVE: Final = 2
MISUSE: Final = 3


@dataclass(frozen=True, slots=True)
class GateResult:
    """0 pass, 1 regression or less than required, 2 inconclusive, 3 misuse; and why.

    ``verdict`` is the confirmation's, or "misuse" where there is none to act on.
    """

    exit_code: ExitCode
    verdict: str
    reasons: tuple[str, ...]
    confirmation: Confirmation | None = None

    def junit(self) -> str:
        """JUnit XML: one test case a rung, of which only the primary one can fail; one error for misuse."""
        return _junit(self)

    def markdown(self) -> str:
        """A summary for a pull request."""
        return "\n".join(_markdown(self)) + "\n"


def gate_file(path: Path, config: GateConfig) -> GateResult:
    """Gate a confirmation file; one that is missing, broken or of another version is misuse."""
    try:
        return gate(read_confirmation(path), config)
    except DataError as error:
        return GateResult(MISUSE, "misuse", (str(error),))


def gate(confirmation: Confirmation, config: GateConfig) -> GateResult:
    """Decide what CI does with a confirmation.

    - regressed: 1
    - improved: 0
    - non-inferior, or the seed was kept (the baseline stays): 0, but 1 where ``require`` is "improved"
    - inconclusive: 0, but 2 where ``fail_on_inconclusive`` is set or ``require`` is "improved"; passing weaker
      evidence where non-inferior fails would reward a smaller holdout

    Verdicts are derived again from the figures; where one does not follow from them, the file was edited: 3.
    """
    for rung in confirmation.rungs:
        if rung.comparison is not None:
            follows = decide(rung.comparison, confirmation.margin, confirmation.alpha)
            if follows != rung.verdict:
                found = f"at {effort_name(rung.effort)} the verdict reads {rung.verdict}, the figures say {follows}"
                return GateResult(MISUSE, "misuse", (f"The confirmation was changed: {found}. Confirm again.",))
    code, reason = _decision(confirmation, config)
    return GateResult(code, confirmation.verdict, (reason, *confirmation.words), confirmation)


def _decision(confirmation: Confirmation, config: GateConfig) -> tuple[ExitCode, str]:
    verdict, strict = confirmation.verdict, config.require == "improved"
    if verdict == "regressed":
        return REGRESSION, "The winner is worse than the baseline."
    if verdict == "improved":
        return PASS, "The winner is better than the baseline."
    if verdict == "inconclusive":
        if strict or config.fail_on_inconclusive:
            return INCONCLUSIVE, "The evidence decides nothing, and the configuration does not let that pass."
        return PASS, "The evidence decides nothing; the configuration lets that pass. It is no sign of quality."
    what = "The seed was kept" if verdict == "seed-kept" else "The winner is no worse than the margin allows"
    if strict:
        return REGRESSION, f"{what}, but the configuration requires an improvement."
    return PASS, f"{what}."


def _junit(result: GateResult) -> str:
    cases = list(_cases(result))
    failures = sum(case.find("failure") is not None for case in cases)
    errors = sum(case.find("error") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors)}
    root = ElementTree.Element("testsuites", {"name": "judgelab", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "judgelab.gate", "skipped": "0", **counts})
    suite.extend(cases)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _cases(result: GateResult) -> Iterator[ElementTree.Element]:
    text = NOT_XML.sub("?", "\n".join(result.reasons))
    first = text.split("\n", 1)[0]
    if result.confirmation is None:
        case = ElementTree.Element("testcase", {"classname": "judgelab.gate", "name": "confirmation"})
        ElementTree.SubElement(case, "error", {"type": "misuse", "message": first}).text = text
        yield case
        return
    name = NOT_XML.sub("?", f"judgelab.gate.{result.confirmation.campaign}")
    for rung in result.confirmation.rungs:
        case = ElementTree.Element("testcase", {"classname": name, "name": f"verdict at {effort_name(rung.effort)}"})
        if rung.primary and result.exit_code != PASS:
            ElementTree.SubElement(case, "failure", {"type": rung.verdict, "message": first}).text = text
        note = text if rung.primary else f"{rung.verdict}; only the primary rung decides"
        ElementTree.SubElement(case, "system-out").text = note
        yield case


def _markdown(result: GateResult) -> Iterator[str]:
    outcome = {PASS: "pass", REGRESSION: "fail", INCONCLUSIVE: "inconclusive", MISUSE: "misuse"}[result.exit_code]
    yield f"# Judge gate: {outcome} ({result.verdict})"
    confirmation = result.confirmation
    if confirmation is not None and confirmation.simulated:
        yield "\n> **SIMULATED.** These figures come from a simulated model or text and say nothing about a real one."
    yield ""
    yield from (f"- {' '.join(reason.split())}" for reason in result.reasons)
    if confirmation is None:
        return
    yield "\n| effort | verdict | winner | seed | difference (interval) | adjusted p | pairs |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from (_row(rung) for rung in confirmation.rungs)
    yield (
        f"\nPaired discrimination of omissions, 0.5 = coin flip. Campaign {confirmation.campaign}, judge "
        f"{confirmation.judge}, model {confirmation.model}, baseline `{confirmation.baseline.id}`, winner "
        f"`{confirmation.winner.id}`, opening {confirmation.opening.number} of the holdout."
    )


def _row(rung: Rung) -> str:
    seed = rung.baseline.omissions.worst_case
    winner, difference, p = "", "", ""
    if rung.winner is not None and rung.comparison is not None:
        found = rung.comparison.omissions
        winner = f"{rung.winner.omissions.worst_case.value:.3f}"
        difference = f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
        p = f"{rung.comparison.primary.adjusted_p:.3g}"
    name = f"**{rung.effort or 'model'}** (primary)" if rung.primary else rung.effort or "model"
    return f"| {name} | {rung.verdict} | {winner} | {seed.value:.3f} | {difference} | {p} | {seed.n} |"
