"""The longest common prefix with any earlier prompt, to the character."""

from __future__ import annotations

import bisect
import os.path


class ExactPrefixes:
    """Keeps every prompt, sorted: the one that shares most with a text is its neighbour."""

    def __init__(self) -> None:
        self._prompts: list[str] = []

    def shared(self, text: str) -> int:
        """Characters that the text shares with the start of some earlier prompt."""
        at = bisect.bisect(self._prompts, text)
        near = self._prompts[max(at - 1, 0) : at + 1]
        return max((len(os.path.commonprefix([text, other])) for other in near), default=0)  # noqa: RUF071  # text, no paths

    def add(self, text: str) -> None:
        """Remember a prompt."""
        bisect.insort(self._prompts, text)
