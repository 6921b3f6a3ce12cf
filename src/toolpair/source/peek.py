"""Quick looks at files: the first or last bytes, and the records and texts in them.

Used to list sessions without opening them.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import orjson

HEAD: Final = 16 << 10
TAILS: Final = (32 << 10, 512 << 10)
"""How many bytes of the end are read: a few, then more if the user's text is not in them."""
LONGEST: Final = 300
"""Maximum characters of the user's text."""
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_VALUE: Final = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.)*+")')


def entries(folder: str | os.PathLike[str]) -> Sequence[os.DirEntry[str]]:
    """The entries of a folder; empty when it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (OSError, ValueError):
        return ()


def regular(entry: os.DirEntry[str]) -> os.stat_result | None:
    """The stat of a regular file, following links; None for anything else."""
    return _regular(entry.stat)


def regular_file(path: str) -> os.stat_result | None:
    return _regular(partial(os.stat, path))


def _regular(state: Callable[[], os.stat_result]) -> os.stat_result | None:
    try:
        found = state()
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def head(path: str, size: int = HEAD) -> bytes:
    """The first bytes; empty when the file cannot be read."""
    return _piece(path, 0, size)


def tail(path: str, size: int) -> bytes:
    """The last bytes, from a line start if there is one among them."""
    data = _piece(path, -size, size)
    if len(data) < size:
        return data
    return data[data.find(b"\n") + 1 :]


def _piece(path: str, start: int, size: int) -> bytes:
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return b""
        if start < 0:
            os.lseek(descriptor, max(0, found.st_size + start), os.SEEK_SET)
        return os.read(descriptor, size)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def files_below(root: str | os.PathLike[str], suffix: str) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """The regular files with this ending in a folder, and in the folders in it."""
    found = entries(root)
    for entry in (*found, *(inner for folder in found if is_folder(folder) for inner in entries(folder.path))):
        known = regular(entry) if entry.name.endswith(suffix) else None
        if known is not None:
            yield entry, known


def near_end(path: str, size: int, find: Callable[[bytes], str | None]) -> str | None:
    """What is found in the last bytes of a file: in a few, then in more."""
    for length in TAILS:
        found = find(tail(path, length))
        if found is not None or length >= size:
            return found
    return None


def last_said(path: str, size: int, words: Callable[[dict[str, Any]], str | None]) -> str | None:
    """What the last record of JSON lines says of which `words` says something, read from the end."""
    return near_end(path, size, lambda data: next(filter(None, map(words, records_backwards(data))), None))


def small_json(path: str) -> dict[str, Any]:
    """A small JSON object in a file next to a session; empty when there is none."""
    value = parse(head(path, 1 << 18))
    return value if isinstance(value, dict) else {}


def parse(data: bytes) -> Any:
    """The JSON value; None when it is invalid."""
    try:
        return orjson.loads(data)
    except ValueError:
        return None


def records_backwards(data: bytes, holding: bytes = b"") -> Iterator[dict[str, Any]]:
    """The JSON objects on the lines of `data` that hold these bytes, last first; other lines are skipped."""
    end = len(data)
    while end >= 0 and (at := data.rfind(holding, 0, end)) >= 0:
        begin = data.rfind(b"\n", 0, at) + 1
        value = parse(data[begin:end].partition(b"\n")[0]) if data[begin : begin + 1] == b"{" else None
        if isinstance(value, dict):
            yield value
        end = begin - 1


def folders_in(data: bytes) -> list[str]:
    """The distinct `cwd`s in a piece of a file, whether or not its records are complete."""
    values = map(parse, dict.fromkeys(_strings_after(data, b'"cwd"')))
    return [value for value in values if isinstance(value, str) and value]


def folder_in(data: bytes) -> str | None:
    """The first of `folders_in`."""
    value = parse(next(_strings_after(data, b'"cwd"'), b""))
    return value if isinstance(value, str) and value else None


def string_after(data: bytes, key: str, *, last: bool = False) -> str | None:
    """The first string under this key in a piece of JSON, or the last one; None without one."""
    found = None
    for value in map(parse, _strings_after(data, b'"%b"' % key.encode())):
        found = value if isinstance(value, str) else found
        if found is not None and not last:
            break
    return found


def _strings_after(data: bytes, key: bytes) -> Iterator[bytes]:
    """The strings under a quoted key, as they are written."""
    at = data.find(key)
    while at >= 0:
        match = _VALUE.match(data, at + len(key)) if data[at - 1 : at] != b"\\" else None
        if match is not None:
            yield match[1]
        at = data.find(key, match.end() if match is not None else at + 1)


def one_line(words: Any) -> str | None:
    """The text on one line, shortened; None when nothing is left."""
    if not isinstance(words, str):
        return None
    return " ".join(words[: LONGEST * 4].split())[:LONGEST] or None


def words_of(parts: Any) -> str | None:
    """What the parts of a message say, on one line; None when they say nothing."""
    texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return one_line(" ".join(text for text in texts if isinstance(text, str)))
