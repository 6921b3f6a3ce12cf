"""Images and documents as Bedrock, Gemini and the AI SDK spell them, read as Anthropic's API has them."""

from __future__ import annotations

from typing import Any

from toolpair.dialects import anthropic, gemini


def written_media(part: dict[str, Any]) -> dict[str, Any] | None:
    """An image or a document as Anthropic's API has it, where Bedrock's, Gemini's or the AI SDK wrote it; else None."""
    for kind in ("image", "document"):
        if isinstance(held := part.get(kind), dict) and "type" not in part and isinstance(held.get("source"), dict):
            media, source = f"{'image' if kind == 'image' else 'application'}/{held.get('format')}", held["source"]
            return {"type": kind, "source": {"type": "base64", "media_type": media, "data": source.get("bytes")}}
    if (found := gemini.spelled(part)) is not part and found["type"] in ("image", "document"):
        return dict(found)
    media = next((part[key] for key in ("mediaType", "mimeType") if isinstance(part.get(key), str)), "image/")
    data = next((part[key] for key in ("data", "image", "url") if isinstance(part.get(key), str)), None)
    if part.get("type") not in ("file", "image") or data is None or "source" in part:
        return None
    kind = "image" if media.startswith("image/") else "document"
    if data.startswith(("data:", "http:", "https:")):
        return {"type": kind, "source": anthropic.image_at(data)["source"]}
    return {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}
