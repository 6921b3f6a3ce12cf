"""Every key of the interface, once. Bindings, the help screen and the palette are made from this table."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from toolpair.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` in Textual's names, `action` on the screen or widget that owns the group."""

    keys: str
    action: str
    label: str
    palette: bool = True


_NAMES = {
    "right_square_bracket": "]", "left_square_bracket": "[", "slash": "/", "ampersand": "&", "at": "@",
    "question_mark": "?", "less_than_sign": "<", "greater_than_sign": ">", "escape": "esc", "pagedown": "pgdn",
    "pageup": "pgup",
}  # fmt: skip


def key_names(keys: str) -> str:
    """Textual's names, parted by commas, as people know them."""
    return " ".join(_NAMES.get(name, name) for name in keys.split(","))


@dataclass(frozen=True, slots=True)
class Group:
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


MOVE = Group(
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
        Key("h,left", "side(-1)", "to the call", False),
        Key("l,right", "side(1)", "to the result", False),
    ),
)
PROBLEMS = Group(
    "problems",
    "Problems and fixes",
    (
        Key("right_square_bracket", "problem(1)", "next problem"),
        Key("left_square_bracket", "problem(-1)", "previous problem"),
        Key("space", "fix", "fix this problem, go to the next"),
        Key("a", "fix_cause", "fix all of this cause"),
        Key("A", "fix_all", "mend all, then review"),
        Key("M", "recipe", "mend by a recipe, after a preview"),
        Key("f", "choose", "choose among all ways to fix it"),
        Key("p", "bytes", "exact bytes of the fix"),
        Key("u", "undo", "undo"),
        Key("ctrl+r", "redo", "redo"),
        Key("w", "review", "review and save"),
        Key("R", "restore", "put back an original that a save kept"),
    ),
)
LOOK = Group(
    "look",
    "Look",
    (
        Key("enter", "open", "open the call or the result"),
        Key("slash", "search", "find text, tools and ids"),
        Key("n", "hit(1)", "next hit"),
        Key("N", "hit(-1)", "previous hit"),
        Key("ampersand", "filter", "show only some rows"),
        Key("at", "goto", "go to a place, or paste an API error"),
        Key("y", "yank", "copy something"),
        Key("P", "profile", "judge by another provider"),
        Key("m", "sees", "what the model sees"),
        Key("b", "branches", "another branch, or a sub-agent"),
        Key("c", "conversation", "another conversation of this file"),
        Key("ctrl+o", "sessions", "another session of this machine"),
        Key("r", "read_rest", "read the rest, where reading was stopped", False),
        Key("F", "follow", "follow the file as it grows, or stop"),
    ),
)
APP = Group(
    "app",
    "toolpair",
    (
        Key("question_mark,f1", "help", "all keys"),
        Key("ctrl+p", "palette", "all commands", False),
        Key("escape", "back", "close what is on top; never quits", False),
        Key("q", "leave", "back, then quit", False),
    ),
)
PROGRAM = Group(
    "program",
    "Everywhere",
    (
        Key("ctrl+q,ctrl+c", "quit", "quit", False),
        Key("ctrl+z", "suspend_process", "suspend; fg in the shell brings it back", False),
    ),
)
"""Heard whatever has the focus."""
VIEWER = Group(
    "viewer",
    "In an opened cell, and exact bytes",
    (
        Key("h,left", "side(-1)", "to the call, or to the view before", False),
        Key("l,right", "side(1)", "to the result, or to the next view", False),
        Key("z", "wrap", "wrap long lines, or not", False),
        Key("less_than_sign", "shift(-1)", "left along unwrapped lines", False),
        Key("greater_than_sign", "shift(1)", "right along unwrapped lines", False),
        Key("slash", "search", "find", False),
        Key("n", "hit(1)", "next hit", False),
        Key("N", "hit(-1)", "previous hit", False),
        Key("y", "yank", "copy what is shown", False),
    ),
)
REVIEW = Group(
    "review",
    "In the review",
    (
        Key("enter", "save", "save", False),
        Key("s", "save_copy", "save a copy", False),
        Key("d", "diff", "exact diff of all changes", False),
        Key("space", "take_out", "take one out, or put it back", False),
    ),
)
SAVED = Group(
    "saved",
    "After saving",
    (
        Key("y", "yank", "copy the command that goes on", False),
        Key("u", "undo", "undo the save, when you have said yes", False),
        Key("enter", "close", "back to the list", False),
    ),
)
PICKER = Group(
    "picker",
    "In the list of sessions",
    (
        Key("up,down,pageup,pagedown,home,end", "move", "move", False),
        Key("letters", "filter", "filter by agent, folder, last words or id", False),
        Key("enter", "open", "open the session", False),
        Key("escape", "back", "clear the filter, then back to the session, or quit", False),
    ),
)
CURSOR = Group("cursor", "", tuple(key for key in MOVE.keys if not key.action.startswith("side")))
"""The movement of lists with one column."""
GROUPS = (PROBLEMS, LOOK, MOVE, VIEWER, REVIEW, SAVED, PICKER, APP, PROGRAM)
