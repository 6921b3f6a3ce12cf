"""What the real Codex sends when it resumes a rollout, and what it writes to it.

The agent is the command line named by TOOLPAIR_CODEX, else the `codex` that is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from tests.agents.running import PROJECT, RealAgent, Resumed, program

PROGRAM = program("TOOLPAIR_CODEX", "codex")
_AGENT = RealAgent("codex", "put codex on the PATH, or set TOOLPAIR_CODEX to it", (PROGRAM,))
why_not = _AGENT.why_not


AS_RECORDED = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
"""The settings with which the planted rollouts were had, as a user's usually are when a session is resumed."""


def resume(files: Mapping[str, bytes], times: int = 1, limits: str | None = None) -> dict[str, Resumed]:
    """What is sent for each rollout, by the names that the caller gave, when it is resumed so many times. `limits`: the
    settings of what it may do, in place of those with which `prove` asks.
    """
    options = {} if limits is None else {"limits": limits}
    resumed = _AGENT.resume(files, times=times, options=options, each=lambda _, data: {"folder": _folder(data)})
    return {
        name: replace(found, after=PROJECT.sub(json.dumps(_folder(files[name])).encode(), found.after))
        for name, found in resumed.items()
    }


def _folder(data: bytes) -> str | None:
    """The folder that the session names: an agent that is resumed elsewhere reads less of the file."""
    found = re.search(rb'"cwd":\s*"([^"]+)"', data)
    return found[1].decode(errors="replace") if found else None
