"""Compressed session files: unpacked when they are opened, packed again when they are saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolpair.dataclass import dataclass
from toolpair.source.errors import Refused, Unreadable

MAGIC: Final = b"\x28\xb5\x2f\xfd"
SUFFIX: Final = ".zst"
LIMIT: Final = 4 << 30
"""Bytes that are unpacked at most: a small file can hold any number of them."""
_SKIPPABLE: Final = range(0x184D2A50, 0x184D2A60)
_FED: Final = 1 << 12
"""Bytes given to the unpacker at a time. One byte can become 40 kilobytes, so that memory stays within bounds."""
_WINDOW: Final = 1 << 31
_LEVEL: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """How a file was packed. `raw` are its own bytes; `whole` is False when its end is missing or cannot be read."""

    raw: bytes
    whole: bool


def is_packed(data: bytes) -> bool:
    return data.startswith(MAGIC)


def unpack(data: bytes, shown: str) -> tuple[bytes, Packing]:
    """All frames of the file. What comes before a torn or bad end counts. Raises Unreadable."""
    zstandard = _library()
    if zstandard is None:
        raise Unreadable(
            f"{shown} is zstd-compressed, and the package zstandard that reads it is not installed; "
            "`pip install zstandard`, or unpack the file first."
        )
    pieces: list[bytes] = []
    size = 0
    whole = True
    try:
        for piece in _frames(data, zstandard):
            size += len(piece)
            if size > LIMIT:
                raise Unreadable(
                    f"{shown} unpacks to more than {LIMIT >> 20:,} MiB; unpack it and open the part that matters."
                )
            pieces.append(piece)
    except (zstandard.ZstdError, EOFError):
        whole = False
    if not size:
        what = "nothing in it can be unpacked" if not whole else "it is empty"
        raise Unreadable(f"{shown} is zstd-compressed, but {what}; look for a backup of it.")
    return b"".join(pieces), Packing(data, whole)


def _frames(data: bytes, zstandard: Any) -> Iterator[bytes]:
    """The content of frame after frame. EOFError when the last one has no end."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    view = memoryview(data)
    position = 0
    while position < len(view):
        skipped = _skippable(view[position : position + 8])
        if skipped is not None:
            position += skipped
            if position > len(view):
                raise EOFError
            continue
        frame = unpacker.decompressobj()
        while not frame.eof:
            fed = view[position : position + _FED]
            if not fed:
                raise EOFError
            position += len(fed)
            yield frame.decompress(fed)
        position -= len(frame.unused_data)


def _skippable(head: memoryview) -> int | None:
    """The size of a frame that holds nothing of the content."""
    if len(head) < 8 or int.from_bytes(head[:4], "little") not in _SKIPPABLE:
        return None
    return 8 + int.from_bytes(head[4:8], "little")


def pack(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks as one frame with a checksum. Raises Refused where the library is missing."""
    zstandard = _library()
    if zstandard is None:
        raise Refused(
            "A zstd-compressed file cannot be written, because the package zstandard is not installed; "
            "`pip install zstandard`, or give a name without .zst.",
            "form",
        )
    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    for chunk in chunks:
        if packed := packer.compress(chunk):
            yield packed
    yield packer.flush()


def _library() -> Any:
    try:
        import zstandard
    except ImportError:
        return None
    return zstandard
