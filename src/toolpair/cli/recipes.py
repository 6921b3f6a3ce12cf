"""`toolpair recipes`: the ways to fix a whole conversation, and exactly what each does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from toolpair.cli import exits
from toolpair.cli.choosing import recipe_named
from toolpair.cli.file_report import Entry, entry_of
from toolpair.cli.own_recipes import OwnRecipe, own_recipe, own_recipes
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_color,
    add_format,
    add_pager,
    columns,
    dump,
    folded,
    out,
    safe,
    say,
    style_for,
)
from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import Recipe

_EPILOG: Final = """\
examples:
  toolpair recipes                     all of them
  toolpair recipes drop                what it does, where it loses something, what the default does instead
  toolpair fix FILE --recipe drop --diff
  toolpair compare FILE                what each would do to a file

Recipes that copy another system do exactly what it does, harm included. One of your own is a TOML file, here or in
the folder `recipes` beside config.toml (`toolpair config --path`), where it is known by its name:
  title = "calls without a result go"
  base = "recommended"           # what is done where nothing else is said
  ignore = ["id.pattern"]        # and select, as fix takes them
  [fixes]
  "result.missing" = "remove-call"
"""
_OPTIONS: Final = {"max_id_length": "--max-id-length N"}


def parser() -> Parser:
    result = Parser("recipes", "List the ways to fix a whole conversation, or show what one of them does.", _EPILOG)
    result.add("[NAME]  one recipe")
    add_format(result, ("text", "json"))
    add_color(result)
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    mine = own_recipe(options.name) if options.name is not None else None
    chosen = recipe_named(options.name) if options.name is not None and mine is None else None
    own, wrong = ([mine] if mine is not None else [], []) if options.name is not None else own_recipes()
    if options.output_format == "json":
        if options.name is not None:
            entry: Entry = {"recipe": recipe_entry(chosen) if chosen is not None else _own_entry(own[0])}
        else:
            entry = {"recipes": [*map(recipe_entry, RECIPES.values()), *map(_own_entry, own)]}
            entry |= {"wrong": wrong} if wrong else {}
        out(dump({"version": 1, **entry}, indent=2))
    else:
        printer = _RecipePrinter(style_for(sys.stdout, options.color))
        if mine is not None:
            printer.own(mine)
        elif chosen is not None:
            printer.one(chosen)
        else:
            printer.all(list(RECIPES.values()), own)
    for sentence in wrong:
        say(sentence)
    return exits.UNREADABLE if wrong else exits.OK


def _own_entry(own: OwnRecipe) -> Entry:
    return {**entry_of(own, "name title base select ignore"), "path": str(own.path), "fixes": list(own.choices)}


def recipe_entry(recipe: Recipe) -> Entry:
    """Everything known about one recipe."""
    return {
        **entry_of(recipe, "name title does loses instead copies links"),
        "options": [_OPTIONS[name].split()[0] for name in sorted(recipe.options)],
        "narrowed_by": ["--select", "--ignore", "--choose"] if recipe.pick is not None else [],
    }


class _RecipePrinter:
    def __init__(self, style: TerminalStyle) -> None:
        self.style = style
        self.width = columns()

    def all(self, recipes: Sequence[Recipe], own: Sequence[OwnRecipe]) -> None:
        for name, chosen in (
            ("toolpair's own", [recipe for recipe in recipes if recipe.copies is None]),
            ("copies of other systems, harm included", [recipe for recipe in recipes if recipe.copies is not None]),
        ):
            if chosen:
                out(self.style.dim(name))
                for recipe in chosen:
                    default = " (default)" if recipe.name == "recommended" else ""
                    out(f"  {self.style.bold(recipe.name)}{default}")
                    self._wrapped(recipe.title, "      ")
        if own:
            out(self.style.dim("your own"))
        for mine in own:
            out(f"  {self.style.bold(safe(mine.name))}")
            self._wrapped(safe(mine.title or str(mine.path)), "      ")
        out()
        self._wrapped("toolpair recipes NAME shows what one does, toolpair compare FILE what each would do to a file.")

    def own(self, own: OwnRecipe) -> None:
        self._wrapped(safe(f"{own.name}: {own.title}" if own.title else own.name), bold=True)
        out(self.style.dim(f"  {safe(own.path)}"))
        limits = [f"Only {', '.join(own.select)}."] if own.select else []
        limits += [f"Not {', '.join(own.ignore)}."] if own.ignore else []
        chosen = [choice.replace("=", ": ", 1) for choice in own.choices]
        self._part("What it does", [safe(one) for one in (f"As {own.base}, but:", *chosen, *limits)])

    def one(self, recipe: Recipe) -> None:
        self._wrapped(f"{recipe.name}: {recipe.title}", bold=True)
        if recipe.copies is not None:
            out()
            self._wrapped(f"It does what {recipe.copies} does, harm included.")
            for link in recipe.links:
                out(self.style.dim(f"  {link}"))
        self._part("What it does", recipe.does)
        self._part("Where it loses something", (recipe.loses or "Nowhere.",))
        if recipe.instead is not None:
            name = "What recommended does instead"
            self._part(name, (recipe.instead,))
        self._part("Options", _options(recipe))

    def _part(self, title: str, sentences: Sequence[str]) -> None:
        out()
        out(self.style.bold(title))
        for sentence in sentences:
            self._wrapped(sentence, "  - " if len(sentences) > 1 else "  ", "    " if len(sentences) > 1 else "  ")

    def _wrapped(self, text: str, first: str = "", indent: str | None = None, bold: bool = False) -> None:
        for line in folded(text, self.width, first, first if indent is None else indent):
            out(self.style.bold(line) if bold else line)


def _options(recipe: Recipe) -> list[str]:
    said = [f"{_OPTIONS[name]}: longer ids are shortened to this length." for name in sorted(recipe.options)]
    if recipe.pick is not None:
        said.append("--select, --ignore and --choose limit it to some rules, or change the fix for one.")
    return said or ["None; it works on the whole conversation, so --select, --ignore and --choose do not apply."]
