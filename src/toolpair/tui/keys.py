"""Every key of the interface, defined once. Bindings, the help screen and the palette are generated from this table."""

from __future__ import annotations

from msgspec import Struct
from textual.binding import Binding, BindingType


class Key(Struct, frozen=True):
    """`keys` are Textual's names, `action` is one of the screen or widget that owns the group."""

    keys: str
    action: str
    label: str
    palette: bool = True
    listed: bool = True
    """Whether `?` lists it: not if another group lists it already."""


_NAMES = {
    "right_square_bracket": "]", "left_square_bracket": "[", "slash": "/", "ampersand": "&", "at": "@",
    "question_mark": "?", "colon": ":", "exclamation_mark": "!", "vertical_line": "|", "less_than_sign": "<",
    "greater_than_sign": ">", "left_curly_bracket": "{", "right_curly_bracket": "}",
    "plus": "+", "minus": "-", "escape": "esc", "pagedown": "pgdn", "pageup": "pgup",
}  # fmt: skip


def key_names(keys: str) -> str:
    """Textual's comma-separated names in a readable form."""
    return " ".join(_NAMES.get(name, name) for name in keys.split(","))


class KeyGroup(Struct, frozen=True):
    """Keys that belong together."""

    id: str
    title: str
    keys: tuple[Key, ...]

    def bindings(self, priority: bool = False) -> list[BindingType]:
        return [
            Binding(
                key.keys,
                key.action,
                key.label,
                show=False,
                priority=priority,
                id=f"{self.id}.{key.action.partition('(')[0]}.{n}",
            )
            for n, key in enumerate(self.keys)
        ]


