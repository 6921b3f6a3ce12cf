"""How long a test waits: none fails because a machine is slow, and none waits forever."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 300.0
"""Seconds. After this the event will never come."""
