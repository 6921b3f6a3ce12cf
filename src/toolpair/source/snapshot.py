"""Opening a file: a snapshot of its bytes, and of the file's identity when they were read. Large files stay on disk."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable
from typing import ClassVar, Final, Protocol

from msgspec import Struct

from toolpair.source.addresses import joined
from toolpair.source.edges import skipped
from toolpair.source.errors import IsDatabase, UnreadableFile
from toolpair.source.file_bytes import CAN_READ_AT, LARGE, Content, FileBytes
from toolpair.source.fingerprint import Fingerprint, Identity
from toolpair.source.limits import USUAL, Limits, fits, no_memory
from toolpair.source.packing import Packing, is_packed, unpack
from toolpair.source.record_values import parse
from toolpair.source.system import FLAGS, O_WAITLESS, open_leased
from toolpair.transcript.model import Damaged

_SAMPLE: Final = 1 << 16
_LONGEST_END: Final = 1 << 25
"""How many bytes of the last line are looked at to tell whether it is being written."""
_WATCHED: Final = 0.05
"""Seconds to wait for a record that is just being written."""
_LOOKS: Final = 5
_JUST_NOW: Final = 2.0
"""Seconds since the last write during which a file counts as being written."""
_MAGIC: Final = (
    (b"\x1f\x8b", "gzip-compressed", "unpack it first"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\xfd7zXZ\x00", "xz-compressed", "unpack it first"),
    (b"BZh", "bzip2-compressed", "unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database", "open it by its path, with `toolpair`"),
    (b"\x89PNG", "a PNG image", "give the session file itself"),
    (b"\xff\xd8\xff", "a JPEG image", "give the session file itself"),
    (b"%PDF", "a PDF document", "give the session file itself"),
    (b"\x7fELF", "a program", "give the session file itself"),
)
_INSPECT: Final = b"_journal/start.json"
"""The name of the first member of Inspect's archives."""
_WHITE: Final = b" \t\n\r\x0b\x0c"
_UTF16: Final = "convert it to UTF-8 first"
_CONTROLS: Final = bytes([*range(0x01, 0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)])
_INNER_NULS = re.compile(rb"(?<=[^\x00\r\n])\x00++(?=[^\x00\r\n{\[])")


class Snapshot(Struct, frozen=True, eq=False):
    """The bytes of a file. `path` is resolved and None for standard input; `shown` is what the user called it.

    `data` is the content, decompressed if `packing` is set; that of a large file is read on demand.
    """

    path: str | None
    shown: str
    data: Content
    identity: Identity | None
    mode: int | None
    packing: Packing | None = None
    limits: Limits = USUAL
    """The limits for reading it."""
    fingerprint: Fingerprint | None = None
    """Of content that is not in memory, once computed: a save uses it to check what a file that grew held before."""
    rows: StoredRecords | None = None
    """Where its records are, if a database or a folder holds them; that is `path`, and `data` is its rows as lines."""
    only_read: str = ""
    """Why it is never saved in place, a phrase, where `data` was put together from what a store holds."""

    @property
    def address(self) -> str | None:
        """What opens it again: its path, or `DATABASE::SESSION`, or `FOLDER::SESSION`; None for standard input."""
        if self.rows is None or self.path is None:
            return self.path
        return joined(self.path, self.rows.session)

    @property
    def raw(self) -> Content:
        """The bytes as they are on disk."""
        return self.packing.raw if self.packing is not None else self.data


class StoredRecords(Protocol):
    """Where a session's records are that are no lines of a file: kept by its snapshot, to read them again."""

    in_folder: ClassVar[bool]
    """They are files of a folder, not rows of a database."""

    @property
    def path(self) -> str:
        """What holds it and others: a database, or a folder."""

    @property
    def session(self) -> str: ...

    @property
    def limits(self) -> Limits: ...

    def read(self, shown: str, progress: Callable[[int], None] | None = None) -> Snapshot:
        """The session as it is now. Raises Unreadable."""

    def state(self) -> Identity:
        """What differs as soon as one of its records does. Raises OSError."""


def from_bytes(data: Content, shown: str, limits: Limits = USUAL) -> Snapshot:
    """A snapshot of bytes that do not come from a file. Raises Unreadable."""
    content, packing = _content(data, shown, limits)
    return Snapshot(None, shown, content, None, None, packing, limits)


def _content(data: Content, shown: str, limits: Limits) -> tuple[Content, Packing | None]:
    packing = None
    if is_packed(data[:_SAMPLE]):
        data, packing = unpack(data, shown, limits)
    refuse_binary(data, shown)
    return data, packing


def open_source(path: str | os.PathLike[str], limits: Limits = USUAL) -> Snapshot:
    """Read a regular file. Raises Unreadable with a one-sentence message; never blocks on a pipe or a device."""
    shown = os.fspath(path)
    try:
        resolved = os.path.realpath(shown, strict=True)
        descriptor = open_leased(lambda: os.open(resolved, os.O_RDONLY | O_WAITLESS | FLAGS))
    except (OSError, ValueError) as error:
        raise UnreadableFile(why_not_opened(shown, error)) from None
    try:
        found = os.fstat(descriptor)
        _refuse_odd(found.st_mode, shown)
        data = _opened(descriptor, found.st_size, shown)
        if time.time() - found.st_mtime <= _JUST_NOW and _is_torn(data):
            data = _read_on(descriptor, data, shown)
        content, packing = _content(data, shown, limits)
        after = os.fstat(descriptor)
    except OSError as error:
        raise UnreadableFile(f"{shown} cannot be read ({_reason(error)}); check the disk and try again.") from None
    except MemoryError:
        raise no_memory(shown) from None
    finally:
        os.close(descriptor)
    if len(data) != found.st_size or Identity.of(after) != Identity.of(found):
        # It was written to meanwhile: what was read counts, but without an identity, so that a save compares contents.
        identity = Identity(found.st_dev, found.st_ino, len(data), 0, 0)
    else:
        identity = Identity.of(found)
    return Snapshot(resolved, shown, content, identity, stat.S_IMODE(found.st_mode), packing, limits)