MOVE = KeyGroup(
    "move",
    "Move",
    (
        Key("j,down", "move(1)", "down", False),
        Key("k,up", "move(-1)", "up", False),
        Key("ctrl+d", "half(1)", "half a page down", False),
        Key("ctrl+u", "half(-1)", "half a page up", False),
        Key("ctrl+f,pagedown", "page(1)", "a page down", False),
        Key("ctrl+b,pageup", "page(-1)", "a page up", False),
        Key("g,home", "edge(-1)", "to the start", False),
        Key("G,end", "edge(1)", "to the end", False),
        Key("h,left", "side(-1)", "to the call, or the page before", False),
        Key("l,right", "side(1)", "to the result, or the next page", False),
    ),
)
PROBLEMS = KeyGroup(
    "problems",
    "Problems and fixes",
    (
        Key("right_square_bracket", "problem(1)", "next problem"),
        Key("left_square_bracket", "problem(-1)", "previous problem"),
        Key("space", "fix", "fix this problem, go to the next"),
        Key("a", "fix_cause", "fix everything with this cause"),
        Key("A", "fix_all", "fix everything safe, then review"),
        Key("M", "recipe", "fix with a recipe, after a preview"),
        Key("f", "choose", "choose among all the ways to fix it"),
        Key("p", "bytes", "exact bytes that would change"),
        Key("u", "undo", "undo"),
        Key("ctrl+r", "redo", "redo"),
        Key("w", "review", "review and save"),
        Key("R", "restore", "restore an original that a save kept"),
        Key("C", "cut", "cut: leave out what is before here, or after, as a new session"),
    ),
)
LOOK = KeyGroup(
    "look",
    "Look",
    (
        Key("enter", "open", "open the call or the result"),
        Key("slash", "search", "find text, tools and ids"),
        Key("n", "hit(1)", "next match"),
        Key("N", "hit(-1)", "previous match"),
        Key("ampersand", "filter", "filter the rows"),
        Key("exclamation_mark", "broken", "show only what is broken, or all again"),
        Key("tab,shift+tab", "pane", "to the causes, or back: there enter shows only these, a fixes them"),
        Key("plus", "lean(1)", "a line more for the list; the border can be dragged, too", False),
        Key("minus", "lean(-1)", "a line less for the list", False),
        Key("J", "scroll_preview(1)", "scroll the preview down", False),
        Key("K", "scroll_preview(-1)", "scroll the preview up", False),
        Key("at", "goto", "go to a place, or paste an API error"),
        Key("y", "yank", "copy something"),
        Key("P", "profile", "check against another provider"),
        Key("t", "times", "when and how long, and the tokens of each response; again without"),
        Key("S", "statistics", "statistics: calls, failures, time and bytes by tool"),
        Key("d", "compare", "compare with a backup, a fork, another session"),
        Key("m", "sees", "what the model sees"),
        Key("V", "prove", "ask the agent that is installed here what it really sends"),
        Key("b", "branches", "go to another branch, or to a sub-agent"),
        Key("c", "conversation", "go to another conversation in this file"),
        Key("ctrl+o", "sessions", "open another session on this machine"),
        Key("r", "read_rest", "read the rest, after reading was stopped", False),
        Key("F", "follow", "follow the file as it grows, or stop following"),
    ),
)
APP = KeyGroup(
    "app",
    "toolpair",
    (
        Key("question_mark,f1", "help", "all keys"),
        Key("colon,ctrl+p", "palette", "all commands", False),
        Key("escape", "back", "close what is on top; never quits", False),
        Key("q", "leave", "back, then quit", False),
    ),
)
PROGRAM = KeyGroup(
    "program",
    "Anywhere",
    (
        Key("ctrl+q,ctrl+c", "quit", "quit", False),
        Key("ctrl+z", "suspend_process", "suspend; fg in the shell brings it back", False),
    ),
)
"""Handled whatever has the focus."""
VIEWER = KeyGroup(
    "viewer",
    "In an open text",
    (
        Key("h,left", "side(-1)", "to the page before", False, False),
        Key("l,right", "side(1)", "to the next page", False, False),
        Key("enter", "fold", "fold or unfold what is under the cursor", False),
        Key("O", "fold_all", "fold everything, or unfold it", False),
        Key("right_square_bracket", "change(1)", "next change of a diff", False),
        Key("left_square_bracket", "change(-1)", "previous change of a diff", False),
        Key("right_curly_bracket", "pair(1)", "the next pair", False),
        Key("left_curly_bracket", "pair(-1)", "the previous pair", False),
        Key("tab,shift+tab", "other_side", "to the call, or to its result", False),
        Key("vertical_line", "columns", "one column or two: a diff, a call and its result", False),
        Key("v", "record", "the record as it stands in the file, and back", False),
        Key("z", "wrap", "wrap long lines, or not; a record as its bytes stand", False),
        Key("less_than_sign", "shift(-1)", "left along unwrapped lines", False),
        Key("greater_than_sign", "shift(1)", "right along unwrapped lines", False),
        Key("slash", "search", "find as you type", False, False),
        Key("n", "hit(1)", "next match", False, False),
        Key("N", "hit(-1)", "previous match", False, False),
        Key("y", "yank", "copy what is shown", False, False),
    ),
)
REVIEW = KeyGroup(
    "review",
    "In the review",
    (
        Key("enter", "save", "save", False),
        Key("s", "save_copy", "save a copy", False),
        Key("p", "diff", "exact diff", False),
        Key("x", "exclude", "exclude one, or include it again", False),
        Key("right_square_bracket", "row_change(1)", "next change of this row", False),
        Key("left_square_bracket", "row_change(-1)", "previous change of this row", False),
        Key("J", "scroll_preview(1)", "scroll the diff down", False, False),
        Key("K", "scroll_preview(-1)", "scroll the diff up", False, False),
    ),
)
STATISTICS = KeyGroup(
    "statistics",
    "In the statistics",
    (
        Key("h,left", "sort(-1)", "sort by the column before", False),
        Key("l,right", "sort(1)", "sort by the next column", False),
        Key("y", "csv", "copy the numbers as CSV", False),
    ),
)
COMPARE = KeyGroup(
    "compare",
    "In a comparison",
    (
        Key("right_square_bracket", "difference(1)", "next difference", False),
        Key("left_square_bracket", "difference(-1)", "previous difference", False),
        Key("h,left", "side(-1)", "to A", False, False),
        Key("l,right", "side(1)", "to B", False, False),
        Key("enter", "open_both", "open both, or unfold what is the same", False),
        Key("O", "fold_all", "unfold all that is the same, or fold it", False, False),
        Key("vertical_line", "columns", "one column or two", False, False),
        Key("slash", "search", "find as you type", False, False),
        Key("n", "hit(1)", "next match", False, False),
        Key("N", "hit(-1)", "previous match", False, False),
        Key("ampersand", "filter", "filter by tool, text, id; is:different, is:a, is:b", False, False),
        Key("p", "bytes", "exact bytes of both records", False, False),
        Key("J", "scroll_preview(1)", "scroll what is below down", False, False),
        Key("K", "scroll_preview(-1)", "scroll what is below up", False, False),
    ),
)
SAVED = KeyGroup(
    "saved",
    "After saving",
    (
        Key("y", "yank", "copy the command that resumes", False),
        Key("u", "undo", "undo the save, after asking", False),
        Key("V", "prove", "ask the agent that is installed here what it sends of it", False, False),
        Key("enter", "close", "back to the list", False),
    ),
)
PICKER_MOVE = KeyGroup(
    "picker_move",
    "",
    (
        Key("up", "move(-1)", "up"),
        Key("down", "move(1)", "down"),
        Key("pageup", "page(-1)", "a page up"),
        Key("pagedown", "page(1)", "a page down"),
        Key("home", "edge(-1)", "to the start"),
        Key("end", "edge(1)", "to the end"),
        Key("right_square_bracket", "problem(1)", "next broken session"),
        Key("left_square_bracket", "problem(-1)", "previous broken session"),
    ),
)
"""The movement where letters are typed into a filter."""
PICKER = KeyGroup(
    "picker",
    "In the list of sessions",
    (
        Key(",".join(key.keys for key in PICKER_MOVE.keys if "problem" not in key.action), "move", "move", False),
        Key("right_square_bracket,left_square_bracket", "problem", "next or previous broken session", False),
        Key("letters", "filter", "filter by agent, folder, last words or id; ! broken ones", False),
        Key("enter", "open", "open the session", False),
        Key("ctrl+s", "order", "sort: by age, size, problems, agent, folder", False),
        Key("ctrl+t", "mark", "mark one, then another, to compare the two", False),
        Key("escape", "back", "clear the filter, then back to the session, or quit", False),
    ),
)
CURSOR = KeyGroup("cursor", "", tuple(key for key in MOVE.keys if not key.action.startswith("side")))
"""Movement in lists with one column."""
GROUPS = (PROBLEMS, LOOK, MOVE, VIEWER, STATISTICS, COMPARE, REVIEW, SAVED, PICKER, APP, PROGRAM)
