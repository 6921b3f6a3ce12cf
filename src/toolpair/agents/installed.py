"""Which version of an agent is installed on this machine, read from its files without running it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from toolpair.formats import agents_of

if TYPE_CHECKING:
    from toolpair.formats.agent import Program

_VERSION: Final = re.compile(r"(\d+\.\d+\.\d+)(?:[-+.][0-9A-Za-z.-]*)?\Z")
_NAMED: Final = re.compile(r"(.+)-(\d+\.\d+\.\d+)\Z")
_DEEP: Final = 6
"""How many folders above a command are searched for its package."""
_LONGEST: Final = 1 << 20
"""Maximum bytes of a package manifest that are read."""


_EDITORS: Final = (".vscode", ".vscode-server", ".vscode-insiders", ".cursor", ".cursor-server", ".windsurf")


def installed_version(
    format_id: str, environ: Mapping[str, str] | None = None, home: str | os.PathLike[str] | None = None
) -> str | None:
    """The version of the agent that would resume files of this format here; None if its files do not show it.

    `environ` and `home` default to this user's.
    """
    program = next((agent.program for agent in agents_of(format_id) if agent.program is not None), None)
    return program_version(program, environ, home) if program is not None else None


def program_version(
    program: Program, environ: Mapping[str, str] | None = None, home: str | os.PathLike[str] | None = None
) -> str | None:
    """The version of an agent's command here; None if its files do not show it."""
    if program.package is None and program.distribution is None:
        return None
    environ = os.environ if environ is None else environ
    home = os.fspath(os.path.expanduser("~") if home is None else home)
    command = command_path(program.command, program.places, environ, home)
    version = version_of(command, program) if command is not None else None
    return version or _of_extension(program, home)


def command_path(name: str, places: Iterable[str], environ: Mapping[str, str], home: str) -> str | None:
    """The file that a shell would run, as it is named in PATH, else in these places below the home folder."""
    folders = [*environ.get("PATH", "").split(os.pathsep), *(os.path.join(home, place) for place in places)]
    for folder in folders:
        path = os.path.join(folder, name)
        try:
            if folder and os.path.isfile(path) and os.access(path, os.X_OK):
                return path
        except (OSError, ValueError):
            continue
    return None


def version_of(command: str, program: Program) -> str | None:
    """By the package that the command belongs to, else by a folder (or the file itself) named after a version."""
    command = os.path.realpath(command)
    if program.distribution is not None:
        return _of_distribution(command, program.distribution)
    packages = [name for name in (program.package, *program.older_packages) if name is not None]
    for folder in _above(command):
        own = _json(os.path.join(folder, "package.json"))
        if own.get("name") in packages and isinstance(own.get("version"), str):
            return str(own["version"])
        for package in packages:
            inside = _json(os.path.join(folder, "node_modules", package, "package.json")).get("version")
            if isinstance(inside, str):
                return inside
    return next(filter(None, (_of_name(path, program.command) for path in (command, *_above(command)))), None)


def _of_distribution(command: str, name: str) -> str | None:
    """That of a Python program, whose command lies in `bin` beside its modules."""
    import glob  # for a program in Python alone

    above = glob.escape(os.path.dirname(os.path.dirname(command)))
    modules = (os.path.join(above, *names, "site-packages") for names in (("lib", "python*"), ("Lib",)))
    found = [path for folder in modules for path in glob.glob(os.path.join(folder, f"{name}-*.dist-info"))]
    match = _VERSION.match(os.path.basename(found[0])[len(name) + 1 : -len(".dist-info")]) if len(found) == 1 else None
    return match[1] if match is not None else None


def _above(path: str) -> Iterator[str]:
    for _ in range(_DEEP):
        above = os.path.dirname(path)
        if above == path:
            return
        yield above
        path = above


def _of_name(path: str, command: str) -> str | None:
    """The version in a name: a folder below the program's own, or the program's name followed by its version."""
    above, name = os.path.split(path)
    match = _VERSION.match(name)
    if match is not None:
        owners = (os.path.basename(above), os.path.basename(os.path.dirname(above)))
        return match[1] if any(command in owner for owner in owners) else None
    match = _NAMED.match(name)
    return match[2] if match is not None and command in match[1] else None


def _json(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = orjson.loads(file.read(_LONGEST))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_extension(program: Program, home: str) -> str | None:
    """The newest version installed in an editor."""
    found: list[tuple[tuple[int, ...], str]] = []
    for editor in _EDITORS if program.extension is not None else ():
        try:
            names = os.listdir(os.path.join(home, editor, "extensions"))
        except (OSError, ValueError):
            continue
        for name in names:
            match = re.match(rf"{re.escape(program.extension or '')}(\d+\.\d+\.\d+)", name)
            if match is not None:
                found.append((tuple(map(int, match[1].split("."))), match[1]))
    return max(found)[1] if found else None
