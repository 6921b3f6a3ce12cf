"""All keys, generated from the bindings and searchable like any text."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from textual.binding import Binding
from textual.screen import Screen

from toolpair.tui.keys import GROUPS, key_names
from toolpair.tui.screens.base_screen import Hint
from toolpair.tui.screens.viewer import ViewerScreen, text_page
from toolpair.tui.styled_text import Glyphs

SIGNS = """\
Signs
  ✗  a call without its result
  ?  a result without its call
  ≠  the ids of call and result differ
  =  more than one result for a call
  ~  a result at the wrong place
  !  another problem, or a line that cannot be read
  ✓  fixed, not saved yet
  ·  a note: nothing breaks

Filters (&): rows that match all terms; esc shows all rows again
  tool:Bash      calls of this tool
  is:problem     is:error, is:fixed, is:note
  took:>10s      calls that took longer; took:<500ms, took:1m..5m
  size:>100K     larger outputs; size:<1M, size:10K..2M
  time:>10:30    later than that on any day; time:10:30..11:00
  time:2026-11-22  that day; time:<2026-11-22T10:30
  cause:1        the first cause; also cause:result.missing
  id:toolu_01    ids with these letters
  text:"two words"  text with spaces; any other word is text, too
  -tool:Bash     a term after - excludes what it matches
"""


class HelpScreen(ViewerScreen):
    """A single page."""

    def __init__(self, over: Screen[Any] | None = None) -> None:
        """`over`: the screen whose keys come first."""
        own = _groups_of(over)
        text = text_page("keys", lambda: keys_text(self.glyphs, self.tool.own.keys, own), _style)
        super().__init__("All keys", [text])

    def hints(self) -> list[Hint]:
        if self.query_one("#find").has_class("-open"):
            return super().hints()
        return [
            (self.glyphs.both("j", "move(1)", "k", "move(-1)"), "scroll", ""),
            ("/", "find", "search"),
            ("n", "next", "hit(1)"),
            ("q", "back", "leave"),
        ]


def _groups_of(screen: Screen[Any] | None) -> set[str]:
    """The groups of keys that only a few screens have, as far as this one has them."""
    bindings = screen.BINDINGS if screen is not None else ()
    ids = (binding.id for binding in bindings if isinstance(binding, Binding))
    return {found.partition(".")[0] for found in ids if found} - {"app", "move"}


def keys_text(glyphs: Glyphs, own: Mapping[str, str], first: Collection[str] = ()) -> str:
    """All keys by groups, those of `first` before the others. `own`: the keys of the user's own."""
    out: list[str] = []
    for group in sorted(GROUPS, key=lambda group: group.id not in first):
        out.append(group.title)
        out += [f"  {key_names(group.keys_of(key, own)):<16} {key.label}" for key in group.keys if key.listed]
        out.append("")
    text = "\n".join(out) + "\n" + SIGNS
    return "\n".join(map(glyphs.own, text.split("\n"))) if glyphs.ascii else text


def _style(line: str) -> str:
    return "" if line.startswith(" ") else "title"
