"""Images and files in a result, in words: kind, size in pixels, bytes."""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any, Final

from toolpair.tui.numbers import size_text

_HEAD: Final = 4096
"""Base64 characters that are decoded to read an image's size."""


def media_words(part: Any) -> str:
    """`image  PNG, 1280 x 800, 84 KB`. Untrusted."""
    kind, mime, data, url = _parts(part)
    size = media_size(part)
    words = [mime.rpartition("/")[2].upper() or "unknown kind"]
    pixels = _pixels(data)
    if pixels is not None:
        words.append(f"{pixels[0]:,} x {pixels[1]:,}")
    words.append(size_text(size) if data else f"at {url}" if url else "no content here")
    return f"{kind}  {', '.join(words)}"


def media_size(part: Any) -> int:
    """How many bytes it holds here."""
    return len(_parts(part)[2].rstrip("=")) * 3 // 4


def _parts(part: Any) -> tuple[str, str, str, str]:
    """Kind, media type, Base64 and address of a part, as the APIs write them."""
    type_ = str(part.get("type", "")) if isinstance(part, dict) else ""
    kind = "image" if "image" in type_ else "audio" if "audio" in type_ else "document"
    holder: Any = part.get("source") if isinstance(part.get("source"), dict) else part
    for key in ("image_url", "input_audio", "file"):
        if isinstance(holder.get(key), (dict, str)):
            holder = holder[key]
            break
    if isinstance(holder, str):
        holder = {"url": holder}
    url = next((holder[key] for key in ("url", "image_url", "file_data") if isinstance(holder.get(key), str)), "")
    data = holder.get("data")
    mime = next((str(holder[key]) for key in ("media_type", "mimeType", "mime_type", "format") if holder.get(key)), "")
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        mime = mime or head.removeprefix("data:").partition(";")[0]
        url = ""
    return kind, mime, data if isinstance(data, str) else "", url[:200]


def _pixels(data: str) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF or JPEG."""
    try:
        raw = base64.b64decode(data[:_HEAD][: len(data[:_HEAD]) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
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
