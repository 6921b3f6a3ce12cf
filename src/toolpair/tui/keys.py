"""Every key of the interface, defined once. Bindings, the help screen, the palette and what `[keys]` may set are made
from this table. Textual is loaded only for the bindings: `toolpair config` looks at the table, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.shell.settings import BadSettings

if TYPE_CHECKING:
    from textual.binding import BindingType

    from toolpair.shell.settings import Setting

_NAMES: Final = {
    "move(1)": "down", "move(-1)": "up", "half(1)": "half-down", "half(-1)": "half-up", "page(1)": "page-down",
    "page(-1)": "page-up", "edge(-1)": "start", "edge(1)": "end", "side(-1)": "left", "side(1)": "right",
    "problem(1)": "next-problem", "problem(-1)": "previous-problem", "choose": "other-ways", "bytes": "exact-bytes",
    "search": "find", "hit(1)": "next-match", "hit(-1)": "previous-match", "yank": "copy", "profile": "to-provider",
    "sees": "model-view", "sort(1)": "sort", "leave": "quit", "quit": "quit-anywhere", "lean(1)": "longer-list",
    "lean(-1)": "shorter-list", "scroll_preview(1)": "preview-down", "scroll_preview(-1)": "preview-up",
    "shift(-1)": "shift-left", "shift(1)": "shift-right", "order": "sort-sessions", "app.focus_next": "pane",
    "ask": "prove",
}  # fmt: skip
"""The names of actions that are called otherwise in the code."""


def name_of(action: str) -> str:
    """The name of an action, for commands and settings: next-problem, fix-all."""
    name, _, ways = action.partition("(")
    way = ("previous-" if ways.startswith("-") else "next-") if ways else ""
    return _NAMES.get(action) or f"{way}{name.replace('_', '-')}"


class Key(Struct, frozen=True):
    """`keys` are Textual's names, `action` is one of the screen or widget that owns the group."""

    keys: str
    action: str
    label: str
    palette: bool = True
    listed: bool = True
    """Whether `?` lists it: not if another group lists it already."""

    @property
    def name(self) -> str:
        return name_of(self.action)


_SHORT: Final = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup"}
_TEXTUAL: Final = {"solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at", "hyphen_minus": "minus",
                   "plus_sign": "plus", "low_line": "underscore"}  # fmt: skip
"""What Textual calls a few characters other than Unicode does."""


def _textual_name(character: str) -> str:
    name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return _TEXTUAL.get(name, name)


_PUNCTUATION: Final = {_textual_name(character): character for character in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}


def key_names(keys: str) -> str:
    """Textual's comma-separated names in a readable form."""
    return " ".join(_SHORT.get(name) or _PUNCTUATION.get(name, name) for name in keys.split(","))


