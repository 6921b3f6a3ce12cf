"""The profiles to check against, and how many problems each finds: counted in the background one by one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toolpair.rules.profiles import profile, profile_names
from toolpair.tui.aside import Aside
from toolpair.tui.keys import APP
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.list_dialog import ListDialog
from toolpair.tui.styled_text import Line

if TYPE_CHECKING:
    from toolpair.session.session import Session

Found = tuple[str, str]
"""How much a profile finds, in words, and the style to show it in."""


class ProfilesScreen(ListDialog[str | None]):
    """Returns the id of the chosen profile."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        Binding("enter", "choose", "check against it", show=False),
    ]

    def __init__(self, known: dict[str, Found]) -> None:
        """`known` caches the counts for the session's current state, and is filled here."""
        super().__init__()
        self._known = known

    def on_mount(self) -> None:
        self._ids = list(profile_names())
        here = self.tool.session.profile.id
        self.list.cursor = self._ids.index(here) if here in self._ids else 0
        self.list.focus()
        # A draft stays the same, whatever is done to the session during the count.
        draft = self.tool.session.draft()
        self.in_thread(lambda aside: self._count(aside, draft), of_state=True)

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
        self._fill()
        self.on_line_list_moved()

    def on_line_list_moved(self) -> None:
        hints = [("enter", "check against this one", "choose"), ("esc", "back", "back")]
        # The line in the list may have no room for all of it.
        whole = self.glyphs.paragraph(profile(self._ids[self.list.cursor]).title, self.size.width, "dim", limit=2)
        self.frame("Check against: what each provider would refuse", hints, whole)

    def _fill(self) -> None:
        glyphs, session = self.glyphs, self.tool.session
        room = self.size.width - 2  # the bar before each entry, and the scrollbar
        wide = max(len(id_) + 2 * ("/" in id_) for id_ in self._ids)
        counts = max(len(words) for words, _ in [*self._known.values(), ("12 problems", "")])
        lines: list[Line] = []
        for id_ in self._ids:
            words, style = self._known.get(id_, ("…", "dim"))
            name = f"  {id_}" if "/" in id_ else id_
            mark = "now" if id_ == session.profile.id else ""
            line: Line = (
                glyphs.ui(f" {name:<{wide}} "),
                glyphs.ui(f" {words:<{counts}} ", style),
                glyphs.ui(f" {mark:<4}", "key"),
                glyphs.ui(_title(id_), "dim"),
            )
            lines.append(glyphs.fit(line, room))
        self.fill(lines, int(self.size.height * 0.75))

    def action_choose(self) -> None:
        self.finish(self._ids[self.list.cursor])


def _title(id_: str) -> str:
    """What it is called; of a family of models, which comes below its API, what makes it one."""
    whole = profile(id_).title
    family, _, of = id_.partition("/")
    return whole.removeprefix(profile(family).title).strip(" ()") or whole if of else whole


def found_text(errors: int, warnings: int) -> Found:
    """ "12 problems, 3 warnings" and its style."""
    words = [count_text(errors, "problem")] if errors else []
    if warnings:
        words.append(count_text(warnings, "warning"))
    return ", ".join(words) or "no problems", "error" if errors else "warning" if warnings else "good"
