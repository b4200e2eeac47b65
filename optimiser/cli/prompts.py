"""`judgelab prompts`: a user's own prompts as seeds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import DataError
from optimiser.cli.show import emit, err
from optimiser.config import EngineConfig
from optimiser.prompts import read_prompts, require_block, write_seeds

app = typer.Typer(help="Bring in prompts of your own.", no_args_is_help=True)


@app.callback()
def prompts() -> None:
    """Bring in prompts of your own."""


@app.command(
    "import", epilog="Example: judgelab prompts import my-prompts --judge score --block instruction --out seeds/mine"
)
def import_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with .md or .txt files, one prompt each.")],
    judge: Annotated[str, typer.Option("--judge", help="The judge kind that they are for.")],
    block: Annotated[str, typer.Option("--block", help="The block of that judge that each of them is.")],
    out_folder: Annotated[Path, typer.Option("--out", help="Folder for the seed files.")],
    max_chars: Annotated[
        int, typer.Option(min=200, help="Longer prompts are refused; a campaign's `engine.max_block_chars`.")
    ] = EngineConfig().max_block_chars,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Turn prompts into seed files with front matter; what cannot be a block is refused by name and reason.

    A block is judging instructions alone: no slots, no answer format. Exits with 3 where no prompt is usable.
    """
    require_block(judge, block)
    found = read_prompts(folder, max_chars)
    written, clashing = write_seeds(found, judge, block, out_folder)
    refused = (*found.refused, *clashing)
    for one in refused:
        err.print(f"refused {one.file}, {one.reason}: {one.explanation}", markup=False, highlight=False)
    if not written:
        todo = "Mend what is named above: instructions alone, without slots and answer format."
        raise DataError(f"importing prompts from {folder}", f"none of {len(refused)} files can be a block", todo)
    shown = {
        "imported": len(written),
        "refused": len(refused),
        "by reason": dict(sorted(Counter(one.reason for one in refused).items())),
        "judge": judge,
        "block": block,
        "seeds": [str(path) for path in written],
    }
    detail = [{"file": one.file, "reason": one.reason, "explanation": one.explanation} for one in refused]
    emit(shown | ({"refusals": detail} if as_json else {}), as_json, title="Imported prompts")
