"""Escaping text for Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolpair.cli.terminal import safe

_UNDERSCORE: Final = r"(?<![^\W_])_|_(?![^\W_])"
"""Could begin or end emphasis; not within a word."""
_SPECIAL: Final = re.compile(rf"([\\`*\[\]<>|#~]|{_UNDERSCORE})")
_IN_PROSE: Final = re.compile(rf"([<>|\[\]]|{_UNDERSCORE})")
_CODE: Final = re.compile(r"(`[^`\n]+`)")


def words(text: str) -> str:
    """The text of a problem or note, with all Markdown escaped."""
    return _SPECIAL.sub(r"\\\1", safe(text))


def prose(text: str) -> str:
    """The text of a page: code in backticks and bold stay, other Markdown is escaped."""
    return "".join(
        part if number % 2 else _IN_PROSE.sub(r"\\\1", part) for number, part in enumerate(_CODE.split(text))
    )


def code(text: str) -> str:
    """Text as code, even if it contains backticks."""
    shown = safe(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(language: str, lines: Sequence[str]) -> str:
    """Lines as a block of code."""
    return "\n".join((f"```{language}", *lines, "```"))
