"""Images, audio and documents in a result, as any API writes them: kind, type, size."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import media_of, own_media, result_content
from toolpair.transcript.model import Block

_HEAD: Final = 4096
"""Base64 characters that are decoded to read an image's size."""
_ADDRESS: Final = 200
"""Characters of an address that are kept."""


class Media(Struct, frozen=True):
    """A part that is not text. All of it is untrusted."""

    kind: Literal["image", "audio", "document"]
    type: str
    """The media type, such as `image/png`; empty if it is not given."""
    data: str
    """The content in Base64; empty if it is elsewhere."""
    address: str

    @property
    def size(self) -> int:
        """How many bytes of content there are here."""
        return len(self.data.rstrip("=")) * 3 // 4

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of a PNG, GIF or JPEG."""
        try:
            return _pixels(base64.b64decode(self.data[:_HEAD][: len(self.data[:_HEAD]) // 4 * 4]))
        except (binascii.Error, ValueError):
            return None


def media_in(result: Block) -> list[Media]:
    """The images and other media of a result."""
    return [_media(part) for part in media_of(result_content(result))]


def media_of_block(block: Block) -> Media | None:
    """The image or other media that a block of a message is itself."""
    return next((_media(part) for part in own_media(block)), None)


def text_beside_media(result: Block) -> str:
    """What a result says beside its media."""
    content = result_content(result)
    media = {id(part) for part in media_of(content)}
    return "\n".join(_said(part) for part in (content if isinstance(content, list) else ()) if id(part) not in media)


def _said(part: Any) -> str:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)


def _media(part: dict[str, Any]) -> Media:
    type_ = str(part.get("type", ""))
    source = part.get("source")
    holder: Any = source if isinstance(source, dict) else part
    for key in ("image_url", "input_audio", "file"):
        if isinstance(holder.get(key), (dict, str)):
            holder = holder[key]
            break
    if isinstance(holder, str):
        holder = {"url": holder}
    address = next((holder[key] for key in ("url", "file_data") if isinstance(holder.get(key), str)), "")
    data = holder.get("data")
    type_given = next((holder[key] for key in ("media_type", "mimeType", "mime_type", "format") if holder.get(key)), "")
    if address.startswith("data:"):
        head, _, data = address.partition(",")
        type_given = type_given or head.removeprefix("data:").partition(";")[0]
        address = ""
    return Media(
        "image" if "image" in type_ else "audio" if "audio" in type_ else "document",
        str(type_given),
        data if isinstance(data, str) else "",
        address[:_ADDRESS],
    )


def _pixels(raw: bytes) -> tuple[int, int] | None:
    if raw.startswith(b"\x89PNG\r\n\x1a\n") and len(raw) >= 24:
        return struct.unpack(">II", raw[16:24])
    if raw[:6] in (b"GIF87a", b"GIF89a") and len(raw) >= 10:
        return struct.unpack("<HH", raw[6:10])
    at = 2
    while raw[:2] == b"\xff\xd8" and at + 9 <= len(raw) and raw[at] == 0xFF:
        if 0xC0 <= raw[at + 1] <= 0xCF and raw[at + 1] not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", raw[at + 2 : at + 4])[0]
    return None
