"""`toolpair compare`: what each recipe would change in a file, and lose. Nothing is written."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.cli import exits, inputs
from toolpair.cli.choosing import Plan, add_max_id_length, check_choices, options_for, read_plan, recipe_named
from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Entry, entry_of, losses_entry, problem_entry
from toolpair.cli.own_recipes import own_recipe
from toolpair.cli.terminal import (
    Parser,
    TerminalStyle,
    add_common,
    add_leaf,
    add_pager,
    columns,
    dump,
    folded,
    one_profile,
    out,
    safe,
    style_for,
    typed,
)
from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import DEFAULT, Options, Recipe
from toolpair.session.recipe_comparison import LEFT, Compared, Question, TriedRecipe, compare, done_for
from toolpair.session.session import Session, lines_text
from toolpair.shell.program import command
from toolpair.transcript.counting import plural

_EPILOG: Final = """\
examples:
  toolpair compare session.jsonl                    all recipes
  toolpair compare history.json recommended drop    only these
  toolpair compare history.json --output-format json | jq '.recipes[] | [.name, .valid, .losses.text]'

Each recipe is tried on the file in memory; nothing is written. What it loses is measured by comparing what
would be sent before and after, not taken from what the fixes say. `toolpair recipes NAME` tells what one does.

exit code: 0 at least one recipe makes the file valid, 1 none does, 2 unreadable or bad usage
"""
_NARROW: Final = 60
_EXAMPLES: Final = 3
_CONTENT_LINES: Final = 4


def parser() -> Parser:
    result = Parser(
        "compare",
        "Show what each recipe would do to a file, what it would lose, and whether the result is valid.",
        _EPILOG,
    )
    result.add("""
        FILE         a session file, a session's id, or - for standard input
        [RECIPE...]  the recipes to compare, also of your own (default: all of toolpair's)
        """)
    add_max_id_length(result)
    add_leaf(result)
    add_common(result, ("text", "json"))
    add_pager(result)
    return result


def run(options: argparse.Namespace) -> int:
    own: list[Plan] = []
    chosen = _recipes(options, own)
    session = inputs.opened(options, one_profile(options))
    for plan in own:
        check_choices(session, plan)
    compared = compare(session, chosen)
    if options.output_format == "json":
        out(dump(_json(session, options.file, compared, options.show_content), indent=2))
    else:
        _ComparisonPrinter(
            session, options.file, compared, style_for(sys.stdout, options.color), options.show_content
        ).run()
    return exits.OK if compared.best is not None else exits.PROBLEMS


def _recipes(options: argparse.Namespace, own: list[Plan]) -> list[tuple[Recipe, Options]]:
    """The plans of the user's own ones are added to `own`."""
    names = list(dict.fromkeys(options.recipes)) or list(RECIPES)
    recipes = [_own(name, own) or recipe_named(name) for name in names]
    supporting = [found for found in recipes if "max_id_length" in found.options]
    if options.max_id_length is not None and not supporting:
        raise UsageError(f"None of these recipes takes --max-id-length; `{command('recipes')}` says which do.")
    return [
        (recipe, options_for(recipe, options.max_id_length) if recipe in supporting else DEFAULT) for recipe in recipes
    ]


def _own(name: str, own: list[Plan]) -> Recipe | None:
    """A recipe of the user's own, by what was typed; None for one of toolpair's. Raises UsageError."""
    if own_recipe(name) is None:
        return None
    plan = read_plan(argparse.Namespace(recipe=name, choose=[], select=[], ignore=[], max_id_length=None))
    own.append(plan)
    return replace(plan.recipe, name=safe(name), pick=plan.pick if plan.narrowed else plan.recipe.pick)


def _json(session: Session, path: str, compared: Compared, content: bool) -> Entry:
    """The recipes, best first; each problem with what each recipe does about it."""
    return {
        "version": 1,
        "path": path,
        "format": session.format.id,
        "profile": session.profile.id,
        "best": compared.best.recipe.name if compared.best is not None else None,
        "recipes": [_recipe_entry(tried) for tried in compared.tried],
        "problems": [_problem(session, compared, question, content) for question in compared.questions],
    }


def _recipe_entry(tried: TriedRecipe) -> Entry:
    touched = tried.touched
    return {
        "name": tried.recipe.name,
        "valid": tried.valid,
        "losses": losses_entry(tried.losses),
        "records": {"touched": touched.total, **entry_of(touched, "changed added removed")},
        "would_stage": [
            {"title": row.title, "problems": row.problems, "fixes": list(row.fix_ids), "loses": row.loses}
            for trial in tried.trials
            for row in trial.rows
        ],
        "left": [
            {"rule": problem.rule, "message": problem.text, "conversation": number}
            for number, trial in enumerate(tried.trials)
            for problem in trial.left
        ],
    }


def _problem(session: Session, compared: Compared, question: Question, content: bool) -> Entry:
    conversation = compared.conversations[question.conversation]
    entry = problem_entry(session, conversation, question.problem, content)
    del entry["fixes"]
    entry["conversation"] = question.conversation
    entry["recipes"] = {}
    for tried in compared.tried:
        trial = tried.trials[question.conversation]
        fixes = trial.fixes_of(question.problem)
        entry["recipes"][tried.recipe.name] = {
            "does": [fix.title for fix in fixes],
            "fixes": [fix.id for fix in fixes],
            "loses": "; ".join(dict.fromkeys(fix.loses for fix in fixes if fix.loses)) or None,
            "left": trial.leaves(question.problem),
        }
    return entry


class _ComparisonPrinter(Struct, frozen=True):
    """Prints the comparison for a person: the answer, then the problems by cause, then a table of the recipes."""

    session: Session
    path: str
    compared: Compared
    style: TerminalStyle
    content: bool

    def run(self) -> None:
        session, groups = self.session, self.compared.groups()
        errors = sum(question.problem.severity == "error" for question in self.compared.questions)
        causes = sum(group[0].problem.severity == "error" for group in groups)
        found = f"{plural(errors, 'error')}, {plural(causes, 'cause')}" if errors else "no error"
        self.say(
            f"{safe(self.path)}: {found}; {safe(session.format.id)}, checked against {session.profile.id}", bold=True
        )
        self.say(self._answer())
        for number, group in enumerate(groups, 1):
            out()
            self._group(group, f"{number} of {len(groups)}")
        self._besides()
        out()
        self._table()
        self._end()

    def say(self, text: str, indent: str = "", hang: str | None = None, bold: bool = False, dim: bool = False) -> None:
        """A paragraph."""
        later = indent + "  " if hang is None else hang
        for line in folded(text, columns(_NARROW), indent, later, break_long_words=False):
            out(self.style.bold(line) if bold else self.style.dim(line) if dim else line)

    def _answer(self) -> str:
        """Which recipe to use, in a sentence."""
        first, total = self.compared.tried[0], sum(len(found.items) for found in self.compared.conversations)
        if not first.valid:
            left = f"({plural(first.errors, 'error is', 'errors are')} left)"
            if len(self.compared.tried) == 1:
                return f"The recipe does not make it valid {left}."
            return f"None of these recipes makes it valid. {first.recipe.name} leaves the fewest errors {left}."
        touched = first.touched.total
        if not touched:
            return f"Best here: {first.recipe.name}. There is nothing to do: the file is already valid."
        loses = f"loses {first.losses.text}" if first.losses else "loses nothing"
        return (
            f"Best here: {first.recipe.name}. The result is valid, it {loses} and "
            f"touches {touched:,} of {plural(total, 'record')}."
        )

    def _group(self, group: list[Question], number: str) -> None:
        problem = group[0].problem
        cause = f": {problem.cause.text}" if problem.cause is not None else ""
        severity = "" if problem.severity == "error" else f" ({problem.severity})"
        count = f"{len(group):,} × " if len(group) > 1 else ""
        self.say(safe(f"{number}  {count}{problem.rule}{severity}{cause}"), bold=True)
        for question in group[:_EXAMPLES]:
            self._example(question)
        if len(group) > _EXAMPLES:
            self.say(f"and {len(group) - _EXAMPLES:,} more", "    ", dim=True)
        same: dict[str, list[str]] = {}
        for tried in self.compared.tried:
            said = done_for(tried, group)
            words = "; ".join(_counted(count, words) for count, words in said)
            same.setdefault(words, []).append(tried.recipe.name)
        for words, names in same.items():
            self.say(safe(f"{', '.join(names)}: {words}"), "  ", "      ")

    def _example(self, question: Question) -> None:
        conversation = self.compared.conversations[question.conversation]
        place = self.session.location(question.problem, conversation)
        where = [lines_text(place)] if place.line is not None else []
        where += [f"messages.{place.message}"] if place.message is not None else []
        blocks = (question.problem.call, question.problem.result)
        ids = list(dict.fromkeys(str(block.id) for block in blocks if block is not None and block.id))
        words = f"{', '.join(where)}: {question.problem.text}" if where else question.problem.text
        self.say(safe(words + (f"  [{' ≠ '.join(ids)}]" if ids else "")), "    ", dim=True)
        if self.content:
            for name, block in (("call", question.problem.call), ("result", question.problem.result)):
                if block is not None:
                    lines = block.text.splitlines()
                    for line in lines[:_CONTENT_LINES]:
                        out(f"      {name}  {safe(line)}")
                    if len(lines) > _CONTENT_LINES:
                        out(f"      {name}  … {len(lines) - _CONTENT_LINES:,} more lines")

    def _besides(self) -> None:
        lines = [
            f"{tried.recipe.name}: {'; '.join(_counted(count, words) for count, words in found)}"
            for tried in self.compared.tried
            if (found := tried.besides())
        ]
        if lines:
            out()
            self.say("Also changed, though no rule found it wrong at first:", bold=True)
        for line in lines:
            self.say(safe(line), "  ", "      ")

    def _table(self) -> None:
        names = max(len(tried.recipe.name) for tried in self.compared.tried)
        for heads in (
            ("", "", "outputs", "words of", "calls", "outputs at", "records"),
            ("recipe", "valid", "lost", "user lost", "lost", "other call", "touched"),
        ):
            out(self.style.dim("{:<{}}  {:<11}{:>8}{:>10}{:>7}{:>12}{:>9}".format(heads[0], names, *heads[1:])))
        for tried in self.compared.tried:
            lost = tried.losses
            numbers = ((len(lost.outputs), 8), (lost.user_words, 10), (len(lost.calls), 7), (len(lost.crossed), 12))
            valid = "yes" if tried.valid else plural(tried.errors, "error")
            name = f"{tried.recipe.name:<{names}}"
            out(
                f"{self.style.bold(name) if tried is self.compared.best else name}  "
                + (self.style.green if tried.valid else self.style.red)(f"{valid:<11}")
                + "".join(
                    self.style.severity("warning", f"{number:>{width},}") if number else f"{number:>{width}}"
                    for number, width in numbers
                )
                + f"{tried.touched.total:>9,}"
            )
        for tried in self.compared.tried:
            if gone := tried.losses.images_gone:
                out(f"{tried.recipe.name} also loses {plural(gone, 'image')}.")
            if tried.losses.unsent:
                out(f"With {tried.recipe.name} the agent would send {plural(len(tried.losses.unsent), 'part')} less.")
            if tried.losses.texts:
                out(f"{tried.recipe.name} also loses {plural(len(tried.losses.texts), 'other text')}.")

    def _end(self) -> None:
        best = self.compared.best
        out()
        if best is not None and best.touched.total:
            recipe = "" if best.recipe.name == "recommended" else f" --recipe {typed(best.recipe.name)}"
            to = "-o OUT" if self.path == inputs.STDIN or not self.session.file.writable else "--in-place"
            # On its own line, never wrapped: it is meant to be copied.
            out(f"Look first; then replace --diff with {to}:")
            out(f"  {command('fix')} {typed(self.path)}{recipe} --diff")
        self.say(f"What a recipe does exactly: {command('recipes NAME')}.", dim=True)


def _counted(count: int, words: str) -> str:
    if count == 1:
        return words
    return f"{count:,} × {words if words != LEFT else 'left as they are'}"
