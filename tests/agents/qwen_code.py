"""What the real Qwen Code sends when it resumes a session file, and what it writes to it.

The agent is the script that TOOLPAIR_QWEN names: `cli.js` of its package. It is run by the node that TOOLPAIR_NODE
names, else by the one that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.agents.running import NODE, PROJECT, RealAgent, Resumed, script
from tests.qwen_sessions import FOLDER, ID

_AGENT = RealAgent("qwen-code", "set TOOLPAIR_QWEN and TOOLPAIR_NODE", (NODE, script("TOOLPAIR_QWEN")))
why_not = _AGENT.why_not


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave; afterwards it names its own folder again."""
    return {
        name: replace(found, after=PROJECT.sub(b'"%s"' % FOLDER.encode(), found.after))
        for name, found in _AGENT.resume(files, session_id=ID, folder=FOLDER).items()
    }
