"""The choke point: text from a transcript, a path or an error goes through `visible` before it reaches a terminal."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, NewType
from unicodedata import category, east_asian_width

SafeText = NewType("SafeText", str)
"""Text without control or invisible characters. Only this package creates it."""

TAB: Final = 4
MARKS: Final = 4
"""Maximum combining marks on one character; a higher pile would cover the lines around it."""

_NONCHARACTERS = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
_HOSTILE: Final = (
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u034f\u061c\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"  # format characters, Arabic letter mark
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters without a shape
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, bidi, separators
    "\ufe00-\ufe0f"  # variation selectors
    "\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"
    "\ud800-\udfff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff" + _NONCHARACTERS + "]"
)
_SELECTOR: Final = "(?<![\ufe00-\ufe0f])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])"

_YOUNGER: Final = (
    "[\u0897\u0cf3\u0ece\u1acf-\u1add\u1ae0-\u1aeb\U00010d69-\U00010d6d\U00010efa-\U00010eff\U00011241"
    "\U000113b8-\U000113c0\U000113c2\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2"
    "\U000113e1\U000113e2\U00011b60-\U00011b67\U00011f00\U00011f01\U00011f03\U00011f34-\U00011f3a"
    "\U00011f3e-\U00011f42\U00011f5a\U0001611e-\U0001612f\U0001e08f\U0001e4ec-\U0001e4ef\U0001e5ee\U0001e5ef"
    "\U0001e6e3\U0001e6e6\U0001e6ee\U0001e6ef\U0001e6f5\U0001f3fb-\U0001f3ff]"
)
"""Marks (and skin tones) that take no cell in terminals, but that Python 3.11's Unicode data does not list as marks."""


@cache
def _found(pattern: str) -> re.Pattern[str]:
    """Compiled when a text needs it: most are printable ASCII."""
    return re.compile(pattern)


def _shown(match: re.Match[str]) -> str:
    """The visible replacement of one hostile character; tabs are handled elsewhere."""
    char = match.group()
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0x100:
        return f"\\x{code:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


_NO_MARKS: Final = re.compile("[\0-\u02ff\u1e00-\u20cf\u2100-\u2bff]*")
"""Scripts and signs without a single mark: in a text of them alone, none is looked for."""


@lru_cache(4096)
def _is_mark(char: str) -> bool:
    """Whether it takes no cell of its own: combining marks, and the vowels that join a Hangul syllable."""
    joins = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    return joins or category(char) in ("Mn", "Me", "Mc") or _found(_YOUNGER).match(char) is not None


@lru_cache(64)
def _pile(marks: str) -> re.Pattern[str]:
    """Finds piles of these marks that are too high."""
    one = f"[{marks}]"
    return re.compile(f"({one}{{{MARKS}}}){one}+")


def _without_piles(line: str) -> str:
    """The line with no more marks on a character than are shown, and none without a character."""
    marks = "".join(sorted(filter(_is_mark, set(line))))
    if not marks:
        return line
    line = _pile(marks).sub(r"\1", line)
    return "◌" + line if line[0] in marks else line


def _cells(text: str) -> int:
    """The width in cells; precise enough to place a tab."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in ("W", "F") else 1 for char in text
    )


def _expand_tabs(text: str, tab: int) -> str:
    parts = text.split("\t")
    out: list[str] = []
    column = 0
    for part in parts[:-1]:
        column += _cells(part)
        pad = tab - column % tab
        out.append(part + " " * pad)
        column += pad
    out.append(parts[-1])
    return "".join(out)


def visible(text: object, tab: int = TAB) -> SafeText:
    """Any text as one line, with every character that a terminal acts on replaced by a visible sign.

    C0 and DEL become control pictures (newlines too), the rest escapes such as `\x9b` and `\u202e`. Tabs become spaces.
    Anything that is not a string is shown as `str` gives it.
    """
    line = text if isinstance(text, str) else str(text)
    if line.isascii():
        if line.isprintable():
            return SafeText(line)
    elif _is_plain(line):
        return SafeText(line)
    else:
        # Terminals disagree on the width of a single selector (of an emoji); a run of them hides data.
        line = _found(_SELECTOR).sub("", line)
    tabs = "\t" in line
    if tabs:
        line = "\t".join(_found(_HOSTILE).sub(_shown, part) for part in line.split("\t"))
    else:
        line = _found(_HOSTILE).sub(_shown, line)
    if not _NO_MARKS.fullmatch(line):
        line = _without_piles(line)
    if tabs:
        line = _expand_tabs(line, tab)
    return SafeText(line)


_PRINTABLE: Final = bytes(range(0x20, 0x7F)) + b"\n"
_plain: set[str] = set()
"""Characters that are known to be shown as they are, whatever their neighbours are."""


def _is_plain(text: str) -> bool:
    """Whether each character is shown as it is: quick for texts of any length, which have few different ones."""
    new = set(text) - _plain
    if new:
        found = "".join(new)
        if _found(_SELECTOR).search(found) or _found(_HOSTILE).search(found) or any(map(_is_mark, new)):
            return False
        _plain.update(new)
    return True


def visible_lines(text: str, tab: int = TAB) -> list[SafeText]:
    """The lines of `text`, split at newlines only; the carriage return of a CRLF is not shown."""
    return [visible(line.removesuffix("\r"), tab) for line in text.split("\n")]


def visible_text(text: str) -> SafeText:
    """Several lines as one string, newlines kept: for files, the clipboard and standard output, never for a widget."""
    # Looked at as a whole, which is much faster than line by line, and only at what is not printable ASCII.
    odd = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE)
    if not odd:
        return SafeText(text)
    if not odd.strip(b"\t"):
        return SafeText(text.expandtabs(TAB))
    if not text.isascii() and _is_plain(odd.decode("utf-8", "surrogatepass")):
        return SafeText(text)
    return SafeText("\n".join(visible_lines(text)))


@lru_cache(65536)
def shown_width(char: str) -> int:
    """The maximum width in cells of what one character is shown as. What measures it is loaded when it is needed."""
    from rich.cells import cell_len

    return TAB if char == "\t" else cell_len(visible("x" + char)) - 1
