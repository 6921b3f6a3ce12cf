"""The texts of the recipe screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from toolpair.recipes.recipe import Options
from toolpair.text.cells import wrap
from toolpair.text.safe import visible
from toolpair.tui.numbers import count_text
from toolpair.tui.styled_text import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.recipes.recipe import Options, Recipe
    from toolpair.session.session import Problem, Trial

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
