"""A pasted text prepared for searching: without what terminals, wrappers and copying insert between its characters."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from msgspec import Struct

LIMIT: Final = 2_000_000
"""Maximum characters of a paste that are searched: the last ones, because the newest error is at the end."""

SOFT, BLANK, QUOTE = "\x01", "\x02", "\x03"
"""Marks for what was removed: a line break with its indentation and gutter, blanks only, or a quote."""

_MARKS: Final = f"{SOFT}{BLANK}{QUOTE}"
_RUN: Final = re.compile(f"[{_MARKS}]{{2,}}")
_BLANKS: Final = re.compile(f"[{SOFT}{BLANK}]{{2,}}")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\u200b-\u200f\u2060\ufeff]")
_ANSI: Final = re.compile(
    r"\x1b\[[0-9;:?]{0,60}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\{1,8})?|\x1b[()][0-9A-B]|\x1b"
)
_GUTTER: Final = "|>│┃║╎┆┊▏▎▍▌▐▕⎿⏺●•·─-╿▀-▟"
_LINE_END: Final = re.compile(f"(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])[\\s{SOFT}{BLANK}{_GUTTER}]*")
_BEHIND_BREAK: Final = re.compile(f"{SOFT}[\\s{SOFT}{BLANK}{_GUTTER}]+")
_OTHER_BLANK: Final = re.compile("[^\\S \x01-\x03]|[─-▟⎿⏺●]")
_QUOTES: Final = tuple("\"'`‘’‚‛“”„´′″«»‹›＂＇｀")
_ENTITY: Final = re.compile(
    # With a mark between its characters where a terminal wrapped the line.
    f"&[{_MARKS}]?(?:a[{_MARKS}]?m[{_MARKS}]?p[{_MARKS}]?;[{_MARKS}]?){{0,4}}(?:"
    + "|".join(
        f"[{_MARKS}]?".join(word)
        for word in ("quot", "apos", "lt", "gt", "#34", "#39", "#039", "#96", "#x22", "#x27", "#x60")
    )
    + f")[{_MARKS}]?;",
    re.IGNORECASE,
)
_BACKSLASHES: Final = re.compile(r"\\[\\\x01]+")
_UNICODE: Final = re.compile(r"\\[uU]\x01?((?:[0-9a-fA-F]\x01?){3}[0-9a-fA-F])")
_ESCAPE: Final = re.compile(r"\\(?:x\x01?1\x01?b|0\x01?3\x01?3|e(?=\[))", re.IGNORECASE)
_BREAK: Final = re.compile(r"\\[nrtNRT]")
_BREAK_IN_ESCAPE: Final = re.compile(r"\\[nrtNRT][\x01\x02]*(?=[uU][0-9a-fA-F]{4})")
_ASCII_LOWER: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_CHUNK: Final = 256


def squeezed(text: str) -> str:
    """The text's bare characters in lower case: the form in which texts are compared."""
    return PastedText.of(text).bare


class PastedText(Struct, frozen=True, eq=False, dict=True):
    """`marked` has a mark wherever something was removed; `bare` is the same without marks, in lower case."""

    marked: str

    @classmethod
    def of(cls, text: str) -> PastedText:
        return cls(_marked(text[-LIMIT:]))

    @cached_property
    def plain(self) -> str:
        """The text without marks, in its original case."""
        return self.marked.replace(SOFT, "").replace(BLANK, "").replace(QUOTE, "")

    @cached_property
    def bare(self) -> str:
        lower = self.plain.lower()
        return lower if len(lower) == len(self.plain) else self.plain.translate(_ASCII_LOWER)

    @cached_property
    def _starts(self) -> list[int]:
        """For each chunk of `marked`, how many characters of `bare` come before it."""
        starts = [0]
        for at in range(0, len(self.marked), _CHUNK):
            chunk = self.marked[at : at + _CHUNK]
            marks = chunk.count(SOFT) + chunk.count(BLANK) + chunk.count(QUOTE)
            starts.append(starts[-1] + len(chunk) - marks)
        return starts

    def _at(self, place: int) -> int:
        """The offset in `marked` of an offset in `bare`."""
        from bisect import bisect_right

        chunk = max(0, bisect_right(self._starts, place) - 1)
        left = place - self._starts[chunk]
        for at in range(chunk * _CHUNK, len(self.marked)):
            if self.marked[at] in _MARKS:
                continue
            if left == 0:
                return at
            left -= 1
        return len(self.marked)

    def between(self, start: int, end: int) -> str:
        """The marked text of a span of `bare`, including the marks on both sides."""
        first, last = self._at(start), self._at(end)
        while first > 0 and self.marked[first - 1] in _MARKS:
            first -= 1
        return self.marked[first:last]


def _marked(text: str) -> str:
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text.replace("\x9b", "\x1b["))
    text = _CONTROL.sub("", text)
    text = _LINE_END.sub(SOFT, text)
    text = text.replace(" ", BLANK)
    for quote in _QUOTES:
        text = text.replace(quote, QUOTE)
    text = _OTHER_BLANK.sub(BLANK, text)
    if "\\" in text:
        text = _unescaped(_BLANKS.sub(_one_mark, text))
    text = _RUN.sub(_one_mark, text)
    return _ENTITY.sub(QUOTE, text) if "&" in text else text


def _unescaped(text: str) -> str:
    """The text without JSON-in-JSON escapes, however deep, and however a terminal wrapped them."""
    text = _BACKSLASHES.sub(r"\\", text)
    # Line breaks first: they may split another escape, and so may an escaped gutter.
    text = _without_breaks(_BREAK.sub("\n", _BREAK_IN_ESCAPE.sub(r"\\", text)))
    for _ in range(2):
        text = _without_breaks(_UNICODE.sub(_character, text))
        if "\\u" not in text:
            break
    text = _ESCAPE.sub("\x1b", text)
    if "\x1b" in text:
        text = _ANSI.sub("", text.replace(BLANK, " ")).replace(" ", BLANK)
    return text.replace("\\", "")


def _without_breaks(text: str) -> str:
    text = _BEHIND_BREAK.sub(SOFT, _LINE_END.sub(SOFT, text))
    return _BLANKS.sub(_one_mark, _OTHER_BLANK.sub(BLANK, text))


def _character(match: re.Match[str]) -> str:
    code = int(match.group(1).replace(SOFT, ""), 16)
    found = chr(code)
    if found in _QUOTES:
        return QUOTE
    if found in "\n\r":
        return "\n"
    if found.isspace():
        return BLANK
    return "" if 0xD800 <= code < 0xE000 or (code < 32 and code != 27) else found


def _one_mark(match: re.Match[str]) -> str:
    run = match.group()
    if QUOTE not in run:
        return SOFT if SOFT in run else BLANK
    # A string continued on the next line is closed and opened again.
    first, last = run.find(SOFT), run.rfind(SOFT)
    return SOFT if first >= 0 and QUOTE in run[:first] and QUOTE in run[last:] else QUOTE
