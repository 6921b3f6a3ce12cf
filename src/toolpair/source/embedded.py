"""JSON text within a JSON string: decoding it, and encoding only what changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from toolpair.source.encode import JsonStyle, detect, encode_text
from toolpair.source.json_spans import decode_string

_UNITS = re.compile(
    rb'[^\\"]++|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.', re.DOTALL
)


class Embedded(Struct, frozen=True, eq=False):
    """A string token (with its quotes) found at `start`, and the text in it.

    `decoded_at` and `encoded_at` are the offsets where the units of the text begin. A unit is an escape, or a run of
    bytes that are the same in both.
    """

    token: bytes
    start: int
    decoded: bytes
    decoded_at: list[int]
    encoded_at: list[int]
    style: JsonStyle

    @classmethod
    def read(cls, token: bytes, start: int) -> Embedded | None:
        """None when the text cannot be mapped byte by byte (invalid UTF-8, lone surrogates)."""
        try:
            token.decode("utf-8")
            decoded = decode_string(token).encode("utf-8")
        except ValueError:
            return None
        decoded_at, encoded_at = [0], [1]
        pos = 0
        for match in _UNITS.finditer(token, 1, len(token) - 1):
            unit = match.group()
            size = len(unit) if unit[0] != 0x5C else len(decode_string(b'"' + unit + b'"').encode("utf-8"))
            pos += size
            decoded_at.append(pos)
            encoded_at.append(match.end())
        if pos != len(decoded):
            return None
        return cls(token, start, decoded, decoded_at, encoded_at, detect(token))

    def place(self, offset: int) -> int:
        """The offset in the token of the decoded byte at `offset`."""
        unit = bisect_right(self.decoded_at, offset) - 1
        if unit + 1 == len(self.decoded_at):
            return self.encoded_at[unit]
        within = offset - self.decoded_at[unit]
        plain = self.encoded_at[unit + 1] - self.encoded_at[unit] == self.decoded_at[unit + 1] - self.decoded_at[unit]
        return self.encoded_at[unit] + (within if plain else 0)

    def encode(self, pieces: Iterable[tuple[bytes, int | None]]) -> Iterator[tuple[bytes, int | None]]:
        """The token's new bytes, from pieces of decoded text and their old offsets (None: new); yields such pairs."""
        yield b'"', self.start
        for text, offset in pieces:
            if offset is None:
                yield encode_text(text.decode("utf-8", "replace"), self.style)[1:-1], None
            elif text:
                begin, end = self.place(offset), self.place(offset + len(text))
                yield self.token[begin:end], self.start + begin
        yield b'"', self.start + len(self.token) - 1
