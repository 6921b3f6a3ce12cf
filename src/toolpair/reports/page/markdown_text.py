"""Untrusted text in Markdown as GitHub reads it: nothing of it is markup, a link, a mention or a reference.

GitHub makes links of more than Markdown says: of names after an @, numbers after a #, commit hashes, addresses. It does
so everywhere but in code, so whatever is not a plain word is written as code.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from toolpair.text.safe import visible, visible_text

_PLAIN: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|[0-9]{1,6}(?:[.,][0-9]{1,3})*|[–—…·≠=]")
_REFERENCE: Final = re.compile(r"[0-9a-fA-F]{7,}|[A-Za-z]-[0-9]")
"""What looks like a commit, or like an issue of some tracker."""
_AROUND: Final = re.compile(r"([(\"“”'‘’]*)(.*?)([)\"“”'‘’.,;:?!…]*)", re.DOTALL)
_RUN: Final = re.compile("`+")


def inline(text: object) -> str:
    """Words of a sentence; what is no plain word is code. Never at the beginning of a line."""
    return " ".join(_words(visible(text).split()))


def _words(words: Iterable[str]) -> Iterator[str]:
    waiting: list[str] = []
    for word in words:
        found = _AROUND.fullmatch(word)
        assert found is not None  # it takes anything
        before, core, after = found.groups()
        if not core or _is_plain(core):
            if waiting:
                yield _code(" ".join(waiting))
                waiting = []
            yield word
        elif before or after:
            if waiting:
                yield _code(" ".join(waiting))
                waiting = []
            yield f"{before}{_code(core)}{after}"
        else:
            waiting.append(word)
    if waiting:
        yield _code(" ".join(waiting))


def _is_plain(word: str) -> bool:
    return all(map(_PLAIN.fullmatch, re.split("[-/]", word))) and _REFERENCE.search(word) is None


def code(text: object) -> str:
    """One line as code, even if it contains backticks."""
    return _code(visible(text))


def _code(shown: str) -> str:
    """The same for what is visible already: a mark at the start of a part stands on what is before it in the text."""
    if not shown.strip():
        return "` `"
    fence = "`" * (max((len(run) for run in _RUN.findall(shown)), default=0) + 1)
    pad = " " if shown[:1] in "` " or shown[-1:] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code, in a fence that is longer than any in them."""
    shown = visible_text(text)
    fence = "`" * max(3, max((len(run) for run in _RUN.findall(shown)), default=0) + 1)
    return f"{fence}{language}\n{shown}\n{fence}\n"


def in_html(text: object) -> str:
    """One line inside an HTML element, where GitHub reads no Markdown: as code, where it makes no links either."""
    return f"<code>{html.escape(visible(text))}</code>"
