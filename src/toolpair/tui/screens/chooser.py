"""All fixes for one problem, with what each loses and exactly which bytes it changes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toolpair.rules.binding import without_thinking
from toolpair.session.session import PLACEHOLDER
from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.fix_effects import EffectsBefore, filling
from toolpair.tui.keys import APP, CHOOSER, PANES
from toolpair.tui.screens.base_screen import hint_line
from toolpair.tui.screens.choice_list import ChoiceScreen
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.session.session import Fix, Problem

Choice = tuple[int, str | None]
"""The index of the fix, and the user's text for a placeholder."""


class ChooserScreen(ChoiceScreen[Choice | None]):
    """Returns the choice."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        *CHOOSER.bindings(),
        *PANES.bindings(),
        Binding("enter", "take", "take this fix", show=False),
    ]
    DEFAULT_CSS = "ChooserScreen LineList { height: auto; max-height: 50%; }"

    def __init__(self, problem: Problem, start: int = 0) -> None:
        super().__init__()
        self._problem = problem
        self._start = start

    def on_mount(self) -> None:
        self.after_refresh(self._preview, of_state=True)

    @property
    def fix(self) -> Fix:
        return self._problem.fixes[self.list.cursor]

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        lines = [glyphs.rule("Ways to fix this", width, "title"), *glyphs.paragraph(self._problem.text, width, limit=2)]
        self.query_one("#top", Lines).show(lines)
        entries: list[list[Line]] = []
        for fix in self._problem.fixes:
            words = [fix.title]
            if fix is self._problem.recommended:
                words.append("recommended")
            if not fix.certain:
                words.append("a guess, so you will be asked")
            words.append(f"loses {fix.loses}" if fix.loses else "loses nothing")
            entry = glyphs.paragraph(" · ".join(words), width - 2, "" if fix.certain else "warning", limit=3)
            note, _ = without_thinking(fix.note)
            if note:
                entry += glyphs.paragraph(note, width - 2, "dim", indent=3)
            entries.append(entry)
        self.fill(entries, self._start)
        self._start = self.list.cursor
        self._hints()

    def _hints(self) -> None:
        width = self.size.width
        self.query_one("#middle", Lines).show([self.glyphs.rule("What it changes", width)])
        hints = [("enter", "apply this fix", "take")]
        if self.fix.placeholder:
            hints.append(("e", "edit the text first", "edit"))
        hints += [("?", "all keys", "help"), ("q", "back", "leave")]
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, width, gap=4)])

    def _preview(self) -> None:
        from toolpair.session.carrying_out import preview

        conversation = self.tool.session.conversation
        changes = preview(conversation, self.fix)
        first = EffectsBefore(self._problem, self.fix, conversation)
        noun, carets = self.tool.overview.noun, self.tool.carets
        make = partial(diff_of_changes, self.glyphs, lambda: changes, noun, carets, folds=False)
        self.details.show(filling(make, first, self.size.width - 1, self.details.size.height))

    def on_line_list_moved(self) -> None:
        self._start = self.list.cursor
        self._hints()
        self._preview()

    def action_take(self) -> None:
        self.finish((self.list.cursor, None))

    def action_edit(self) -> None:
        if not self.fix.placeholder:
            return
        number = self.list.cursor

        def edited(text: str | None) -> None:
            if text is not None and text.strip():
                self.finish((number, text))

        notes = ["The model reads this in place of the missing result."]
        self.ask(PromptScreen("Text of the result", PLACEHOLDER, notes, "use this text"), edited)
