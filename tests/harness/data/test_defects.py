from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.aci_bench import import_aci_bench
from harness.data.defects import plant_defects
from harness.data.defects.alteration import alterations
from harness.data.defects.bank import BANK
from harness.data.defects.edit import dangling
from harness.data.defects.omission import omissions, trace_of
from harness.data.imported import Imported
from harness.data.primock57 import import_primock57
from harness.data.sentences import outline, tidy
from harness.data.words import content_words
from harness.errors import DataError
from harness.types import Consultation, Note, Pair

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
real = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets are not beside this checkout")

FACTS = {
    "Dry cough for 3 weeks.": "patient: it's a dry cough, three weeks now",
    "No chest pain.": "patient: no pain in the chest at all",
    "Swelling of the left knee.": "patient: the left knee has a swelling",
    "Likely viral bronchitis": "doctor: likely a viral bronchitis",
    "Mother had asthma": "patient: my mother had asthma",
    "Amlodipine 5 mg OD": "patient: I take amlodipine five milligrams, 5 mg",
    "Lives alone, works as a baker": "patient: I live alone and work as a baker",
    "Keep a cough diary": "doctor: keep a diary of the cough",
    "Denies fever and rash.": "patient: no fever, no rash",
    "Severity 8/10.": "patient: severity, say 8 out of 10, severity 8/10",
}
HEADINGS = ("PC", "HPC", "PMH", "DH", "FH", "SH", "Imp", "Plan")


@st.composite
def cases(draw: st.DrawFn) -> tuple[Consultation, Note]:
    """A note of some sections with inline or own-line headings, and a transcript that supports its sentences."""
    facts = draw(st.permutations(sorted(FACTS)))
    headings = draw(st.lists(st.sampled_from(HEADINGS), min_size=1, max_size=4, unique=True))
    blocks, used = [], 0
    for heading in headings:
        size = draw(st.integers(1, 3))
        lines = list(facts[used : used + size])
        used += size
        style = draw(st.sampled_from(["inline", "own", "list", "numbered", "paragraph"]))
        if style == "paragraph":
            lines = [" ".join(line.rstrip(".") + "." for line in lines)]
        if style == "numbered":
            lines = [f"{i}. {line}" for i, line in enumerate(lines, start=1)]
        if style == "list":
            lines = [f"- {line}" for line in lines]
        blocks.append(f"{heading}: {lines[0]}" if style == "inline" else f"{heading}:\n" + "\n".join(lines))
    joint = draw(st.sampled_from(["\n", "\n\n"]))
    transcript = "\n".join(turn for fact, turn in FACTS.items())
    return Consultation("c", "made", transcript), Note("n", "c", joint.join(b for b in blocks if b.strip()))


def contiguous(short: str, long: str) -> bool:
    """True where ``short`` is ``long`` with one stretch left out."""
    return any(short[:at] + long[at : at + len(long) - len(short)] + short[at:] == long for at in range(len(short) + 1))


def check(pair: Pair) -> None:
    clean, flawed, defect = pair.clean.text, pair.flawed.text, pair.defect
    assert clean.strip()
    assert flawed.strip()
    assert flawed.count("\n\n\n") <= clean.count("\n\n\n")
    assert dangling(flawed) <= dangling(clean)
    assert all(quote in flawed for quote in defect.surviving)
    assert defect.severity is not None
    if defect.kind == "omission":
        assert contiguous(flawed, clean)
        assert defect.before in clean
        assert defect.evidence
        if defect.trace == "complete":
            assert not content_words(defect.fact_text) & content_words(flawed)
            assert defect.surviving == ()
        else:
            assert defect.surviving
    elif defect.kind == "addition":
        assert contiguous(clean, flawed)
        assert defect.after in flawed
        assert defect.after not in clean
    else:
        start = clean.index(defect.before)
        assert any(
            clean[:at] + defect.after + clean[at + len(defect.before) :] == flawed
            for at in range(start, len(clean))
            if clean.startswith(defect.before, at)
        )


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(0, 10_000))
def test_every_pair_is_one_contiguous_edit_that_leaves_a_readable_note(
    case: tuple[Consultation, Note], seed: int
) -> None:
    planted = plant_defects([case[0]], [case[1]], 5, seed)
    for pair in planted.pairs:
        check(pair)
    assert len({pair.flawed.text for pair in planted.pairs}) == len(planted.pairs) <= 5


