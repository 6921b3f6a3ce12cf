"""Fixing many problems at once: all of one cause, all that need no guess, or by a recipe."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolpair.dialects.block_texts import call_summary
from toolpair.tui.controllers.applying import apply, review
from toolpair.tui.controllers.one_fix import no_fix_text
from toolpair.tui.left_text import left_of
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.confirm import ask_first
from toolpair.tui.styled_text import Line

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Problem
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.recipe_list import Sketch


def fix_cause(owner: Owner, problem: Problem, group: CauseGroup) -> None:
    """Fix every problem of the group that needs no guess, after one question."""
    if not any(each.fixes for each in group.problems):
        owner.say(no_fix_text(problem))
        return
    if not group.certain:
        asks, ways = owner.glyphs.key("space", "fix"), owner.glyphs.key("f", "choose")
        owner.say(f"no fix for this cause is certain. {asks} asks about each one, {ways} shows all the ways")
        return

    certain = [problem for problem in group.problems if problem.recommended is not None]

    def fix() -> None:
        title = group.fix_title or group.title
        apply(owner, lambda session: session.stage_group(group), certain, f"{group.certain:,} × {title}")

    ask_first(
        owner,
        "Fix all with this cause",
        lambda width, _: _question_lines(owner, group, certain, width),
        ("enter", f"fix {group.certain:,}"),
        fix,
    )


def _question_lines(owner: Owner, group: CauseGroup, certain: list[Problem], width: int) -> list[Line]:
    """The question, and the first three problems."""
    glyphs = owner.glyphs
    guesses = count_text(group.guesses, "guess")
    left = " (left for you)" if group.guesses else ""
    words = f"Fix {group.certain:,} like this? {group.certain:,} certain, {guesses}{left}."
    lines = glyphs.paragraph(words, width, "bold")
    if group.fix_title:
        lines += glyphs.paragraph(f"Fix: {group.fix_title}.", width)
    lines += glyphs.paragraph("First three:" if len(certain) > 3 else "These:", width, "dim")
    for each in certain[:3]:
        where = f"{each.pair:>5} " if each.pair is not None else ""
        tool = f"{each.call.name or ''} {call_summary(each.call)[:200]}: " if each.call is not None else ""
        lines += glyphs.paragraph(f"{where}{tool}{each.text}", width, "", indent=3, limit=2)
    return lines


def fix_all(owner: Owner) -> None:
    """Fix every error that needs no guess, and show the review."""
    session = owner.session
    certain = [
        problem for problem in session.problems if problem.severity == "error" and problem.recommended is not None
    ]
    if certain:
        what = f"fixes for {count_text(len(certain), 'problem')}"
        apply(owner, type(session).stage_recommended, certain, what, partial(_all_fixed, owner))
    else:
        _all_fixed(owner)


def _all_fixed(owner: Owner) -> None:
    session = owner.session
    if session.changed:
        review(owner)
    elif session.staged:
        owner.say("nothing changes in the file")
    else:
        owner.say(left_of(session).words() or "there is nothing to fix")


def choose_recipe(owner: Owner) -> None:
    """Show what each recipe would do; apply the chosen one, and show the review."""
    from toolpair.tui.screens.recipe_list import RecipesScreen

    def chosen(sketch: Sketch | None) -> None:
        if sketch is None:
            return
        recipe, options = sketch.choice
        if sketch.changes_nothing:
            owner.say(f"{recipe.name} changes nothing here")
            return
        apply(
            owner,
            lambda session: session.stage_recipe(recipe.name, options),
            sketch.problems,
            recipe.name,
            partial(review, owner),
        )

    owner.ask(RecipesScreen(owner.tried.of(owner.session.conversation)), chosen, of_state=True)
