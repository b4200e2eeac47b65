from __future__ import annotations

from pathlib import Path

import pytest

from partitions.config import SplitConfig
from partitions.seal import seal
from support.bench import Bench, pair_set


@pytest.fixture(scope="session")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    seal(pair_set(), SplitConfig(), folder / "split")
    (folder / "seed.md").write_text("---\nid: plain\n---\nJudge the note.\n")
    return folder


@pytest.fixture
def bench(sealed: Path, tmp_path: Path) -> Bench:
    (tmp_path / "split").symlink_to(sealed / "split")
    (tmp_path / "seed.md").write_text((sealed / "seed.md").read_text())
    return Bench(tmp_path)
