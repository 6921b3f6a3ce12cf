"""What a user, or a project, has set once for all: `config.toml`, and `[tool.toolpair]` of a pyproject.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from toolpair.shell.program import settings_file

_LONGEST: Final = 1 << 20
"""Bytes read of such a file."""


class BadSettings(Exception):
    """One sentence that names the file, the place and what to do."""


class Setting(Struct, frozen=True):
    """A value, and where it is set."""

    key: str
    given: Any
    path: Path
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
    found = _read(Path(settings_file()))
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
    return given == "~" or given.startswith(("~/", "~\\")) or Path(given).is_absolute()


def of_project(path: str) -> Settings:
    """What a pyproject.toml sets for `check`. Raises BadSettings."""
    return _read(Path(path), ("tool", "toolpair"))


def _read(path: Path, inside: tuple[str, ...] = ()) -> Settings:
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Settings({})
    except OSError as error:
        raise BadSettings(f"{path} can't be read: {error.strerror}.") from None
    if len(data) > _LONGEST:
        raise BadSettings(f"{path} has more than a megabyte and is not read.")
    import tomllib

    try:
        text = data.decode("utf-8")
        found: Any = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BadSettings(f"{path} is not UTF-8 (byte {error.start}).") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path} is not TOML: {error}.") from None
    except RecursionError:
        raise BadSettings(f"{path} is nested too deeply.") from None
    for name in inside:
        found = found.get(name, {}) if isinstance(found, dict) else {}
    lines = text.splitlines()
    tables: dict[str, dict[str, Setting]] = {}
    for key, value in found.items() if isinstance(found, dict) else ():
        entries = [("", key, value)] if not isinstance(value, dict) else [(key, *item) for item in value.items()]
        for table, name, one in entries:
            line = _line_of(lines, ".".join((*inside, *([table] if table else []))), name)
            tables.setdefault(table, {})[name] = Setting(name, one, path, line)
    return Settings(tables)


def _line_of(lines: Iterable[str], table: str, key: str) -> int:
    """The line, from 1, on which a table sets a key, as people write it; 1 where it is written otherwise."""
    here = ""
    head = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
    sets = re.compile(rf"""\s*(["']?){re.escape(key)}\1\s*=""")
    first = 1
    for number, line in enumerate(lines, 1):
        if found := head.match(line):
            here = found[1].replace('"', "").replace("'", "").replace(" ", "")
            first = number if here == table else first
        elif here == table and sets.match(line):
            return number
    return first
