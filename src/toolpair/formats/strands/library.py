"""Strands itself, of which only what it does with a session is known."""

from __future__ import annotations

from typing import Final

from toolpair.formats.agent import Library
from toolpair.formats.strands.sending import TITLE

LIBRARY: Final = Library("strands", TITLE)
