"""A plain format that says nothing of its records but how they are read and changed."""

from __future__ import annotations

from msgspec.structs import replace

from toolpair.formats import get_format
from toolpair.formats.format import Format


def unlit(like: str) -> Format:
    """A plain format without its light."""
    return replace(get_format(like), light=None, clean_by=frozenset(), in_windows=True)