def _opened(descriptor: int, size: int, shown: str) -> Content:
    """The first `size` bytes; fewer when the file ends earlier."""
    if size >= LARGE and CAN_READ_AT:
        return FileBytes(descriptor, size, shown)
    if not fits(size):
        raise MemoryError
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        return stream.read(size or _SAMPLE)


def _read_on(descriptor: int, data: Content, shown: str) -> Content:
    """Read on to the next line end, if it comes soon: the last record is just being written."""
    grown = data
    for _ in range(_LOOKS):
        time.sleep(_WATCHED / _LOOKS)
        size = os.fstat(descriptor).st_size
        if size <= len(grown):
            continue
        grown = _opened(descriptor, size, shown)
        end = grown.rfind(b"\n", len(data)) + 1
        if end:
            return FileBytes(descriptor, end, shown) if isinstance(grown, FileBytes) else grown[:end]
    return grown


def _is_torn(data: Content) -> bool:
    """Whether the last line is an incomplete record."""
    start = data.rfind(b"\n", max(len(data) - _LONGEST_END, 0)) + 1
    if data[start : start + 1] != b"{" or len(data) - start > _LONGEST_END:
        return False
    last = data[start:]
    return not last.rstrip().endswith(b"}") or isinstance(parse(last), Damaged)


_NOT_ALLOWED: Final = "You are not allowed to read {}; check its permissions."
_NOT_OPENED: Final = {
    errno.ENOENT: "{} does not exist; check the name.",
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.ENOTDIR: "{} does not exist, because part of its path is a file; check the name.",
    errno.ELOOP: "{} is a symbolic link that is not followed, or leads to itself; give the file itself.",
    errno.EAGAIN: "{} is locked by another program; try again when that is done.",
    errno.ENXIO: "{} is a socket or device, not a regular file; give a session file.",
    errno.ENAMETOOLONG: "{} is longer than a name can be; check the name.",
}


def why_not_opened(shown: str, error: Exception) -> str:
    """A sentence for a file that cannot be opened."""
    said = _NOT_OPENED.get(getattr(error, "errno", None) or 0)
    if said is not None:
        return said.format(shown)
    if "\0" in shown or isinstance(error, UnicodeEncodeError):
        return f"{shown} is not a name that a file can have; check the name."
    if not isinstance(error, OSError):
        return f"{shown} cannot be read; check that it is whole, or give a backup of it."
    return f"{shown} cannot be opened ({_reason(error)}); check the name."


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _refuse_odd(mode: int, shown: str) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = (
        (stat.S_ISDIR, "a directory", "give a session file in it"),
        (stat.S_ISFIFO, "a pipe", "save it to a file, or give it as standard input with -"),
        (stat.S_ISSOCK, "a socket", "give a session file"),
    )
    for test, name, advice in kinds:
        if test(mode):
            raise UnreadableFile(f"{shown} is {name}, not a regular file; {advice}.")
    raise UnreadableFile(f"{shown} is a device, not a regular file; give a session file.")


def refuse_binary(data: Content, shown: str) -> None:
    """Refuse anything that is not UTF-8 text. Invalid bytes and runs of NUL within text are accepted."""
    if data.startswith(b"PK\x03\x04") and data[30 : 30 + len(_INSPECT)] == _INSPECT:
        way = "write it as JSON first: `inspect log convert --to json --output-dir FOLDER LOG`"
        raise UnreadableFile(f"{shown} is a log of Inspect in a zip archive; {way}.")
    for magic, name, advice in _MAGIC:
        if data.startswith(magic):
            if magic.startswith(b"SQLite"):
                raise IsDatabase(f"{shown} is {name}; {advice}.")
            raise UnreadableFile(f"{shown} is {name}; {advice}.")
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        raise UnreadableFile(f"{shown} is text in UTF-32; {_UTF16}.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFile(f"{shown} is text in UTF-16; {_UTF16}.")
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if skipped(data, start, _WHITE) == len(data):
        raise UnreadableFile(f"{shown} is empty; give a session file with something in it.")
    begin = skipped(data, start, b"\0")
    if begin == len(data):
        raise UnreadableFile(f"{shown} contains only NUL bytes; its content is lost, so look for a backup of it.")
    sample = data[start : start + _SAMPLE]
    wide = _wide(sample)
    if wide:
        raise UnreadableFile(f"{shown} is text in {wide}; {_UTF16}.")
    sample = data[begin : begin + _SAMPLE]
    inner = len(_INNER_NULS.findall(sample)) if b"\0" in sample else 0
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if inner > 8 + sample.count(b"\n") or controls * 20 > len(sample):
        raise UnreadableFile(f"{shown} is a binary file; give the session file itself.")


def _wide(sample: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 without a byte order mark: every second byte, or three of four, are NUL."""
    size = min(len(sample) // 4, 512) * 4
    if size < 4:
        return None
    nuls = [sample[place:size:4].count(0) * 4 / size for place in range(4)]
    often = [share > 0.8 for share in nuls]
    if sum(often) == 3 and not nuls[often.index(False)]:
        return "UTF-32"
    if often in ([True, False, True, False], [False, True, False, True]):
        return "UTF-16"
    return None
