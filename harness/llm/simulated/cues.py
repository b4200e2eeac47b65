"""What an instruction asks for: concepts recognised in any wording, listed in ``CONCEPTS``.

A concept is present where one of its patterns matches and, for patterns that a refusal would turn
round ("do not count omissions"), no refusing word stands shortly before the match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Concept = Literal[
    "whole", "omissions", "unscoped", "support", "enumerate", "closed", "details", "compression",
    "severity", "quote", "brevity", "strict", "lenient",
]  # fmt: skip

_THINGS = r"(?:facts?|findings?|statements?|items?|details?|points?|elements?|things?|claims?)"
_LOSS = (
    r"(?:omi(?:t|ts|tted|tting|ssions?)\b|le(?:ft|aves?|aving)[ -]out|missing|absent from|lacks?\b|"
    r"not (?:mentioned|recorded|documented|written down|in the note)|fails? to (?:mention|record|include)|dropped)"
)
CONCEPTS: Mapping[Concept, str] = {
    "whole": r"complete(?:ness|ly)?\b|comprehensive|coverage|covers?\b|captur\w+|contains? everything|thorough",
    "omissions": _LOSS,
    "unscoped": (
        r"(?:do not|don't|never|not to|no need to|without|ignore|disregard|rather than|not)\b[^.;\n]{0,50}?"
        r"(?:omissions?\b|missing (?:facts?|information|content|details?)|left[ -]out|gaps?\b|completeness)"
    ),
    "support": (
        r"faithful\w*|accura\w+|unsupported|contradict\w*|hallucinat\w+|invent(?:s|ed|ing|ions?)?\b|fabricat\w+|"
        r"support(?:ed|s)?\b|true to"
    ),
    "enumerate": (
        r"(?:\blists?\b|enumerat\w+|itemi[sz]\w+|inventory|write down|note down|extract|collect|go through|"
        r"walk through|work through|draw up|gather|set out)[^.;\n]{0,70}?" + _THINGS
    ),
    "closed": (
        r"(?:present|covered|found|recorded|stated|full|yes)\b[^.;\n]{0,20}?(?:\bor\b|/|\bversus\b|,)[^.;\n]{0,20}?"
        r"(?:absent|missing|not\b|partial|no\b)|"
        r"(?:each|every)\b[^.;\n]{0,60}?(?:verdict|decide|ruling|yes or no|tick)|one (?:fact|item|at a time|by one)|"
        r"(?:verdict|decide|rule|tick)\b[^.;\n]{0,40}?(?:each|every)\b"
    ),
    "details": (
        r"(?:\bdos(?:e|es|age)\b|lateralit\w+|left (?:or|and|from|versus) right|\bsides?\b|negat(?:ion|ed|ions)\b|"
        r"denied|\btiming\b|durations?\b|\bnumbers?\b|\bunits?\b|\bfrequenc\w+|\bonset\b|\bvalues?\b)"
    ),
    "compression": (
        r"(?:do not|don't|never|no|nothing)\b[^.;\n]{0,40}?"
        r"(?:penali[sz]\w+|punish\w*|deduct\w*|mark down|points?|count|object|fault|complain)"
        r"[^.;\n]{0,60}?(?:short|compress|paraphras|abbrev|brief|concise|wording|summar|terse|condens|rephras)|"
        r"(?:short(?:hand|er)|compress\w+|paraphras\w+|abbreviat\w+|terse\w*|condens\w+|rephras\w+)[^.;\n]{0,40}?"
        r"(?:acceptable|fine|allowed|no (?:fault|loss|error)|welcome|counts? as)"
    ),
    "severity": (
        r"(?:severity|critical|clinical(?:ly)? (?:importan\w+|significan\w+|weight|consequen\w+)|safety|"
        r"harm\w*|grav\w+|serious\w*|matters? (?:most|more|less))"
    ),
    "quote": r"\bquot(?:e|es|ing|ation)\b|verbatim|point to the (?:words|line|sentence|passage)|cite\b",
    "brevity": (
        r"(?:reward|prefer|favou?r|praise|value|prize)\b[^.;\n]{0,40}?(?:brev\w+|short\w*|concis\w+|lean|succinct\w*)|"
        r"(?:shorter|briefer|leaner) (?:is|notes? (?:are|score|deserve)\w*) (?:better|higher|more)|"
        r"(?:lower|deduct|penali[sz]\w+|punish)[^.;\n]{0,40}?(?:long|length|detailed|wordy)"
    ),
    "strict": r"\bstrict\w*|\bharsh\w*|unforgiving|zero tolerance|severe(?:ly)?\b|rigorous\w*",
    "lenient": r"\blenien\w+|generous\w*|benefit of the doubt|forgiving|mild\w*",
}  # fmt: skip
_PATTERNS = {concept: re.compile(pattern, re.IGNORECASE) for concept, pattern in CONCEPTS.items()}
_REFUSED = re.compile(
    r"(?:do not|don't|never|ignore|disregard|rather than|no need to|not to)\b[^.;\n]{0,40}$", re.IGNORECASE
)
_TURNED_ROUND: frozenset[Concept] = frozenset(
    {"enumerate", "closed", "severity", "strict", "lenient", "brevity", "quote"}
)
_MANY = 3


@dataclass(frozen=True, slots=True)
class Cues:
    """The concepts of an instruction and its length in characters.

    ``details`` asks for three different load-bearing kinds, ``omissions`` for a named scope that
    the instruction does not take back.
    """

    found: frozenset[Concept]
    length: int

    def __contains__(self, concept: Concept) -> bool:
        return concept in self.found


@lru_cache(maxsize=1024)
def read_cues(instruction: str) -> Cues:
    """The concepts that an instruction names.

    >>> sorted(read_cues("List every fact, then decide for each whether it is present or absent.").found)
    ['closed', 'enumerate']
    """
    found: set[Concept] = {concept for concept in _PATTERNS if _named(concept, instruction)}
    if "unscoped" in found:
        found -= {"omissions", "whole"}
    return Cues(frozenset(found), len(instruction))


def _named(concept: Concept, instruction: str) -> bool:
    matches = list(_PATTERNS[concept].finditer(instruction))
    if concept in _TURNED_ROUND:
        matches = [m for m in matches if not _REFUSED.search(instruction, max(0, m.start() - 60), m.start())]
    if concept == "details":
        return len({m.group().lower() for m in matches}) >= _MANY
    return bool(matches)
