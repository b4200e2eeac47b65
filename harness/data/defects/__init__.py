"""Plant one defect at a time in real clean notes; see ``plant`` for what is refused and why."""

from harness.data.defects.plant import Planted, plant_defects

__all__ = ["Planted", "plant_defects"]
