"""What the lines of a comparison show of its steps; those of a long conversation are read in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolpair.history.steps import DiffStep
from toolpair.tui.aside import Aside
from toolpair.tui.compare_text import StepText, step_text
from toolpair.tui.later import LaterOn
from toolpair.tui.searching import GivingWay

_KEPT: Final = 2_000
"""Texts of steps that are kept."""
_SOON: Final = 0.01
_Key = tuple[int, int, int, bool]


class ComparisonTexts:
    """Remembers the rows that were drawn without a text, to be drawn again."""

    def __init__(
        self,
        screen: LaterOn[Any],
        draw_again: Callable[[set[int]], object],
        failed: Callable[[Exception], None],
    ) -> None:
        self._screen = screen
        self._draw_again = draw_again
        self._failed = failed
        self._known: dict[_Key, StepText] = {}
        self._wanted: dict[_Key, DiffStep] = {}
        self._incomplete: set[int] = set()
        """The rows that are drawn without a text that is wanted."""
        self._reading = False

    def of(self, step: DiffStep, row: int) -> StepText | None:
        """What is known of a step in this row."""
        if not step.history.conversation.fixes_are_local:
            return step_text(step)
        key = (id(step.history), step.message, step.step.block, step.inherited)
        known = self._known.get(key)
        if known is None:
            self._incomplete.add(row)
            self._wanted[key] = step
            if not self._reading:
                self._reading = True
                self._screen.later(_SOON, self._read)
        return known

    def _read(self) -> None:
        wanted, self._wanted = self._wanted, {}

        def read(aside: Aside) -> None:
            way = GivingWay(aside, self._screen.tool.last_key)
            found: dict[_Key, StepText] = {}
            for key, step in wanted.items():
                found[key] = step_text(step)
                way()
            aside.run_in_ui(lambda: self._take(found))

        self._screen.in_thread(read, "work", self._failed)

    def _take(self, found: dict[_Key, StepText]) -> None:
        self._known.update(found)
        for key in list(self._known)[: max(0, len(self._known) - _KEPT)]:
            del self._known[key]
        self._reading = bool(self._wanted)
        if self._wanted:
            self._screen.later(_SOON, self._read)
        incomplete, self._incomplete = self._incomplete, set()
        self._draw_again(incomplete)
