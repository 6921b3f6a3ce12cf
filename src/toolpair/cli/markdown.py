"""Text as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolpair.cli.terminal import safe

_UNDERSCORE: Final = r"(?<![^\W_])_|_(?![^\W_])"
"""One that could begin or end emphasis: within a word it is none."""
_SPECIAL: Final = re.compile(rf"([\\`*\[\]<>|#~]|{_UNDERSCORE})")
_IN_PROSE: Final = re.compile(rf"([<>|\[\]]|{_UNDERSCORE})")
_CODE: Final = re.compile(r"(`[^`\n]+`)")


def words(text: str) -> str:
    """Text of a problem or a note, in which nothing is Markdown."""
    return _SPECIAL.sub(r"\\\1", safe(text))


def prose(text: str) -> str:
    """Text of a page: code stands between backticks, the rest is no Markdown but for bold."""
    return "".join(
        part if number % 2 else _IN_PROSE.sub(r"\\\1", part) for number, part in enumerate(_CODE.split(text))
    )


def code(text: str) -> str:
    """Text as code, whatever backticks are in it."""
    shown = safe(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(language: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines as a block of code."""
    yield f"```{language}"
    yield from lines
    yield "```"
