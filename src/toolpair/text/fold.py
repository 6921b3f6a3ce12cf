"""Folding a long text into screen lines: only where they begin is computed, and only visible ones are created."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from toolpair.text.cells import cut
from toolpair.text.safe import TAB, SafeText, shown_width, visible

LONG = 200_000
"""A longer line of mixed characters is folded as if each were as wide as its widest, without measuring them one by one.
"""
WALK = 1_000_000
"""Maximum characters measured one by one; later mixed lines are folded by their widest character."""

_PLAIN = re.compile(r"[ -~]*")


@lru_cache(1)
def _wide() -> re.Pattern[str]:
    """Runs of characters that take two cells."""
    from rich._unicode_data import load as load_cell_table

    ranges = [(a, b) for a, b, size in load_cell_table("auto").widths if size == 2]
    return re.compile("[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges) + "]*")


class Fold:
    """`text` folded at `cells`; with `cells` 0 its lines stay whole. `words`: after a space, where one is near.

    `starts[i]` is the offset in `text` where screen line i begins.
    """

    def __init__(self, text: str, cells: int, words: bool = False) -> None:
        self.text = text
        self.cells = cells
        self._words = words
        self.starts = array("q")
        self._walked = 0
        self._build()

    def __len__(self) -> int:
        return len(self.starts)

    def raw(self, line: int) -> str:
        """The original characters of a screen line, without the newline."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        if self.cells == 0 and end - start > 1 << 16:
            return self.text[start : start + (1 << 16)]
        return self.text[start:end].removesuffix("\n").removesuffix("\r")

    def line(self, line: int) -> SafeText:
        """A screen line as safe text, at most `cells` wide."""
        shown = visible(self.raw(line))
        return cut(shown, self.cells) if self.cells else shown

    def window(self, line: int, skip: int, cells: int) -> SafeText:
        """`cells` characters of an unfolded line, after skipping `skip`."""
        start = self.starts[line] + skip
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        raw = self.text[min(start, end) : min(start + cells * 2, end)]
        return visible(raw.removesuffix("\n").removesuffix("\r"))

    def at(self, offset: int) -> int:
        """The screen line that holds the character at `offset`."""
        return max(0, bisect_right(self.starts, offset) - 1)

    def number(self, line: int) -> int:
        """The line number in the text, from 1."""
        return self.text.count("\n", 0, self.starts[line]) + 1

    def _build(self) -> None:
        text, cells, starts = self.text, self.cells, self.starts
        lengths = list(map(len, text.split("\n")))
        begins = accumulate(map((1).__add__, lengths[:-1]), initial=0)
        if cells == 0:
            starts.extend(begins)
            return
        widths = lengths
        if not text.isascii() or "\x1b" in text:
            fitting = cells // 10  # this many characters fit on a line whatever they are
        else:
            fitting = cells
            if "\t" in text:
                widths = list(map(len, text.replace("\t", " " * TAB).split("\n")))
        if max(widths) <= fitting:
            starts.extend(begins)
            return
        for start, length, width in zip(begins, lengths, widths, strict=True):
            if width <= fitting:
                starts.append(start)
            else:
                self._fold_line(start, start + length)

    def _fold_line(self, start: int, end: int) -> None:
        text, cells, starts = self.text, self.cells, self.starts
        plain_match = _PLAIN.match(text, start, end)
        if plain_match is not None and plain_match.end() >= end - (text[end - 1] == "\r"):
            if not self._words or self._walked > WALK:
                starts.extend(range(start, end, cells))
                return
            self._walked += end - start
            while True:
                starts.append(start)
                if end - start <= cells:
                    return
                space = text.rfind(" ", start + cells // 2, start + cells)
                start = space + 1 if space >= 0 else start + cells
        wide_match = _wide().match(text, start, end)
        if wide_match is not None and wide_match.end() == end:
            starts.extend(range(start, end, max(1, cells // 2)))
            return
        self._walked += end - start
        if end - start > LONG or self._walked > WALK:
            widest = max(shown_width(char) for char in set(text[start:end]))
            step = max(1, cells // max(1, widest))
            starts.extend(range(start, end, step))
            return
        # A mark at the start of a line is shown on a dotted circle, which takes a cell too: keep marks with their
        # character.
        starts.append(start)
        used = space = used_there = 0
        previous_selector = False
        for index in range(start, end):
            char = text[index]
            size = shown_width(char)
            if "\ufe00" <= char <= "\ufe0f":
                # A single variation selector is not shown; a run of them is.
                following = index + 1 < end and "\ufe00" <= text[index + 1] <= "\ufe0f"
                size = 6 if previous_selector or following else 0
                previous_selector = True
            else:
                previous_selector = False
            if used + size > cells and index > starts[-1]:
                if space > starts[-1] and used_there >= cells // 2:
                    starts.append(space)
                    used -= used_there
                else:
                    starts.append(index)
                    used = 0
            used += size
            if self._words and char == " ":
                space, used_there = index + 1, used