class KeyGroup(Struct, frozen=True):
    """Keys that belong together."""

    id: str
    title: str
    keys: tuple[Key, ...]
    typing: bool = False
    """Whether text is typed there: of the user's own keys those that type or edit text have no effect."""

    def keys_of(self, key: Key, own: Mapping[str, str]) -> str:
        """The keys that one of it has, by Textual's names, where some are the user's own."""
        found = own.get(key.name, "")
        return (_not_typed(found) if self.typing else found) or key.keys

    def held(self, own: Mapping[str, str]) -> frozenset[str]:
        """All its keys by Textual's names."""
        return frozenset(one for key in self.keys for one in self.keys_of(key, own).split(","))

    def bindings(self, priority: bool = False) -> list[BindingType]:
        from textual.binding import Binding

        return [
            Binding(
                key.keys,
                key.action,
                key.label,
                show=False,
                priority=priority,
                id=f"{self.id}.{key.name}",
            )
            for key in self.keys
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
        Key("C", "cut", "cut off what is before here, or after: a new session"),
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
        Key("tab,shift+tab", "pane", "to the causes, or back: enter shows these, a fixes them"),
        Key("plus", "lean(1)", "a line more for the list; the border can be dragged, too", False),
        Key("minus", "lean(-1)", "a line less for the list", False),
        Key("J", "scroll_preview(1)", "scroll the preview down", False),
        Key("K", "scroll_preview(-1)", "scroll the preview up", False),
        Key("at", "goto", "go to a place, or paste an API error"),
        Key("y", "yank", "copy something"),
        Key("P", "profile", "check against another provider"),
        Key("t", "times", "when, how long, and the tokens of each response, or not"),
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
REQUESTS = KeyGroup(
    "requests",
    "In what the model sees",
    (
        Key("comma", "request(-1)", "the request before: what the model saw then", False),
        Key("full_stop", "request(1)", "the request after; [ and ] go to those that broke", False),
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
        Key("r", "read_again", "read the file again, if it has changed", False),
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
PICKER = KeyGroup(
    "picker",
    "In the list of sessions: letters filter it by agent, folder, last words or id; ! broken ones",
    (
        Key("up", "move(-1)", "to the session above", False),
        Key("down", "move(1)", "to the session below", False),
        Key("pageup", "page(-1)", "a page of sessions up", False),
        Key("pagedown", "page(1)", "a page of sessions down", False),
        Key("home", "edge(-1)", "to the first session", False),
        Key("end", "edge(1)", "to the last session", False),
        Key("right_square_bracket", "problem(1)", "next broken session", False),
        Key("left_square_bracket", "problem(-1)", "previous broken session", False),
        Key("enter", "open", "open the session", False),
        Key("ctrl+f", "search_contents", "find what was typed in what was said in all sessions", False),
        Key("ctrl+s", "order", "sort: by age, size, problems, agent, folder", False),
        Key("ctrl+t", "mark", "mark one, then another, to compare the two", False),
        Key("f1", "help", "all keys", False, False),
        Key("escape", "back", "clear the filter, then back to the session, or quit", False),
    ),
    typing=True,
)
COMPLETE = KeyGroup(
    "typed", "While you type", (Key("tab", "complete", "complete a command, or a filter", False),), True
)
FILTERED = KeyGroup("filtered", "", PICKER.keys[:2], typing=True)
"""Movement in a list that letters filter."""
PANES = KeyGroup("panes", "", (Key("tab,shift+tab", "app.focus_next", "to what is below, or back", False, False),))
CHOOSER = KeyGroup(
    "chooser", "Among all ways to fix", (Key("e", "edit", "edit the text that stands for a result", False),)
)
PROVE = KeyGroup("prove", "", (Key("enter,V", "ask", "ask it", False, False),))
DISCARD = KeyGroup(
    "discard", "Where fixes are not saved", (Key("D", "discard", "discard them, once you have confirmed", False),)
)
CURSOR = KeyGroup("cursor", "", tuple(key for key in MOVE.keys if not key.action.startswith("side")))
"""Movement in lists with one column."""
GROUPS = (
    PROBLEMS, LOOK, MOVE, VIEWER, REQUESTS, CHOOSER, STATISTICS, COMPARE, REVIEW, SAVED, DISCARD, PICKER, COMPLETE, APP,
    PROGRAM,
)  # fmt: skip


def _only(group: KeyGroup, action: str) -> KeyGroup:
    """What a question takes of the keys of a screen."""
    return KeyGroup(group.id, "", tuple(key for key in group.keys if key.action == action))


SCREENS: Final[Mapping[str, tuple[KeyGroup, ...]]] = {
    "the list of pairs": (PROBLEMS, LOOK, MOVE, APP, PROGRAM),
    "an open text": (VIEWER, CURSOR, APP, PROGRAM),
    "what the model sees": (REQUESTS, VIEWER, CURSOR, APP, PROGRAM),
    "the statistics": (STATISTICS, PANES, CURSOR, APP, PROGRAM),
    "a comparison": (COMPARE, CURSOR, APP, PROGRAM),
    "the review": (REVIEW, CURSOR, APP, PROGRAM),
    "what is shown after saving": (SAVED, APP, PROGRAM),
    "the ways to fix": (CHOOSER, PANES, CURSOR, APP, PROGRAM),
    "the list of recipes": (PANES, CURSOR, APP, PROGRAM),
    "the list of sessions": (PICKER, PROGRAM),
    "a filter": (COMPLETE, PROGRAM),
    "the list of commands": (COMPLETE, FILTERED, PROGRAM),
    "a menu": (FILTERED, CURSOR, APP, PROGRAM),
    "the question before an agent is asked": (PROVE, APP, PROGRAM),
    "the question about fixes that are not saved": (DISCARD, _only(PROBLEMS, "review"), APP, PROGRAM),
    "the question about a guess": (_only(PROBLEMS, "choose"), APP, PROGRAM),
    "the question about other names of the file": (_only(REVIEW, "save_copy"), APP, PROGRAM),
    "the question whether to read again": (_only(REVIEW, "read_again"), APP, PROGRAM),
}
"""The keys that there are at the same time."""
_NUMBERED: Final = dict.fromkeys("123456789", "one of the numbers")
_ELSEWHERE: Final = {"a menu": _NUMBERED, "the question about a guess": _NUMBERED}
"""Keys that are no entry of the table."""
_FIXED: Final = ("enter", "escape", *(name for key in PROGRAM.keys for name in key.keys.split(",")))
SETTABLE: Final = {
    key.name: key
    for groups in SCREENS.values()
    for group in groups
    for key in group.keys
    if not set(key.keys.split(",")) & set(_FIXED)
}
"""What has keys of one's own, by name; one that several screens have is set for all of them."""
_KEY: Final = re.compile(
    r"(?:ctrl\+[abdefgklnoprstuvwxy]|(?:shift\+)?tab|space|f(?:[1-9]|1[0-2])"
    r"|(?:ctrl\+|shift\+)?(?:up|down|left|right|home|end|pageup|pagedown)|insert|delete|backspace)"
)
"""Keys that are no character. Of those with ctrl, terminals send some as tab, enter and backspace."""


def _not_typed(keys: str) -> str:
    """Those that neither type text nor edit it."""
    editing = ("space", "left", "right", "backspace", "delete")
    return ",".join(key for key in keys.split(",") if _KEY.fullmatch(key) and key not in editing)


def own_keys(table: Mapping[str, Setting]) -> dict[str, str]:
    """What `[keys]` sets: the keys of each name, as Textual writes them. Raises BadSettings."""
    found: dict[str, str] = {}
    for name, setting in table.items():
        if name not in SETTABLE:
            from difflib import get_close_matches

            meant = get_close_matches(name, SETTABLE, n=1)
            hint = f"Did you mean {meant[0]}?" if meant else f"These have: {', '.join(SETTABLE)}."
            raise BadSettings(f"{setting.where}: {name} has no keys that can be set. {hint}")
        given = setting.given if isinstance(setting.given, list) and setting.given else [setting.given]
        found[name] = ",".join(dict.fromkeys(_key(setting, one) for one in given))
        if not _not_typed(found[name]) and all(group.typing for group, _ in _named(name)):
            raise BadSettings(
                f'{setting.where}: {name} takes a key that types nothing, such as "f5" or "ctrl+x", '
                f"not {key_names(found[name])}."
            )
    for screen, groups in SCREENS.items():
        used = dict(_ELSEWHERE.get(screen, {}))
        for group in groups:
            for key in group.keys:
                for one in group.keys_of(key, found).split(","):
                    other = used.setdefault(one, key.name)
                    if other != key.name:
                        setting = table.get(key.name) or table[other]
                        raise BadSettings(
                            f"{setting.where}: {key_names(one)} cannot be both {other} and {key.name} in {screen}. "
                            "Give the other one another key, too."
                        )
    return found


_GROUPS: Final = {group.id: group for groups in reversed(list(SCREENS.values())) for group in groups}


def _named(name: str) -> Iterator[tuple[KeyGroup, Key]]:
    """All that has a name, and where."""
    return ((group, key) for group in _GROUPS.values() for key in group.keys if key.name == name)


def _key(setting: Setting, given: object) -> str:
    """The key as Textual calls it. Raises BadSettings."""
    if isinstance(given, str):
        lower = next((name for name, short in _SHORT.items() if short == given.lower()), given.lower())
        if len(given) == 1 and (given.isalnum() or given in _PUNCTUATION.values()):
            return given if given.isalnum() else _textual_name(given)
        if _KEY.fullmatch(lower) and lower not in _FIXED:
            return lower
    raise BadSettings(
        f'{setting.where}: {setting.key} takes a key such as "x", "]", "space", "f5" or "ctrl+x", or a list of keys, '
        f"not {given!r}."
    )


def keymap_of(own: Mapping[str, str]) -> dict[str, str]:
    """The keys of one's own by the ids of bindings."""
    return {f"{group.id}.{name}": group.keys_of(key, own) for name in own for group, key in _named(name)}


def held_keys(own: Mapping[str, str], typing: bool = False) -> dict[str, str]:
    """The keys of one's own as they are shown, by action; `typing`: where text is typed, if they are others there."""
    places = sorted((place for name in own for place in _named(name)), key=lambda place: place[0].typing == typing)
    return {key.action: key_names(group.keys_of(key, own)) for group, key in places}
