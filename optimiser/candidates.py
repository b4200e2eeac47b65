"""Seed files <-> candidates: one block per Markdown file with a short front matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from harness.errors import ConfigError
from harness.types import Candidate
from optimiser.config import CampaignConfig

FENCE = "---"


def load_seeds(config: CampaignConfig) -> tuple[Candidate, ...]:
    """The starting candidates of a campaign: each seed's texts in the target blocks, the frozen blocks beside them.

    The first is the baseline; their origins name the texts under search. Raises ConfigError for a file that is no
    seed block.
    """
    kind, found = config.judge.kind, []
    for seed in config.seeds:
        searched = _by_target(config, seed)
        whole = load_candidate(kind, {**config.blocks, **searched})
        found.append(replace(whole, origin=load_candidate(kind, searched).origin))
    return tuple(found)


def _by_target(config: CampaignConfig, seed: Path | Mapping[str, Path]) -> Mapping[str, Path]:
    return seed if isinstance(seed, Mapping) else {config.targets[0]: seed}


def load_seed(path: Path, judge: str, target: str) -> Candidate:
    """Read a seed file as the only block of a candidate. The front matter needs an ``id``."""
    return load_candidate(judge, {target: path})


def load_candidate(judge: str, files: Mapping[str, Path]) -> Candidate:
    """Read one seed file per block; its origin names their ids, in the order of the blocks' names."""
    read = {name: _read_block(path) for name, path in sorted(files.items())}
    origin = "seed:" + "+".join(dict.fromkeys(seed_id for seed_id, _ in read.values()))
    return Candidate(judge=judge, blocks=tuple((name, text) for name, (_, text) in read.items()), origin=origin)


def _read_block(path: Path) -> tuple[str, str]:
    """(id, text) of a seed file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise ConfigError("reading a seed block", f"no file {path}", "Check `seeds` in the configuration.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"reading seed {path}", f"not UTF-8 at byte {error.start}", "Save it as UTF-8.") from None
    parts = text.split(f"{FENCE}\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise ConfigError(f"reading seed {path}", "no front matter", "Start the file with a --- block that has an id.")
    try:
        front = yaml.safe_load(parts[1])
    except yaml.YAMLError as error:
        raise ConfigError(f"reading seed {path}", f"front matter is not YAML: {error}", "Mend it.") from None
    if not isinstance(front, dict) or not front.get("id"):
        raise ConfigError(f"reading seed {path}", "front matter without id", "Add `id: <name>`.")
    if not parts[2].strip():
        raise ConfigError(f"reading seed {path}", "an empty block", "Write the instruction below the front matter.")
    return str(front["id"]), parts[2].strip()


def replace_block(parent: Candidate, name: str, text: str, parents: tuple[str, ...], origin: str) -> Candidate:
    """A child with one block changed."""
    blocks = dict(parent.blocks) | {name: text.strip()}
    return Candidate(judge=parent.judge, blocks=tuple(blocks.items()), parents=parents, origin=origin)
