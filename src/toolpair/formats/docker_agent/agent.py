"""docker-agent itself: where its database is, and how a session is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolpair.formats.agent import Program, SessionFile
from toolpair.formats.docker_agent.format import TITLE
from toolpair.formats.engine.agents.database_agent import DatabaseAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.shell.machine import Machine
from toolpair.shell.quoting import word


class DockerAgent(DatabaseAgent):
    """`docker agent run`, formerly `cagent run`."""

    id = "docker-agent"
    title = TITLE
    usual_home = ".cagent"
    program = Program("docker-agent", TITLE, r"\A\b\Z", ("--session",), frozenset({"api", "new", "version"}))

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "session.db",)

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        return _way_back(file)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        return _way_back(file, f" --session-db {word(str(path))}")


def _way_back(file: SessionFile, place: str = "") -> WayBack:
    command = f"docker agent run AGENT{place} --session {word(file.session_id)}"
    return WayBack((), file.folder, sentence=f"Run `{command}`, with the agent that it was begun with as AGENT.")


AGENT: Final = DockerAgent()
