"""The profiles to check against, and how many problems each finds: counted in the background one by one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from toolpair.rules.profiles import profile, profile_names
from toolpair.tui.aside import Aside
from toolpair.tui.keys import APP
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import Dialog, hint_line
from toolpair.tui.styled_text import Line, cut_line, line_width
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.session.session import Session

Found = tuple[str, str]
"""How much a profile finds, in words, and the style to show it in."""


class ProfilesScreen(Dialog[str | None]):
    """Returns the id of the chosen profile, None after escape."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), Binding("enter", "take", "check against it", show=False)]
    DEFAULT_CSS = "ProfilesScreen LineList { height: auto; background: $surface; }"

    def __init__(self, known: dict[str, Found]) -> None:
        """`known` caches the counts for the session's current state, and is filled here."""
        super().__init__()
        self._known = known

    def build(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Lines(id="top")
            yield LineList(self.glyphs)
            yield Lines(id="bottom")

    def on_mount(self) -> None:
        self._ids = list(profile_names())
        menu = self.query_one(LineList)
        here = self.tool.session.profile.id
        menu.cursor = self._ids.index(here) if here in self._ids else 0
        menu.focus()
        # A draft stays the same, whatever is done to the session during the count.
        draft = self.tool.session.draft()
        self._aside = self.in_thread(lambda aside: self._count(aside, draft), of_state=True)

    def on_unmount(self) -> None:
        self._aside.stop()

    def _count(self, aside: Aside, session: Session) -> None:
        """The active profile is counted already: its verdict is on the screen."""
        here = session.profile.id
        for id_ in sorted(self._ids, key=lambda found: (found != here, "/" in found)):
            if aside.stopped:
                return
            if id_ not in self._known:
                try:
                    verdict = (
                        session.conversation.verdict if id_ == here else session.conversation.by(profile(id_)).verdict
                    )
                    found = found_text(verdict.errors, verdict.warnings)
                except Exception as error:
                    found = type(error).__name__, "error"
                aside.run_in_ui(partial(self._note, id_, found))

    def _note(self, id_: str, found: Found) -> None:
        self._known[id_] = found
        self._fill()

    def lay_out(self, width: int, height: int) -> None:
        self.query_one("#top", Lines).show(
            [self.glyphs.rule("Check against: what each provider would refuse", width, "title")]
        )
        hints = [("enter", "check against this one", "take"), ("esc", "back", "back")]
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, width)])
        self._fill()

    def _fill(self) -> None:
        glyphs, session = self.glyphs, self.tool.session
        room = self.size.width - 2  # the bar before each entry, and the scrollbar
        wide = max(len(id_) + 2 * ("/" in id_) for id_ in self._ids)
        counts = max(len(words) for words, _ in [*self._known.values(), ("12 problems", "")])
        entries: list[list[Line]] = []
        for id_ in self._ids:
            words, style = self._known.get(id_, ("…", "dim"))
            name = f"  {id_}" if "/" in id_ else id_
            mark = "now" if id_ == session.profile.id else ""
            line: Line = (
                glyphs.ui(f" {name:<{wide}} "),
                glyphs.ui(f" {words:<{counts}} ", style),
                glyphs.ui(f" {mark:<4}", "key"),
                glyphs.ui(profile(id_).title, "dim"),
            )
            if line_width(line) > room:
                rest = glyphs.ui("…", "dim")
                line = (*cut_line(line, room - line_width((rest,))), rest)
            entries.append([line])
        menu = self.query_one(LineList)
        menu.styles.height = max(1, min(len(entries), int(self.size.height * 0.75)))
        menu.show(entries)

    def on_line_list_chosen(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        self.finish(self._ids[self.query_one(LineList).cursor])


def found_text(errors: int, warnings: int) -> Found:
    """ "12 problems, 3 warnings" and its style."""
    words = [count_text(errors, "problem")] if errors else []
    if warnings:
        words.append(count_text(warnings, "warning"))
    return ", ".join(words) or "no problems", "error" if errors else "warning" if warnings else "good"
