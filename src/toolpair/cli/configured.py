"""Options that the user, or a project, has set once for all become arguments, before those that are typed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.cli.exits import UsageError
from toolpair.cli.meant import closest
from toolpair.cli.selection import named
from toolpair.cli.terminal import chosen_profiles, say
from toolpair.shell.program import command as program
from toolpair.shell.program import resolved
from toolpair.shell.settings import BadSettings, Setting, Settings, of_user
from toolpair.shell.settings import of_project as settings_of_project

OPTIONS: Final = (
    "agent-version", "ascii", "baseline", "color", "ignore", "inactive", "jobs", "keep-backups", "limit",
    "max-id-length", "max-size", "no-cache", "no-journal", "no-pager", "output-format", "profile", "quiet", "recipe",
    "select", "show-content", "skip-unrecognised", "statistics", "theme",
)  # fmt: skip
"""What can be set: how things are read, judged and shown. Where something is written, and that it is, is typed."""
AGENTS: Final = "agents"
OWN_TABLES: Final = ("keys", "signs")
"""What the user can set of the interface besides its options."""
OF_PROJECTS: Final = ("profile", "select", "ignore", "baseline")
"""What a project can set for `check`: a clone is not trusted with more."""
_RULES: Final = ("select", "ignore")


def configured(
    command: str,
    commands: Collection[str],
    project: str | None,
    parser: argparse.ArgumentParser,
    typed: Sequence[str],
) -> list[str]:
    """The arguments of a command, one of `commands`, that are set once for all. Of a file that is wrong there are none,
    but a sentence.

    `project` is the path of a pyproject.toml that says something of toolpair. What it sets of the arguments is the
    option `project`: its path, the names, and what was typed.
    """
    found: list[str] = []
    for path in (project, None) if project is not None else (None,):
        try:
            settings = _of_project(path, parser, typed) if path is not None else _of_user(command, commands, parser)
            more = arguments_of(settings, parser, [*found, *typed])
        except BadSettings as error:
            if command != "config":  # which says so itself
                say(f"{error} Nothing that is set there is used; `{program('config')}` shows what is.")
            continue
        if path is not None:
            names = {argument.partition("=")[0].removeprefix("--") for argument in more}
            if set_there := tuple(name for name in OF_PROJECTS if name in names):
                parser.set_defaults(project=(path, set_there, tuple(typed)))
        found += more
    return found


def _of_project(path: str, parser: argparse.ArgumentParser, typed: Sequence[str]) -> Mapping[str, Setting]:
    """What a project sets for files inside of it; nothing, and a sentence, where another is asked for.

    Raises BadSettings.
    """
    found = of_project(path)
    if found and (outside := _outside(path, parser.parse_args(list(typed)).paths)) is not None:
        say(f"Nothing that {path} sets is used: {outside} is outside of that project.")
        return {}
    return found


def of_project(path: str) -> dict[str, Setting]:
    """What a project's pyproject.toml sets. Raises BadSettings, also for a path that leads out of the project."""
    found = known_of(settings_of_project(path), "", OF_PROJECTS)
    if (baseline := found.get("baseline")) is not None:
        root = os.path.realpath(os.path.dirname(path))
        inside = resolved(os.path.join(root, baseline.given)) if isinstance(baseline.given, str) else root
        if not _is_below(inside, root) or inside == root or (os.path.exists(inside) and not os.path.isfile(inside)):
            raise BadSettings(f"{baseline.where}: baseline is a file of the project, not {baseline.given!r}.")
        found["baseline"] = replace(baseline, given=inside)
    return found


def _outside(path: str, names: Sequence[str]) -> str | None:
    """The first of the files and folders that is not in the folder of the project. What is piped in has no place."""
    from toolpair.cli.inputs import HERE, STDIN, named_or_lost
    from toolpair.source.addresses import divided

    root = os.path.realpath(os.path.dirname(path))
    for name in names:
        place = name if name in (HERE, STDIN) or os.path.lexists(name) else divided(named_or_lost(name))[0]
        if name != STDIN and not _is_below(resolved(place), root):
            return name
    return None


def leads_out_of(name: str, path: str) -> bool:
    """Whether a file that lies in the folder of a project is a link to one that does not."""
    from toolpair.source.addresses import divided

    return not _is_below(resolved(divided(name)[0]), os.path.realpath(os.path.dirname(path)))


def _is_below(path: str, root: str) -> bool:
    return "\0" not in path and os.path.commonpath((root, path)) == root


def _of_user(command: str, commands: Collection[str], parser: argparse.ArgumentParser) -> Mapping[str, Setting]:
    settings = of_user()
    refuse_unknown_tables(settings, commands)
    return known_of(settings, "", OPTIONS) | fitting(settings, command, parser)


def refuse_unknown_tables(settings: Settings, commands: Collection[str]) -> None:
    """Raises BadSettings for a table that nothing reads, and for one that is written as a value."""
    tables = ("open", AGENTS, *OWN_TABLES, *commands)
    for name, setting in settings.table("").items():
        if name in tables:
            raise BadSettings(f"{setting.where}: {name} is a table: what it sets stands below [{name}].")
    for name, table in settings.tables.items():
        if name and name not in tables:
            meant = closest(name, tables)
            hint = f"Did you mean [{meant}]?" if meant else "Each command has one, the interface [open]."
            raise BadSettings(f"{next(iter(table.values())).where}: There is no table [{name}]. {hint}")


def fitting(settings: Settings, command: str, parser: argparse.ArgumentParser) -> dict[str, Setting]:
    """What the table of a command sets. Raises BadSettings for what it has no option for, too."""
    found = known_of(settings, command, OPTIONS)
    for setting in found.values():
        if f"--{setting.key}" not in parser._option_string_actions:
            whose = "The interface" if command == "open" else f"`{program(command)}`"
            raise BadSettings(f"{setting.where}: {whose} has no --{setting.key} that could be set.")
    return found


def known_of(settings: Settings, table: str, known: Sequence[str]) -> dict[str, Setting]:
    """What a table sets. Raises BadSettings for what cannot be set there."""
    found = settings.table(table)
    for key, setting in found.items():
        if key not in known:
            meant = closest(key, known, 0.7)
            hint = f"Did you mean {meant}?" if meant else f"These can be set: {', '.join(known)}."
            raise BadSettings(f"{setting.where}: {key} can't be set{f' in [{table}]' if table else ' there'}. {hint}")
        _refuse_unknown(setting)
    return dict(found)


def _refuse_unknown(setting: Setting) -> None:
    """Raises BadSettings for a rule or a profile that there is not. What is no text is refused as an argument."""
    given = setting.given if isinstance(setting.given, list) else [setting.given]
    texts = [one for one in given if isinstance(one, str)]
    try:
        if setting.key in _RULES and texts:
            named(texts)
        elif setting.key == "profile" and texts:
            chosen_profiles(argparse.Namespace(profile=texts))
    except UsageError as error:
        raise BadSettings(f"{setting.where}: {error}") from None


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
