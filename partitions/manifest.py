"""Manifest: what was divided, how, and the digest of every byte of it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, ValidationError, model_validator

from harness.config import Settings
from harness.data.pairs import dump_pairs, parse_pairs
from harness.errors import DataError, SealBroken
from harness.types import PairSet, SplitName, digest
from partitions.config import SplitConfig

FILE_NAME = "manifest.json"
SPLITS: tuple[SplitName, ...] = get_args(SplitName)


class SplitRecord(Settings):
    """One split: its consultations and the sha256 of its file."""

    consultations: tuple[str, ...]
    clusters: int
    pairs: int
    labels: dict[str, int] = Field(description="label -> clusters that carry it")
    sha256: str


class LikenessRecord(Settings):
    """Two texts of two consultations; both shares in [0, 1], 1 = all of it."""

    kind: Literal["transcript", "note"]
    first: str
    second: str
    jaccard: float
    contained: float


class Overlap(Settings):
    """Likeness of texts across splits: the closest of each kind, and those that count as near-duplicates."""

    closest: tuple[LikenessRecord, ...] = ()
    near_duplicates: tuple[LikenessRecord, ...] = Field((), description="empty unless the configuration says 'warn'")


class Manifest(Settings):
    """A sealed division of one pair set. ``digest`` is over everything else in here."""

    format: Literal["judgelab.manifest/1"] = "judgelab.manifest/1"
    dataset: str
    clean_verified: bool
    simulated: bool
    pair_set: str = Field(description="sha256 of the pair set's file with all records sorted by id")
    config: SplitConfig
    splits: dict[SplitName, SplitRecord]
    frontier: tuple[str, ...] = Field(description="training consultations of the frontier fold")
    excluded: tuple[str, ...] = Field(description="consultations left out: the exclusions and their groups")
    absent: dict[SplitName, tuple[str, ...]] = Field(description="labels of the pair set that a split lacks")
    overlap: Overlap
    digest: str = ""

    @model_validator(mode="after")
    def _hangs_together(self) -> Manifest:
        if set(self.splits) != set(SPLITS):
            raise ValueError(f"splits are {sorted(self.splits)}, not {sorted(SPLITS)}")
        parts = {name: set(record.consultations) for name, record in self.splits.items()}
        everywhere = [*parts.items(), ("excluded", set(self.excluded))]
        for (first, these), (second, those) in combinations(everywhere, 2):
            if shared := these & those:
                raise ValueError(f"{first} and {second} share {sorted(shared)[:3]}")
        if missed := set(self.config.exclude) - set(self.excluded):
            raise ValueError(f"exclusions {sorted(missed)[:3]} are not left out")
        if not set(self.frontier) < parts["training"]:
            raise ValueError("the frontier fold is not a proper part of the training split")
        return self

    @property
    def seed(self) -> int:
        """The seed of the draw."""
        return self.config.seed

    def own_digest(self) -> str:
        """The digest that an unchanged manifest carries."""
        return digest(self.model_dump(mode="json", exclude={"digest"}))

    def verify(self, pair_set: PairSet) -> None:
        """Assert that this manifest divides exactly this pair set; SealBroken with both digests otherwise."""
        found = pair_set_digest(pair_set)
        if found != self.pair_set:
            raise SealBroken(
                f"matching pair set {pair_set.name!r} with its manifest",
                f"sha256 {found[:16]}, sealed {self.pair_set[:16]}",
                "Use the pair set that was sealed, or seal the new one in a new folder.",
            )


def canonical(pair_set: PairSet) -> PairSet:
    """The same pair set with consultations, notes and pairs sorted by id, so that input order means nothing."""
    sides = [note for pair in pair_set.pairs for note in (pair.clean, pair.flawed)]
    notes = {note.id: note for note in (*sides, *pair_set.notes)}
    return dataclasses.replace(
        pair_set,
        consultations=tuple(sorted(pair_set.consultations, key=lambda c: c.id)),
        pairs=tuple(sorted(pair_set.pairs, key=lambda p: p.id)),
        notes=tuple(notes[name] for name in sorted(notes)),
    )


def pair_set_digest(pair_set: PairSet) -> str:
    """The sha256 of a pair set's file with all records sorted by id."""
    return hashlib.sha256(dump_pairs(canonical(pair_set))).hexdigest()


def split_bytes(pair_set: PairSet, parts: Mapping[SplitName, tuple[str, ...]]) -> dict[SplitName, bytes]:
    """The file of each split: the canonical pair set cut down to the split's consultations."""
    whole = canonical(pair_set)
    return {name: dump_pairs(dataclasses.replace(whole.of(ids), split=name)) for name, ids in parts.items()}


def dump_manifest(manifest: Manifest) -> bytes:
    """The bytes of manifest.json."""
    return (json.dumps(manifest.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()


def read_manifest(directory: Path) -> Manifest:
    """Read and verify the manifest of a sealed folder; SealBroken where it is not the one that was written."""
    path = directory / FILE_NAME
    tried = f"opening the splits in {directory}"
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(tried, f"no {FILE_NAME}", "Seal the splits first.") from None
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        raise SealBroken(tried, f"{path.name}: {error.errors()[0]['msg']}", "Restore the sealed file.") from None
    # The bytes too: a duplicate key or a changed blank would survive parsing.
    if manifest.digest != manifest.own_digest() or dump_manifest(manifest) != data:
        found = f"{path.name} has digest {manifest.own_digest()[:16]}, sealed {manifest.digest[:16]}"
        raise SealBroken(tried, found, "Restore the sealed file.")
    return manifest


def read_sealed(directory: Path, manifest: Manifest, name: SplitName) -> PairSet:
    """Read one split and verify its bytes; SealBroken names the file, the sealed and the found digest."""
    path = split_path(directory, name)
    expected = manifest.splits[name].sha256
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SealBroken(f"reading {path}", "no such file", "Restore the sealed file.") from None
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise SealBroken(f"reading {path}", f"sha256 {found[:16]}, sealed {expected[:16]}", "Restore the sealed file.")
    return parse_pairs(data, path)


def split_path(directory: Path, name: SplitName) -> Path:
    """Where a sealed folder keeps a split."""
    return directory / f"{name}.jsonl"
