"""Seal: write the splits, their manifest and an unopened holdout ledger, all at once or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from harness.data.pairs import write_atomically
from harness.errors import SplitError
from harness.types import PairSet
from partitions.build import build_split
from partitions.config import SplitConfig
from partitions.holdout import start_ledger
from partitions.manifest import (
    FILE_NAME,
    SPLITS,
    Manifest,
    dump_manifest,
    read_manifest,
    read_sealed,
    split_bytes,
    split_path,
)


def seal(pair_set: PairSet, config: SplitConfig, directory: Path) -> Manifest:
    """Divide a pair set and write ``{training,acceptance,holdout}.jsonl`` and ``manifest.json``.

    Sealing the same content again changes nothing (the holdout ledger stays as it is). Raises
    SplitError where the folder holds another seal or other files, SealBroken where it holds this
    seal with a changed byte, and what ``build_split`` raises.
    """
    manifest = build_split(pair_set, config)
    if directory.exists() and any(directory.iterdir()):
        _require_same(manifest, directory)
        return manifest
    directory.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}."))
    try:
        parts = {name: manifest.splits[name].consultations for name in SPLITS}
        for name, data in split_bytes(pair_set, parts).items():
            write_atomically(split_path(temporary, name), data)
        write_atomically(temporary / FILE_NAME, dump_manifest(manifest))
        start_ledger(temporary, manifest)
        temporary.chmod(0o755)
        _move(temporary, directory)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return manifest


def _require_same(manifest: Manifest, directory: Path) -> None:
    tried = f"sealing splits in {directory}"
    if not (directory / FILE_NAME).is_file():
        raise SplitError(tried, "a folder with other files", "Choose an empty or a new folder.")
    sealed = read_manifest(directory)
    if sealed.digest != manifest.digest:
        found = f"another seal there (digest {sealed.digest[:16]}, this one {manifest.digest[:16]})"
        raise SplitError(tried, found, "Choose a new folder: a seal is never overwritten.")
    for name in SPLITS:
        read_sealed(directory, sealed, name)


def _move(temporary: Path, directory: Path) -> None:
    try:
        # Renaming onto a folder works only while it is empty, so a race cannot overwrite a seal.
        os.rename(temporary, directory)
    except OSError as error:
        found = f"the folder changed meanwhile ({error.strerror})"
        raise SplitError(f"sealing splits in {directory}", found, "Seal again.") from None
