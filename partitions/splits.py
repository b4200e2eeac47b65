"""A sealed folder -> the training and acceptance splits. The holdout file is not read here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.types import PairSet
from partitions.manifest import Manifest, read_manifest, read_sealed


@dataclass(frozen=True)
class Splits:
    """What a search may see."""

    manifest: Manifest
    training: PairSet
    acceptance: PairSet

    @property
    def reflection(self) -> PairSet:
        """The training consultations whose text the reflection model may read."""
        return self.fold("reflection")

    @property
    def frontier(self) -> PairSet:
        """The training consultations that carry the Pareto frontier."""
        return self.fold("frontier")

    def fold(self, name: Literal["reflection", "frontier"]) -> PairSet:
        """One of the two folds that make up the training split."""
        frontier = set(self.manifest.frontier)
        wanted = name == "frontier"
        return self.training.of(c.id for c in self.training.consultations if (c.id in frontier) == wanted)


def open_splits(directory: Path) -> Splits:
    """Read and verify manifest, training and acceptance.

    Raises DataError where the folder holds no manifest and SealBroken, naming the file with the
    sealed and the found digest, where a byte has changed.
    """
    manifest = read_manifest(directory)
    return Splits(
        manifest,
        training=read_sealed(directory, manifest, "training"),
        acceptance=read_sealed(directory, manifest, "acceptance"),
    )
