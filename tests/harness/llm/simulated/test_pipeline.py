from __future__ import annotations

import json
from typing import Any

from harness.data.synthetic import build_synthetic
from harness.judges.envelope import fence
from harness.llm.simulated.evidence import fact_evidence
from harness.llm.simulated.model import answer

CONSULTATION = build_synthetic(consultations=1, pairs_per_consultation=1, seed=3).consultations[0]


def reply(model: str, content: str) -> Any:
    body = {"model": model, "messages": [{"role": "user", "content": content}], "seed": 1}
    return json.loads(answer(body, {}).payload["choices"][0]["message"]["content"])


def test_extracted_facts_quote_the_transcript_and_cover_most_of_what_it_establishes() -> None:
    facts = reply("sim-extractor", fence("TRANSCRIPT", CONSULTATION.transcript) + "\nTASK\nList the facts.")["facts"]
    assert all(fact["evidence"] in CONSULTATION.transcript for fact in facts)
    assert len({fact["id"] for fact in facts}) == len(facts)
    told = " ".join(fact["text"] for fact in facts)
    assert sum(fact.evidence in told for fact in CONSULTATION.facts) > len(CONSULTATION.facts) / 2


def test_an_audit_keeps_what_was_said_and_refuses_what_was_not() -> None:
    listed = f"f1: {CONSULTATION.facts[0].evidence}\nf2: paragliding accident in Morocco"
    content = fence("TRANSCRIPT", CONSULTATION.transcript) + fence("FACTS", listed) + "\nTASK\nAudit."
    verdicts = reply("sim-auditor", content)["verdicts"]
    assert {key: verdict["verdict"] for key, verdict in verdicts.items()} == {"f1": "supported", "f2": "unsupported"}


def test_a_fact_is_found_where_it_is_written_and_missed_where_it_is_not() -> None:
    fact = "penicillin allergy, urticaria"
    assert fact_evidence(fact, "Allergic to penicillin (hives).").whole < 0.3
    assert fact_evidence(fact, "Dry cough for 3 weeks.").whole == 1.0
