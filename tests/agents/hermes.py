"""What the real Hermes Agent sends when it resumes a session of its database.

The agent is the command that TOOLPAIR_HERMES names: `bin/hermes` of the environment that `hermes-agent` is installed in,
with the package `anthropic` for Anthropic's API.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents import running
from tests.agents.running import RealAgent, Resumed, script
from tests.hermes_sessions import ID

_AGENT = RealAgent("hermes", "set TOOLPAIR_HERMES", (script("TOOLPAIR_HERMES"),))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes], profile: str) -> dict[str, Resumed]:
    """What is sent for each database without the system prompt, by the names that the caller gave."""
    return running.without_system(_AGENT.resume(files, ending=".db", session_id=ID, profile=profile))
