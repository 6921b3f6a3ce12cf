"""What the real Continue sends when it resumes a session file.

The agent is the command line that TOOLPAIR_CONTINUE names: the file `cn.js` of the package `@continuedev/cli`. It is run
by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents import running
from tests.agents.running import NODE, RealAgent, Resumed, script

_AGENT = RealAgent("continue", "set TOOLPAIR_CONTINUE and TOOLPAIR_NODE", (NODE, script("TOOLPAIR_CONTINUE")))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.without_system(_AGENT.resume(files, ending=".json"))
