"""What the real Mistral Vibe sends when it resumes a session file.

The agent is the command that TOOLPAIR_VIBE names: `vibe` of the package `mistral-vibe`. TOOLPAIR_VIBE_BEFORE is one before
2.26.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents import running
from tests.agents.running import RealAgent, Resumed, script

_AGENT = RealAgent("vibe", "set TOOLPAIR_VIBE", (script("TOOLPAIR_VIBE"),))
_BEFORE = RealAgent("vibe", "set TOOLPAIR_VIBE_BEFORE", (script("TOOLPAIR_VIBE_BEFORE"),))


def why_not(before: bool) -> str | None:
    return (_BEFORE if before else _AGENT).why_not()


def resume(files: Mapping[str, bytes], before: bool) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.without_system((_BEFORE if before else _AGENT).resume(files))
