"""What the simulated judge is calibrated to on the synthetic corpus: bands of paired discrimination.

The pattern is the published one; the numbers say nothing about a real model. Each band is (low,
high) for a set of some hundred pairs, 0.5 = coin flip; the sampling error of such a set comes on top.
"""

from __future__ import annotations

from collections.abc import Mapping

PLAIN = "Judge how faithful to the transcript the note is. Anything unsupported or contradicted lowers the mark."
BOTH = "Judge how faithful to the transcript and how complete the note is."
FOCUSED = BOTH + " Look for everything relevant that has been left out."
PROCEDURE = (
    "First list all clinical facts that the transcript establishes. Then decide for each of them whether the note "
    "has it: present or absent. Every absent one is an omission. Check dose, side, negation and timing. "
    "Do not penalise shorthand. Anything unsupported or contradicted is a fault too."
)
Band = tuple[float, float]
OMISSIONS: Mapping[str, Band] = {
    PLAIN: (0.45, 0.55),
    BOTH: (0.50, 0.65),
    FOCUSED: (0.52, 0.68),
    PROCEDURE: (0.75, 0.85),
}
COMMISSIONS: Mapping[str, Band] = {
    PLAIN: (0.75, 0.95),
    BOTH: (0.75, 0.95),
    FOCUSED: (0.70, 0.90),
    PROCEDURE: (0.75, 0.92),
}
RESTATED: Band = (0.42, 0.58)
EIGHT_SAMPLES: Band = (0.02, 0.06)
"""Gain over one sample, omissions and commissions together, of the judge asked for ``BOTH``."""
HIGH_EFFORT: Band = (0.05, 0.15)
"""Gain over no effort, on omissions, of the judge asked for ``BOTH``."""
FAMILY: Mapping[str, tuple[Band, Band]] = {
    "two-stage": ((0.75, 0.85), (0.50, 0.70)),
    "pipeline": ((0.70, 0.85), (0.50, 0.70)),
    "coverage": ((0.72, 0.85), (0.55, 0.72)),
    "checklist": ((0.66, 0.80), (0.50, 0.70)),
    "fact-list": ((0.62, 0.78), (0.75, 0.95)),
    "dimensions": ((0.47, 0.62), (0.70, 0.90)),
    "faithfulness": ((0.45, 0.58), (0.70, 0.90)),
    "binary": ((0.45, 0.60), (0.75, 0.92)),
}
"""Omissions and commissions of the other designs, with the seeds that are shipped for them."""
IN_PLACE: Band = (0.70, 0.95)
"""Restated omissions of the check by section: what no published design sees."""
CLOSE_UP_GAIN = 0.02
"""Least gain on omissions of the log-odds check over the check of all facts in one call."""
