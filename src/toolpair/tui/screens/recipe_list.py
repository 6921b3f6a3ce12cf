"""The recipes, and what each would do to the conversation: tried in the background, staged only when chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.binding import Binding, BindingType

from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import Options
from toolpair.text.cells import wrap
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.keys import APP, PANES
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import hint_line
from toolpair.tui.screens.choice_list import ChoiceScreen
from toolpair.tui.styled_text import Glyphs, Line, Span
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.recipes.recipe import Options, Recipe
    from toolpair.session.session import Problem, Session, Trial

Choice = tuple["Recipe", "Options"]
LONGEST_ID = 64
"""The length to which ids are truncated, for recipes that have that option: what most providers allow."""


class Sketch(Struct, frozen=True):
    """A summary of a trial without the conversation it produced, which may be large."""

    choice: Choice
    problems: tuple[Problem, ...]
    """The problems that it does something about."""
    actions: tuple[tuple[int, str, tuple[str, ...]], ...]
    left: int
    first_left: str
    lost: str | None
    records: tuple[int, int, int]
    """Changed, added, removed."""

    @classmethod
    def of(cls, trial: Trial) -> Sketch:
        touched = trial.touched
        return cls(
            (trial.recipe, trial.options),
            tuple(dict.fromkeys(problem for problem, _ in trial.taken)),
            tuple(trial.actions()),
            len(trial.left),
            trial.left[0].text if trial.left else "",
            trial.losses.text,
            (touched.changed, touched.added, touched.removed),
        )

    @property
    def changes_nothing(self) -> bool:
        return not any(self.records)


Tried = Sketch | Exception | None
"""None while not known yet."""


def choices_of(recipes: Sequence[Recipe]) -> list[Choice]:
    """Each recipe; one that can truncate ids also with that option."""
    choices: list[Choice] = []
    for recipe in recipes:
        choices.append((recipe, Options()))
        if "max_id_length" in recipe.options:
            choices.append((recipe, Options(max_id_length=LONGEST_ID)))
    return choices


def name_of(choice: Choice) -> str:
    recipe, options = choice
    return recipe.name if options.max_id_length is None else f"{recipe.name}, ids of {options.max_id_length}"


def entry_lines(glyphs: Glyphs, choice: Choice, tried: Tried, cells: int) -> list[Line]:
    """One line: the name, whether the result is valid, what is lost."""
    line: list[Span] = [glyphs.ui(f" {name_of(choice):<28} ")]
    if tried is None:
        line.append(glyphs.ui("…", "dim"))
    elif isinstance(tried, Exception):
        line.append(glyphs.ui(str(tried), "warning"))
    else:
        left = tried.left
        valid = "valid" if not left else count_text(left, "error")
        line.append(glyphs.ui(f"{valid:<14} ", "good" if not left else "error"))
        if tried.changes_nothing:
            line.append(glyphs.ui("changes nothing", "dim"))
        else:
            lost = tried.lost
            line.append(glyphs.ui(f"loses {lost}" if lost else "loses nothing", "warning" if lost else "good"))
    return [glyphs.fit(line, cells)]


def trial_text(choice: Choice, tried: Tried, noun: str, cells: int) -> str:
    """A description of the recipe and what it would do here, in lines of at most `cells`."""
    recipe = choice[0]
    lines = [recipe.title]
    if tried is None:
        lines += ["", " working …"]
    elif isinstance(tried, Exception):
        lines += ["", f" {tried}"]
    else:
        lines += _actions(tried, noun)
    if recipe.copies:
        lines += ["", f"It does exactly what {recipe.copies} does."]
    if recipe.loses:
        lines += ["", "Where it can lose something", f" {recipe.loses}"]
    if recipe.instead:
        lines += ["", "What the default does instead", f" {recipe.instead}"]
    return "\n".join(piece for line in lines for piece in _wrapped(line, cells))


def _wrapped(line: str, cells: int) -> list[str]:
    indent = " " if line.startswith(" ") else ""
    return [indent + piece for piece in wrap(visible(line.strip()), max(8, cells - len(indent)))] or [""]


def _actions(sketch: Sketch, noun: str) -> list[str]:
    if sketch.changes_nothing:
        return ["", "Here it changes nothing."]
    lines = ["", "Here it would"]
    for count, title, lost in sketch.actions:
        more = ", …" if len(lost) > 2 else ""
        lines.append(f" {count:,} × {title}" + (f" (loses {'; '.join(lost[:2])}{more})" if lost else ""))
    parts = [
        f"{count_text(number, noun)} {what}"
        for number, what in zip(sketch.records, ("changed", "added", "removed"), strict=True)
        if number
    ]
    lines += ["", f"After that: {', '.join(parts)}; {_left(sketch)}."]
    if sketch.lost:
        lines.append(f"Compared with what is sent now, it loses: {sketch.lost}.")
    return lines


def _left(sketch: Sketch) -> str:
    if not sketch.left:
        return "no error is left"
    return f"{count_text(sketch.left, 'error')} left, the first: {sketch.first_left.rstrip('.')}"


class RecipesScreen(ChoiceScreen[Sketch | None]):
    """Returns the chosen recipe's result, to be staged."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        *PANES.bindings(),
        Binding("enter", "take", "apply it", show=False),
    ]
    DEFAULT_CSS = "RecipesScreen LineList { height: auto; max-height: 60%; }"

    def __init__(self, tried: dict[int, Sketch | Exception]) -> None:
        """`tried` caches results for the current conversation, by position, and is filled here."""
        super().__init__()
        self._tried = tried

    def on_mount(self) -> None:
        self._choices: list[Choice] = choices_of(tuple(RECIPES.values()))
        self._here = 0
        # A draft stays the same, whatever is done to the session during the trial.
        draft = self.tool.session.draft()
        self.in_thread(lambda aside: self._try_all(aside, draft), of_state=True)

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
                tried = Sketch.of(try_recipe(session.conversation, recipe.name, options))
            except Exception as error:
                tried = error
            aside.run_in_ui(partial(self._note, number, tried))

    def _note(self, number: int, tried: Sketch | Exception) -> None:
        self._tried[number] = tried
        self._fill_list()

    def lay_out(self, width: int, height: int) -> None:
        staged = self.tool.session.changed
        title = "Fix the rest with a recipe" if staged else "Fix with a recipe"
        self.query_one("#top", Lines).show([self.glyphs.rule(f"{title}: nothing is written yet", width, "title")])
        self._show_hints()
        self._fill_list()

    def on_descendant_focus(self) -> None:
        self._show_hints()

    def _show_hints(self) -> None:
        """The movement keys scroll the list, or the text below it."""
        reading = self.details.has_focus
        moves = ("scroll", "back to the list") if reading else ("another recipe", "read on below")
        moved = self.glyphs.both("j", "move(1)", "k", "move(-1)")
        hints = [("enter", "apply it, then review", "take"), (moved, moves[0], ""), ("tab", moves[1], "app.focus_next")]
        hints.append(("esc", "back", "back"))
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, self.size.width, keep_first=True)])

    def _fill_list(self) -> None:
        entries = [
            entry_lines(self.glyphs, choice, self._tried.get(number), self.size.width - 2)
            for number, choice in enumerate(self._choices)
        ]
        self.fill(entries)
        self._show_trial()

    def _show_trial(self) -> None:
        number = self.list.cursor
        choice = self._choices[number]
        title = f"What {name_of(choice)} would do"
        self.query_one("#middle", Lines).show([self.glyphs.rule(title, self.size.width)])
        text = trial_text(choice, self._tried.get(number), self.tool.overview.noun, max(20, self.size.width - 2))
        if self.glyphs.ascii:
            text = "\n".join(map(self.glyphs.own, text.splitlines()))
        below = self.details
        if text != below.text:
            below.show(TextBody(self.glyphs, text, _style, prefix=" "))

    def on_line_list_moved(self) -> None:
        self._here = self.list.cursor
        self._show_trial()

    def action_take(self) -> None:
        tried = self._tried.get(self.list.cursor)
        if isinstance(tried, Sketch):
            self.finish(tried)


def _style(line: str) -> str:
    return "" if line.startswith(" ") else "bold"
