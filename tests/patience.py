"""How long a test waits: none fails because a machine is slow, and none waits forever."""

from __future__ import annotations

import os
from typing import Final

PATIENCE: Final = float(os.environ.get("TOOLPAIR_TEST_PATIENCE", "300"))
"""Seconds. After this the event will never come. (Where it is known not to come, less: `scripts/mutants.py`.)"""
