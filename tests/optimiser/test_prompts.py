from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from optimiser.candidates import load_seed
from optimiser.prompts import Prompt, read_prompts, seed_file
from support.cli import Ended, judgelab

GOOD = "Compare the note with the transcript, fact by fact. Weigh 100% of what was said (costs of $5 included)."


def run(folder: Path, *more: object) -> Ended:
    options = ("--judge", "score", "--block", "instruction", "--out", "seeds")
    return judgelab("prompts", "import", "mine", *options, *more, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/A good one.md").write_text(GOOD)
    return tmp_path


def test_a_prompt_becomes_a_seed_that_a_campaign_can_read(folder: Path) -> None:
    ended = run(folder, "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {
        "imported": 1,
        "refused": 0,
        "by reason": {},
        "judge": "score",
        "block": "instruction",
        "seeds": ["seeds/a-good-one.md"],
        "refusals": [],
    }
    seed = load_seed(folder / "seeds/a-good-one.md", "score", "instruction")
    assert seed.block("instruction") == GOOD
    front = yaml.safe_load((folder / "seeds/a-good-one.md").read_text().split("---\n")[1])
    assert front["origin"] == "imported:A good one.md"
    assert (front["id"], front["for"], front["block"]) == ("a-good-one", ["score"], "instruction")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.md", b" \n\n", "empty"),
        ("front-only.md", b"---\nid: x\n---\n \n", "empty"),
        ("long.txt", b"word " * 2000, "too-long"),
        ("slot.md", b"Read {transcript} first.", "slot"),
        ("slots.md", b"Read {{ note }} first.", "slot"),
        ("python.md", b"Read %s first.", "slot"),
        ("named.md", b"Read %(note)s first.", "slot"),
        ("shell.md", b"Read ${NOTE} first.", "slot"),
        ("answer.md", b'Reply with {"score": 3}.', "contract"),
        ("fence.md", b"===== NOTE begins", "contract"),
        ("latin.md", "Prüfe die Notiz.".encode("latin-1"), "not-utf8"),
        ("a_good-ONE.txt", b"Another text.", "duplicate-id"),
        ("copy.md", GOOD.encode(), "duplicate-text"),
        ("---.md", b"Judge the note.", "no-id"),
    ],
)
def test_what_cannot_be_a_block_is_refused_by_name_and_reason_and_the_rest_is_taken(
    folder: Path, name: str, data: bytes, reason: str
) -> None:
    (folder / "mine" / name).write_bytes(data)
    ended = run(folder, "--json")
    assert ended.returncode == 0
    shown = json.loads(ended.stdout)
    assert shown["by reason"] == {reason: 1}
    assert [(one["file"], one["reason"]) for one in shown["refusals"]] == [(name, reason)]
    assert f"refused {name}, {reason}" in ended.stderr
    assert [path.name for path in (folder / "seeds").iterdir()] == ["a-good-one.md"]


def test_importing_twice_changes_nothing_and_another_seed_of_that_name_stays(folder: Path) -> None:
    run(folder)
    again = run(folder, "--json")
    assert json.loads(again.stdout)["imported"] == 1
    (folder / "seeds/a-good-one.md").write_text("---\nid: mine\n---\nMy own.\n")
    (folder / "mine/other.txt").write_text("Judge kindly.")
    clash = run(folder, "--json")
    assert json.loads(clash.stdout)["by reason"] == {"exists": 1}
    assert "My own." in (folder / "seeds/a-good-one.md").read_text()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--judge", "scroe"), "Did you mean 'score'?"),
        (("--block", "check"), "no block 'check'"),
        (("mine/nowhere",), "nowhere"),
    ],
)
def test_misuse_is_named_and_leaves_no_folder(folder: Path, options: tuple[str, ...], found: str) -> None:
    arguments = {"--judge": "score", "--block": "instruction", "--out": "seeds"}
    source = "mine"
    if len(options) == 1:
        source = options[0]
    else:
        arguments[options[0]] = options[1]
    flat = [part for pair in arguments.items() for part in pair]
    ended = judgelab("prompts", "import", source, *flat, cwd=folder)
    assert ended.returncode == 3
    assert found in ended.stderr
    assert not (folder / "seeds").exists()


def test_a_folder_without_a_usable_prompt_is_an_error_that_writes_nothing(folder: Path) -> None:
    (folder / "mine/A good one.md").write_text("Read {note}.")
    ended = run(folder)
    assert ended.returncode == 3
    assert "refused A good one.md, slot" in ended.stderr
    assert not (folder / "seeds").exists()


@given(st.text(max_size=80), st.text(min_size=1, max_size=12))
@settings(max_examples=80, deadline=None)
def test_whatever_is_taken_reads_back_as_the_same_block_and_whatever_the_file_is_called(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("prompts")
    (folder / "p.md").write_bytes(text.encode())
    for prompt in read_prompts(folder, 6000).taken:
        path = folder / "seed.md"
        path.write_bytes(seed_file(Prompt(prompt.id, name, prompt.text), "score", "instruction"))
        assert load_seed(path, "score", "instruction").block("instruction") == prompt.text
        assert load_seed(path, "score", "instruction").origin == "seed:p"
