"""A grid's folder is about the notes it was begun with; cells, caps and replicates may change."""

from __future__ import annotations

import json
from typing import Any

from harness.data.pairs import write_atomically
from harness.errors import CampaignError
from optimiser.grid.config import GridConfig
from optimiser.workspace import Workspace
from partitions.manifest import Manifest

FILE_NAME = "notes.json"


def require_same_notes(workspace: Workspace, config: GridConfig, manifest: Manifest) -> None:
    """Write down which notes a new folder is about; CampaignError, naming the keys, where it is about others."""
    now = _notes(config, manifest)
    path = workspace.root / FILE_NAME
    if not path.exists():
        write_atomically(path, (json.dumps(now, indent=2, ensure_ascii=False) + "\n").encode())
        return
    begun = json.loads(path.read_text(encoding="utf-8"))
    changed = [name for name in now if begun.get(name) != now[name]]
    if changed:
        first = changed[0]
        found = f"{first} is {now[first]!r} and was {begun.get(first)!r} when it was begun"
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise CampaignError(
            f"going on with the grid in {workspace.root}", found + more, "Undo the change, or give another --out."
        )


def _notes(config: GridConfig, manifest: Manifest) -> dict[str, Any]:
    """Every setting that says which notes there are, by its dotted name; paths are left out, the digest covers them."""
    data = config.data.model_dump(mode="json", exclude={"path"})
    split = config.split.model_dump(mode="json")
    return (
        {f"data.{name}": value for name, value in data.items()}
        | {f"split.{name}": value for name, value in split.items()}
        | {"manifest": manifest.digest}
    )
