from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ConfigError
from harness.types import Candidate
from optimiser.candidates import load_seed, replace_block

SEEDS = sorted((Path(__file__).parents[2] / "seeds").glob("*/*.md"))


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "seed.md"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_shipped_seed_reads(path: Path) -> None:
    seed = load_seed(path, path.parent.name, "instruction")
    assert seed.origin.startswith("seed:")
    assert len(seed.block("instruction")) > 20
    assert "---" not in seed.block("instruction")


def test_a_seed_is_its_block_without_front_matter_and_blank_edges(tmp_path: Path) -> None:
    seed = load_seed(
        write(tmp_path, "---\nid: mine\nparent: none\n---\n\nJudge.\n\nTwice.\n\n"), "score", "instruction"
    )
    assert seed.blocks == (("instruction", "Judge.\n\nTwice."),)
    assert (seed.judge, seed.origin, seed.parents) == ("score", "seed:mine", ())


@pytest.mark.parametrize("variant", ["---\r\nid: a\r\n---\r\nJudge é.\r\n", "\ufeff---\nid: a\n---\nJudge é.\n"])
def test_line_ends_and_byte_order_marks_of_other_editors_make_no_other_candidate(tmp_path: Path, variant: str) -> None:
    plain = load_seed(write(tmp_path, "---\nid: a\n---\nJudge é.\n"), "score", "instruction")
    assert load_seed(write(tmp_path, variant), "score", "instruction") == plain


def test_rules_inside_the_block_are_part_of_it(tmp_path: Path) -> None:
    seed = load_seed(write(tmp_path, "---\nid: a\n---\nJudge.\n---\nTwice.\n"), "score", "instruction")
    assert seed.block("instruction") == "Judge.\n---\nTwice."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no front matter"),
        ("Judge the note.\n", "no front matter"),
        ("Judge.\n---\nid: a\n---\nx\n", "no front matter"),
        ("---\nid: a\nJudge.\n", "no front matter"),
        ("---\norigin: x\n---\nJudge.\n", "without id"),
        ("---\n- id\n---\nJudge.\n", "without id"),
        ("---\n---\nJudge.\n", "without id"),
        ("---\nid: [a\n---\nJudge.\n", "not YAML"),
        ("---\nid: a\n---\n \n", "empty block"),
    ],
)
def test_a_seed_file_that_is_not_whole_is_an_error_that_names_it(tmp_path: Path, text: str, found: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=found) as caught:
        load_seed(path, "score", "instruction")
    assert "seed.md" in str(caught.value)


def test_a_seed_in_another_encoding_a_folder_and_no_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="UTF-8"):
        load_seed(write(tmp_path, "---\nid: a\n---\nJudge é.\n", "latin-1"), "score", "instruction")
    for path in (tmp_path, tmp_path / "nowhere.md"):
        with pytest.raises(ConfigError, match="no file"):
            load_seed(path, "score", "instruction")


texts = st.text(min_size=1, max_size=30).filter(str.strip)


@given(texts, texts, texts)
@settings(max_examples=60, deadline=None)
def test_a_child_differs_in_the_replaced_block_alone_and_equal_text_is_an_equal_id(
    kept: str, before: str, after: str
) -> None:
    parent = Candidate("score", (("instruction", before.strip()), ("rubric", kept)))
    child = replace_block(parent, "instruction", f"\n {after} ", (parent.id,), "mutation")
    assert child.block("rubric") == kept
    assert child.block("instruction") == after.strip()
    assert (child.id == parent.id) == (after.strip() == before.strip())
    assert child.parents == (parent.id,)
