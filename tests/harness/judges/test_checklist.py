import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judges.checklist import MAX_QUESTIONS
from support.replying import CONSULTATION, NOTE, judged, prompt, stages


def questions(*texts):
    return {"questions": [{"text": text} for text in texts]}


def answers(*words):
    return {"verdicts": {f"q{number}": word for number, word in enumerate(words, start=1)}}


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_the_score_is_the_share_of_yes_and_a_single_no_flags(met):
    texts = [f"Does it say {number}?" for number in range(len(met))]
    outcome, _ = judged(
        "checklist", {"questions": questions(*texts), "answers": answers(*("yes" if m else "no" for m in met))}
    )
    assert outcome.score == pytest.approx(sum(met) / len(met))
    assert outcome.flagged is not all(met)
    assert outcome.missing == tuple(text for text, m in zip(texts, met, strict=True) if not m)
    assert (outcome.wrong, outcome.rulings) == ((), ())


def test_all_yes_is_exactly_one():
    outcome, _ = judged(
        "checklist", {"questions": questions("A?", "B?", "C?"), "answers": answers("yes", "YES", "yes")}
    )
    assert (outcome.score, outcome.flagged) == (1.0, False)


def test_the_questions_see_the_transcript_alone_and_the_answers_the_note_alone():
    model = judged("checklist", {"questions": questions("Does it say\n left?"), "answers": answers("yes")})[1]
    asking, answering = prompt(model, "questions"), prompt(model, "answers")
    assert (CONSULTATION.transcript in asking, NOTE.text in asking) == (True, False)
    assert (CONSULTATION.transcript in answering, NOTE.text in answering) == (False, True)
    assert answering.index("q1: Does it say left?\n") < answering.index(NOTE.text)


def test_a_list_beyond_the_limit_is_cut_and_blank_questions_do_not_count():
    many = [f"Question {number}?" for number in range(MAX_QUESTIONS + 5)]
    said = answers(*["no"] * MAX_QUESTIONS)
    outcome, model = judged("checklist", {"questions": questions("  ", *many), "answers": said})
    assert outcome.missing == tuple(many[:MAX_QUESTIONS])
    assert len(model.asked) == 2


@pytest.mark.parametrize("nothing", [questions(), questions(" ", "")])
def test_no_question_is_nothing_to_check_after_one_retry(nothing):
    outcome, model = judged("checklist", {"questions": nothing})
    assert (outcome.reason, stages(model)) == ("no-facts", ["questions", "questions"])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"questions": ["A?"]}, "wrong-type"),
        ({"questions": {"text": "A?"}}, "wrong-type"),
        ({"questions": [{"text": 3}]}, "wrong-type"),
        ({"questions": [{"question": "A?"}]}, "missing-key"),
        ({"items": []}, "missing-key"),
    ],
)
def test_questions_in_another_form_are_no_questions(reply, reason):
    assert judged("checklist", {"questions": reply})[0].reason == reason


@pytest.mark.parametrize(("word", "reason"), [("partly", "out-of-range"), (True, "wrong-type")])
def test_an_answer_is_yes_or_no(word, reason):
    assert judged("checklist", {"questions": questions("A?"), "answers": answers(word)})[0].reason == reason


def test_an_unanswered_question_is_asked_once_more_alone_and_never_counted_as_either():
    asked = questions("A?", "B?")
    second = {"verdicts": {"q2": "no"}}
    outcome, model = judged("checklist", {"questions": asked, "answers": [answers("yes"), second]})
    assert (outcome.score, outcome.missing) == (0.5, ("B?",))
    assert stages(model) == ["questions", "answers", "answers"]
    assert "A?" not in model.asked[-1].messages[0].content
    outcome, _ = judged("checklist", {"questions": asked, "answers": [answers("yes"), {"verdicts": {}}]})
    assert outcome.reason == "missing-key"


def test_every_sample_answers_the_same_questions():
    model = judged("checklist", {"questions": questions("A?"), "answers": answers("no")}, samples=3)[1]
    first, *others = [request for request in model.asked if request.stage == "questions"]
    assert others == [first, first]
    assert len({r.seed for r in model.asked if r.stage == "answers"}) == 3


def test_words_and_schema_of_the_questions_name_the_same_limit():
    model = judged("checklist", {})[1]
    assert model.asked[0].schema["properties"]["questions"]["maxItems"] == MAX_QUESTIONS
    assert f"at most {MAX_QUESTIONS} questions" in prompt(model, "questions")
