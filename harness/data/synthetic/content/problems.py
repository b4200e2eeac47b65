"""All presenting problems."""

from __future__ import annotations

from harness.data.synthetic.content import abdomen, heart, joints, musculoskeletal, nerves, respiratory, skin_ent
from harness.data.synthetic.point import Problem

PROBLEMS: tuple[Problem, ...] = (
    respiratory.COUGH,
    musculoskeletal.KNEE,
    joints.BACK,
    joints.SHOULDER,
    heart.CHEST,
    heart.PALPITATIONS,
    heart.DIZZY,
    nerves.HEADACHE,
    nerves.MOOD,
    nerves.TIRED,
    abdomen.REFLUX,
    abdomen.DIARRHOEA,
    abdomen.URINE,
    skin_ent.RASH,
    skin_ent.THROAT,
    skin_ent.EAR,
)
