"""What the real pi sends when it resumes a session file, and what it writes to it.

The agents are the command lines named by TOOLPAIR_PI, TOOLPAIR_PI_BEFORE (0.87) and TOOLPAIR_PI_OLD (before it): a
file `cli.js` each.
They are run by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.agents.running import NODE, RealAgent, Resumed, script

_HINT = "set TOOLPAIR_PI, TOOLPAIR_PI_BEFORE, TOOLPAIR_PI_OLD and TOOLPAIR_NODE"
_AGENTS = {
    version: RealAgent("pi", _HINT, (NODE, script(variable)))
    for version, variable in {"1.5": "TOOLPAIR_PI", "0.87": "TOOLPAIR_PI_BEFORE", "0.73": "TOOLPAIR_PI_OLD"}.items()
}


def why_not(version: str) -> str | None:
    """Why this version cannot be asked here; None when it can."""
    return _AGENTS[version].why_not()


def resume(files: Mapping[str, bytes], version: str) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    return _AGENTS[version].resume(files)
