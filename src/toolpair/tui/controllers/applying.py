"""Applying fixes: change the session, mark the rows, reload, go to the next problem. What is applied is reviewed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toolpair.tui.controllers.working import takes_long
from toolpair.tui.left_text import left_of
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.session import Problem, Session, Staged
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.review import SavedSteps


def apply(
    owner: Owner,
    stage: Callable[[Session], Staged | None],
    problems: Sequence[Problem],
    what: str,
    then: Callable[[], None] | None = None,
) -> None:
    """Stage something, reload the session and go to the next problem. Long work runs in the background."""

    def done() -> None:
        held = {one.problem.key for one in owner.session.staging.held_back}
        _applied(owner, [problem for problem in problems if problem.key not in held], what)
        left = left_of(owner.session).words() if len(problems) > 1 else ""
        if left:
            owner.note = f"applied: {what}. {left}"
            owner.redraw()
        # A screen opened meanwhile stays on top.
        if then is not None and owner.is_on_top:
            then()

    session, count = owner.session, len(owner.session.staged)
    if takes_long(session, len(problems)):
        owner.work.on_draft("fixing", len(problems), stage, lambda draft: _accept(owner, draft, count, what, done))
        return
    try:
        stage(session)
    except Exception as error:
        owner.say(f"that failed: {failure(error)}")
        return
    if len(session.staged) == count:
        owner.say(_nothing_done(session, what))
    else:
        done()


def _accept(owner: Owner, draft: Session, count: int, what: str, done: Callable[[], None]) -> None:
    if len(draft.staged) == count:
        owner.say(_nothing_done(draft, what))
        return
    owner.session.accept(draft)
    done()


def _applied(owner: Owner, problems: Sequence[Problem], what: str) -> None:
    """Say what was applied to these problems, and go to the next one."""
    row = owner.pairs.row_index or 0
    owner.overview.note_staged(problems)
    staged = owner.session.staged
    loses = f" (loses {staged[-1].loses})" if staged and staged[-1].loses else ""
    owner.note = f"applied: {what}{loses}. {owner.glyphs.key('u', 'undo')} undoes it"
    owner.overview.current = None
    owner.read_again(row)
    following = owner.overview.next_as_severe(row, problems)
    if following is not None:
        owner.show_problem(following)
    else:
        key = owner.glyphs.key
        more = f" ({key(']', 'problem(1)')} for warnings and notes)" if owner.overview.walk else ""
        applied = loses and f"applied{loses}, "
        owner.note = f"{applied}every problem has a fix now{more}. {key('w', 'review')} reviews and saves"
        owner.pairs.go_to_row(min(row, max(0, len(owner.overview.rows) - 1)))
        owner.redraw()


def undo(owner: Owner) -> None:
    """Undo the last step."""
    staged = owner.session.undo()
    if staged is None:
        owner.say("nothing to undo")
    else:
        _stepped(owner, staged, "undone", owner.overview.note_undone())


def redo(owner: Owner) -> None:
    """Redo the last undone step."""
    staged = owner.session.redo()
    if staged is None:
        owner.say("nothing to redo")
    else:
        owner.overview.note_redone()
        _stepped(owner, staged, "redone", None)


def _stepped(owner: Owner, staged: Staged, done: str, back: Problem | None) -> None:
    """After undo or redo: go to the problem `back`, else to the next one."""
    owner.read_again(owner.pairs.row_index or 0)
    where = f" in conversation {staged.conversation + 1:,}" if len(owner.session.conversations) > 1 else ""
    owner.note = f"{done}{where}: {staged.title}"
    here = staged.conversation == owner.session.current
    following = owner.overview.again(back) if here else None
    if following is None:
        following, _ = owner.overview.after(owner.pairs.row_index or 0, 1, None)
    owner.overview.current = None
    if following is not None:
        owner.show_problem(following)
    else:
        owner.redraw()


def _nothing_done(session: Session, what: str) -> str:
    held = session.staging.held_back
    return held[0].text if held else f"nothing to do for {what}"


def review(owner: Owner) -> None:
    """Show what saving would do; after a save, show its result."""
    if not owner.session.changed:
        owner.say("nothing changed, so there is nothing to save")
        return
    from toolpair.tui.screens.review import ReviewScreen

    def closed(saved: SavedSteps | None) -> None:
        if saved is not None:
            from toolpair.tui.screens.saved import SavedScreen

            owner.note = ""
            owner.reload()
            owner.ask(SavedScreen(owner.desk, *saved), undone)

    def undone(words: str | None) -> None:
        if words is not None:
            owner.show_first_problem()
            owner.say(words)

    owner.ask(ReviewScreen(owner.desk), closed)
