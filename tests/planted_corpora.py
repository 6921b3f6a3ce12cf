"""All planted defects of all agents in one place, each written where its agent would have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests import (
    cline_sessions,
    continue_sessions,
    copilot_sessions,
    docker_agent_databases,
    gemini_sessions,
    goose_sessions,
    hermes_sessions,
    kimi_code_sessions,
    kimi_sessions,
    oh_my_pi_sessions,
    openclaw_databases,
    openclaw_sessions,
    opencode_folders,
    opencode_sessions,
    openhands_conversations,
    pi_sessions,
    qwen_sessions,
    vibe_sessions,
    vibe_stores,
)
from tests.agents import codex_planted, planted
from tests.combined_defects import AGENTS, combined
from toolpair.session.session import Session, open_session
from toolpair.source.errors import UnreadableFile

Write = Callable[[Path], str]
"""Writes a session below a folder, and gives what it is opened by."""
COMBINED = 12
"""Combinations of defects of each agent."""


class Case(NamedTuple):
    name: str
    write: Write

    def opened(self, folder: Path, agent_version: str | None = None) -> Session:
        folder.mkdir(parents=True, exist_ok=True)
        return open_session(self.write(folder), agent_version=agent_version)


def _file(name: str, data: bytes, folder: Path) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def _files(file: str, corpus: Mapping[str, bytes]) -> Iterator[Case]:
    for name, data in corpus.items():
        yield Case(name, partial(_file, file, data))


def _goose() -> Iterator[Case]:
    def write(rows: goose_sessions.Rows, folder: Path) -> str:
        path = goose_sessions.database(folder / "sessions.db", rows)
        return f"{path}::{goose_sessions.SESSION}"

    for name, found in goose_sessions.corpus().items():
        yield Case(name, partial(write, found.rows))


def _hermes() -> Iterator[Case]:
    def write(data: bytes, folder: Path) -> str:
        return f"{hermes_sessions.database(folder / 'state.db', data)}::{hermes_sessions.ID}"

    for name, found in (hermes_sessions.corpus() | hermes_sessions.together()).items():
        yield Case(name, partial(write, found.data))


def _openclaw_database() -> Iterator[Case]:
    def write(found: openclaw_databases.Planted, folder: Path) -> str:
        return f"{found.write(folder / 'openclaw-agent.sqlite')}::{openclaw_databases.ID}"

    for name, found in openclaw_databases.corpus().items():
        yield Case(name, partial(write, found))


def _opencode(kilo: bool) -> Iterator[Case]:
    def write(found: opencode_sessions.Planted, folder: Path) -> str:
        path = found.write(folder / ("kilo.db" if kilo else "opencode.db"), kilo)
        return f"{path}::{opencode_sessions.ID}"

    for name, found in opencode_sessions.corpus().items():
        yield Case(name, partial(write, found))


def _opencode_folder() -> Iterator[Case]:
    def write(found: opencode_sessions.Planted, folder: Path) -> str:
        return f"{opencode_folders.planted_in(folder, found)}::{opencode_sessions.ID}"

    for name, found in opencode_sessions.corpus().items():
        yield Case(name, partial(write, found))


def _openhands() -> Iterator[Case]:
    def write(events: openhands_conversations.Events, folder: Path) -> str:
        return str(openhands_conversations.conversation(folder, events))

    def befallen(name: str, folder: Path) -> str:
        path = openhands_conversations.conversation(
            folder, openhands_conversations.chained(openhands_conversations.sound())
        )
        openhands_conversations.IN_FILES[name][0](path)
        return str(path)

    for name, events in openhands_conversations.planted():
        if name.count("+") != 1:
            yield Case(name, partial(write, events))
    for name in openhands_conversations.IN_FILES:
        yield Case(name, partial(befallen, name))


def _vibe_store() -> Iterator[Case]:
    def write(messages: vibe_stores.Messages, folder: Path) -> str:
        return str(vibe_stores.store(folder, messages))

    for name, messages in vibe_stores.planted():
        yield Case(name, partial(write, messages))


def _docker_agent() -> Iterator[Case]:
    def write(name: str, folder: Path) -> str:
        path = docker_agent_databases.database(folder / "session.db", docker_agent_databases.broken(name))
        return f"{path}::sound"

    for name in docker_agent_databases.BREAKS:
        yield Case(name, partial(write, name))


def _combined(agent: str) -> Iterator[Case]:
    for seed in range(COMBINED):
        found = combined(AGENTS[agent], seed)
        if found is not None:
            yield Case(f"{seed}: {', '.join(found.defects)}", partial(_file, AGENTS[agent].file, found.data))


def _data(corpus: Mapping[str, Any]) -> dict[str, bytes]:
    return {name: found.data for name, found in corpus.items()}


CORPORA: Mapping[str, Callable[[], Iterator[Case]]] = {
    "claude-code": lambda: _files("session.jsonl", planted.corpus()),
    "cline-cli": lambda: _files(f"{cline_sessions.ID}/{cline_sessions.NAME}", _data(cline_sessions.corpus())),
    "codex": lambda: _files("rollout.jsonl", _data(codex_planted.corpus())),
    "continue": lambda: _files(continue_sessions.NAME, _data(continue_sessions.corpus())),
    "copilot-cli": lambda: _files(
        f".copilot/session-state/{copilot_sessions.ID}/events.jsonl", _data(copilot_sessions.corpus())
    ),
    "docker-agent": _docker_agent,
    "gemini-cli": lambda: _files(gemini_sessions.NAME, _data(gemini_sessions.corpus())),
    "goose": _goose,
    "hermes": _hermes,
    "kilo-cli": lambda: _opencode(kilo=True),
    "kimi-cli": lambda: _files(kimi_sessions.NAME, _data(kimi_sessions.corpus())),
    "kimi-code": lambda: _files(kimi_code_sessions.NAME, _data(kimi_code_sessions.corpus())),
    "oh-my-pi": lambda: _files(oh_my_pi_sessions.NAME, _data(oh_my_pi_sessions.corpus())),
    "openclaw": lambda: _files(openclaw_sessions.NAME, _data(openclaw_sessions.corpus())),
    "openclaw-database": _openclaw_database,
    "opencode": lambda: _opencode(kilo=False),
    "opencode-folder": _opencode_folder,
    "openhands": _openhands,
    "pi": lambda: _files(pi_sessions.NAME, _data(pi_sessions.corpus())),
    "qwen-code": lambda: _files(qwen_sessions.NAME, _data(qwen_sessions.corpus())),
    "vibe": lambda: _files(vibe_sessions.NAME, _data(vibe_sessions.corpus() | vibe_sessions.together())),
    "vibe-unified": _vibe_store,
    **{f"{agent}-combined": partial(_combined, agent) for agent in AGENTS},
}
"""Sessions of each agent: one planted defect each, and several at once."""


def decisions(agent: str, folder: Path) -> str:
    """What is said of an agent's planted sessions, a paragraph each decision: of which problem, and in which cases."""
    found: dict[tuple[str, str], list[str]] = {}
    for number, case in enumerate(CORPORA[agent]()):
        try:
            session = case.opened(folder / str(number))
        except UnreadableFile as error:
            found.setdefault((f"({type(error).__name__})", ""), []).append(case.name)
            continue
        for problem in session.problems:
            on_resume = problem.on_resume
            effect, loses, text = (
                (on_resume.effect, on_resume.loses or "nothing", on_resume.text) if on_resume else ("-", "-", "-")
            )
            key = f"{problem.rule} | {problem.severity} | {problem.impact} | {effect} | loses {loses}", text
            found.setdefault(key, []).append(case.name)
    lines = []
    for (decision, text), cases in sorted(found.items()):
        counted = (f"{name} x{times}" if times > 1 else name for name, times in sorted(Counter(cases).items()))
        lines.append(f"{decision}\n  {text}\n  {'; '.join(counted)}\n")
    return "\n".join(lines)
