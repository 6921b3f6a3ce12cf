"""Prose in lines of a width."""

from __future__ import annotations

import textwrap


def folded(text: str, width: int, first: str = "", later: str = "", *, break_long_words: bool = True) -> list[str]:
    """The lines of a paragraph: what stands in front of the first, and of each later one. Words keep their hyphens."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=break_long_words,
    )
