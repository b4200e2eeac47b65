"""The synthetic corpus: seeded consultations, clean notes and planted defects, absence certain by construction."""

from harness.data.synthetic.build import build_synthetic
from harness.data.synthetic.verify import verify_pair

__all__ = ["build_synthetic", "verify_pair"]
