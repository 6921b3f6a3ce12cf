"""The pages of a viewer that shows what fixes change: what differs, and whole lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.viewer import ViewerPage

if TYPE_CHECKING:
    from toolpair.source.changes import Change


def change_pages(changes: Callable[[], Sequence[Change]], noun: str, carets: bool) -> list[ViewerPage]:
    """Pages of these changes; `noun` is what a record is called."""
    known = cache(changes)

    def about() -> str:
        count = sum(change.count for change in known())
        return f"{count_text(count, noun)} changed"

    return [
        ViewerPage(title, partial(diff_of_changes, changes=known, noun=noun, carets=carets, whole=whole), about)
        for title, whole in (("what differs", False), ("whole lines", True))
    ]
