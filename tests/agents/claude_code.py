"""What the real Claude Code sends when it resumes a session file, and what it writes to it.

The agent is the command line named by TOOLPAIR_CLAUDE, else the one inside an installed `claude_agent_sdk`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from tests.agents.running import RealAgent, Resumed

_NAMED = os.environ.get("TOOLPAIR_CLAUDE")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_HINT = "install claude-agent-sdk, or set TOOLPAIR_CLAUDE to its command line"


def executable() -> str | None:
    """The agent's command line, None when there is none."""
    if _NAMED:
        return _NAMED if Path(_NAMED).is_file() else None
    spec = find_spec("claude_agent_sdk")
    if spec is None or not spec.submodule_search_locations:
        return None
    found = Path(spec.submodule_search_locations[0]) / "_bundled" / "claude"
    return str(found) if found.is_file() else None


def _agent() -> RealAgent:
    return RealAgent("claude-code", _HINT, (executable(),))


def why_not() -> str | None:
    """Why the agent cannot be asked here; None when it can."""
    return _agent().why_not()


def resume(files: Mapping[str, bytes], models: Mapping[str, str] | None = None) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave. `models` is what to resume it with."""
    wanted = models or {}
    return _agent().resume(files, each=lambda name, _: {"options": {"model": wanted[name]}} if name in wanted else {})
