"""One call, a score from 0 to 10 and what is missing or unsupported."""

from __future__ import annotations

from harness.judges.contracts import SCORE
from harness.judges.single import single_kind

KIND = single_kind(SCORE)
