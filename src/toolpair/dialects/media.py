"""Images, audio and documents in a result or a message, as any API writes them: kind, type, size, and taken out."""

from __future__ import annotations

import binascii
import json
import struct
from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import media_of, own_media, result_content
from toolpair.dialects.block_values import field_of, is_output, saying
from toolpair.transcript.edits import SetValue
from toolpair.transcript.model import Block

_HEADS: Final = (4096, 1 << 16, 1 << 18)
"""Base64 characters that are decoded to read an image's size: a JPEG may have a small picture of itself before it."""
_JPEG: Final = "/9j/"
"""How a JPEG begins in Base64."""
SURE_PIXELS: Final = 2000
SURE_BASE64: Final = 5 << 20
"""Pixels wide or high, and characters in Base64, that no provider is known to refuse, whatever else a request holds."""
_WIDEST: Final = 1 << 16
"""Pixels: what says that it is wider or higher is no image."""
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
        """Width and height of a PNG, GIF, JPEG or WebP."""
        return pixels_of(self.data)


class HeldMedia(dict[str, Any]):
    """An image or a document as Anthropic's API has it, with what the file has for it."""

    raw: Any
    apart: bool = False
    """A result holds it, and it is sent in a message of its own where the API takes no media in results."""

    @classmethod
    def of(cls, media: dict[str, Any], raw: Any, apart: bool = False) -> HeldMedia:
        held = cls(media)
        held.raw, held.apart = raw, apart
        return held


def as_filed(part: dict[str, Any]) -> Any:
    """What the file has for an image or a document."""
    return part.raw if isinstance(part, HeldMedia) else part


def type_of(data: str) -> str:
    """The media type of an image in Base64 by how it begins."""
    kinds = {"iVBOR": "png", _JPEG: "jpeg", "R0lG": "gif", "UklG": "webp"}
    return f"image/{next((kind for begins, kind in kinds.items() if data.startswith(begins)), '')}"


def pixels_of(data: str) -> tuple[int, int] | None:
    """Width and height of an image in Base64: a PNG, GIF, JPEG or WebP."""
    for end in _HEADS:
        try:
            found = _pixels(binascii.a2b_base64(data[:end][: len(data[:end]) // 4 * 4]))
        except (binascii.Error, ValueError, struct.error):
            return None
        if found is not None or len(data) <= end or not data.startswith(_JPEG):
            return found
    return None


def beginning_like(data: str) -> str:
    """How another image in Base64 begins that is of the same kind, width and height; empty if these are not known."""
    width, height = pixels_of(data) or (0, 0)
    if not (0 < width < _WIDEST and 0 < height < _WIDEST):
        return ""
    if data.startswith(_JPEG):
        raw = b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HHB", height, width, 3)
    elif data.startswith("iV"):
        raw = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    elif data.startswith("R0"):
        raw = b"GIF89a" + struct.pack("<HHH", width, height, 0)
    else:
        size = struct.pack("<II", width - 1, height - 1)
        raw = b"RIFF\0\0\0\0WEBPVP8X" + struct.pack("<II", 10, 0) + size[:3] + size[4:7]
    return binascii.b2a_base64(raw, newline=False).decode()


def media_in(result: Block) -> list[Media]:
    """The images and other media of a result."""
    return [described(part) for part in media_of(result_content(result))]


def media_of_block(block: Block) -> Media | None:
    """The image or other media that a block of a message is itself."""
    return next((described(part) for part in own_media(block)), None)


def media_parts(block: Block) -> list[dict[str, Any]]:
    """The media that a block is or holds, as they are written: of a message, of a result, of an item."""
    return own_media(block) or media_of(_content(block))


def part_at(block: Block, number: int) -> Any:
    """The part with this number of what a block holds; None without one."""
    content = _content(block)
    return content[number] if isinstance(content, list) and number < len(content) else None


def with_parts(block: Block, instead: Callable[[dict[str, Any]], dict[str, Any] | None]) -> SetValue:
    """The edit that replaces media of a block; `instead` says by what, None for what stays."""
    if own_media(block):
        return SetValue(block, instead(block.value) or block.value)
    content, media = _content(block), {id(part) for part in media_parts(block)}
    if not isinstance(content, list):
        return _with_content(block, instead(content) or content)
    return _with_content(block, [(id(part) in media and instead(part)) or part for part in content])


def with_data(part: dict[str, Any], type_: str, data: str) -> dict[str, Any]:
    """The part with another content in Base64, of this media type."""
    was = described(part)
    made: dict[str, Any] = _with_data(part, was, type_, data)
    return (
        HeldMedia.of(made, _with_data(part.raw, was, type_, data), part.apart) if isinstance(part, HeldMedia) else made
    )


def _with_data(value: Any, was: Media, type_: str, data: str, key: str = "") -> Any:
    """The same value with another content wherever it has that of `was`, however it is spelled."""
    if isinstance(value, dict):
        return {name: _with_data(one, was, type_, data, name) for name, one in value.items()}
    if not isinstance(value, str):
        return value
    if value == was.data:
        return data
    if value.startswith("data:") and value.endswith(was.data):
        return f"data:{type_};base64,{data}"
    if key == "format":
        return type_.partition("/")[2]
    return type_ if value and value == was.type else value


def text_instead(block: Block, text: str) -> dict[str, Any]:
    """A text part that may stand where media of the block stood."""
    kind = "text"
    if not own_media(block) and (is_output(block) or (block.kind == "text" and field_of(block, "role") is not None)):
        kind = "output_text" if field_of(block, "role") == "assistant" else "input_text"
    return {"type": kind, "text": text}


def _content(block: Block) -> Any:
    return result_content(block) if block.kind == "result" else field_of(block, "content")


def _with_content(block: Block, content: Any) -> SetValue:
    output = field_of(block, "output")
    if is_output(block) and isinstance(output, dict):  # early files have an object around it
        return SetValue(block, {**block.value, "output": {**output, "content": content}})
    return saying(block, content)


def text_beside_media(result: Block) -> str:
    """What a result says beside its media."""
    content = result_content(result)
    media = {id(part) for part in media_of(content)}
    return "\n".join(_said(part) for part in (content if isinstance(content, list) else ()) if id(part) not in media)


def _said(part: Any) -> str:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)


def described(part: dict[str, Any]) -> Media:
    """What a part that is media is."""
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
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return _webp(raw[12:16], raw[20:30])
    at = 2
    while raw[:2] == b"\xff\xd8" and at + 9 <= len(raw) and raw[at] == 0xFF:
        if 0xC0 <= raw[at + 1] <= 0xCF and raw[at + 1] not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", raw[at + 2 : at + 4])[0]
    return None


def _webp(kind: bytes, head: bytes) -> tuple[int, int] | None:
    if len(head) < 10:
        return None
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[4:7], "little"), 1 + int.from_bytes(head[7:10], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(head[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", head[6:10])
    return width & 0x3FFF, height & 0x3FFF
