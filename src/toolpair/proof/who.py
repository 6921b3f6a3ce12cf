"""Which program is asked about a session, and whether it can be."""

from __future__ import annotations

import os

from msgspec import Struct

from toolpair.agents.installed import command_path, version_of
from toolpair.formats import all_agents, writer_of
from toolpair.formats.agent import Agent
from toolpair.formats.asking import Ask
from toolpair.proof.asking import CannotAsk
from toolpair.session.session import Session


class Asked(Struct, frozen=True):
    """The agent that is asked. `program` is the path of its command."""

    agent: Agent
    program: str
    version: str | None

    @property
    def named(self) -> str:
        return f"{self.agent.title} {self.version}" if self.version is not None else self.agent.title


def asked_of(session: Session) -> Agent:
    """The agent that can be asked about the session, installed here or not. Raises CannotAsk where there is none."""
    if len(session.conversations) > 1:
        raise CannotAsk("there are several conversations in it, and an agent resumes one")
    agent = writer_of(session.format.id, session.conversation.transcript, session.path)
    if agent is None:
        raise CannotAsk("it is not known which agent resumes it")
    if session.format.sees is not None and session.conversation.judged.seen is None:
        raise CannotAsk(f"{agent.title} resumes nothing of it: it is a sub-agent's history")
    if agent.ask is None or agent.program is None:
        raise CannotAsk(f"{agent.title} cannot be asked: how to start it without a person is not known")
    return agent


def who_resumes(session: Session, program: str | None = None) -> Asked:
    """The agent that resumes the session, by the command that a shell would run unless `program` is its path.

    Raises CannotAsk where there is none, or none that can be asked.
    """
    agent = asked_of(session)
    assert agent.ask is not None and agent.program is not None
    ask: Ask = agent.ask.found
    called = ask.command or agent.program.command
    found = program or command_path(called, agent.program.places, os.environ, os.path.expanduser("~"))
    if found is None:
        raise CannotAsk(f"{agent.title} is not installed here: no `{called}` is on the PATH")
    if not (os.path.isfile(found) and os.access(found, os.X_OK)):
        raise CannotAsk(f"{found} is no program that could be {agent.title}")
    real = os.path.realpath(found)
    for other in all_agents() if agent.program.package is None else ():
        if other.program is not None and other.program.package and f"/node_modules/{other.program.package}/" in real:
            raise CannotAsk(f"{agent.title} is not installed here: {found} is {other.title}")
    return Asked(agent, os.path.abspath(found), version_of(found, agent.program))
