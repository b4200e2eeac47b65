"""Text with the places where a verdict was chosen, so that logprobs can say how close the choice was."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(r"\s?\w{1,6}|\s?[^\w\s]|\s+")
FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen word and the probability of every alternative, which sum to one."""

    word: str
    options: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Token:
    """One token with its natural-log probability and those of the alternatives."""

    text: str
    logprob: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(slots=True)
class Text:
    """Text written piece by piece."""

    pieces: list[str | Choice] = field(default_factory=list)

    def write(self, piece: str | Choice) -> Text:
        """Append a piece."""
        self.pieces.append(piece)
        return self

    def value(self, value: Any) -> Text:
        """Append a JSON value; a ``Choice`` in it becomes a string that is remembered as chosen."""
        if isinstance(value, Choice):
            quote = '"' if value.word not in ("true", "false") and not value.word.isdigit() else ""
            return self.write(quote).write(value).write(quote)
        if isinstance(value, Mapping):
            return self._members("{", [(json.dumps(str(k)) + ": ", v) for k, v in value.items()], "}")
        if isinstance(value, list | tuple):
            return self._members("[", [("", v) for v in value], "]")
        return self.write(json.dumps(value, ensure_ascii=False))

    def _members(self, opening: str, members: list[tuple[str, Any]], closing: str) -> Text:
        self.write(opening)
        for place, (name, value) in enumerate(members):
            self.write((", " if place else "") + name).value(value)
        return self.write(closing)

    def tokens(self) -> list[Token]:
        """The tokens of the text; a choice is one token."""
        found: list[Token] = []
        for piece in self.pieces:
            if isinstance(piece, Choice):
                ranked = sorted(piece.options.items(), key=lambda option: -option[1])
                others = tuple((word, math.log(max(p, FLOOR))) for word, p in ranked)
                found.append(Token(piece.word, dict(others)[piece.word], others))
            else:
                found += [Token(text, -0.01) for text in TOKEN.findall(piece)]
        return found

    def __str__(self) -> str:
        return "".join(piece.word if isinstance(piece, Choice) else piece for piece in self.pieces)


def between(low: str, high: str, value: float, cut: float, width: float) -> Choice:
    """``high`` where ``value`` >= ``cut``, else ``low``; the probability is logistic in the distance over ``width``."""
    p = 1 / (1 + math.exp(-max(-30.0, min(30.0, (value - cut) / width))))
    return Choice(high if value >= cut else low, {high: p, low: 1 - p})
