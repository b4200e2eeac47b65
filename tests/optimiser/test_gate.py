import json
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.types import Candidate
from optimiser.config import GateConfig
from optimiser.confirmation import (
    CandidateReading,
    Comparison,
    Confirmation,
    Difference,
    OpeningRecord,
    Paired,
    PairedReadings,
    PrimaryTest,
    Rung,
    SplitTest,
    dump_confirmation,
)
from optimiser.gate import gate, gate_file
from optimiser.records import CandidateRecord

SEED, WINNER = (CandidateRecord.of(Candidate("score", (("instruction", text),))) for text in ("seed", "winner"))
FIGURES = {
    "improved": (0.05, 0.01, 0.09, 0.01),
    "non-inferior": (0.01, -0.02, 0.04, 0.5),
    "inconclusive": (0.01, -0.09, 0.11, 0.5),
    "regressed": (-0.05, -0.09, -0.01, 0.01),
}


def reading(candidate: str) -> CandidateReading:
    paired = Paired(value=0.75, wins=2, ties=2, losses=0, n=4)
    return CandidateReading(
        candidate=candidate,
        omissions=PairedReadings(worst_case=paired, dropped=paired),
        commissions=None,
        by_class={},
        by_severity={},
        frozen=None,
        re_swept=None,
        auc=None,
        judgements=12,
        failures=0,
        tokens_per_note=100,
        dollars_per_note=None,
        mean_latency=0.1,
    )


def rung(verdict: str, primary: bool = True, effort: str = "none") -> Rung:
    kept = verdict == "seed-kept"
    value, low, high, p = FIGURES.get(verdict, (0, 0, 0, 1))
    test = PrimaryTest(p=p, adjusted_p=p, n_informative=9)
    compared = Comparison(
        omissions=Difference(value=value, low=low, high=high),
        primary=test,
        sign=SplitTest(winner_only=1, baseline_only=1, p=1),
        mcnemar=None,
        commissions=None,
        detection=None,
        band=None,
        minimum_detectable=None,
    )
    return Rung(
        effort=effort,
        token_cap=None,
        primary=primary,
        n_consultations=4,
        n_pairs=4,
        baseline=reading(SEED.id),
        winner=None if kept else reading(WINNER.id),
        comparison=None if kept else compared,
        verdict=verdict,
    )


def confirmation(
    verdict: str, other: str | None = None, simulated: bool = False, words=("A finding.",)
) -> Confirmation:
    return Confirmation(
        campaign="made",
        simulated=simulated,
        clean_verified=True,
        judge="score",
        model="m",
        manifest="0" * 64,
        baseline=SEED,
        winner=SEED if verdict == "seed-kept" else WINNER,
        seed_kept=verdict == "seed-kept",
        opening=OpeningRecord(number=1, hash="0", time=datetime(2026, 3, 1, tzinfo=UTC)),
        replicates=(11,),
        cap=0.1,
        margin=0.03,
        alpha=0.05,
        operating_points=(),
        rungs=(rung(verdict), rung(other or verdict, primary=False, effort="low")),
        verdict=verdict,
        words=words,
    )


@pytest.mark.parametrize(
    ("verdict", "require", "fail_on_inconclusive", "code"),
    [
        ("improved", "non-inferior", False, 0),
        ("improved", "improved", True, 0),
        ("non-inferior", "non-inferior", True, 0),
        ("non-inferior", "improved", False, 1),
        ("seed-kept", "non-inferior", True, 0),
        ("seed-kept", "improved", False, 1),
        ("regressed", "non-inferior", False, 1),
        ("regressed", "improved", True, 1),
        ("inconclusive", "non-inferior", False, 0),
        ("inconclusive", "non-inferior", True, 2),
        ("inconclusive", "improved", False, 2),
    ],
)
def test_the_exit_code_follows_verdict_and_configuration(verdict, require, fail_on_inconclusive, code):
    config = GateConfig(require=require, fail_on_inconclusive=fail_on_inconclusive)
    assert gate(confirmation(verdict), config).exit_code == code


def test_only_the_primary_rung_decides():
    assert gate(confirmation("improved", other="regressed"), GateConfig()).exit_code == 0
    assert gate(confirmation("regressed", other="improved"), GateConfig()).exit_code == 1


