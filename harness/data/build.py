"""Source or DataConfig -> pair set: the one place that knows every importer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.config import DataConfig
from harness.data.aci_bench import import_aci_bench
from harness.data.defects import plant_defects
from harness.data.imported import Imported, PairedImport
from harness.data.jsonl import pair_up, read_jsonl
from harness.data.medec import import_medec
from harness.data.mts_dialog import import_mts_dialog
from harness.data.omissionbench import import_omissionbench
from harness.data.primock57 import import_primock57
from harness.errors import ConfigError, DataError
from harness.types import Pair, PairSet


@dataclass(frozen=True, slots=True)
class Source:
    """What an importer read, in the terms of every source.

    ``pairs`` is empty where the source holds clean notes only, into which defects may be planted; ``paired`` says
    which. ``unpaired`` counts flawed notes that found no clean twin, by reason.
    """

    name: str
    imported: Imported
    pairs: tuple[Pair, ...] = ()
    paired: bool = False
    unpaired: Mapping[str, int] | None = None
    clean_verified: bool = False

    @property
    def pair_set(self) -> PairSet:
        """The source as it is, nothing planted."""
        whole = self.imported
        return PairSet(self.name, whole.consultations, self.pairs, whole.notes, self.clean_verified)


@dataclass(frozen=True, slots=True)
class Built:
    """A pair set, and what was left out on the way: reason -> count.

    ``imported_refused`` counts consultations and notes of the source; ``planted_refused`` counts
    attempts to plant a defect (``kind:reason``), or flawed notes of the user that found no clean twin.
    """

    pair_set: PairSet
    imported_refused: Mapping[str, int]
    planted_refused: Mapping[str, int]


def read_source(name: str, path: Path) -> Source:
    """Read what a source holds; DataError for an unknown source or files that cannot be used."""
    try:
        read = SOURCES[name]
    except KeyError:
        found = f"unknown source {name!r}"
        raise DataError("choosing an importer", found, f"Use one of {', '.join(SOURCES)}.") from None
    return read(path)


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
    built = _planted(config, read_source(config.source, config.path))
    if not built.pair_set.pairs:
        found = f"no pair in {config.path}; refused: {dict(built.imported_refused)} {dict(built.planted_refused)}"
        raise DataError("building a pair set", found, "Check that notes and transcripts belong together.")
    return built


def _planted(config: DataConfig, source: Source) -> Built:
    whole = source.imported
    if source.paired:
        return Built(source.pair_set, whole.refused, source.unpaired or {})
    planted = plant_defects(whole.consultations, whole.notes, config.pairs_per_consultation, config.seed)
    pair_set = PairSet(source.name, whole.consultations, planted.pairs, whole.notes, source.clean_verified)
    return Built(pair_set, whole.refused, planted.refused)


def _clean(name: str, read: Callable[[Path], Imported]) -> Callable[[Path], Source]:
    return lambda path: Source(name, read(path))


def _with_pairs(name: str, read: Callable[[Path], PairedImport]) -> Callable[[Path], Source]:
    def load(path: Path) -> Source:
        whole = read(path)
        return Source(name, whole.imported, whole.pairs, paired=True)

    return load


def _own(path: Path) -> Source:
    own = read_jsonl(path)
    pairs, unpaired = pair_up(own)
    paired = any(note.defect for note in own.imported.notes)
    return Source(own.name, own.imported, pairs, paired, unpaired, own.clean_verified)


SOURCES: dict[str, Callable[[Path], Source]] = {
    "primock57": _clean("primock57", import_primock57),
    "aci-bench": _clean("aci-bench", import_aci_bench),
    "mts-dialog": _clean("mts-dialog", import_mts_dialog),
    "medec": _with_pairs("medec", import_medec),
    "omissionbench": _with_pairs("omissionbench", import_omissionbench),
    "jsonl": _own,
}
