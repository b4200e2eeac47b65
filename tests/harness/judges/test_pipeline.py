"""What the pipeline makes of its stages' answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config import SeverityWeights
from harness.judges.parse import Unreadable
from harness.judges.second_look import quoted
from harness.judges.weighing import Tariff, weighted_mean
from harness.outcomes import Failure, Judgement, Ruling
from harness.types import Fact
from support.replying import judged, prompt, stages

TEXTS = ("Left ear pain since Monday", "No fever", "Takes ramipril", "Works as a baker")
GRADES = ("critical", "supporting", "critical", "peripheral")
EXTRACT = {"facts": [{"text": text, "evidence": f"patient: {text}."} for text in TEXTS]}
AUDIT = {"verdicts": {f"f{n}": {"verdict": "supported", "severity": grade} for n, grade in enumerate(GRADES, start=1)}}


def run(words, look=None, **options):
    """The outcome for one check verdict a fact and the entries of a second look."""
    replies = {
        "extract": EXTRACT,
        "audit": AUDIT,
        "check": {"verdicts": {f"f{n}": word for n, word in enumerate(words, start=1)}},
        "second_look": {"verdicts": look or {}},
    }
    return judged("pipeline", replies, **options)


def found(word, quote=""):
    return {"found": word, "quote": quote}


def test_the_score_weighs_each_fact_by_its_severity_and_a_partial_mention_by_its_credit():
    outcome, _ = run(("full", "partial", "full", "absent"), {"f4": found("no")})
    assert outcome.score == (4 + 2 * 0.5 + 4) / 11
    other, _ = run(
        ("full", "partial", "full", "absent"),
        {"f4": found("no")},
        partial_credit=0.25,
        weights={"critical": 10, "supporting": 1, "peripheral": 0},
    )
    assert other.score == (10 + 0.25 + 10) / 21


def test_the_rulings_are_the_facts_not_fully_there_and_the_missing_ones_are_absent():
    outcome, _ = run(("full", "partial", "full", "absent"), {"f4": found("no")})
    assert [(r.fact.id, r.fact.severity, r.verdict) for r in outcome.rulings] == [
        ("f2", "supporting", "partial"),
        ("f4", "peripheral", "absent"),
    ]
    assert outcome.missing == ("Works as a baker",)


@pytest.mark.parametrize(
    ("words", "flagged"),
    [
        (("full", "full", "full", "full"), False),
        (("partial", "absent", "partial", "absent"), False),
        (("absent", "full", "full", "full"), True),
        (("full", "full", "absent", "full"), True),
    ],
)
def test_a_note_is_flagged_if_a_critical_fact_is_absent_and_partial_does_not_count(words, flagged):
    outcome, _ = run(words, {f"f{n}": found("no") for n, word in enumerate(words, start=1) if word == "absent"})
    assert outcome.flagged is flagged


def test_a_quote_that_stands_in_the_note_rescues_a_fact_and_is_kept_as_its_evidence():
    full, _ = run(("absent", "full", "full", "full"), {"f1": found("full", "left EAR\n pain since")})
    assert (full.score, full.flagged, full.rulings) == (1.0, False, ())
    part, _ = run(("absent", "full", "full", "full"), {"f1": found("partial", "Left ear pain")})
    assert (part.score, part.flagged) == ((4 * 0.5 + 2 + 4 + 1) / 11, False)
    assert [(r.fact.id, r.verdict, r.quote) for r in part.rulings] == [("f1", "partial", "Left ear pain")]


@pytest.mark.parametrize(
    "answer",
    [
        found("full", "Right ear pain"),  # not in the note
        found("full", "ear"),  # too short to prove anything
        found("full", ""),
        found("partial", "left ear discomfort"),
        found("no", "Left ear pain since Monday"),  # who says no has not found it
    ],
)
def test_without_a_verified_quote_the_absence_stands(answer):
    outcome, _ = run(("absent", "full", "full", "full"), {"f1": answer})
    assert (outcome.score, outcome.flagged) == (7 / 11, True)
    assert [ruling.verdict for ruling in outcome.rulings] == ["absent"]


def test_the_second_look_sees_the_absent_facts_alone_and_is_spared_where_there_is_none():
    _, model = run(("full", "partial", "absent", "absent"), {"f3": found("no"), "f4": found("no")})
    assert stages(model) == ["extract", "audit", "check", "second_look"]
    listed = prompt(model, "second_look").split("FACTS")[1]
    assert "f3: Takes ramipril\nf4: Works as a baker" in listed
    assert not [text for text in TEXTS[:2] if f": {text}\n" in prompt(model, "second_look")]
    _, model = run(("full", "partial", "full", "full"))
    assert stages(model) == ["extract", "audit", "check"]
    outcome, model = run(("absent", "full", "full", "full"), second_look=False)
    assert (stages(model), outcome.flagged) == (["extract", "audit", "check"], True)


def test_no_stage_that_sees_the_note_sees_severity_evidence_or_transcript():
    _, model = run(("full", "absent", "full", "full"), {"f2": found("no")})
    for stage in ("check", "second_look"):
        sent = prompt(model, stage).lower()
        assert "left ear pain since monday" in sent
        assert not [word for word in (*GRADES, "transcript", "patient:", "doctor:") if word in sent]


def test_a_second_look_that_cannot_be_read_is_a_failure_and_lowers_no_score():
    replies = {
        "extract": EXTRACT,
        "audit": AUDIT,
        "check": {"verdicts": dict.fromkeys(("f1", "f2", "f3", "f4"), "absent")},
    }
    outcome, model = judged("pipeline", replies | {"second_look": ["no idea"] * 2})
    assert (type(outcome), outcome.reason, len(model.asked)) == (Failure, "not-json", 5)
    strange = json.dumps({"verdicts": {"f1": {"found": "maybe", "quote": ""}}})
    assert judged("pipeline", replies | {"second_look": [strange] * 2})[0].reason == "out-of-range"


def test_an_audit_that_drops_a_fact_takes_it_from_every_later_stage():
    audit = {"verdicts": AUDIT["verdicts"] | {"f1": {"verdict": "unsupported", "severity": "critical"}}}
    check = {"verdicts": {"f2": "full", "f3": "full", "f4": "full"}}
    outcome, model = judged("pipeline", {"extract": EXTRACT, "audit": audit, "check": check})
    assert (outcome.score, outcome.flagged) == (1.0, False)
    assert "f1:" not in prompt(model, "check")


def test_given_facts_are_checked_with_their_own_grades_and_no_stage_looks_for_any():
    replies = {"check": {"verdicts": {"f1": "full", "f2": "absent"}}, "second_look": {"verdicts": {"f2": found("no")}}}
    outcome, model = judged("pipeline", replies, facts="given")
    assert isinstance(outcome, Judgement)
    assert (outcome.score, outcome.flagged, stages(model)) == (4 / 6, False, ["check", "second_look"])


@given(st.text(min_size=1), st.text(), st.text())
def test_what_is_cut_out_of_a_note_is_quoted_from_it_if_it_is_long_enough(middle, before, after):
    long_enough = len(" ".join(middle.casefold().split())) >= 8
    assert quoted(middle, f"{before} {middle} {after}") == long_enough


@given(st.lists(st.sampled_from(["full", "partial", "absent"]), min_size=1, max_size=6), st.data())
def test_a_coverage_lies_between_0_and_1_and_no_better_verdict_lowers_it(words, data):
    grades = [data.draw(st.sampled_from(["critical", "supporting", "peripheral"])) for _ in words]
    facts = [Fact(f"f{n}", "text", "", grade) for n, grade in enumerate(grades)]
    tariff = Tariff({"full": 1.0, "partial": 0.5, "absent": 0.0}, fatal=("absent",))

    def score(verdicts):
        rulings = [Ruling(fact, word) for fact, word in zip(facts, verdicts, strict=True)]
        return tariff.verdict(rulings, SeverityWeights()).score

    place = data.draw(st.integers(0, len(words) - 1))
    assert 0 <= score(words) <= score([*words[:place], "full", *words[place + 1 :]]) <= 1


def test_facts_that_weigh_nothing_are_no_facts():
    peripheral = Fact("f1", "Works as a baker", "", "peripheral")
    assert weighted_mean([peripheral], [1.0], SeverityWeights(peripheral=0)) == Unreadable("no-facts")
    outcome, _ = run(("full",) * 4, weights={"supporting": 0, "peripheral": 0})
    assert outcome.score == 1.0
