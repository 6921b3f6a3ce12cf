"""docker-agent (formerly cagent): its database of sessions, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="docker-agent",
    title="docker-agent",
    where="~/.cagent/session.db, a database of all sessions",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"docker-agent": lazy("toolpair.formats.docker_agent.agent:AGENT")},
    layouts=(lazy("toolpair.formats.docker_agent.database:LAYOUT"),),
    sniff=lazy("toolpair.formats.docker_agent.detection:sniff"),
    surest=97,
    needs=("session_items", "sessions"),
    knows=lazy("toolpair.formats.docker_agent.detection:knows"),
    profile_for=lazy("toolpair.formats.docker_agent.detection:profile_for"),
    read=lazy("toolpair.formats.docker_agent.format:read"),
    apply=lazy("toolpair.formats.docker_agent.writing:apply"),
    sees=lazy("toolpair.formats.docker_agent.format:sees"),
    damage=lazy("toolpair.formats.docker_agent.format:damage"),
    check=lazy("toolpair.formats.docker_agent.format:check"),
    light=lazy("toolpair.formats.docker_agent.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    time_of=lazy("toolpair.formats.docker_agent.format:time_of"),
    usage_of=lazy("toolpair.formats.docker_agent.format:usage"),
)
