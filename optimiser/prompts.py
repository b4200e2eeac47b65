"""A user's own prompts as seed files: read when asked, taken where they can be a block, refused by name where not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from harness.data.pairs import write_atomically
from harness.errors import ConfigError, DataError
from harness.judges.build import blocks_of
from optimiser.candidates import FENCE
from optimiser.guards import FORBIDDEN

SUFFIXES = (".md", ".txt")
# What other tools fill in: {name}, {{ name }}, ${name}, <<name>>, [[name]], %s, %(name)s. Nothing is filled in here.
SLOT = re.compile(
    r"\{\{?\s*[A-Za-z_][\w.\-| ]*\}?\}|\$\{\w+\}|<<\s*\w+\s*>>|\[\[\s*\w+\s*\]\]|%\(\w+\)[sdrf]|%[sd](?!\w)"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that can be a block. ``id`` is made of the file's name, ``file`` names where it came from."""

    id: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that cannot be a block; ``reason`` is a short fixed word."""

    file: str
    reason: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a folder holds."""

    taken: tuple[Prompt, ...]
    refused: tuple[Refused, ...]


def read_prompts(folder: Path, max_chars: int) -> Prompts:
    """Read the .md and .txt files of a folder, in the order of their names; DataError where there is none.

    Front matter is left away. Refused: ``not-utf8``, ``empty``, ``too-long`` (over ``max_chars`` characters),
    ``slot``, ``contract`` (text of the envelope or an answer format), ``no-id``, ``duplicate-id``, ``duplicate-text``.
    """
    if not folder.is_dir():
        raise DataError("importing prompts", f"no folder {folder}", "Name the folder with the prompt files.")
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file())
    if not files:
        raise DataError("importing prompts", f"no .md or .txt file in {folder}", "One prompt a file, please.")
    taken: dict[str, Prompt] = {}
    refused: list[Refused] = []
    for file in files:
        read = _read(file, max_chars)
        if isinstance(read, Prompt):
            read = _unlike(read, taken) or read
        if isinstance(read, Refused):
            refused.append(read)
        else:
            taken[read.id] = read
    return Prompts(tuple(taken.values()), tuple(refused))


def write_seeds(prompts: Prompts, judge: str, block: str, folder: Path) -> tuple[tuple[Path, ...], tuple[Refused, ...]]:
    """Write one seed file a prompt; return the files, and what was refused because another file has its name.

    A file that is there already with the same content counts as written. Every file appears whole or not at all.
    Raises ConfigError for an unknown judge or block, before anything is written.
    """
    require_block(judge, block)
    written: list[Path] = []
    refused: list[Refused] = []
    for prompt in prompts.taken:
        path, data = folder / f"{prompt.id}.md", seed_file(prompt, judge, block)
        if path.exists() and path.read_bytes() != data:
            refused.append(
                Refused(prompt.file, "exists", f"{path} is another seed; rename the prompt or move the seed")
            )
            continue
        write_atomically(path, data)
        written.append(path)
    return tuple(written), tuple(refused)


def require_block(judge: str, block: str) -> None:
    """ConfigError where a judge kind, or a block of it, does not exist."""
    blocks = blocks_of(judge)
    if block not in blocks:
        raise ConfigError(
            f"importing prompts for judge {judge!r}", f"no block {block!r}", f"Its blocks: {list(blocks)}."
        )


def seed_file(prompt: Prompt, judge: str, block: str) -> bytes:
    """The bytes of a seed file: front matter, then the text."""
    front = {
        "id": prompt.id,
        "for": [judge],
        "block": block,
        "origin": f"imported:{prompt.file}",
        "summary": f"A user's own prompt, imported from {prompt.file}.",
    }
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    return f"{FENCE}\n{head}{FENCE}\n{prompt.text}\n".encode()


def _read(file: Path, max_chars: int) -> Prompt | Refused:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Refused(file.name, "not-utf8", f"byte {error.start} is not UTF-8; save the file as UTF-8")
    text = _body(text.replace("\r\n", "\n").replace("\r", "\n"))
    for reason, explanation in _faults(text, max_chars):
        return Refused(file.name, reason, explanation)
    name = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")
    if not name:
        return Refused(file.name, "no-id", "the file's name has no letter or digit to make an id of")
    return Prompt(name, file.name, text)


def _faults(text: str, max_chars: int) -> Iterator[tuple[str, str]]:
    if not text:
        yield "empty", "no text"
    if len(text) > max_chars:
        yield "too-long", f"{len(text)} characters, over the cap of {max_chars}"
    slot = SLOT.search(text)
    if slot:
        yield "slot", f"slot {slot.group()!r}: transcript and note stand before the block, nothing is filled in"
    found = [mark for mark in FORBIDDEN if mark.lower() in text.lower()]
    if found:
        yield "contract", f"envelope or contract text {found[0]!r}: the judge brings its own answer format"


def _unlike(prompt: Prompt, taken: dict[str, Prompt]) -> Refused | None:
    if prompt.id in taken:
        return Refused(prompt.file, "duplicate-id", f"id {prompt.id!r} is that of {taken[prompt.id].file} already")
    twin = next((other for other in taken.values() if other.text == prompt.text), None)
    return None if twin is None else Refused(prompt.file, "duplicate-text", f"the same text as {twin.file}")


def _body(text: str) -> str:
    """The text below a front matter, where it begins with one."""
    parts = text.split(f"{FENCE}\n", 2)
    if len(parts) == 3 and not parts[0].strip():
        try:
            if isinstance(yaml.safe_load(parts[1]), dict):
                return parts[2].strip()
        except yaml.YAMLError:
            pass  # two ruled lines, then: no front matter
    return text.strip()
