"""`toolpair config`: what is set once for all, and where."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from toolpair.cli import exits
from toolpair.cli.configured import (
    AGENTS,
    OPTIONS,
    OWN_TABLES,
    arguments_of,
    fitting,
    known_of,
    of_project,
    refuse_unknown_tables,
)
from toolpair.cli.main import COMMANDS, INTERFACE
from toolpair.cli.open import known_theme, own_settings
from toolpair.cli.terminal import Parser, add_color, add_format, out, safe, say, style_for
from toolpair.formats import all_agents
from toolpair.shell.machine import home_short
from toolpair.shell.program import current_folder, project_settings, settings_file
from toolpair.shell.settings import BadSettings, Setting, Settings, of_user

_VARIABLES: Final = ("TOOLPAIR_BACKUPS", "NO_COLOR", "FORCE_COLOR", "ESCDELAY")
_EPILOG: Final = """\
examples:
  toolpair config          what is set, and where
  toolpair config --path   where the user's own file is, whether or not it exists

In config.toml the options of all commands, and of one command, by their names; what is typed counts more:
  color = "never"
  [open]                 # toolpair FILE
  no-journal = true
  [fix]
  keep-backups = 5
  [check]
  ignore = ["record", "id.pattern"]
  [agents]               # where an agent keeps its files, if not in its usual folder
  claude-code = "~/work/.claude"
  [keys]                 # of the interface, by the names that `:` completes
  find = "ctrl+f"
  page-down = ["pgdn", "f6"]
  [signs]                # colours: stops, loses, ready, applied, hint
  loses = "#ff8800"

A project's pyproject.toml can set profile, select, ignore and baseline of `check` in [tool.toolpair].

exit code: 0, or 2 if a file is wrong
"""


def parser() -> Parser:
    result = Parser("config", "Show what is set once for all, and where each value comes from.", _EPILOG)
    result.add("--path  print the path of the user's own file")
    add_format(result, ("text", "json"))
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    if options.path:
        out(safe(settings_file()))
        return exits.OK
    wrong: list[str] = []
    found = list(_found(wrong))
    if options.output_format == "json":
        entries = [{"table": table, "key": key, "value": value, "from": where} for table, key, value, where in found]
        out(_dump({"version": 1, "path": settings_file(), "settings": entries, "wrong": wrong}, indent=2))
    else:
        style = style_for(sys.stdout, options.color)
        for table, key, value, where in found:
            name = f"{table}.{key}" if table else key
            out(f"{safe(name)} = {safe(_dump(value))}  {style.dim(safe(where))}")
        if not found and not wrong:
            out(f"Nothing is set. Settings go in {safe(home_short(settings_file(), os.path.expanduser('~')))}.")
    for sentence in wrong:
        say(sentence)
    return exits.UNREADABLE if wrong else exits.OK


def _dump(value: object, indent: int | None = None) -> str:
    """As `terminal.dump`; a date is as it is written."""
    return json.dumps(value, ensure_ascii=True, indent=indent, default=str)


def _found(wrong: list[str]) -> Iterator[tuple[str, str, object, str]]:
    """Table, key, value and place of all that is set; what is wrong with a file is one sentence in `wrong`."""
    # What asks for the themes sets one of them.
    environment = {variable: os.environ[variable] for variable in _VARIABLES if variable in os.environ}
    project = project_settings(current_folder())
    try:
        for setting in of_project(project).values() if project is not None else ():
            _refuse_unfit("check", setting)
            yield "check", setting.key, setting.given, setting.where
    except BadSettings as error:
        wrong.append(str(error))
    try:
        settings = of_user()
        own_settings(wrong)
        refuse_unknown_tables(settings, COMMANDS)
        for table, given in settings.tables.items():
            if table in OWN_TABLES:
                yield from ((table, one.key, one.given, one.where) for one in given.values())
                continue
            for setting in _known(settings, table).values():
                _refuse_unfit(table, setting)
                if setting.key == "theme":
                    known_theme(str(setting.given), wrong, f"{setting.where}: ")
                yield table, setting.key, setting.given, setting.where
    except BadSettings as error:
        wrong.append(str(error))
    for variable, value in environment.items():
        yield "", variable, value, "the environment"


def _refuse_unfit(table: str, setting: Setting) -> None:
    """Raises BadSettings for a value that the options of its commands do not take."""
    for name in () if table == AGENTS else (table,) if table else ("check", "fix"):
        arguments_of({setting.key: setting}, _parser(name), ())


def _parser(command: str) -> argparse.ArgumentParser:
    module: Any = import_module(COMMANDS.get(command, INTERFACE))
    parser: argparse.ArgumentParser = module.parser()
    return parser


def _known(settings: Settings, table: str) -> dict[str, Setting]:
    if table == AGENTS:
        return known_of(settings, table, tuple(agent.id for agent in all_agents() if agent.usual_home))
    return fitting(settings, table, _parser(table)) if table else known_of(settings, table, OPTIONS)
