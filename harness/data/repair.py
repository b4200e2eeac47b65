"""Undo mojibake: UTF-8 that was read as Windows-1252 and saved again."""

from __future__ import annotations

import re

_RUN = re.compile(r"[^\x00-\x7f]+")
# What such a reading leaves and people do not write: lead bytes before a continuation byte, C1 controls, U+FFFD.
_TELLTALE = re.compile(r"â[€ˆ‰]|[ÂÃÎÏ][\u0080-\u00bf]|[\u0080-\u009f\ufffd]")


def unmangle(text: str) -> tuple[str, int]:
    """The text with every run of other characters put back that was UTF-8 once, and how many there were.

    A run is put back only where its bytes in Windows-1252 (undefined ones as C1 controls) are UTF-8 exactly; a real
    micro sign or superscript is not, and stays.

    >>> unmangle("Î¼g, 5â€“7, 3 Âµ and µ")
    ('μg, 5–7, 3 µ and µ', 3)
    """
    count = 0

    def put_back(match: re.Match[str]) -> str:
        nonlocal count
        try:
            whole = b"".join(_byte(character) for character in match[0]).decode("utf-8")
        except UnicodeError:
            return match[0]
        count += 1
        return whole

    return _RUN.sub(put_back, text), count


def mangled(text: str) -> bool:
    """True where a text still shows signs of mojibake."""
    return bool(_TELLTALE.search(text))


def _byte(character: str) -> bytes:
    return bytes([ord(character)]) if "\x80" <= character <= "\x9f" else character.encode("cp1252")
