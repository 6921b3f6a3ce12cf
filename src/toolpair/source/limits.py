"""Limits for input that is larger than it looks (compressed files, standard input, a single line) or than memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.source.errors import TooLarge
from toolpair.source.file_bytes import Content

if TYPE_CHECKING:
    from pathlib import Path

GB: Final = 1_000_000_000
_SURELY_FITS: Final = 1 << 28
"""Up to this many bytes of a line, available memory is not checked."""


_CRUMB: Final = 8
_MANY_CRUMBS: Final = 1 << 23
_LOOKED_AT: Final = 1 << 16
"""Bytes: of a line that says nothing, of a file that has too many of them, and of what is looked at in one place."""


class Limits(Struct, frozen=True):
    """In bytes."""

    unpacked: int = 4 * GB
    """Maximum unpacked size of a compressed file."""
    standard_input: int = 4 * GB
    line: int = 25_000_000
    """A line is held some four times while it is read: this many bytes take 150 MB."""
    asked_for: bool = False
    """The user set them."""

    @classmethod
    def of(cls, max_size: int | None) -> Limits:
        """All limits set to the user's value; None: the defaults."""
        return USUAL if max_size is None else cls(max_size, max_size, max_size, True)


USUAL: Final = Limits()


def in_words(size: int) -> str:
    """A size for a sentence: "4 GB", "1.5 GB", "300 MB"."""
    for unit, name in ((GB, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if size >= unit:
            return f"{size / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{size:,} bytes"


def no_memory(shown: str) -> TooLarge:
    return TooLarge(f"{shown} does not fit into memory; split it and open the part that matters.")


def refuse_crumbs(content: Content, shown: str, limits: Limits) -> None:
    """Refuse millions of different lines of a few bytes, before an object is made of each. Raises TooLarge."""
    size = len(content)
    if size < _MANY_CRUMBS or limits.asked_for:
        return
    for at in range(size // 16, size - _LOOKED_AT, size // 8):
        block = content[at : at + _LOOKED_AT]
        lines = block.split(b"\n")
        if len(lines) * _CRUMB < len(block) or len({line.strip() for line in lines[1:-1]} - {b""}) < 2:
            return
    raise TooLarge(
        f"{shown} ({in_words(size)}) has lines of only a few bytes each, which no session has; --max-size reads it "
        "anyway."
    )


def refuse_long_line(content: Content, shown: str, limits: Limits) -> None:
    """Refuse content with a line longer than the limit, or than memory, before it is read. Raises TooLarge.

    A file whose line ends are close together is passed after a few probes.
    """
    step = min(limits.line, _SURELY_FITS)
    at, size = 0, len(content)
    while size - at > step:
        end = content.rfind(b"\n", at, at + step + 1) + 1
        if not end:
            end = content.find(b"\n", at + step) + 1 or size
            if end - at - 1 > limits.line:
                line = content.count(b"\n", 0, at) + 1
                raise TooLarge(
                    f"{shown}: line {line:,} is longer than {in_words(limits.line)}, the most that is read of one "
                    "line; --max-size allows more, or split the file."
                )
            if not fits(end - at):
                raise no_memory(shown)
        at = end


_SMALL: Final = 1 << 28
"""Below this many bytes, available memory is not checked."""
_COPIES: Final = 3
"""Maximum copies of a file in memory: what was read, what was found in it, what will be written."""
_AVAILABLE: Final = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)
_GROUP: Final = re.compile(r"^0::/(.*)$", re.MULTILINE)


def fits(size: int, root: Path | None = None) -> bool:
    """Whether this many bytes fit in memory now, as far as the system says (only Linux does). Tests replace `root`."""
    return size <= _SMALL or all(size * _COPIES < limit for limit in _limits(root))


def _limits(root: Path | None) -> Iterator[int]:
    """Free memory, and the limit of the control group (as in a container)."""
    from pathlib import Path

    root = root or Path("/")
    if found := _AVAILABLE.search(_text(root / "proc/meminfo")):
        yield int(found.group(1)) << 10
    group = _GROUP.search(_text(root / "proc/self/cgroup"))
    if group is not None:
        most = _text(root / "sys/fs/cgroup" / group.group(1) / "memory.max").strip()
        if most.isdecimal():
            yield int(most)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