@settings(max_examples=20, deadline=None)
@given(cases(), st.integers(0, 10_000))
def test_equal_input_and_seed_give_equal_pairs_and_refusals(case: tuple[Consultation, Note], seed: int) -> None:
    assert plant_defects([case[0]], [case[1]], 4, seed) == plant_defects([case[0]], [case[1]], 4, seed)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_sentences_stand_where_they_say_and_together_hold_every_word_of_the_text(
    case: tuple[Consultation, Note],
) -> None:
    text = case[1].text
    for sentence in outline(text).sentences:
        assert text[sentence.start : sentence.end] == sentence.text
    said = content_words("\n".join(s.text for s in outline(text).sentences))
    assert all(content_words(fact) <= said for fact in FACTS if fact in text)


def omitted(note: str, transcript: str, words: str) -> str:
    return next(o.flawed for o in omissions(note, transcript, Counter()) if o.defect.fact_text.endswith(words))


TALK = "\n".join(FACTS.values())


def test_a_heading_goes_with_the_last_sentence_below_it() -> None:
    note = "HPC:\nDry cough for 3 weeks.\n\nFH:\nMother had asthma\n\nPlan:\nKeep a cough diary"
    assert omitted(note, TALK, "Mother had asthma") == "HPC:\nDry cough for 3 weeks.\n\nPlan:\nKeep a cough diary"
    assert omitted(note, TALK, "diary") == "HPC:\nDry cough for 3 weeks.\n\nFH:\nMother had asthma"


def test_a_line_that_introduces_a_list_goes_only_with_the_list() -> None:
    note = "HPC\nDry cough for 3 weeks.\n\nHer left knee swelling includes:\nNo chest pain."
    texts = {o.defect.fact_text: o.flawed for o in omissions(note, TALK, Counter())}
    assert texts == {
        "Dry cough for 3 weeks.": note.replace("Dry cough for 3 weeks.\n", ""),
        "No chest pain.": "HPC\nDry cough for 3 weeks.",
    }


def test_a_subheading_goes_with_its_only_item_and_its_section_stays() -> None:
    note = "PHYSICAL EXAM\n\nLegs\n- Swelling of the left knee.\n\nChest\n- No chest pain."
    assert omitted(note, TALK, "left knee.") == "PHYSICAL EXAM\n\nChest\n- No chest pain."


def test_a_numbered_item_is_left_out_only_where_no_gap_shows() -> None:
    refused: Counter[str] = Counter()
    note = "Plan:\n1. Amlodipine 5 mg OD\n2. Keep a cough diary"
    options = omissions(note, TALK, refused)
    assert [o.flawed for o in options] == ["Plan:\n1. Amlodipine 5 mg OD"]
    assert refused["omission:numbered_item_with_successor"] == 1


def test_a_numbered_problem_goes_with_its_only_item_where_no_gap_shows() -> None:
    note = "PLAN\n\n1. Cough.\n- Keep a cough diary\n\n2. Blood pressure.\n- Amlodipine 5 mg OD"
    assert [o.flawed for o in omissions(note, TALK, Counter())] == ["PLAN\n\n1. Cough.\n- Keep a cough diary"]


def test_an_omission_of_which_only_a_number_survives_is_refused() -> None:
    refused: Counter[str] = Counter()
    options = omissions("HPC: Dry cough for 3 weeks.\nPlan: call in 3 weeks", TALK, refused)
    assert options == []
    assert refused["omission:only_numbers_survive"] == 2


def test_a_clause_of_a_telegraphic_note_can_be_left_out() -> None:
    assert omitted("SH: Lives alone, works as a baker", TALK, "works as a baker") == "SH: Lives alone"


def test_the_only_sentence_of_a_note_is_never_left_out() -> None:
    refused: Counter[str] = Counter()
    assert omissions("Dry cough for 3 weeks.", TALK, refused) == []
    assert refused == {"omission:would_empty_note": 1}


def test_a_sentence_without_support_is_never_left_out() -> None:
    refused: Counter[str] = Counter()
    omissions("Dry cough for 3 weeks.\nPenicillin causes hives.", TALK, refused)
    assert refused["omission:not_supported_by_transcript"] == 1


@pytest.mark.parametrize(
    ("rest", "trace"),
    [
        ("Lungs clear.", "complete"),
        ("Cough diary.", "fragment"),
        ("Imp: dry cough, viral", "restated"),
    ],
)
def test_the_trace_says_how_much_of_the_removed_words_is_left(rest: str, trace: str) -> None:
    found, quotes = trace_of("Dry cough for 3 weeks.", rest)
    assert found == trace
    assert all(quote in rest for quote in quotes)


