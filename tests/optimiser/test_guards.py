from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.config import JudgeConfig
from harness.judges.build import KINDS, blocks_of, build_judge
from harness.types import Candidate, Consultation, Fact, Note
from optimiser.guards import FORBIDDEN, WORD, Guard, Screened, longest_copy, word_runs
from support.answering import Answering

SEEDS = Path(__file__).parents[2] / "seeds"

NOTE = "Mrs Okonkwo takes warfarin 3.5 mg at night and has not missed a dose since her knee was replaced in May."
LENGTH = 5
GUARD = Guard(max_chars=300, max_copied_words=LENGTH, runs=word_runs([NOTE], LENGTH))
plain = st.text(st.characters(codec="utf-8", exclude_characters="<>{}="), min_size=1, max_size=40).filter(str.strip)


def screen(reply: str, seen: tuple[str, ...] = ()) -> Screened:
    return GUARD.screen(reply, seen)


@given(st.lists(st.sampled_from(["<block>", "</block>", "<BLOCK>", "words", " ", "\n"]), max_size=8))
@settings(max_examples=300, deadline=None)
@example(["<block>", "a", "</block>", "<block>", "b", "</block>"])
@example(["<block>", "a", "<block>", "b", "</block>", "</block>"])
@example(["</block>", "a", "<block>"])
def test_a_reply_is_usable_only_with_exactly_one_whole_block_of_text(parts: list[str]) -> None:
    """B28"""
    reply = "".join(parts)
    tags = [part.lower() for part in parts if "block" in part.lower()]
    found = screen(reply)
    if tags != ["<block>", "</block>"]:
        assert found.reason
        return
    inside = reply[reply.lower().index("<block>") + 7 : reply.index("</block>")].strip()
    assert (found.text, found.reason == "") == (inside, bool(inside))


@given(plain, plain, plain)
@settings(max_examples=100, deadline=None)
def test_the_talk_around_a_block_never_gets_into_the_text(before: str, inside: str, after: str) -> None:
    assume("block" not in (before + after).lower())
    found = screen(f"{before}<block>\n{inside}\n</block>{after}")
    assume(not found.reason)
    assert found.text == inside.strip()


@pytest.mark.parametrize("reply", ["", "   ", "Sure! Here is the block: judge well.", "```\njudge well\n```"])
def test_a_reply_without_a_block_is_never_taken_as_the_block(reply: str) -> None:
    assert screen(reply).reason
    assert screen(reply).text == ""


@given(st.integers(0, 700))
@settings(max_examples=40, deadline=None)
def test_a_block_is_too_long_exactly_from_one_character_over_the_cap(length: int) -> None:
    """B04"""
    found = screen(f"<block>{'x' * length}</block>")
    assert ("over the cap" in found.reason) == (length > 300)
    assert (found.reason == "empty block") == (length == 0)


def test_a_text_that_was_tried_before_is_refused_whatever_blank_space_surrounds_it() -> None:
    assert screen("<block>\n Judge well. \n</block>", seen=("Judge well.",)).reason == "a text that was tried before"
    assert screen("<block>Judge better.</block>", seen=("Judge well.",)).reason == ""


@pytest.mark.parametrize("mark", FORBIDDEN)
def test_text_of_envelope_or_contract_is_refused_in_any_case(mark: str) -> None:
    for text in (mark, mark.upper(), mark.lower()):
        assert screen(f"<block>Judge. {text} Go on.</block>").reason


def contracts() -> dict[str, tuple[str, list[str]]]:
    """Stage of each kind -> (text of its contract, keys of its answer), taken from the real requests."""
    found: dict[str, tuple[str, list[str]]] = {}
    for kind in sorted(KINDS):
        model = Answering()
        candidate = Candidate(kind, tuple((name, "Judge.") for name in blocks_of(kind)))
        consultation = Consultation("c", "s", "doctor: Any pain?", facts=(Fact("x", "No pain", "pain", "critical"),))
        build_judge(JudgeConfig(kind=kind), candidate, model).judge(consultation, Note("n", "c", NOTE), 0)
        for request in model.asked:
            text = request.messages[0].content.split("\nANSWER FORMAT\n")[1]
            found[f"{kind}-{request.stage}"] = (text, list((request.schema or {"properties": ()})["properties"]))
    return found


CONTRACTS = contracts()


@pytest.mark.parametrize("stage", CONTRACTS)
def test_the_text_of_every_contract_is_refused_and_so_are_its_single_lines(stage: str) -> None:
    """A block that repeats the answer format would compete with the format that the judge really gets."""
    roomy = Guard(max_chars=10_000, max_copied_words=LENGTH, runs=frozenset())
    text, keys = CONTRACTS[stage]
    lines = [line for line in text.splitlines() if line.startswith('- "')]
    assert len(lines) == len(keys)
    for part in (text, text.splitlines()[0], *lines):
        assert "envelope or contract text" in roomy.screen(f"<block>{part}</block>", ()).reason


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*/*.md")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_seed_would_be_refused_as_a_proposal(path: Path) -> None:
    roomy = Guard(max_chars=10_000, max_copied_words=LENGTH, runs=frozenset())
    block = path.read_text(encoding="utf-8").split("---\n", 2)[2]
    assert roomy.screen(f"<block>{block}</block>", ()).reason == ""


@given(st.integers(0, 20), st.integers(1, 12), plain, plain)
@settings(max_examples=150, deadline=None)
def test_a_run_of_words_of_a_note_is_refused_from_the_limit_on(start: int, count: int, before: str, after: str) -> None:
    """B03"""
    assume(word_runs([before, after], 1).isdisjoint(word_runs([NOTE], 1)))
    words = WORD.findall(NOTE)[start : start + count]
    found = screen(f"<block>{before} {' '.join(words)} {after}</block>")
    assume(not any(mark.lower() in (before + after).lower() for mark in FORBIDDEN))
    assert found.copied_words == (len(words) if len(words) >= LENGTH else 0)
    assert ("words in a row from a note" in found.reason) == (len(words) >= LENGTH)


@pytest.mark.parametrize(
    "copy",
    [
        "MRS OKONKWO TAKES WARFARIN 3.5 MG",
        "mrs okonkwo, takes - warfarin: 3.5 (mg)",
        "Mrs\nOkonkwo\n\ntakes   warfarin 3.5 mg",
    ],
)
def test_case_punctuation_and_line_ends_do_not_hide_a_copy(copy: str) -> None:
    assert screen(f"<block>Watch: {copy} now</block>").copied_words == 7


def test_a_copy_is_seen_in_any_script_and_with_any_apostrophe() -> None:
    notes = ["Больной жалуется на сильную боль в груди", "the patient's mother's sister's knee's fine"]
    guard = Guard(300, LENGTH, word_runs(notes, LENGTH))
    assert guard.screen("<block>жалуется на сильную боль в груди</block>", ()).copied_words == 6
    assert guard.screen("<block>the patient’s mother’s sister’s knee’s fine</block>", ()).reason


def test_the_reported_length_of_a_copy_is_that_of_the_longest() -> None:
    text = "Mrs Okonkwo takes warfarin 3 and then night and has not missed a dose since"
    assert longest_copy(text, GUARD.runs, LENGTH) == 8
    assert longest_copy("nothing of the sort", GUARD.runs, LENGTH) == 0


def test_a_note_shorter_than_a_run_forbids_nothing() -> None:
    assert word_runs(["two words"], LENGTH) == frozenset()
