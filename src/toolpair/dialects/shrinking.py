"""Images made smaller, with Pillow, which only this uses (the extra `images`)."""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from toolpair.dialects.media import described, with_data, with_parts
from toolpair.transcript.edits import SetValue, ShrinkImages

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
_SMALLER: Final = 0.7
"""By how much an image is made smaller again that is still too long in Base64."""


class CannotShrink(Exception):
    """Pillow is not installed, or cannot read the image."""


@lru_cache(maxsize=4)
def can_shrink(data: str) -> bool:
    """Whether Pillow is installed and reads the image in Base64."""
    try:
        pillow: Any = import_module("PIL.Image")
        with pillow.open(io.BytesIO(base64.b64decode(data)), formats=_FORMATS) as opened:
            opened.load()
    except Exception:  # it has many of its own, for bytes from anywhere
        return False
    return True


def shrunk(edit: ShrinkImages) -> SetValue:
    """The edit that writes the smaller images. Raises CannotShrink."""
    wanted = {id(part) for part in edit.parts}
    return with_parts(edit.block, lambda part: _smaller(part, edit) if id(part) in wanted else None)


def _smaller(part: dict[str, Any], edit: ShrinkImages) -> dict[str, Any]:
    try:
        pillow: Any = import_module("PIL.Image")
        with pillow.open(io.BytesIO(base64.b64decode(described(part).data)), formats=_FORMATS) as opened:
            kind = "PNG" if opened.format == "GIF" else opened.format
            image = opened.convert("RGBA" if kind == "PNG" else "RGB")
    except Exception as error:  # it has many of its own, for bytes from anywhere
        kind = type(error).__name__
        raise CannotShrink(f"The image cannot be made smaller ({kind}); remove it instead (remove-image).") from None
    size = edit.pixels
    while True:
        image.thumbnail((size, size))
        data = _written(image, kind)
        if len(data) <= edit.base64 or size < 2:
            return with_data(part, f"image/{kind.lower()}", data)
        image, kind, size = image.convert("RGB"), "JPEG", int(max(image.size) * _SMALLER)


def _written(image: Any, kind: str) -> str:
    out = io.BytesIO()
    image.save(out, kind)
    return base64.b64encode(out.getvalue()).decode()
