"""One call, PASS or FAIL and what is missing or unsupported."""

from __future__ import annotations

from harness.judges.contracts import BINARY
from harness.judges.single import single_kind

KIND = single_kind(BINARY)