@pytest.mark.parametrize("claimed", sorted(FIGURES))
@pytest.mark.parametrize("true", sorted(FIGURES))
def test_a_verdict_that_does_not_follow_from_its_figures_is_misuse(claimed, true, tmp_path):
    raw = json.loads(dump_confirmation(confirmation(true)))
    raw["verdict"] = raw["rungs"][0]["verdict"] = claimed
    path = tmp_path / "confirmation.json"
    path.write_text(json.dumps(raw))
    assert (gate_file(path, GateConfig()).exit_code == 3) == (claimed != true)


def broken_files():
    good = json.loads(dump_confirmation(confirmation("improved")))
    return {
        "not JSON": "{",
        "empty": "",
        "a list": "[]",
        "another version": json.dumps(good | {"format": "judgelab.confirmation/2"}),
        "no version": json.dumps({k: v for k, v in good.items() if k != "format"}),
        "a lost field": json.dumps({k: v for k, v in good.items() if k != "rungs"}),
        "an extra field": json.dumps(good | {"extra": 1}),
        "another verdict than its primary rung": json.dumps(good | {"verdict": "non-inferior"}),
        "no primary rung": json.dumps(good | {"rungs": [r | {"primary": False} for r in good["rungs"]]}),
        "NaN": json.dumps(good | {"margin": float("nan")}),
        "a kept seed with a comparison": json.dumps(good | {"winner": good["baseline"], "seed_kept": True}),
    }


@pytest.mark.parametrize("case", sorted(broken_files()))
def test_a_broken_confirmation_is_misuse_with_a_message(case, tmp_path):
    path = tmp_path / "confirmation.json"
    path.write_text(broken_files()[case])
    result = gate_file(path, GateConfig())
    assert (result.exit_code, result.verdict) == (3, "misuse")
    assert str(path) in result.reasons[0]
    ElementTree.fromstring(result.junit())
    assert "misuse" in result.markdown()


def test_a_missing_confirmation_is_misuse_that_says_what_to_do(tmp_path):
    result = gate_file(tmp_path / "none.json", GateConfig())
    assert result.exit_code == 3
    assert "judgelab confirm" in result.reasons[0]


def test_a_sound_file_is_gated_like_the_value(tmp_path):
    path = tmp_path / "confirmation.json"
    path.write_bytes(dump_confirmation(confirmation("regressed")))
    assert gate_file(path, GateConfig()) == gate(confirmation("regressed"), GateConfig())


@given(st.sampled_from([*FIGURES, "seed-kept"]), st.text(max_size=60), st.sampled_from(["improved", "non-inferior"]))
@settings(max_examples=80, deadline=None)
def test_junit_parses_and_fails_exactly_where_the_gate_does(verdict, words, require):
    result = gate(confirmation(verdict, words=(words,)), GateConfig(require=require))
    root = ElementTree.fromstring(result.junit())
    cases = root.findall("./testsuite/testcase")
    assert (root.tag, len(cases), root.get("tests")) == ("testsuites", 2, "2")
    failed = root.findall("./testsuite/testcase/failure")
    assert len(failed) == int(root.get("failures")) == int(result.exit_code != 0)
    assert all(case.get("classname") and case.get("name") for case in cases)


def test_misuse_is_an_error_in_junit(tmp_path):
    root = ElementTree.fromstring(gate_file(tmp_path / "none.json", GateConfig()).junit())
    assert root.get("errors") == "1"
    assert root.find("./testsuite/testcase/error").get("type") == "misuse"


@pytest.mark.parametrize("simulated", [True, False])
def test_the_summary_says_loudly_whether_the_figures_are_simulated(simulated):
    text = gate(confirmation("improved", simulated=simulated), GateConfig()).markdown()
    assert ("**SIMULATED.**" in text) == simulated


def test_the_summary_names_verdict_reasons_and_every_rung():
    text = gate(confirmation("improved", other="inconclusive"), GateConfig()).markdown()
    assert text.startswith("# Judge gate: pass (improved)\n")
    assert "- A finding." in text
    assert "| **none** (primary) | improved | 0.750 | 0.750 | +0.050 (+0.010 to +0.090) | 0.01 | 4 |" in text
    assert "| low | inconclusive |" in text
