"""What the real Kimi Code sends when it resumes an agent's events.

The agent is the command that TOOLPAIR_KIMI_CODE names: `kimi` of the package `@moonshot-ai/kimi-code`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents import running
from tests.agents.running import RealAgent, Resumed, script

_AGENT = RealAgent("kimi-code", "set TOOLPAIR_KIMI_CODE", (script("TOOLPAIR_KIMI_CODE"),))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.without_system(_AGENT.resume(files))
