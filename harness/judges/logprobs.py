"""Reads from a reply's token log-probabilities how far a model leaned to one of two words.

A closed verdict says which word won; the log-probabilities at the place where it was chosen say by how much,
even where the same word wins every time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

LIMIT = 10.0  # nats: beyond 22,000 to 1 a model's word is no surer, and one fact must not drown the others
TOP = 10  # alternatives to ask for
_LEAD = " \t\r\n\"'"


def read_log_odds(tokens: Sequence[Mapping[str, Any]], key: str, yes: str, no: str) -> float | None:
    """log P(``yes``) - log P(``no``) where the value of ``key`` begins, in nats, clipped to [-10, 10].

    ``tokens`` are the protocol's ``choices[0].logprobs.content``. A word's probability is the sum over all listed
    alternatives that can begin it, however it is split into tokens; a word that no alternative begins has at most
    the smallest listed probability and is given just that. None where the place cannot be found or
    lists no alternative to the chosen token.

    >>> ranked = [{"token": "present", "logprob": -0.1}, {"token": "abs", "logprob": -2.4}]
    >>> reply = [{"token": '{"verdict": "', "logprob": 0.0}, ranked[0] | {"top_logprobs": ranked}]
    >>> round(read_log_odds(reply, "verdict", "present", "absent"), 9)
    2.3
    """
    place = _place([str(token.get("token", "")) for token in tokens], key)
    if place is None:
        return None
    index, lead = place
    listed = _listed(tokens[index])
    if len(listed) < 2:
        return None
    floor = min(listed.values())
    masses = [_mass(listed, lead, word) for word in (yes, no)]
    if masses == [None, None]:
        return None
    first, second = (floor if mass is None else mass for mass in masses)
    return max(-LIMIT, min(LIMIT, first - second))


def _place(texts: Sequence[str], key: str) -> tuple[int, str] | None:
    """The token in which the last value of the key begins, and what stands in that token before it."""
    found = list(re.finditer(rf'"{re.escape(key)}"\s*:\s*"\s*', "".join(texts)))
    if not found:
        return None
    begin, start = found[-1].end(), 0
    for index, text in enumerate(texts):
        if start <= begin < start + len(text):
            return index, text[: begin - start]
        start += len(text)
    return None


def _listed(token: Mapping[str, Any]) -> dict[str, float]:
    """Alternative -> log-probability, the chosen token among them."""
    rows = [*(token.get("top_logprobs") or ()), token]
    return {str(row.get("token")): float(row["logprob"]) for row in rows if isinstance(row.get("logprob"), int | float)}


def _mass(listed: Mapping[str, float], lead: str, word: str) -> float | None:
    """Log of the summed probability of the alternatives that begin a word; None where there is none."""
    logs = [value for text, value in listed.items() if _begins(text, lead, word)]
    if not logs:
        return None
    return float(np.logaddexp.reduce(logs))


def _begins(text: str, lead: str, word: str) -> bool:
    """Whether an alternative says the start of the word, or all of it; quotes and blanks may stand before."""
    said = text.removeprefix(lead).lstrip(_LEAD).lower()
    return bool(said) and (word.startswith(said) or said.startswith(word))
