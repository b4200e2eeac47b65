from __future__ import annotations

from pathlib import Path

import pytest

from support.grid_bench import GridBench


@pytest.fixture
def grid_bench(sealed: Path, tmp_path: Path) -> GridBench:
    (tmp_path / "split").symlink_to(sealed / "split")
    return GridBench(tmp_path)
