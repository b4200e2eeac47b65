"""The command line in this process, as the console script would run it."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import NamedTuple

from optimiser.cli import main


class Ended(NamedTuple):
    """How a command ended; ``stderr`` has its white space collapsed, because rich wraps lines."""

    returncode: int
    stdout: str
    stderr: str


def judgelab(*arguments: object, cwd: Path) -> Ended:
    """Run ``judgelab`` with the arguments in a folder."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["judgelab", *map(str, arguments)]
    try:
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code: object = 0
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    assert isinstance(code, int)
    return Ended(code, out.getvalue(), " ".join(err.getvalue().split()))
