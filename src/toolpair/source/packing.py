"""Compressed session files: decompressed when opened, compressed again when saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Final

from msgspec import Struct

from toolpair.source.errors import Refused, TooLarge, UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.limits import USUAL, Limits, fits, in_words, no_memory

MAGIC: Final = b"\x28\xb5\x2f\xfd"
SUFFIX: Final = ".zst"
_SKIPPABLE: Final = range(0x184D2A50, 0x184D2A60)
_FED: Final = 1 << 12
"""Bytes given to the decompressor at a time. One byte can become 40 kilobytes, so this bounds memory."""
_WINDOW: Final = 1 << 27
"""The window that any compressor uses by default; a larger one needs a memory check."""
_BLOCK: Final = 1 << 17
"""Maximum unpacked bytes of a compressed block."""
_BLOCKS: Final = 1 << 20
"""How many block headers are looked at."""
_HOLLOW: Final = 64 << 20
"""A file that unpacks to more than this, and to two hundred times its size, was not written by an agent."""
_SWOLLEN: Final = 200
_HEAD: Final = 18
"""Maximum bytes of a frame header."""
_REPEATED, _COMPRESSED = 1, 2
"""Block types: one repeated byte, or compressed."""
_ENDLESS: Final = 1 << 62
_LEVEL: Final = 3


class Packing(Struct, frozen=True, eq=False):
    """How a file was compressed. `raw` are its own bytes; `whole` is False when its end is missing or unreadable."""

    raw: Content
    whole: bool


def is_packed(data: bytes) -> bool:
    return data.startswith(MAGIC)


def unpack(data: Content, shown: str, limits: Limits = USUAL) -> tuple[Content, Packing]:
    """The content of all frames, up to a missing or bad end. A large file is never in memory. Raises Unreadable."""
    zstandard = _library()
    if zstandard is None:
        raise UnreadableFile(
            f"{shown} is zstd-compressed, and the zstandard package that reads it is not installed; `pip install "
            "zstandard`, or unpack the file first."
        )
    from toolpair.source.spooled import Spooled

    window = _refuse_bomb(data, shown, limits, zstandard)
    whole = True
    with closing(Spooled(shown)) as content:
        try:
            for piece in _frames(data, zstandard.ZstdDecompressor(max_window_size=max(window, _WINDOW))):
                content.add(piece)
        except (zstandard.ZstdError, EOFError):
            whole = False
        if not content.size:
            what = "nothing in it can be unpacked" if not whole else "it is empty"
            raise UnreadableFile(f"{shown} is zstd-compressed, but {what}; look for a backup of it.")
        return content.content(), Packing(data, whole)


def _refuse_bomb(data: Content, shown: str, limits: Limits, zstandard: Any) -> int:
    """Refuse what unpacks to too much, before unpacking it. Returns the largest window. Raises TooLarge."""
    least, most, window = _bounds(data, zstandard)
    if window > _WINDOW and (window > limits.unpacked or not fits(window)):
        raise TooLarge(f"{shown} needs {in_words(window)} of memory to unpack, and there is not enough.")
    _refuse_size(least, len(data), shown, limits)
    if most > least and (most > limits.unpacked or most > _HOLLOW or not fits(most)):
        # Decompressing into the same small buffer again and again is fast and takes no memory.
        unpacker = zstandard.ZstdDecompressor(max_window_size=max(window, _WINDOW))
        reader = unpacker.stream_reader(_Stream(data), read_across_frames=True)
        into, least = bytearray(_BLOCK), 0
        try:
            while read := reader.readinto(into):
                least += read
                _refuse_size(least, len(data), shown, limits)
        except zstandard.ZstdError:
            pass  # what precedes a bad end counts
    if not fits(least):
        raise no_memory(shown)
    return window


def _refuse_size(size: int, packed: int, shown: str, limits: Limits) -> None:
    if size > limits.unpacked:
        raise TooLarge(
            f"{shown} ({in_words(packed)}) unpacks to more than {in_words(limits.unpacked)}, the most that is "
            "unpacked; --max-size allows more."
        )
    if size > max(_HOLLOW, packed * _SWOLLEN) and not limits.asked_for:
        raise TooLarge(
            f"{shown} ({in_words(packed)}) unpacks to more than {in_words(_HOLLOW)} and over {_SWOLLEN} times its "
            "size, which no real session does; --max-size allows it anyway."
        )


class _Stream:
    """Content as the library reads it."""

    def __init__(self, data: Content) -> None:
        self._data = data
        self._at = 0

    def read(self, size: int) -> bytes:
        at, self._at = self._at, min(self._at + size, len(self._data))
        return self._data[at : self._at]


def _bounds(data: Content, zstandard: Any) -> tuple[int, int, int]:
    """The least and the most that the frames unpack to, by the headers of frames and blocks, and the largest window."""
    least = most = window = position = blocks = 0
    try:
        while position < len(data):
            skipped = _skippable(data[position : position + 8])
            if skipped is not None:
                position += skipped
                continue
            frame = zstandard.get_frame_parameters(data[position : position + _HEAD])
            window = max(window, frame.window_size)
            claimed = frame.content_size if frame.content_size < zstandard.CONTENTSIZE_ERROR else 0
            surely = possibly = 0
            position += zstandard.frame_header_size(data[position : position + _HEAD])
            last = False
            while not last and position + 3 <= len(data) and blocks < _BLOCKS:
                blocks += 1
                head = int.from_bytes(data[position : position + 3], "little")
                last, kind, size = bool(head & 1), head >> 1 & 3, head >> 3
                position += 3 + (1 if kind == _REPEATED else size)
                surely += 0 if kind == _COMPRESSED else size
                possibly += _BLOCK if kind == _COMPRESSED else size
            # A frame header may claim too little.
            least, most = least + max(claimed, surely), most + max(claimed, possibly)
            if not last:
                return least, max(most, _ENDLESS if blocks >= _BLOCKS else 0), window
            position += 4 * frame.has_checksum
    except zstandard.ZstdError:
        pass  # decompressing it will fail, too
    return least, most, window


def _frames(view: Content, unpacker: Any) -> Iterator[bytes]:
    """The content of each frame. Raises EOFError when the last one is incomplete."""
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


def _skippable(head: bytes) -> int | None:
    """The size of a skippable frame, which holds no content; None for others."""
    if len(head) < 8 or int.from_bytes(head[:4], "little") not in _SKIPPABLE:
        return None
    return 8 + int.from_bytes(head[4:8], "little")


def pack(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks as one frame with a checksum. Raises Refused where the zstandard library is missing."""
    zstandard = _library()
    if zstandard is None:
        raise Refused(
            "A zstd-compressed file cannot be written, because the zstandard package is not installed; `pip install "
            "zstandard`, or give a name without .zst.",
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
