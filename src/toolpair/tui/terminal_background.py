"""Asking the terminal for its background colour, and finding its answer among the keys."""

from __future__ import annotations

import re
from typing import Final

QUESTION: Final = "\x1b]11;?\x1b\\"
_BEGIN: Final = "\x1b]11;"
_ANSWER: Final = re.compile(
    "\x1b\\]11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]{0,8})?(?:\x07|\x1b\\\\)"
)
_LONGEST: Final = 48
"""Characters of an answer."""
_LIGHT: Final = 0.5


class BackgroundAnswer:
    """Takes the answer out of what the terminal sends. It may come in pieces, or never."""

    def __init__(self) -> None:
        self._held = ""
        self._waits = True

    @property
    def holds(self) -> bool:
        """Whether the beginning of what may be an answer is held back."""
        return bool(self._held)

    def split(self, text: str) -> tuple[str, bool | None]:
        """The text without the answer, and whether that says that the background is light; None when it does not."""
        text = self.rest() + text
        if not self._waits:
            return text, None
        found = _ANSWER.search(text)
        if found is not None:
            self._waits = False
            return text[: found.start()] + text[found.end() :], _is_light(found)
        # A single escape is a key that must not wait.
        for start in range(max(0, len(text) - _LONGEST), len(text) - 1):
            rest = text[start:]
            if rest.startswith(_BEGIN) or _BEGIN.startswith(rest):
                self._held = rest
                return text[:start], None
        return text, None

    def rest(self) -> str:
        """What was held back and is no answer, since nothing has come after it."""
        held, self._held = self._held, ""
        return held


def _is_light(answer: re.Match[str]) -> bool | None:
    if answer[1] is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in answer.groups())
    brightness: float = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return brightness > _LIGHT
