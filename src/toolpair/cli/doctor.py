"""`toolpair doctor`: what a bug report has to say of the machine, in a form to paste into it."""

from __future__ import annotations

import argparse
import locale
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path, user_state_path

from toolpair import __version__
from toolpair.agents.installed import program_version
from toolpair.cli import exits
from toolpair.cli.terminal import Parser, add_color, add_format, dump, out, safe, style_for
from toolpair.formats import all_agents
from toolpair.formats.agent import Agent
from toolpair.shell.machine import Machine, home_short
from toolpair.shell.program import settings_file
from toolpair.text.short import size_text
from toolpair.transcript.counting import plural

_LIBRARIES: Final = ("textual", "rich", "orjson", "msgspec", "zstandard", "psutil", "pygments", "pillow")
_TERMINAL: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "NO_COLOR", "TMUX", "SSH_TTY", "ESCDELAY")
_EPILOG: Final = """\
examples:
  toolpair doctor          to paste into a bug report
  toolpair doctor --output-format json

Nothing is read of a session, and no name of a project, host or user is printed; the home folder is written as ~.
"""


def parser() -> Parser:
    result = Parser(
        "doctor", "Print versions, agents, folders and what the terminal can do, for a bug report.", _EPILOG
    )
    add_format(result, ("text", "json"))
    add_color(result)
    return result


def run(options: argparse.Namespace) -> int:
    machine = Machine.here()
    told = {
        "program": dict(_program()),
        "libraries": dict(_libraries()),
        "terminal": dict(_terminal()),
        "agents": dict(_agents(machine)),
        "own files": dict(_own_files(machine)),
    }
    if options.output_format == "json":
        out(dump({"version": 1, **told}, indent=2))
        return exits.OK
    style = style_for(sys.stdout, options.color)
    width = max(len(name) for part in told.values() for name in part)
    for title, part in told.items():
        out(style.bold(title))
        for name, said in part.items():
            out(f"  {name:<{width}}  {safe(said)}")
        if not part:
            out("  none found")
    return exits.OK


def _program() -> Iterator[tuple[str, str]]:
    yield "toolpair", __version__
    yield "Python", f"{platform.python_version()}, {platform.python_implementation()}"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"


def _libraries() -> Iterator[tuple[str, str]]:
    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"


def _terminal() -> Iterator[tuple[str, str]]:
    yield "standard output", "a terminal" if sys.stdout.isatty() else "not a terminal"
    if sys.stdout.isatty():
        size = os.get_terminal_size(sys.stdout.fileno())
        yield "size", f"{size.columns}x{size.lines}"
    yield "encoding", f"{sys.stdout.encoding}, {locale.getpreferredencoding(False)}"
    for name in _TERMINAL:
        if name in os.environ:
            # What these say is of the terminal; what others say may be of the user.
            yield name, os.environ[name] if name not in ("TMUX", "SSH_TTY") else "set"


def _agents(machine: Machine) -> Iterator[tuple[str, str]]:
    for agent in all_agents():
        found = sum(1 for _ in agent.sessions(machine))
        installed = program_version(agent.program) if agent.program is not None else None
        if found or installed is not None:
            where = ", ".join(_places(agent, machine)) or "no folder of its own"
            yield agent.id, f"{installed or 'version not known'}; {plural(found, 'session')}; {where}"


def _places(agent: Agent, machine: Machine) -> Iterable[str]:
    places = dict.fromkeys((*agent.roots(machine), *getattr(agent, "databases", lambda machine: ())(machine)))
    there = [home_short(str(path), str(machine.home)) for path in places if path.exists()]
    return dict.fromkeys(path if path.startswith("~") else "a folder elsewhere" for path in there)


def _own_files(machine: Machine) -> Iterator[tuple[str, str]]:
    settings = Path(settings_file())
    for name, path in (
        ("settings", settings),
        ("own forms", settings.parent / "forms"),
        ("own recipes", settings.parent / "recipes"),
        ("state", user_state_path("toolpair", appauthor=False)),
        ("cache", user_cache_path("toolpair", appauthor=False)),
    ):
        yield name, f"{home_short(str(path), str(machine.home))}: {_size(path)}"


def _size(path: Path) -> str:
    try:
        if path.is_file():
            return size_text(path.stat().st_size)
        files = [found for found in path.rglob("*") if found.is_file()] if path.is_dir() else None
        return (
            "not there"
            if files is None
            else f"{plural(len(files), 'file')}, " + size_text(sum(found.stat().st_size for found in files))
        )
    except OSError as error:
        return error.strerror or "not readable"
