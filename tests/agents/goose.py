"""What the real goose sends when it resumes a session of its database.

The agent is the command that TOOLPAIR_GOOSE names: `bin/goose` of its package.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents.running import RealAgent, Resumed, script
from tests.goose_sessions import SESSION

_AGENT = RealAgent("goose", "set TOOLPAIR_GOOSE", (script("TOOLPAIR_GOOSE"),))
_PROFILES = {"openai": "openai-chat", "anthropic": "anthropic"}
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes], *, provider: str = "openai", session: str = SESSION) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave: a database, or an older file.

    Afterwards there is a database.
    """
    return _AGENT.resume(files, session_id=session, profile=_PROFILES[provider])