@pytest.mark.parametrize(
    ("before", "aspect", "after"),
    [
        ("Swelling of the left knee.", "laterality", "Swelling of the right knee."),
        ("Amlodipine 5 mg OD", "dose", "Amlodipine 10 mg OD"),
        ("Dry cough for 3 weeks.", "timing", "Dry cough for 3 months."),
        ("Likely viral bronchitis", "certainty", "Definite viral bronchitis"),
        ("Mother had asthma", "subject", "Father had asthma"),
        ("No chest pain.", "negation", "Chest pain."),
        ("Denies fever and rash.", "negation", "Reports fever and rash."),
        ("Severity 8/10.", "value", "Severity 4/10."),
    ],
)
def test_each_aspect_is_altered_in_its_own_way(before: str, aspect: str, after: str) -> None:
    found = {(o.defect.aspect, o.defect.after) for o in alterations(f"HPC: x\n{before}", TALK, Counter())}
    assert (aspect, after) in found


def test_right_away_has_no_laterality() -> None:
    talk = "patient: call right away, I left the tablets"
    found = alterations("Call right away if the patient left the tablets.", talk, Counter())
    assert not [o for o in found if o.defect.aspect == "laterality"]


def test_a_statement_whose_words_are_known_is_never_added() -> None:
    note = Note("n", "c", "DH: amlodipine\nSH: alone")
    silent = plant_defects([Consultation("c", "made", "doctor: hello")], [note], 20, 1)
    added = {p.defect.fact_text for p in silent.pairs}
    assert "Omeprazole 20mg OD" in added
    talk = Consultation("c", "made", "patient: I am on omeprazole")
    assert "Omeprazole 20mg OD" not in {p.defect.fact_text for p in plant_defects([talk], [note], 20, 1).pairs}


def test_the_bank_has_at_least_forty_statements_each_named_by_its_own_keys() -> None:
    assert len(BANK) >= 40
    assert len({s.prose for s in BANK}) == len({s.telegraphic for s in BANK}) == len(BANK)
    for statement in BANK:
        keys = content_words(" ".join(statement.keys))
        assert keys & content_words(statement.prose + " " + statement.telegraphic), statement.prose


def test_adding_a_note_changes_no_other_notes_pairs() -> None:
    first, second = Consultation("a", "made", TALK), Consultation("b", "made", TALK)
    text = "HPC:\nDry cough for 3 weeks.\nNo chest pain.\n\nPlan:\nKeep a cough diary"
    one = plant_defects([first], [Note("a1", "a", text)], 5, 3)
    both = plant_defects([first, second], [Note("b1", "b", text), Note("a1", "a", text)], 5, 3)
    assert one.pairs == tuple(p for p in both.pairs if p.consultation_id == "a")


def test_no_pairs_and_unknown_consultations_are_errors() -> None:
    note = Note("n", "c", "Cough.")
    with pytest.raises(DataError, match="0 pairs per note"):
        plant_defects([], [note], 0, 1)
    with pytest.raises(DataError, match="unknown consultation 'c'"):
        plant_defects([], [note], 1, 1)


def test_tidy_is_idempotent_and_leaves_no_double_blank_line() -> None:
    text = tidy("\n\nA \r\n\r\n\r\n\r\nB\t\n")
    assert text == "A\n\nB"
    assert tidy(text) == text


@real
@pytest.mark.parametrize(
    ("load", "folder", "step", "least"),
    [(import_primock57, "primock57", 1, 220), (import_aci_bench, "aci-bench", 4, 225)],
)
def test_real_notes_yield_mixed_pairs_that_obey_every_law(
    load: Callable[[Path], Imported], folder: str, step: int, least: int
) -> None:
    source = load(SHARED / folder)
    planted = plant_defects(source.consultations, source.notes[::step], 5, 20261)
    for pair in planted.pairs:
        check(pair)
    classes = Counter(pair.pair_class for pair in planted.pairs)
    assert len(planted.pairs) >= least
    assert set(classes) == {"omission-complete", "omission-fragment", "omission-restated", "addition", "alteration"}
    assert all(reason.partition(":")[0] in ("omission", "addition", "alteration") for reason in planted.refused)


def added(note: str) -> set[str]:
    pairs = plant_defects([Consultation("c", "made", "doctor: hello")], [Note("n", "c", note)], 20, 1).pairs
    return {pair.defect.fact_text for pair in pairs}


def test_nothing_is_added_to_a_list_that_says_nil() -> None:
    medicines = {s.telegraphic for s in BANK if s.section == "drugs"}
    assert added("PC: cough\nDH: aspirin") & medicines
    assert not added("PC: cough\nDH: nil regular") & medicines


def test_a_bare_abbreviation_opens_its_section() -> None:
    sections = [sentence.section for sentence in outline("Cough 3/7\nPMH Asthma\nDH Salbutamol\nPlan rest").sentences]
    assert sections == ["history", "past", "drugs", "plan"]


def test_values_in_capitals_are_no_headings() -> None:
    kinds = [line.kind for line in outline("RESULTS\nAST: 39\nBP: 118/77\nNKDA\n\nPLAN\nRest.").lines]
    assert kinds == ["heading", "text", "text", "text", "blank", "heading", "text"]
