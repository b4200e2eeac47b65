"""DataConfig -> pair set: the one place that knows every source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.config import DataConfig
from harness.data.aci_bench import import_aci_bench
from harness.data.defects import plant_defects
from harness.data.imported import Imported
from harness.data.jsonl import JsonlSource, pair_up, read_jsonl
from harness.data.primock57 import import_primock57
from harness.errors import ConfigError, DataError
from harness.types import PairSet


@dataclass(frozen=True, slots=True)
class Built:
    """A pair set, and what was left out on the way: reason -> count.

    ``imported_refused`` counts consultations and notes of the source; ``planted_refused`` counts
    attempts to plant a defect (``kind:reason``), or flawed notes of the user that found no clean twin.
    """

    pair_set: PairSet
    imported_refused: Mapping[str, int]
    planted_refused: Mapping[str, int]


def build_pair_set(config: DataConfig) -> Built:
    """Build what a configuration names; equal data, settings and seed give an equal set.

    Raises ConfigError where a path is missing, DataError for files that cannot be used or a source
    that yields no pair.
    """
    if config.source == "synthetic":
        # Imported here because generating text is the slowest of the imports and real data needs none of it.
        from harness.data.synthetic import build_synthetic

        return Built(build_synthetic(config.consultations, config.pairs_per_consultation, config.seed), {}, {})
    if config.path is None:
        raise ConfigError("building a pair set", f"source {config.source!r} without a path", "Set data.path.")
    built = _from_files(config, config.path)
    if not built.pair_set.pairs:
        found = f"no pair in {config.path}; refused: {dict(built.imported_refused)} {dict(built.planted_refused)}"
        raise DataError("building a pair set", found, "Check that notes and transcripts belong together.")
    return built


def _from_files(config: DataConfig, path: Path) -> Built:
    if config.source == "jsonl":
        source = read_jsonl(path)
        if any(note.defect for note in source.imported.notes):
            return _given(source)
        return _planted(config, source.imported, source.name, source.clean_verified)
    load = {"primock57": import_primock57, "aci-bench": import_aci_bench}[config.source]
    return _planted(config, load(path), config.source, clean_verified=False)


def _planted(config: DataConfig, source: Imported, name: str, clean_verified: bool) -> Built:
    planted = plant_defects(source.consultations, source.notes, config.pairs_per_consultation, config.seed)
    pair_set = PairSet(name, source.consultations, planted.pairs, source.notes, clean_verified)
    return Built(pair_set, source.refused, planted.refused)


def _given(source: JsonlSource) -> Built:
    pairs, refused = pair_up(source)
    whole = source.imported
    pair_set = PairSet(source.name, whole.consultations, pairs, whole.notes, source.clean_verified)
    return Built(pair_set, whole.refused, refused)
