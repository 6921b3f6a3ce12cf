"""Every command by its name: what `:` completes and the palette lists, made of the tables of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType

from toolpair.source.byte_runs import common_start
from toolpair.tui.keys import GROUPS, key_names, name_of

_FEW: Final = 3
_ALWAYS: Final = (("theme", "choose a theme: dark, light, others", ""), ("leave", "quit", "q"))


Keys = Callable[[str, str], str]
"""The keys of an action, given the usual ones, as `Glyphs.keys`."""


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


def commands_of_main(keys_of: Keys) -> list[Command]:
    """All commands of the main screen, in the order of the help."""
    listed = [
        Command(key.name, key.label, keys_of(key_names(key.keys), key.action), key.action)
        for group in GROUPS
        for key in group.keys
        if key.palette
    ]
    always = [Command(name_of(action), label, keys_of(keys, action), action) for action, label, keys in _ALWAYS]
    return [*listed, *always]


def commands_of(bindings: Iterable[BindingType], keys_of: Keys) -> list[Command]:
    """The commands of a screen, from its bindings."""
    found: dict[str, Command] = {}
    for binding in bindings:
        if not isinstance(binding, Binding) or binding.action.partition("(")[0] in _UNNAMED:
            continue
        name = name_of(binding.action)
        keys = keys_of(key_names(binding.key), binding.action)
        found.setdefault(name, Command(name, binding.description, keys, binding.action))
    return list(found.values())


_UNNAMED: Final = frozenset({"move", "half", "page", "edge", "palette", "side", "back", "save", "sort_by"})
"""Moving and closing need no name; a save is confirmed where its review is read."""


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
