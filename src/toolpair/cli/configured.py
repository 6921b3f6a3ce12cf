"""Options that the user, or a project, has set once for all become arguments, before those that are typed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.terminal import say
from toolpair.shell.program import command as program
from toolpair.shell.settings import BadSettings, Setting, Settings, of_user
from toolpair.shell.settings import of_project as settings_of_project

INTERFACE: Final = "open"
"""The table of `toolpair FILE`."""
OPTIONS: Final = (
    "agent-version", "ascii", "baseline", "color", "ignore", "inactive", "jobs", "keep-backups", "limit",
    "max-id-length", "max-size", "no-cache", "no-journal", "output-format", "profile", "quiet", "recipe", "select",
    "show-content", "skip-unrecognised", "statistics",
)  # fmt: skip
"""What can be set: how things are read, judged and shown. Where something is written, and that it is, is typed."""
OF_PROJECTS: Final = ("profile", "select", "ignore", "baseline")
"""What a project can set for `check`: a clone is not trusted with more."""


def configured(command: str, project: str | None, parser: argparse.ArgumentParser, typed: Sequence[str]) -> list[str]:
    """The arguments of a command that are set once for all. Of a file that is wrong there are none, but a sentence.

    `project` is the path of a pyproject.toml that says something of toolpair.
    """
    found: list[str] = []
    for of_project in (True, False):
        try:
            settings = _of_project(project) if of_project else _of_user(command)
            found += arguments_of(settings, parser, [*found, *typed])
        except BadSettings as error:
            say(f"{error} Nothing that is set there is used; `{program('config')}` shows what is.")
    return found


def _of_project(path: str | None) -> Mapping[str, Setting]:
    """Raises BadSettings, also for a path that leads out of the project."""
    found = known_of(settings_of_project(path), "", OF_PROJECTS) if path is not None else {}
    if (baseline := found.get("baseline")) is not None and path is not None:
        root = os.path.realpath(os.path.dirname(path))
        inside = os.path.realpath(os.path.join(root, str(baseline.given)))
        if os.path.commonpath((root, inside)) != root:
            raise BadSettings(f"{baseline.where}: baseline is a file of the project, not {baseline.given!r}.")
        found["baseline"] = replace(baseline, given=inside)
    return found


def _of_user(command: str) -> Mapping[str, Setting]:
    settings = of_user()
    return known_of(settings, "", OPTIONS) | known_of(settings, command, OPTIONS)


def known_of(settings: Settings, table: str, known: Sequence[str]) -> dict[str, Setting]:
    """What a table sets. Raises BadSettings for what cannot be set there."""
    found = settings.table(table)
    for key, setting in found.items():
        if key not in known:
            meant = closest(key, known)
            hint = f"Did you mean {meant}?" if meant else f"These can be set: {', '.join(known)}."
            raise BadSettings(f"{setting.where}: {key} can't be set{f' in [{table}]' if table else ' there'}. {hint}")
    return dict(found)


def arguments_of(found: Mapping[str, Setting], parser: argparse.ArgumentParser, typed: Sequence[str]) -> list[str]:
    """The arguments that settings stand for, without the options that were typed. Raises BadSettings."""
    actions = parser._option_string_actions
    options = typed[: typed.index("--")] if "--" in typed else typed
    given = {actions.get(word.partition("=")[0]) for word in options}
    return [
        argument
        for setting in found.values()
        if (action := actions.get(f"--{setting.key}")) is not None and action not in given
        for argument in _spelt(setting, action, parser)
    ]


def _spelt(setting: Setting, action: argparse.Action, parser: argparse.ArgumentParser) -> Iterator[str]:
    option, value = f"--{setting.key}", setting.given
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise BadSettings(f"{setting.where}: {setting.key} is true or false, not {value!r}.")
        if value:
            yield option
        return
    several = value if isinstance(value, list) and isinstance(action, argparse._AppendAction) else [value]
    for one in several:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise BadSettings(f"{setting.where}: {setting.key} takes a text or a number, not {one!r}.")
        text = f"{option}={one}"
        try:
            parser._get_values(action, [str(one)])
        except (argparse.ArgumentError, UsageError) as error:
            said = str(error).removeprefix("argument ").rstrip(".")
            raise BadSettings(f"{setting.where}: {said}.") from None
        yield text
