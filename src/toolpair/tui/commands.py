"""Every command by its name: what `:` completes and the palette lists, made of the tables of keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType

from toolpair.text.inline_diff import common_start
from toolpair.tui.keys import GROUPS, key_names

NAMES: Final = {
    "problem(1)": "next-problem", "problem(-1)": "previous-problem", "choose": "other-ways", "bytes": "exact-bytes",
    "search": "find", "hit(1)": "next-match", "hit(-1)": "previous-match", "yank": "copy", "profile": "to-provider",
    "sees": "model-view", "sort(1)": "sort", "sessions": "sessions", "leave": "quit",
}  # fmt: skip
"""The names of actions that are called otherwise in the code."""
_FEW: Final = 3
_ALWAYS: Final = (("theme", "choose a theme: dark, light, others", ""), ("leave", "quit", "q"))


class Command(Struct, frozen=True):
    """Something that the main screen does."""

    name: str
    label: str
    keys: str
    action: str

    def matches(self, words: Sequence[str]) -> bool:
        """Whether all words are in its name, its label or its keys."""
        text = f"{self.name} {self.label}".lower()
        return all(word in text or word == self.keys for word in words)


def name_of(action: str) -> str:
    """The name of an action: next-problem, fix-all."""
    return NAMES.get(action, action.partition("(")[0].replace("_", "-"))


def commands_of_main() -> list[Command]:
    """All commands of the main screen, in the order of the help."""
    listed = [
        Command(name_of(key.action), key.label, key_names(key.keys), key.action)
        for group in GROUPS
        for key in group.keys
        if key.palette
    ]
    return [*listed, *(Command(name_of(action), label, keys, action) for action, label, keys in _ALWAYS)]


def commands_of(bindings: Iterable[BindingType]) -> list[Command]:
    """The commands of a screen, from its bindings."""
    found: dict[str, Command] = {}
    for binding in bindings:
        if not isinstance(binding, Binding) or binding.action.partition("(")[0] in _UNNAMED:
            continue
        name = _named(binding)
        found.setdefault(name, Command(name, binding.description, key_names(binding.key), binding.action))
    return list(found.values())


_UNNAMED: Final = frozenset({"move", "half", "page", "edge", "palette", "side", "back", "save", "sort_by"})
"""Moving and closing need no name; a save is confirmed where its review is read."""


def _named(binding: Binding) -> str:
    name, _, ways = binding.action.partition("(")
    if not ways:
        return name_of(binding.action)
    known = NAMES.get(binding.action)
    return known or f"{'previous' if ways.startswith('-') else 'next'}-{name.replace('_', '-')}"


def found_for(typed: str, commands: Sequence[Command]) -> list[Command]:
    """Those whose names begin with what was typed; after a few letters also those in which all words occur."""
    words = typed.strip().lower().split()
    begin = [command for command in commands if command.name.startswith("-".join(words))]
    if begin and len(typed.strip()) < _FEW:
        return begin
    return begin + [command for command in commands if command not in begin and command.matches(words)]


def completed(typed: str, commands: Sequence[Command]) -> str:
    """What was typed, completed as far as all names that begin so agree; else the name of the first that is found."""
    typed = "-".join(typed.strip().lower().split())
    names = [command.name for command in commands if command.name.startswith(typed)]
    if names:
        first, last = min(names), max(names)
        same = common_start(first, last)
        if same > len(typed):
            return first[:same]
    found = found_for(typed, commands)
    return found[0].name if found else typed
