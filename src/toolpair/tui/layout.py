"""How the main screen divides its lines and columns. Pure."""

from __future__ import annotations

from msgspec import Struct

WIDE, NARROW = 110, 72
"""From the first width on, the causes are next to the card; below the second, results are under their calls."""
PREVIEW = (120, 40)
"""The size from which the pair under the cursor is previewed below the list."""
TALL = (160, 45)
"""The size from which the preview is next to the card."""
_MOST_CARD = 20
"""Lines of the longest card worth having, while a preview can use the rest."""

_MOST_LOWER = 30
"""Lines of card and causes below each other, while the list can use the rest."""


class Areas(Struct, frozen=True):
    """Lines and columns of each part; 0 for one that is not shown. The list has the rest."""

    stacked: bool
    below: int
    """Lines of the preview below the list."""
    lower: int
    """Lines of all that is below that: card, causes, preview."""
    card: int
    card_width: int
    causes: int
    causes_width: int
    beside: int
    """Columns of the preview next to the card."""


def areas(width: int, height: int, head: int, rows: int, broken: bool, in_causes: bool) -> Areas:
    """`head` is how many lines the head has, `rows` how many the list needs, `broken` whether there is a problem to
    show. `in_causes`: where there is one pane only, it is that of the causes.
    """
    room = height - head - 1 - (1 if height < 12 else 2)
    wide = width >= WIDE
    has_preview = width >= PREVIEW[0] and height >= PREVIEW[1]
    if has_preview and not broken:
        below = room - min(rows, room - room // 2)
        return Areas(False, below, 0, 0, width, 0, 0, 0)
    if has_preview and width >= TALL[0] and height >= TALL[1]:
        lower = room - min(rows, max(10, room * 3 // 8, room - _MOST_LOWER))
        causes = max(lower // 3, lower - _MOST_CARD)
        left = max(NARROW, width * 2 // 5)
        return Areas(False, 0, lower, lower - causes, left, causes, left, width - left - 1)
    lower = _card_height(height, wide) if broken or rows <= room // 2 else min(_card_height(height, wide), 7)
    below = max(6, (room - lower) * 2 // 5) if has_preview else 0
    free = max(0, room - lower - below - rows)
    grown = min(free, max(0, _MOST_CARD - lower)) if has_preview else free
    lower, below = lower + grown, below + (free - grown if has_preview else 0)
    if wide:
        side = width * 2 // 5
        return Areas(False, below, lower, lower, width - side - 1, lower, side, 0)
    card, causes = (0, lower) if in_causes else (lower, 0)
    return Areas(width < NARROW, below, lower, card, width, causes, width, 0)


def _card_height(height: int, wide: bool) -> int:
    """Lines of the card, including its title, when the list needs all others."""
    if height < 14:
        return 3
    if height < 20:
        return 5
    if height < 30:
        return 8
    return min(16, height // 3) if wide else 10
