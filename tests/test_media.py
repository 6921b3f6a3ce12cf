"""Images and other media in a result, in the spellings of all APIs."""

from __future__ import annotations

import base64
import struct
from typing import Any

from tests.each import each
from toolpair.dialects.anthropic import block_of
from toolpair.dialects.media import Media, media_in, pixels_of, text_beside_media

DATA = base64.b64encode(b"GIF89a" + struct.pack("<HH", 30, 20)).decode()
GIF = Media("image", "image/gif", DATA, "")


@each(
    ("part", "media"),
    [
        ({"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": DATA}}, GIF),
        ({"type": "image", "mimeType": "image/gif", "data": DATA}, GIF),
        ({"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{DATA}"}}, GIF),
        ({"type": "input_image", "image_url": f"data:image/gif;base64,{DATA}"}, GIF),
        (
            {"type": "input_image", "image_url": "https://shop.example/a.gif"},
            Media("image", "", "", "https://shop.example/a.gif"),
        ),
        ({"type": "input_audio", "input_audio": {"format": "wav", "data": DATA}}, Media("audio", "wav", DATA, "")),
        (
            {"type": "document", "source": {"type": "url", "url": "https://shop.example/a.pdf"}},
            Media("document", "", "", "https://shop.example/a.pdf"),
        ),
        (
            {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{DATA}"}},
            Media("document", "application/pdf", DATA, ""),
        ),
        ({"type": "image", "source": 5}, Media("image", "", "", "")),
    ],
)
def test_a_part_in_any_spelling(part: Any, media: Media) -> None:
    result = block_of({"type": "tool_result", "content": [{"type": "text", "text": "beside it"}, part]}, 0, ())
    assert media_in(result) == [media] and text_beside_media(result) == "beside it"
    assert media.size == (10 if media.data else 0) and media.pixels == ((30, 20) if media.data else None)


@each(
    "raw",
    [
        b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0\x10\0\0\0\x1d\0\0\x13\0\0",
        b"RIFF\0\0\0\0WEBPVP8L\n\0\0\0\x2f" + (29 | 19 << 14).to_bytes(4, "little") + bytes(9),
        b"RIFF\0\0\0\0WEBPVP8 \n\0\0\0\0\0\0\x9d\x01\x2a\x1e\0\x14\0",
        b"\xff\xd8\xff\xe1\xea\x60" + bytes(59998) + b"\xff\xc0\0\x11\x08\0\x14\0\x1e" + bytes(9),
    ],
)
def test_pixels_of_webp_and_of_a_jpeg_with_a_small_picture_of_itself_before_it(raw: bytes) -> None:
    assert pixels_of(base64.b64encode(raw).decode()) == (30, 20)
    assert pixels_of(base64.b64encode(raw[:20]).decode()) is None
