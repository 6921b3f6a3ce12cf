"""After saving: what was fixed, where the original is, how to resume, and how to undo the save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.shell.program import command as program
from toolpair.text.cells import width as text_width
from toolpair.text.safe import SafeText, visible
from toolpair.text.shell import shell_word
from toolpair.tui.bodies.body import gap
from toolpair.tui.controllers.backup_restore import restore_backup
from toolpair.tui.desk import Desk
from toolpair.tui.head_text import verdict_lines
from toolpair.tui.keys import APP, SAVED
from toolpair.tui.review_text import counted
from toolpair.tui.run_result import command_of
from toolpair.tui.screens.base_screen import BaseScreen, HeldKey, Hint, hint_line
from toolpair.tui.screens.confirm import ask_first
from toolpair.tui.styled_text import Line, Span, wrap_line
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.session.saving import Saved
    from toolpair.session.session import Staged

_INDENT: Final = 11
"""Cells of the names of what is told."""


class SavedScreen(BaseScreen[str | None]):
    """Returns the message about a save that was undone, else None."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *SAVED.bindings()]
    DEFAULT_CSS = "SavedScreen #body { height: 1fr; }"
    _desk: Desk

    def __init__(self, desk: Desk, saved: Saved, steps: Sequence[Sequence[Staged]]) -> None:
        """`steps` are what was saved, to be applied again when the save is undone."""
        super().__init__()
        self._desk = desk
        self._saved = saved
        self._steps = steps
        self._held = HeldKey(self)

    def build(self) -> ComposeResult:
        yield Lines(id="body")
        yield Lines(id="bottom")

    def lay_out(self, width: int, height: int) -> None:
        from toolpair.tui.controllers.proving import can_be_asked

        glyphs = self.glyphs
        lines: list[Line] = [glyphs.rule("Saved", width, "title")]
        lines += self._report(width)
        self.query_one("#body", Lines).show(lines)
        hints: list[Hint] = [("y", "copy the command", "yank")] if self._command else []
        if self._saved.backup is not None:
            hints.append(("u", "undo the save", "undo"))
        if can_be_asked(self._desk.session):
            hints.append(("V", "ask the agent", "prove"))
        hints += [("enter", "back to the list", "close"), ("q", "back" if self._is_on_top else "quit", "leave")]
        self.query_one("#bottom", Lines).show([glyphs.rule(self.note, width), hint_line(glyphs, hints, width, gap=4)])

    def _report(self, width: int) -> list[Line]:
        """What was written, the command that resumes, what was fixed, and how to get the original back."""
        glyphs, saved, session = self.glyphs, self._saved, self._desk.session
        what = saved.path.name if saved.backup is not None else f"a copy as {saved.path}"
        first, *more = glyphs.paragraph(f"Saved {visible(what)}", width, "good", indent=3)
        lines: list[Line] = [(glyphs.ui(" ✓ ", "good"), *first[1:]), *more]
        lines += [*verdict_lines(session, glyphs, width, 3, running=False), ()]
        command = self._command
        if command is not None:
            room = max(8, width - 4)
            lines += [(gap(3), *part) for part in wrap_line([Span(command, "bold")], room)] + [()]
        rows = [("", f"{count:,} × {title}") for title, count in counted(row for step in self._steps for row in step)]
        rows[:1] = [("Fixed", words) for _, words in rows[:1]]
        if saved.backup is not None:
            rows.append(("Original", f"kept as {saved.backup.name}"))
            rows.append(("Undo", f"{program('restore')} {shell_word(saved.name)} --backup latest"))
        if saved.aside is not None:
            rows.append(("Aside", f"lines set aside are kept as {saved.aside}"))
        rows += [("Removed", f"older backup, as you configured: {old}") for old in saved.removed]
        if saved.resume and visible(saved.resume) != saved.resume:
            rows.append(("Next", "resume it in its folder, whose name cannot be shown here."))
        elif saved.resume and command is None:
            rows.append(("Next", saved.resume))
        rows += [("Note", note) for note in saved.notes]
        for name, words in rows:
            beside, below = _parted(visible(words), width - _INDENT)
            first, *more = glyphs.paragraph(beside, width, indent=_INDENT, limit=4)
            lines += [(glyphs.ui(f" {name}".ljust(_INDENT), "dim"), *first[1:]), *more]
            lines += glyphs.paragraph(below, width, indent=3, limit=4) if below else []
        return lines

    @property
    def _is_on_top(self) -> bool:
        """Whether the session is a sub-agent's, with the one it was opened from below it."""
        return len(self.tool.open_sessions.desks) > 1

    def action_close(self) -> None:
        if self._held.admits():
            self.finish(None)

    async def action_leave(self) -> None:
        if self._is_on_top:
            self.finish(None)
        else:
            await self.app.action_quit()

    @property
    def _command(self) -> SafeText | None:
        return command_of(self._saved.resume)

    def action_yank(self) -> None:
        if self._command:
            self.say(self.tool.copy(self._command))

    def action_prove(self) -> None:
        from toolpair.tui.controllers.proving import ask_agent

        ask_agent(self, self._desk.session)

    def action_undo(self) -> None:
        """Ask, once: undoing writes the file again."""
        saved = self._saved
        if saved.backup is None:
            self.say("you saved a copy: the session's own file has not changed, so there is nothing to undo")
            return
        fixes = sum(row.problems for step in self._steps for row in step)
        is_stored = self._desk.session.file.is_stored
        what = "The session" if is_stored else visible(saved.path.name)
        others = "Other sessions stay as they are. " if is_stored else ""
        words = (
            f"Undo the save? {what} gets back what it held before, and what it holds now is kept as a backup. {others}"
            f"Your {'fix stays' if fixes == 1 else f'{fixes:,} fixes stay'} applied."
        )
        ask_first(self, "Undo", words, ("enter", "undo the save"), self._undo)

    def _undo(self) -> None:

        backup = self._saved.backup
        assert backup is not None

        def ended(problem: str | None) -> None:
            if problem is None:
                self.finish("the save is undone. Your fixes are still applied, not saved")
            else:
                self.say(problem)

        restore_backup(self, self._desk, backup, ended, self._steps, only_as_is=True)


def _parted(words: SafeText, cells: int) -> tuple[SafeText, SafeText]:
    """What stands beside a title, and what goes below it: a name that is too long for that many cells, and the rest."""
    long = next((word for word in words.split(" ") if text_width(SafeText(word)) > cells), None)
    if long is None:
        return words, SafeText("")
    at = words.index(long)
    return SafeText(words[:at].rstrip()), SafeText(words[at:])
