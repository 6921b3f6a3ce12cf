"""Fixing one problem: a certain fix is applied, a guess is confirmed first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolpair.tui.controllers.applying import apply
from toolpair.tui.row_lines import id_text
from toolpair.tui.screens.confirm import ConfirmScreen, ask_first

if TYPE_CHECKING:
    from toolpair.session.session import Fix, Problem
    from toolpair.tui.controllers.owner import Owner


def no_fix_text(problem: Problem) -> str:
    """Why there is no fix."""
    return f"no fix is known: {problem.no_fix}" if problem.no_fix else "no fix is known here"


def fix_one(owner: Owner, problem: Problem) -> None:
    """Apply the recommended fix; ask first if it is a guess."""
    if problem.guess:
        _ask_which(owner, problem)
    elif problem.recommended is None:
        _say_no_way(owner, problem)
    else:
        _apply(owner, problem, problem.recommended, None)


def choose_fix(owner: Owner, problem: Problem) -> None:
    """Show all ways to fix it."""
    if not problem.fixes:
        owner.say(no_fix_text(problem))
        return
    from toolpair.tui.screens.chooser import Choice, ChooserScreen

    def chosen(choice: Choice | None) -> None:
        if choice is not None:
            _apply(owner, problem, problem.fixes[choice[0]], choice[1])

    start = next((n for n, fix in enumerate(problem.fixes) if fix.recommended), 0)
    owner.ask(ChooserScreen(problem, start), chosen, of_state=True)


def _say_no_way(owner: Owner, problem: Problem) -> None:
    none = f"no fix is recommended here. {owner.glyphs.key('f', 'choose')} shows all the ways"
    owner.say(none if problem.fixes else no_fix_text(problem))


def _ask_which(owner: Owner, problem: Problem) -> None:
    """Show both contents side by side, with the uncertain link and the safe choice."""
    from toolpair.tui.guess_text import guess_lines, guess_title

    ways = _links(owner, problem)[:5]
    safe = problem.without_guessing
    choices = [(str(n), fix, _linked(problem, other)) for n, (other, fix) in enumerate(ways, 1)]
    if safe is not None:
        ways.append((problem, safe))
        choices.append((str(len(ways)), safe, ""))
    if not ways:
        _say_no_way(owner, problem)
        return

    def answered(answer: str | None) -> None:
        if answer == "other-ways":
            here = owner.current_problem()
            if owner.is_free() and here is not None:
                choose_fix(owner, here)
        elif answer is not None:
            about, fix = ways[int(answer)]
            _stage(owner, about, fix, None, [about, problem])

    guessed = [fix for _, fix, _ in choices if not fix.certain]

    def named(about: Problem, way: Fix) -> str:
        if way.certain:
            return "the safe way"
        if len(guessed) == 1:
            return "use this one" if way.id.startswith("use-copy") else "link these"
        return f"link {id_text(about.result.id)}" if about is not problem and about.result is not None else way.title

    answers = [(key, str(n), named(*ways[n])) for n, (key, _, _) in enumerate(choices)]
    if problem.fixes:
        answers.append(("f", "other-ways", "all the ways"))
    question = ConfirmScreen(
        guess_title(guessed),
        lambda width, height: guess_lines(owner.session, owner.glyphs, problem, choices[0][1], width, height, choices),
        answers,
    )
    owner.ask(question, answered, of_state=True)


def _links(owner: Owner, problem: Problem) -> list[tuple[Problem, Fix]]:
    """The uncertain fixes: the problem's own and, for a call, those of results that may belong to it."""
    session = owner.session
    found = [(problem, fix) for fix in problem.fixes if not fix.certain]
    if found or problem.pair is None or problem.pair >= len(session.conversation.pairs):
        return found
    for candidate in session.conversation.pairs[problem.pair].candidates:
        other = session.conversation.worst.get(candidate.index)
        place = next((n for n, call in enumerate(candidate.candidates, 1) if call.index == problem.pair), 0)
        for fix in other.fixes if other is not None else ():
            if not fix.certain and fix.id in ("link", f"link-{place}") and other is not None:
                found.append((other, fix))
    return found


def _linked(problem: Problem, other: Problem) -> str:
    """The result that another problem's fix would link to the call here: its id and first words."""
    if other is problem or other.result is None:
        return ""
    words = " ".join(other.result.text[:200].split())
    return f"result {id_text(other.result.id)}, {words[:60]}"


def _apply(owner: Owner, problem: Problem, fix: Fix, text: str | None) -> None:
    """Stage one fix; ask first if it is a guess."""
    if fix.certain:
        _stage(owner, problem, fix, text, [problem])
        return
    from toolpair.tui.guess_text import guess_lines, guess_title

    ask_first(
        owner,
        guess_title([fix]),
        lambda width, height: guess_lines(owner.session, owner.glyphs, problem, fix, width, height),
        ("enter", "yes, " + fix.title),
        lambda: _stage(owner, problem, fix, text, [problem]),
    )


def _stage(owner: Owner, problem: Problem, fix: Fix, text: str | None, about: Sequence[Problem]) -> None:
    apply(owner, lambda session: session.stage(problem, fix, text), about, fix.title)
