"""What a list of sessions says of a file as pi writes it, from a short read."""

from __future__ import annotations

import re
from typing import Final

from toolpair.formats.agent import FoundSession
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.pi_family.history import user_words
from toolpair.source import peek

_TITLE: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"title"')


def has_title(path: str) -> bool:
    """Whether a file begins as oh-my-pi's do."""
    return _TITLE.match(peek.head(path, 64)) is not None


def described(found: FoundSession) -> tuple[str | None, str | None]:
    """The folder and the user's last words, from a short read."""
    words = peek.last_said(found.path, found.size, lambda record: user_words(Node(0, 0, 0, 0, record))[0])
    return peek.folder_in(peek.head(found.path)), peek.one_line(words)
