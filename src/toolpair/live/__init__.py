"""Who works with a session just now: the processes that write to its file, and agents that run in its folder."""

from toolpair.live.agents import agent_of
from toolpair.live.processes import Neighbour, neighbours

__all__ = ["Neighbour", "agent_of", "neighbours"]
