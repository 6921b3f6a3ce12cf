"""How long a test waits for what has to come: no test fails because a machine is slow, and none waits for ever."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 300.0
"""Seconds. What waits so long waits for something that never comes."""
