"""What a user, or a project, has set once for all: `config.toml`, and `[tool.toolpair]` of a pyproject.toml."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from toolpair.shell.program import settings_file

_LONGEST: Final = 1 << 20
"""Bytes read of such a file."""
_MOST_DOTS: Final = 200
"""In a line: reading a key of many parts takes the square of their number."""


class BadSettings(Exception):
    """One sentence that names the file, the place and what to do."""


class Setting(Struct, frozen=True):
    """A value, and where it is set."""

    key: str
    given: Any
    path: str
    line: int

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"


class Settings(Struct, frozen=True):
    """Tables by name; the empty name has what stands before the first table."""

    tables: Mapping[str, Mapping[str, Setting]]

    def table(self, name: str) -> Mapping[str, Setting]:
        return self.tables.get(name, {})


def of_user() -> Settings:
    """Raises BadSettings, also for an agent's folder that would be another one from everywhere."""
    found = _read(settings_file())
    for setting in found.table("agents").values():
        if not _is_folder(setting.given):
            raise BadSettings(
                f"{setting.where}: {setting.key} takes an absolute path or one that begins with ~/, "
                f"not {setting.given!r}."
            )
    return found


def _is_folder(given: Any) -> bool:
    if not isinstance(given, str) or "\0" in given:
        return False
    return given == "~" or given.startswith(("~/", "~\\")) or os.path.isabs(given)


def of_project(path: str) -> Settings:
    """What a pyproject.toml sets for `check`. Raises BadSettings."""
    return _read(path, ("tool", "toolpair"))


def toml_of(path: str | os.PathLike[str], *, own: bool = True) -> tuple[dict[str, Any], str]:
    """What a TOML file has, and its text. Not `own`: it may be a stranger's, and is read only if it is not.

    Raises OSError, and BadSettings.
    """
    with open(path, "rb", opener=_open_own if not own else opened_without_waiting) as file:
        owner = os.fstat(file.fileno()).st_uid
        if not own and hasattr(os, "geteuid") and owner not in (0, os.geteuid()):
            raise BadSettings(f"{path} belongs to another user, and is not read.")
        data = file.read(_LONGEST + 1) or b""
    if len(data) > _LONGEST:
        raise BadSettings(f"{path} has more than a megabyte and is not read.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place(error.object[: error.start].decode())  # without the byte order mark
        raise BadSettings(f"{path}:{place}: What stands here is not UTF-8.") from None
    return parsed_toml(text, path), text


def parsed_toml(text: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the text of a TOML file has. Raises BadSettings."""
    import tomllib

    try:
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > _MOST_DOTS:
                raise BadSettings(f"{path}:{number}: More than {_MOST_DOTS} dots stand in this line; it is not read.")
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, _, at = str(error).removesuffix(")").rpartition(" (at ")
        place = ":".join(re.findall(r"\d+", at)) or _place(text)
        raise BadSettings(f"{path}:{place}: What stands here is not TOML: {said}.") from None
    except ValueError:  # of int(), which refuses thousands of digits
        raise BadSettings(f"{path} has a number that is too long.") from None
    except RecursionError:
        raise BadSettings(f"{path} is nested too deeply.") from None


def _place(before: str) -> str:
    """The line and column, from 1, of what comes after a text."""
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def opened_without_waiting(path: str, flags: int) -> int:
    """For `open`: a pipe is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _open_own(path: str, flags: int) -> int:
    """Raises BadSettings for a link."""
    try:
        return opened_without_waiting(path, flags | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        if os.path.islink(path):
            raise BadSettings(f"{path} is a link, and is not read.") from None
        raise


def _read(path: str, inside: tuple[str, ...] = ()) -> Settings:
    try:
        found: Any
        found, text = toml_of(path, own=not inside)
    except (FileNotFoundError, NotADirectoryError):
        return Settings({})
    except OSError as error:
        raise BadSettings(f"{path} can't be read: {error.strerror}.") from None
    for name in inside:
        found = found.get(name, {}) if isinstance(found, dict) else {}
    lines = _lines_of(text)
    tables: dict[str, dict[str, Setting]] = {}
    for key, value in found.items() if isinstance(found, dict) else ():
        entries = [("", key, value)] if not isinstance(value, dict) else [(key, *item) for item in value.items()]
        for table, name, one in entries:
            place = ".".join((*inside, *([table] if table else [])))
            line = lines.get((place, name)) or lines.get((place, "")) or 1
            try:
                repr(one)
            except (ValueError, RecursionError):
                raise BadSettings(f"{path}:{line}: {name} is too long, or nested too deeply.") from None
            tables.setdefault(table, {})[name] = Setting(name, one, path, line)
    return Settings(tables)


def _lines_of(text: str) -> dict[tuple[str, str], int]:
    """The line, from 1, on which a table sets a key, as people write it, and on which the table begins."""
    found: dict[tuple[str, str], int] = {}
    here = ""
    for number, written in enumerate(text.split("\n"), 1):
        line = written.strip()
        if line.startswith("[") and not line.startswith("[[") and "]" in line:
            here = line[1 : line.index("]")].replace('"', "").replace("'", "").replace(" ", "")
            found[here, ""] = number
        elif "=" in line:
            found.setdefault((here, line[: line.index("=")].strip().strip("\"'")), number)
    return found
