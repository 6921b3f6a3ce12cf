"""Opening a file: a snapshot of its bytes, and of who it was when they were read."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolpair.source.errors import Unreadable
from toolpair.source.memory import fits
from toolpair.source.packing import Packing, is_packed, unpack
from toolpair.source.system import FLAGS, O_WAITLESS, open_leased
from toolpair.source.values import parse
from toolpair.transcript.model import Damaged

_SAMPLE: Final = 1 << 16
_WATCHED: Final = 0.05
"""Seconds in which a record that is just being written is waited for."""
_LOOKS: Final = 5
_JUST_NOW: Final = 2.0
"""Seconds since the last write within which a file counts as being written."""
_MAGIC: Final = (
    (b"\x1f\x8b", "gzip-compressed", "unpack it first"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\xfd7zXZ\x00", "xz-compressed", "unpack it first"),
    (b"BZh", "bzip2-compressed", "unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database", "export the session as JSON or JSONL first"),
    (b"\x89PNG", "a PNG image", "give the session file itself"),
    (b"\xff\xd8\xff", "a JPEG image", "give the session file itself"),
    (b"%PDF", "a PDF document", "give the session file itself"),
    (b"\x7fELF", "a program", "give the session file itself"),
)
_UTF16: Final = "convert it to UTF-8 first"
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_INNER_NULS = re.compile(rb"(?<=[^\x00\r\n])\x00++(?=[^\x00\r\n{\[])")
_NULS = re.compile(rb"\x00*+")


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file it was, and in which state: compared before it is replaced."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Identity:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The bytes of a file. `path` is resolved and None for standard input; `shown` is what the user called it.

    `data` is the content, unpacked where `packing` is set.
    """

    path: Path | None
    shown: str
    data: bytes
    identity: Identity | None
    mode: int | None
    packing: Packing | None = None

    @property
    def raw(self) -> bytes:
        """The bytes as they are on the disk."""
        return self.packing.raw if self.packing is not None else self.data


def from_bytes(data: bytes, shown: str) -> Snapshot:
    """Bytes that come from no file. Raises Unreadable."""
    content, packing = _content(data, shown)
    return Snapshot(None, shown, content, None, None, packing)


def _content(data: bytes, shown: str) -> tuple[bytes, Packing | None]:
    packing = None
    if is_packed(data):
        data, packing = unpack(data, shown)
    _refuse_binary(data, shown)
    return data, packing


def open_source(path: str | os.PathLike[str]) -> Snapshot:
    """Read a regular file. Raises Unreadable with one sentence; never waits for a pipe or a device."""
    shown = os.fspath(path)
    try:
        resolved = Path(os.path.realpath(shown, strict=True))
        descriptor = open_leased(lambda: os.open(resolved, os.O_RDONLY | O_WAITLESS | FLAGS))
    except (OSError, ValueError) as error:
        raise Unreadable(_why_not_opened(shown, error)) from None
    try:
        found = os.fstat(descriptor)
        _refuse_odd(found.st_mode, shown)
        if not fits(found.st_size):
            raise MemoryError
        data = _read_all(descriptor, found.st_size)
        data = _read_on(descriptor, data, found)
        after = os.fstat(descriptor)
    except OSError as error:
        raise Unreadable(f"{shown} cannot be read ({_reason(error)}); check the disk and try again.") from None
    except MemoryError:
        raise Unreadable(f"{shown} does not fit into memory; split it and open the part that matters.") from None
    finally:
        os.close(descriptor)
    content, packing = _content(data, shown)
    if len(data) != found.st_size or Identity.of(after) != Identity.of(found):
        # It was written to meanwhile: what was read counts, and no state of the file is known to hold it, so that
        # a save compares.
        identity = Identity(found.st_dev, found.st_ino, len(data), 0, 0)
    else:
        identity = Identity.of(found)
    return Snapshot(resolved, shown, content, identity, stat.S_IMODE(found.st_mode), packing)


def _read_all(descriptor: int, size: int) -> bytes:
    """The first `size` bytes, fewer when the file ends before."""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        return stream.read(size) if size else stream.read(_SAMPLE)


