from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.data.repair import mangled, unmangle

# Wanted characters whose UTF-8 bytes all mean something in Windows-1252 or as C1 controls.
WANTED = st.text(alphabet="abc 12,μβα≥−–“”’é°", max_size=20)


def mangle(text: str) -> str:
    return "".join(
        chr(b) if 0x80 <= b <= 0x9F and not _known(b) else bytes([b]).decode("cp1252") for b in text.encode()
    )


def _known(byte: int) -> bool:
    try:
        bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return False
    return True


@given(WANTED)
def test_mangled_text_is_put_back_exactly(text: str) -> None:
    found, _ = unmangle(mangle(text))
    assert found == text
    assert not mangled(found)


@given(st.text(alphabet="abc 12µ³²°é", max_size=20))
def test_single_real_characters_of_western_text_stay(text: str) -> None:
    spaced = " ".join(text)
    assert unmangle(spaced) == (spaced, 0)


def test_what_cannot_be_put_back_is_left_and_seen() -> None:
    for text in ("5 â€ 7", "1 Î\u00bcâ 2", "a \ufffd"):
        assert unmangle(text) == (text, 0)
        assert mangled(text)
