"""What the user has set of the interface in `config.toml`: `[keys]` and `[signs]`. Loads no Textual."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from toolpair.shell.settings import BadSettings, Setting, Settings
from toolpair.tui.keys import own_keys

COLOURS: Final = ("stops", "loses", "ready", "applied", "hint")
"""What colours say: the session won't resume, something is lost, in order, applied but not saved, a key or a title."""


class Own(Struct, frozen=True):
    """Keys as Textual writes them by the names of commands, and colours by what they say."""

    keys: Mapping[str, str] = {}
    colours: Mapping[str, str] = {}


USUAL: Final = Own()


def own_of(settings: Settings, wrong: list[str]) -> Own:
    """A table that is wrong is one sentence in `wrong`, and the usual ones hold instead of all of it."""
    found: list[dict[str, str]] = []
    for name, read in (("keys", own_keys), ("signs", _own_colours)):
        try:
            found.append(read(settings.table(name)))
        except BadSettings as error:
            found.append({})
            wrong.append(f"{error} Nothing in [{name}] is used.")
    return Own(*found)


def _own_colours(table: Mapping[str, Setting]) -> dict[str, str]:
    found = {}
    for name, setting in table.items():
        if name not in COLOURS:
            raise BadSettings(f"{setting.where}: {name} has no colour. These have: {', '.join(COLOURS)}.")
        if not isinstance(setting.given, str) or not re.fullmatch("#[0-9a-fA-F]{6}", setting.given):
            raise BadSettings(f'{setting.where}: {name} takes a colour such as "#ff8800", not {setting.given!r}.')
        found[name] = setting.given
    return found
