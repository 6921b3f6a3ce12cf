"""The Agents SDK itself, of which only what it does with a session is known: whose program uses it, no file says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Agent, FoundSession
from toolpair.formats.agents_sdk.sending import TITLE
from toolpair.shell.machine import Machine


class AgentsSdk(Agent):
    """It has no place of its own on a machine."""

    id = "agents-sdk"
    title = TITLE

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return ()

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        return iter(())


LIBRARY: Final = AgentsSdk()
