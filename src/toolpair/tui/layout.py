"""How the main screen divides its lines and columns, by what each part has to say. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

WIDE, NARROW = 110, 72
"""From the first width on, the causes are next to the card; below the second, results are under their calls."""
PREVIEW: Final = (120, 40)
"""The size from which the pair under the cursor is previewed below the list."""
SPACIOUS: Final = 160
"""Columns from which times and sizes are shown unasked."""
_ENOUGH: Final = 80
"""Columns that a call may have before outputs get more."""
ROW_CARD: Final = 7
"""Lines of the card of a row without a problem, while the list can use the others."""
_TALLEST: Final = 12
"""Lines of a preview or of causes that are made room for; more only where nothing else needs them."""
_LARGEST: Final = 30
"""The same where the preview is beside the card."""


class Shape(Struct, frozen=True):
    """What there is from this size on. `rows`: lines that the list has at least, if it needs them; half of them where
    what is never cut of the card needs the others.
    """

    width: int
    height: int
    rows: int
    below: bool = False
    """Whether the preview is below the list."""
    beside: bool = False
    """Whether it is beside the card, with the causes below that."""


SHAPES: Final = (
    Shape(160, 45, 10, beside=True),
    Shape(*PREVIEW, 8, below=True),
    Shape(0, 30, 10),
    Shape(0, 24, 8),
    Shape(0, 20, 5),
    Shape(0, 14, 3),
    Shape(0, 0, 2),
)
"""The first that fits is taken."""


class Needs(Struct, frozen=True):
    """Lines that each part has to say. `least`: those of the card that are never cut. A card of 0 lines is left out,
    and the causes with it.
    """

    rows: int
    card: int = 0
    least: int = 0
    causes: int = 0
    preview: int = 0


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


def left_column(cells: int) -> int:
    """The columns of the calls in a list of so many: outputs are longer, once every call has enough."""
    return min((cells - 1) // 2, max(_ENOUGH, cells * 2 // 5))


def shape_of(width: int, height: int) -> Shape:
    """What there is at this size."""
    return next(shape for shape in SHAPES if width >= shape.width and height >= shape.height)


def card_columns(width: int, height: int) -> int:
    """The columns of the card."""
    if shape_of(width, height).beside:
        return max(NARROW, width * 2 // 5)
    return width - width * 2 // 5 - 1 if width >= WIDE else width


def _lent(lean: int, room: int, below: int, lower: int, least: int) -> tuple[int, int]:
    """The lines of the preview and of the card after some were given to the list, or taken from it."""
    if lean < 0:
        more = min(-lean, max(0, room - below - lower - 2))
        return (below + more, 0) if below and not lower else (below, lower + more)
    given = min(lean, max(0, below - 3))
    return below - given, lower - min(lean - given, max(0, lower - least))


def causes_columns(width: int, height: int) -> int:
    """The columns of the causes."""
    card = card_columns(width, height)
    return card if card == width or shape_of(width, height).beside else width - card - 1


def areas(width: int, height: int, head: int, needs: Needs, in_causes: bool, lean: int = 0) -> Areas:
    """`head` is how many lines the head has. `in_causes`: where there is one pane only, it is that of the causes.
    `lean`: lines that a person gave to the list, or took from it.
    """
    shape, column = shape_of(width, height), card_columns(width, height)
    room = height - head - 1 - (1 if height < 12 else 2)
    listed = min(needs.rows, shape.rows)
    has_preview = shape.below or shape.beside
    if has_preview and not needs.card:
        wanted = min(room // 2, 1 + max(needs.preview, 2))
        below, _ = _lent(lean, room, room - min(needs.rows, room - wanted), 0, 0)
        return Areas(False, below, 0, 0, width, 0, 0, 0)
    if shape.beside:
        wanted = max(needs.card + needs.causes, min(needs.preview + 1, _LARGEST))
        lower = min(room - listed, max(wanted, room - needs.rows))
        _, lower = _lent(lean, room, 0, lower, needs.least)
        causes = max(min(needs.causes, lower // 3), lower - needs.card)
        return Areas(False, 0, lower, lower - causes, column, causes, column, width - column - 1)
    wide = width >= WIDE
    one_pane = in_causes and not wide
    wanted = needs.causes if one_pane else max(needs.card, min(needs.causes, _TALLEST) if wide else 0)
    least = min(needs.least, wanted)
    below = 1 + min(max(needs.preview, 2), _TALLEST) if shape.below else 0
    squeezed = min(needs.rows, max(2, shape.rows // 2))
    # Short of lines, the preview gives some first, then the card what it can, then the list.
    below -= min(max(0, below - 3), max(0, listed + below + wanted - room))
    lower = max(min(wanted, room - listed - below), min(least, room - below - squeezed))
    free = max(0, room - needs.rows - below - lower)
    if shape.below:
        below += free
    else:
        lower += free
    below, lower = _lent(lean, room, below, lower, min(least, lower))
    if wide:
        return Areas(False, below, lower, lower, column, lower, causes_columns(width, height), 0)
    card, causes = (0, lower) if in_causes else (lower, 0)
    return Areas(width < NARROW, below, lower, card, width, causes, width, 0)
