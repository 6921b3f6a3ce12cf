"""Widths in terminal cells: measure, cut, pad and wrap. A wide character is never split."""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size

from toolpair.text.safe import SafeText


def width(text: SafeText) -> int:
    """The width of `text` in cells."""
    return len(text) if text.isascii() else cell_len(text)


def prefix_length(text: str, cells: int) -> int:
    """How many characters of `text` fit into `cells`, including combining marks on the last one."""
    if text.isascii():
        return min(len(text), max(0, cells))
    used = 0
    for index, char in enumerate(text):
        used += get_character_cell_size(char)
        if used > cells:
            return index
    return len(text)


def take(text: SafeText, cells: int) -> SafeText:
    """The start of `text`, at most `cells` wide."""
    return SafeText(text[: prefix_length(text, cells)])


def cut(text: SafeText, cells: int, ellipsis: str = "…") -> SafeText:
    """`text` in at most `cells` cells; the ellipsis replaces what does not fit."""
    if cells <= 0:
        return SafeText("")
    # Every character except a mark takes a cell, so a long text need not be measured whole.
    if len(text) <= cells * 6 and cell_len(text) <= cells:
        return text
    room = cells - cell_len(ellipsis)
    if room < 0:
        return take(text, cells)
    return SafeText(take(text, room) + ellipsis)


def cut_start(text: SafeText, cells: int, ellipsis: str = "…") -> SafeText:
    """The end of `text` in at most `cells` cells, after an ellipsis if something is left out."""
    if cell_len(text) <= cells:
        return text
    room = max(0, cells - cell_len(ellipsis))
    used = 0
    index = len(text)
    while index > 0:
        size = get_character_cell_size(text[index - 1])
        if used + size > room:
            break
        used += size
        index -= 1
    while index < len(text) and get_character_cell_size(text[index]) == 0:
        index += 1
    return SafeText((ellipsis + text[index:]) if cells >= cell_len(ellipsis) else "")


def pad(text: SafeText, cells: int) -> SafeText:
    """`text` padded with spaces to `cells`. A longer text stays as it is."""
    return SafeText(text + " " * max(0, cells - cell_len(text)))


def fit(text: SafeText, cells: int, ellipsis: str = "…") -> SafeText:
    """`text` in exactly `cells` cells."""
    return pad(cut(text, cells, ellipsis), cells)


def wrap(text: SafeText, cells: int) -> list[SafeText]:
    """`text` in lines of at most `cells`, broken at spaces where possible."""
    lines: list[SafeText] = []
    cells = max(1, cells)
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= cells:
            line = joined
            continue
        if line:
            lines.append(SafeText(line))
        line = word
        while cell_len(line) > cells:
            length = max(1, prefix_length(line, cells))
            lines.append(SafeText(line[:length]))
            line = line[length:]
    if line or not lines:
        lines.append(SafeText(line))
    return lines
