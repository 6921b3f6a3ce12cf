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


def resume(files: Mapping[str, bytes], times: int = 1) -> dict[str, Resumed]:
    """What is sent for each rollout, by the names that the caller gave, when it is resumed so many times."""
    resumed = _AGENT.resume(files, times=times, each=lambda _, data: {"folder": _folder(data)})
    return {
        name: replace(found, after=PROJECT.sub(json.dumps(_folder(files[name])).encode(), found.after))
        for name, found in resumed.items()
    }


def _folder(data: bytes) -> str | None:
    """The folder that the session names: an agent that is resumed elsewhere reads less of the file."""
    found = re.search(rb'"cwd":\s*"([^"]+)"', data)
    return found[1].decode(errors="replace") if found else None
