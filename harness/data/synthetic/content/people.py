"""Patients, their doctors and what one calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harness.data.synthetic.wording import chance, pick

_WOMEN_TEXT = (
    "Aisha Joan Ruth Magda Priya Siobhan Grace Elena Fatima Carol Denise Yasmin Wendy Olga Ngozi Mei Bethan Lorna "
    "Sunita Pauline Hannah Chloe Teresa Ifeoma Kathleen Rosa Leila Marion Esther Tamsin"
)
_WOMEN = tuple(_WOMEN_TEXT.split())
_MEN_TEXT = (
    "Derek Tomasz Imran Kwame Alan Luis Gareth Piotr Samir Colin Dev Hamish Ivan Errol Jonas Trevor Wei Nikhil "
    "Sean Barry Omar Rhys Malcolm Femi Stuart Diego Lennox Yusuf Angus Victor"
)
_MEN = tuple(_MEN_TEXT.split())
_SURNAMES_TEXT = (
    "Okafor Brennan Patel Kowalski Hughes Nguyen Sutherland Begum Castellano Whitfield Ahmed Lindqvist Mbeki "
    "Pritchard Chowdhury Fairley Novak Osei Tanner Rahman Delgado MacLeod Iyer Thornton Bianchi Haddad Larkin "
    "Sato Ellwood Dhillon Quigley Marsh Petrov Achebe Renshaw Vaughan Kaur Oduya Hartley Zielinski"
)
_SURNAMES = tuple(_SURNAMES_TEXT.split())


@dataclass(frozen=True, slots=True)
class Patient:
    """One patient and the doctors around them."""

    first: str
    surname: str
    title: str
    female: bool
    age: int
    doctor: str
    gp: str

    @property
    def pronouns(self) -> Mapping[str, str]:
        """Slot values for the pronouns of note wordings."""
        return {"he": "she", "his": "her", "him": "her"} if self.female else {"he": "he", "his": "his", "him": "him"}

    @property
    def names(self) -> Mapping[str, str]:
        """Slot values for names and age."""
        name = f"{self.title} {self.first} {self.surname}"
        return {
            "name": name,
            "first": self.first,
            "title": f"{self.title} {self.surname}",
            "age": str(self.age),
            "doctor": self.doctor,
            "gp": self.gp,
        }


def draw_patient(rng: np.random.Generator) -> Patient:
    """A patient of 24 to 83 years."""
    female = chance(0.5, rng)
    order = [_SURNAMES[int(i)] for i in rng.permutation(len(_SURNAMES))[:3]]
    title = pick(("Mrs", "Ms", "Miss"), rng) if female else "Mr"
    first = pick(_WOMEN if female else _MEN, rng)
    return Patient(first, order[0], title, female, int(rng.integers(24, 84)), order[1], order[2])