def _read_on(descriptor: int, data: bytes, found: os.stat_result) -> bytes:
    """The data up to a line end, when its last record is just being written."""
    if time.time() - found.st_mtime > _JUST_NOW or not _is_torn(data):
        return data
    grown = data
    for _ in range(_LOOKS):
        time.sleep(_WATCHED / _LOOKS)
        os.lseek(descriptor, len(grown), os.SEEK_SET)
        size = os.fstat(descriptor).st_size - len(grown)
        if size <= 0:
            continue
        more = _read_all(descriptor, size)
        grown += more
        end = more.rfind(b"\n")
        if end >= 0:
            return grown[: len(grown) - len(more) + end + 1]
    return grown


def _is_torn(data: bytes) -> bool:
    """Whether the last line is the beginning of a record."""
    last = data[data.rfind(b"\n") + 1 :]
    if not last.startswith(b"{"):
        return False
    return not last.rstrip().endswith(b"}") or isinstance(parse(last), Damaged)


def _why_not_opened(shown: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.ENOENT:
        return f"{shown} does not exist; check the name."
    if code in (errno.EACCES, errno.EPERM):
        return f"{shown} may not be read by this user; check its permissions."
    if code == errno.ENOTDIR:
        return f"{shown} does not exist, because a part of its path is a file; check the name."
    if code == errno.ELOOP:
        return f"{shown} is a symbolic link that leads in a circle; give the file itself."
    if code == errno.EAGAIN:
        return f"{shown} is kept by another program that lets nobody open it; try again when that is done."
    if code == errno.ENXIO:
        return f"{shown} is a socket or device and no regular file; give a session file."
    return f"{shown} cannot be opened ({_reason(error)}); check the name."


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _refuse_odd(mode: int, shown: str) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = (
        (stat.S_ISDIR, "a directory", "give a session file in it"),
        (stat.S_ISFIFO, "a pipe", "write it to a file, or give it as standard input with -"),
        (stat.S_ISSOCK, "a socket", "give a session file"),
    )
    for test, name, advice in kinds:
        if test(mode):
            raise Unreadable(f"{shown} is {name} and no regular file; {advice}.")
    raise Unreadable(f"{shown} is a device and no regular file; give a session file.")


def _refuse_binary(data: bytes, shown: str) -> None:
    """Refuse what is no text in UTF-8. Bad bytes and runs of NUL in a text are let pass."""
    for magic, name, advice in _MAGIC:
        if data.startswith(magic):
            raise Unreadable(f"{shown} is {name}; {advice}.")
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        raise Unreadable(f"{shown} is text in UTF-32; {_UTF16}.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable(f"{shown} is text in UTF-16; {_UTF16}.")
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if not data[start : start + _SAMPLE].strip() and not data[start:].strip():
        raise Unreadable(f"{shown} is empty; give a session file that has records.")
    match = _NULS.match(data, start)
    begin = match.end() if match else start
    if begin == len(data):
        raise Unreadable(f"{shown} holds NUL bytes only; its content is lost, so look for a backup of it.")
    sample = data[start : start + _SAMPLE]
    wide = _wide(sample)
    if wide:
        raise Unreadable(f"{shown} is text in {wide}; {_UTF16}.")
    sample = data[begin : begin + _SAMPLE]
    inner = len(_INNER_NULS.findall(sample))
    controls = len(_CONTROL.findall(sample))
    if inner > 8 + sample.count(b"\n") or controls * 20 > len(sample):
        raise Unreadable(f"{shown} is a binary file; give the session file itself.")


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark: every second, or three of four bytes are NUL."""
    size = min(len(sample) // 4, 512) * 4
    if size < 4:
        return None
    nuls = [sum(not byte for byte in sample[place:size:4]) * 4 / size for place in range(4)]
    often = [share > 0.8 for share in nuls]
    if sum(often) == 3 and not nuls[often.index(False)]:
        return "UTF-32"
    if often in ([True, False, True, False], [False, True, False, True]):
        return "UTF-16"
    return None
