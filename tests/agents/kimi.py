"""What the real Kimi CLI sends when it resumes a session file.

The agent is the command that TOOLPAIR_KIMI names: `kimi` of the package `kimi-cli`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents import running
from tests.agents.running import RealAgent, Resumed, script

_AGENT = RealAgent("kimi-cli", "set TOOLPAIR_KIMI", (script("TOOLPAIR_KIMI"),))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.without_system(_AGENT.resume(files))
