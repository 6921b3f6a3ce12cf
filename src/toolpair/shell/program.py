"""How this program is called where it runs, so that every command shown to a person can be typed as it is."""

from __future__ import annotations

import os
import sys

_PLAIN = "toolpair"
_called: str | None = _PLAIN
"""None until it is asked for: searching PATH is too slow for start-up."""


def current_folder() -> str:
    """The current working directory; empty when it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def settings_file() -> str:
    """The path of the user's `config.toml`: in the folder that platformdirs names, which is slow to import."""
    if sys.platform == "darwin":
        folder = "~/Library/Application Support"
    else:
        folder = os.environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
    return os.path.join(os.path.expanduser(folder), "toolpair", "config.toml")


def project_settings(folder: str) -> str | None:
    """The path of the nearest pyproject.toml in a folder or around it, if it says anything of toolpair.

    Whose it is, and whether it is a link, is asked by who reads it.
    """
    path = os.path.join(folder, "pyproject.toml")
    while not os.path.isfile(path):
        around = os.path.dirname(folder)
        if around == folder:
            return None
        folder, path = around, os.path.join(around, "pyproject.toml")
    try:
        with open(path, "rb") as file:
            return path if b"tool.toolpair" in file.read(1 << 20) else None
    except OSError:
        return None


def started() -> None:
    """Call this where the program starts. Inside another program's process the plain name is used instead."""
    global _called
    _called = None


def is_called(words: str) -> None:
    """Take over what another toolpair process has found out."""
    global _called
    _called = words


def called() -> str:
    """`toolpair` if that runs this program, else the words that start it: a path, or `python3 -m toolpair`."""
    global _called
    if _called is None:
        _called = _found(sys.argv[0] if sys.argv else "")
    return _called


def resolved(folder: str) -> str:
    """The path with symbolic links resolved; unchanged where no file system can have such a name."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder


def command(rest: str) -> str:
    """A toolpair command, ready to be typed: `command("restore FILE")`. The words of `rest` are already quoted."""
    return f"{called()} {rest}"


def _found(started_as: str) -> str:
    name = os.path.basename(started_as)
    if name == "__main__.py":
        return f"{_python()} -m {_PLAIN}"
    if os.path.splitext(name)[0] != _PLAIN:
        return _PLAIN
    path = os.path.abspath(started_as)
    return _PLAIN if _on_path(_PLAIN) == path or not os.path.isfile(path) else _operand(path)


def _python() -> str:
    here = os.path.abspath(sys.executable) if sys.executable else ""
    # Compared by name: a virtual environment's Python is a link to one that does not have toolpair.
    return next((name for name in ("python3", "python") if not here or _on_path(name) == here), _operand(here))


def _operand(path: str) -> str:
    from toolpair.shell.quoting import operand

    return operand(path)


def _on_path(name: str) -> str | None:
    from shutil import which

    found = which(name)
    return os.path.abspath(found) if found is not None else None
