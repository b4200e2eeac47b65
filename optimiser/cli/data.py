"""`judgelab data`: build, import and describe pair sets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.data.build import SOURCES, read_source
from harness.data.defects import plant_defects
from harness.data.describe import describe
from harness.data.jsonl import format_help
from harness.data.pairs import FILE_NAME, read_pairs, write_pairs
from harness.data.synthetic import build_synthetic
from harness.types import PairSet
from optimiser.cli.show import emit, out

app = typer.Typer(help="Build, import and describe pair sets.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the result; made if it is not there.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything drawn at random.")]


@app.command(epilog="Example: judgelab data synth --consultations 100 --out corpus --seed 3")
def synth(
    folder: Out,
    consultations: Annotated[int, typer.Option(min=6, help="How many consultations.")] = 96,
    pairs: Annotated[int, typer.Option(min=1, max=20, help="Flawed notes per clean note at most.")] = 5,
    seed: Seed = 20261,
    as_json: Json = False,
) -> None:
    """Make a synthetic corpus: consultations, clean notes, planted defects. Simulated text, and labelled so."""
    pair_set = build_synthetic(consultations, pairs, seed)
    write_pairs(pair_set, folder / FILE_NAME)
    emit({"file": str(folder / FILE_NAME)} | _described(pair_set), as_json)


@app.command("import", epilog="Example: judgelab data import primock57 data/primock57 --out corpora/primock57 --json")
def import_(
    source: Annotated[str, typer.Argument(help=", ".join(SOURCES))],
    directory: Annotated[Path, typer.Argument(help="Folder of the source, as published.")],
    folder: Out,
    as_json: Json = False,
) -> None:
    """Read consultations and notes, and pairs where there are any; every left-out item is counted by reason."""
    read = read_source(source, directory)
    pair_set, refused = read.pair_set, dict(read.imported.refused) | dict(read.unpaired or {})
    write_pairs(pair_set, folder / FILE_NAME)
    emit(
        {
            "file": str(folder / FILE_NAME),
            "consultations": len(pair_set.consultations),
            "notes": len(pair_set.notes),
            "pairs": len(pair_set.pairs),
            "labels": list(describe(pair_set).labels),
            "refused": refused,
            "details": [asdict(detail) for detail in read.imported.details],
        },
        as_json,
    )


@app.command(epilog="Example: judgelab data defects corpora/primock57 --out corpora/primock57-pairs --seed 5")
def defects(
    dataset: Annotated[Path, typer.Argument(help="Folder or file that `data import` wrote.")],
    folder: Out,
    pairs: Annotated[int, typer.Option(min=1, max=20, help="Flawed notes per clean note at most.")] = 5,
    seed: Seed = 20261,
    as_json: Json = False,
) -> None:
    """Plant one defect per flawed note in real notes. The clean twins stay unverified, and are labelled so."""
    whole = read_pairs(_file(dataset))
    clean = tuple(note for note in whole.notes if note.defect is None)
    planted = plant_defects(whole.consultations, clean, pairs, seed)
    pair_set = PairSet(whole.name, whole.consultations, planted.pairs, clean, whole.clean_verified, whole.simulated)
    write_pairs(pair_set, folder / FILE_NAME)
    emit({"file": str(folder / FILE_NAME)} | _described(pair_set) | {"refused": dict(planted.refused)}, as_json)


@app.command("format", epilog="Example: judgelab data format")
def format_() -> None:
    """Print the JSONL format of your own consultations and notes."""
    out.print(format_help(), markup=False, highlight=False, soft_wrap=True)


@app.command("describe", epilog="Example: judgelab data describe corpus --json")
def describe_(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder or file.")], as_json: Json = False
) -> None:
    """Count consultations, notes and pairs by class, severity, source and stratum."""
    emit(_described(read_pairs(_file(dataset))), as_json)


def _described(pair_set: PairSet) -> dict[str, Any]:
    return asdict(describe(pair_set))


def _file(dataset: Path) -> Path:
    return dataset / FILE_NAME if dataset.is_dir() else dataset
