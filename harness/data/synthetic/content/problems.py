"""All presenting problems."""

from __future__ import annotations

from harness.data.synthetic.content import musculoskeletal, respiratory
from harness.data.synthetic.point import Problem

PROBLEMS: tuple[Problem, ...] = (respiratory.COUGH, musculoskeletal.KNEE)
