"""What the real Gemini CLI sends when it resumes a session file, and what it writes to it.

The agent is the script named by TOOLPAIR_GEMINI: the package's `bundle/gemini.js`. It is run by the node that
TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents.running import NODE, RealAgent, Resumed, script
from tests.gemini_sessions import NAME

_AGENT = RealAgent("gemini-cli", "set TOOLPAIR_GEMINI and TOOLPAIR_NODE", (NODE, script("TOOLPAIR_GEMINI")))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes], *, by_path: bool = False) -> dict[str, Resumed]:
    """The contents that are sent for each file, by the names that the caller gave.

    `by_path` is `--session-file`, which continues in a copy.
    """
    options = {"name": NAME, "by_path": "yes" if by_path else ""}
    return _AGENT.resume(files, options=options)
