"""What the real oh-my-pi sends when it resumes a session file, and what it leaves of it.

The agent is the `dist/cli.js` of npm's `@oh-my-pi/pi-coding-agent` that TOOLPAIR_OMP names, run by the `bun` that
TOOLPAIR_BUN names, else by the one that is installed.
"""

from __future__ import annotations

from tests.agents.running import RealAgent, program, script

AGENT = RealAgent(
    "oh-my-pi", "set TOOLPAIR_OMP and TOOLPAIR_BUN", (program("TOOLPAIR_BUN", "bun"), script("TOOLPAIR_OMP"))
)
why_not, resume = AGENT.why_not, AGENT.resume
