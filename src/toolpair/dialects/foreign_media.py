"""Images and documents as Bedrock, Gemini and libraries spell them, read as Anthropic's API has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import anthropic, gemini
from toolpair.dialects.media import HeldMedia, pixels_of


def held_media(part: dict[str, Any]) -> HeldMedia | None:
    """The image or the document that such a part is; None where it is none."""
    media = _media(part)
    if media is None:
        return None
    return HeldMedia.of(media, part)


def spelled(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Texts, and such media as the file spells them, in a list whose parts have no types."""
    return [part.raw if isinstance(part, HeldMedia) else {"text": part.get("text")} for part in parts]


def is_held(content: Any) -> bool:
    """Whether there are such media in a content."""
    return isinstance(content, list) and any(isinstance(part, HeldMedia) for part in content)


_NAMED: Final = {
    "type": (
        *("file", "image", "media", "image-data", "file-data", "image-url", "file-url"),  # the AI SDK
        *("image_content", "data", "uri"),  # LiveKit, Agent Framework
    ),
    "kind": ("binary", "image-url", "document-url"),  # pydantic-ai
    "content_type": ("image",),  # Semantic Kernel
    "block_type": ("image", "document"),  # LlamaIndex
}
"""The key by which libraries tell parts apart -> what it says of images and documents."""
_CONTENT: Final = ("data", "image", "url", "base64", "uri", "data_uri")
_TYPES: Final = ("mediaType", "mimeType", "media_type", "mime_type", "image_mimetype", "mime")


def _media(part: dict[str, Any]) -> dict[str, Any] | None:
    for kind in ("image", "document"):
        if isinstance(held := part.get(kind), dict) and "type" not in part and isinstance(held.get("source"), dict):
            media, source = f"{'image' if kind == 'image' else 'application'}/{held.get('format')}", held["source"]
            return {"type": kind, "source": {"type": "base64", "media_type": media, "data": source.get("bytes")}}
    if (found := gemini.spelled(part)) is not part and found["type"] in ("image", "document"):
        return dict(found)
    media = next((part[key] for key in _TYPES if isinstance(part.get(key), str)), "image/")
    data = next((part[key] for key in _CONTENT if isinstance(part.get(key), str)), None)
    named = any(part.get(key) in names for key, names in _NAMED.items()) if "source" not in part else False
    if data is None or not (named or (part.keys() == {"data"} and pixels_of(data))):  # AutoGen's images have no name
        return None
    kind = "image" if media.startswith("image/") else "document"
    if data.startswith(("data:", "http:", "https:")):
        return {"type": kind, "source": anthropic.image_at(data)["source"]}
    return {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}
