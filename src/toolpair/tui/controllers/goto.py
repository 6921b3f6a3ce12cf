"""Going to a place: an id, a rule, a line, a message, a pair, or the subject of a pasted error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import Target
    from toolpair.tui.controllers.owner import Owner


def ask_where(owner: Owner, pasted: str = "") -> None:
    from toolpair.tui.screens.prompt import GotoScreen

    if not owner.is_whole():
        return
    found: list[Target] = []

    def look(where: str) -> str | None:
        target = _find(owner, where)
        if isinstance(target, str):
            return target
        found.append(target)
        return None

    def given(where: str | None) -> None:
        if where is not None and found:
            _show(owner, found[-1])

    owner.ask(GotoScreen(look, pasted), given, of_state=True)


def go_to(owner: Owner, where: str) -> None:
    """Go there without asking."""
    target = _find(owner, where)
    if isinstance(target, str):
        owner.say(target)
    else:
        _show(owner, target)


def _find(owner: Owner, where: str) -> Target | str:
    """The place; one short sentence when there is none."""
    try:
        target = owner.session.find(where)
    except (ValueError, LookupError) as error:
        return str(error)
    if target is None:
        return f"not in this file: {where}"
    return target if target.leads_somewhere else target.text


def _show(owner: Owner, target: Target) -> None:
    session, problem = owner.session, target.problem
    elsewhere = target.conversation is not None and target.conversation != session.current
    if (elsewhere or target.profile is not None) and not owner.is_free():
        return
    if target.conversation is not None and elsewhere:
        session.current = target.conversation
        owner.show_other_history()
    shown = tuple(one for one in (problem, *target.offers) if one is not None)
    if target.profile is not None and problem is not None:
        # It is wrong only by the rules of the provider that answered, so use these to show and fix it.
        session.set_profile(target.profile)
        owner.overview.current = None
    if (
        target.profile is not None
        or target.recognised is not None
        or any(owner.overview.index.place(one) is None for one in shown)
    ):
        owner.overview.name(shown)
        owner.reload()
    problem = owner.overview.again(next(iter(shown), None))
    owner.note = target.text
    if problem is not None:
        owner.show_problem(problem)
        return
    row = owner.overview.row_of_place(target.pair, target.message)
    if row is None:
        owner.say(target.text)
        return
    owner.row_filter.go_to_row(row)
    owner.note = target.text
    owner.redraw()
