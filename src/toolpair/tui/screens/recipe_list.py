"""The recipes, and what each would do to the conversation: tried in the background, staged only when chosen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from toolpair.recipes import RECIPES
from toolpair.tui.aside import Aside
from toolpair.tui.keys import APP
from toolpair.tui.recipes_text import Sketch, choices_of, entry_lines, name_of, trial_text
from toolpair.tui.screens.base_screen import BaseScreen, hint_line
from toolpair.tui.screens.choice_list import listed
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.body_view import BodyView
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.recipes_text import Choice


class RecipesScreen(BaseScreen[Sketch | None]):
    """Returns the chosen recipe's result, to be staged."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), Binding("enter", "take", "apply it", show=False)]
    DEFAULT_CSS = "RecipesScreen LineList { height: auto; max-height: 60%; }"

    def __init__(self, tried: dict[int, Sketch | Exception]) -> None:
        """`tried` caches results for the current conversation, by position, and is filled here."""
        super().__init__()
        self._tried = tried

    def build(self) -> ComposeResult:
        return listed(self.glyphs)

    def on_mount(self) -> None:
        self._choices: list[Choice] = choices_of(tuple(RECIPES.values()))
        self.query_one(LineList).focus()
        self._here = 0
        # A draft stays the same, whatever is done to the session during the trial.
        draft = self.tool.session.draft()
        self._aside = self.in_thread(lambda aside: self._try_all(aside, draft), of_state=True)

    def on_unmount(self) -> None:
        self._aside.stop()

    def _try_all(self, aside: Aside, session: Session) -> None:
        """Try the one under the cursor first."""
        waiting = set(range(len(self._choices))) - self._tried.keys()
        from toolpair.session.recipe_trial import try_recipe

        while waiting and not aside.stopped:
            here = self._here
            number = here if here in waiting else min(waiting)
            waiting.remove(number)
            recipe, options = self._choices[number]
            tried: Sketch | Exception
            try:
                tried = Sketch.of(try_recipe(session, recipe.name, options))
            except Exception as error:
                tried = error
            aside.run_in_ui(partial(self._note, number, tried))

    def _note(self, number: int, tried: Sketch | Exception) -> None:
        self._tried[number] = tried
        self._fill()

    def lay_out(self, width: int, height: int) -> None:
        staged = self.tool.session.changed
        title = "Fix the rest with a recipe, after the fixes already applied" if staged else "Fix with a recipe"
        self.query_one("#top", Lines).show([self.glyphs.rule(f"{title}: nothing is written yet", width, "title")])
        self._show_hints()
        self._fill()

    def on_descendant_focus(self) -> None:
        self._show_hints()

    def _show_hints(self) -> None:
        """The movement keys scroll the list, or the text below it."""
        reading = self.query_one(BodyView).has_focus
        moves = ("scroll", "back to the list") if reading else ("another recipe", "read on below")
        hints = [("enter", "apply it, then review", "take"), ("j k", moves[0], ""), ("tab", moves[1], "")]
        hints.append(("esc", "back", "back"))
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, self.size.width, keep_first=True)])

    def _fill(self) -> None:
        width, height = self.size.width, self.size.height
        entries: list[list[Line]] = [
            entry_lines(self.glyphs, choice, self._tried.get(number), width - 2)
            for number, choice in enumerate(self._choices)
        ]
        menu = self.query_one(LineList)
        menu.styles.height = max(1, min(sum(map(len, entries)), height // 2))
        menu.show(entries)
        self._show_trial()

    def _show_trial(self) -> None:
        number = self.query_one(LineList).cursor
        choice = self._choices[number]
        title = f"What {name_of(choice)} would do"
        self.query_one("#middle", Lines).show([self.glyphs.rule(title, self.size.width)])
        text = trial_text(choice, self._tried.get(number), self.tool.overview.noun, max(20, self.size.width - 2))
        if self.glyphs.ascii:
            text = "\n".join(map(self.glyphs.own, text.splitlines()))
        below = self.query_one(BodyView)
        if text != below.text:
            below.show_text(text, _style)

    def on_line_list_moved(self) -> None:
        self._here = self.query_one(LineList).cursor
        self._show_trial()

    def on_line_list_chosen(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        tried = self._tried.get(self.query_one(LineList).cursor)
        if isinstance(tried, Sketch):
            self.finish(tried)


def _style(line: str) -> str:
    return "" if line.startswith(" ") else "bold"
