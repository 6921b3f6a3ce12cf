"""Images and documents as Bedrock, Gemini and the AI SDK spell them, read as Anthropic's API has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import anthropic, gemini
from toolpair.dialects.media import HeldMedia


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


_AI_SDK: Final = ("file", "image", "media", "image-data", "file-data", "image-url", "file-url")
"""Its types of parts: in messages the first two, in outputs the others."""


def _media(part: dict[str, Any]) -> dict[str, Any] | None:
    for kind in ("image", "document"):
        if isinstance(held := part.get(kind), dict) and "type" not in part and isinstance(held.get("source"), dict):
            media, source = f"{'image' if kind == 'image' else 'application'}/{held.get('format')}", held["source"]
            return {"type": kind, "source": {"type": "base64", "media_type": media, "data": source.get("bytes")}}
    if (found := gemini.spelled(part)) is not part and found["type"] in ("image", "document"):
        return dict(found)
    media = next((part[key] for key in ("mediaType", "mimeType") if isinstance(part.get(key), str)), "image/")
    data = next((part[key] for key in ("data", "image", "url") if isinstance(part.get(key), str)), None)
    if part.get("type") not in _AI_SDK or data is None or "source" in part:
        return None
    kind = "image" if media.startswith("image/") else "document"
    if data.startswith(("data:", "http:", "https:")):
        return {"type": kind, "source": anthropic.image_at(data)["source"]}
    return {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}
