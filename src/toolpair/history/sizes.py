"""Long histories, stretch by stretch: what is proven to be in order is neither kept nor judged in full."""

from __future__ import annotations

from typing import Final

SHORT: Final = 1_000
"""Records up to which a conversation is judged whole: that takes no longer."""
SMALL: Final = 1 << 20
"""Bytes of a file from which on its records are not counted first."""
