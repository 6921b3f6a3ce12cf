"""The words of the user in files whose agents put them between tags such as `<task>`."""

from __future__ import annotations

import re
from typing import Final

from toolpair.source import peek

_TEXT: Final = re.compile(rb'(?<!\\)"(?:text|content)"\s*:\s*("(?:[^"\\]|\\.)*+")')
_MARKED: Final = re.compile(r"<(task|user_message|user_input|feedback|answer)\b[^>]*>\s*(.*?)\s*</\1>", re.DOTALL)


def last_words(path: str, size: int) -> str | None:
    """The last text marked as the user's by a tag, near the end of the file."""
    return peek.near_end(path, size, marked_words)


def marked_words(data: bytes) -> str | None:
    """The last text marked as the user's in a piece of a JSON document."""
    words = None
    for match in _TEXT.finditer(data):
        value = peek.parse(match.group(1))
        if isinstance(value, str):
            for tag in _MARKED.finditer(value):
                words = tag.group(2) or words
    return peek.one_line(words)
