"""The review: what saving would do, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.tui.bytes_text import diff_style, parts_text, whole_text
from toolpair.tui.keys import APP, REVIEW
from toolpair.tui.overview import Overview
from toolpair.tui.review_text import ReviewText
from toolpair.tui.screens.base import BaseScreen, Hint, hint_line
from toolpair.tui.screens.confirm import HeldKey
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.screens.viewer import Page, ViewerScreen
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.lines import Lines


class ReviewScreen(BaseScreen[Any]):
    """Gives back what was saved (`Saved`), None when nothing was."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *REVIEW.bindings()]
    DEFAULT_CSS = "ReviewScreen LineList { height: auto; }"

    def __init__(self, overview: Overview) -> None:
        super().__init__()
        self._overview = overview
        self._session = overview.session
        self._held = HeldKey()
        self._note = ""
        self._error = ""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield LineList(self.glyphs)
        yield Lines(id="rest")
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(LineList).focus()

    def lay_out(self, width: int, height: int) -> None:
        text = ReviewText(self._overview, self.glyphs, width)
        top = text.top()
        rest = text.rest()
        if self._error:
            rest = [*self.glyphs.paragraph(self._error, width, "error", limit=5), *rest]
        entries = text.staged()
        self.query_one("#top", Lines).show(top)
        staged = self.query_one(LineList)
        room = height - len(top) - 2 - min(len(rest), max(3, height // 2))
        staged.styles.height = max(1, min(sum(map(len, entries)), room))
        staged.show(entries)
        self.query_one("#rest", Lines).styles.height = "1fr"
        self.query_one("#rest", Lines).show(rest)
        hints: list[Hint] = []
        if self._session.writable:
            hints.append(("enter", "save", "save"))
        hints += [("s", "save a copy", "save_copy"), ("d", "exact diff", "diff"), ("space", "take one out", "take_out")]
        hints.append(("esc", "back", "back"))
        bar = hint_line(self.glyphs, hints, width, gap=4 if width >= 80 else 2, keep_first=True)
        self.query_one("#bottom", Lines).show([self.glyphs.rule(self._note, width), bar])

    def _refresh(self, note: str = "") -> None:
        self._note = note
        self.lay_out(self.size.width, self.size.height)

    def action_take_out(self) -> None:
        number = self.query_one(LineList).cursor
        if number >= len(self._session.staged):
            return
        row = self._session.staged[number]
        alone = sum(other.step == row.step for other in self._session.staged) == 1
        self._session.unstage(row)
        self._overview.note_taken_out(row.step, alone)
        self._overview.reload()
        self.tool.session_changed()
        if self._session.staged:
            self._refresh("one taken out; the rest was put on again")
        else:
            self.finish(None)

    def action_diff(self) -> None:
        session = self._session
        noun = "line" if session.document.kind == "lines" else "message"
        pages = [
            Page("what differs", lambda: parts_text(session.changes(), noun), diff_style),
            Page("whole lines", lambda: whole_text(session.changes(), noun), diff_style),
        ]
        self.app.push_screen(ViewerScreen("All changes", pages))

    def action_save(self) -> None:
        if not self._held.fresh():
            self._refresh("press enter again, now that you have read this")
            return
        if not self._session.writable:
            self.action_save_copy()
            return
        self._save(None)

    def action_save_copy(self) -> None:
        path = self._session.path
        value = str(path.with_name(f"{path.stem}.mended{path.suffix}")) if path is not None else ""

        def given(name: str | None) -> None:
            if name and name.strip():
                self._save(Path(name.strip()).expanduser())

        self.app.push_screen(PromptScreen("Save a copy as", value, submit="save"), given)

    def _save(self, path: Path | None) -> None:
        from toolpair.session import Refused, SaveFailed, SessionError

        mended = [f"{staged.count} × {staged.title}" for staged in self._session.staged]
        try:
            saved = self._session.save() if path is None else self._session.save_as(path)
        except (Refused, SaveFailed, SessionError) as error:
            self._error = f"Not saved. {error}"
            self._refresh()
            return
        except OSError as error:
            self._error = f"Not saved. {error.strerror or error}: {error.filename or path or self._session.path}"
            self._refresh()
            return
        self.tool.note_saved(saved, mended, in_place=path is None)
        self.finish(saved)
