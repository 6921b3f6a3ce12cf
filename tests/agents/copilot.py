"""What the real Copilot CLI sends when it resumes a session file, and what it writes to it.

The agent is the command that TOOLPAIR_COPILOT names.
"""

from __future__ import annotations

from tests.agents.running import RealAgent, script

AGENT = RealAgent("copilot-cli", "set TOOLPAIR_COPILOT", (script("TOOLPAIR_COPILOT"),))
why_not, resume = AGENT.why_not, AGENT.resume
