"""Telling an agent's process by its name and command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_RUNTIMES: Final = frozenset({"node", "nodejs", "bun", "deno"})
_PROGRAMS: Final = {"claude": "claude-code", "codex": "codex", "cline": "cline"}
_SCRIPTS: Final = (
    (re.compile(r"[/\\]@anthropic-ai[/\\]claude-code[/\\]|[/\\]claude-code[/\\]cli\.m?js\Z"), "claude-code"),
    (re.compile(r"[/\\]@openai[/\\]codex[/\\]"), "codex"),
    (re.compile(r"[/\\]node_modules[/\\]cline[/\\]"), "cline"),
)
_EDITORS: Final = frozenset(
    {"code", "code-insiders", "code-oss", "codium", "vscodium", "cursor", "windsurf", "trae", "code-server"}
)
_OTHER_WORK: Final = {
    "claude-code": frozenset({"mcp", "doctor", "update", "install", "config", "plugin", "setup-token", "auth"}),
    "codex": frozenset({"login", "logout", "completion", "mcp", "update", "features"}),
}
"""Commands of an agent that hold no session."""
EDITOR: Final = "editor"


def agent_of(name: str, command: Sequence[str]) -> str | None:
    """Which agent the process is: "claude-code", "codex", "cline", "editor" (VS Code and its kin), or None.

    `name` is the process's own, `command` its command line, which may be empty where it cannot be read.
    """
    program = _base(command[0]) if command and command[0] else _base(name)
    rest = list(command[1:])
    agent = _PROGRAMS.get(program)
    if agent is None and program in _RUNTIMES:
        script = next((n for n, word in enumerate(rest) if not word.startswith("-")), None)
        if script is not None:
            agent = _of_script(rest[script])
            rest = rest[script + 1 :]
    if agent is None and program not in _RUNTIMES and _base(name) in _PROGRAMS and not rest:
        agent = _PROGRAMS[_base(name)]
    if agent is None:
        return EDITOR if program in _EDITORS else None
    if command and ".app/Contents/" in command[0].replace("\\", "/"):
        return None  # the desktop program of the same name
    first = next((word for word in rest if not word.startswith("-")), None)
    return None if first in _OTHER_WORK.get(agent, ()) else agent


def other_session(command: Sequence[str], session_id: str) -> bool:
    """Whether the command line says that it is another session that the agent goes on with."""
    words = list(command)
    for n, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in ("--resume", "-r", "--session-id", "resume", "--id"):
            value = value or (words[n + 1] if n + 1 < len(words) else "")
            if re.fullmatch(r"[0-9a-fA-F-]{36}", value):
                return value.lower() != session_id.lower()
    return False


def _of_script(script: str) -> str | None:
    known = _PROGRAMS.get(_base(script))
    return known or next((agent for pattern, agent in _SCRIPTS if pattern.search(script)), None)


def _base(path: str) -> str:
    name = re.split(r"[/\\]", path)[-1].lower()
    for ending in (".exe", ".cmd", ".js", ".mjs"):
        name = name.removesuffix(ending)
    return name
