"""All keys, made from the bindings."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.tui.keys import APP, GROUPS, key_names
from toolpair.tui.screens.base import BaseScreen, hint_line
from toolpair.tui.widgets.big_text import BigText
from toolpair.tui.widgets.lines import Lines

SIGNS = """\
Signs
  ✗  a call without its result
  ?  a result without its call
  ≠  the ids of call and result differ
  =  more than one result for a call
  ~  a result at the wrong place
  !  another problem, or a line that cannot be read
  ✓  mended, not saved yet
  ·  a note: nothing breaks

Filters (&)
  tool:Bash  is:problem  is:error  is:mended  id:toolu_01
  or any words; esc takes them off
"""


class HelpScreen(BaseScreen[None]):
    """Scrolls like any text."""

    BINDINGS: ClassVar[list[BindingType]] = APP.bindings()

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield BigText(self.glyphs)
        yield Lines(id="bottom")

    def lay_out(self, width: int, height: int) -> None:
        self.query_one("#top", Lines).show([self.glyphs.rule("All keys", width, "title")])
        hints = [("j k", "scroll", ""), ("q", "back", "leave"), ("esc", "back", "back")]
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, width)])

    def on_mount(self) -> None:
        view = self.query_one(BigText)
        view.focus()
        self.after_refresh(lambda: view.show(self._text(), _style))

    def _text(self) -> str:
        out: list[str] = []
        for group in GROUPS:
            out.append(group.title)
            out += [f"  {key_names(key.keys):<16} {key.label}" for key in group.keys]
            out.append("")
        text = "\n".join(out) + "\n" + SIGNS
        return self.glyphs.own(text).replace("\\n", "\n") if self.glyphs.ascii else text


def _style(line: str) -> str:
    return "" if line.startswith(" ") else "title"
