"""The folder in which Strands' `FileSessionManager` keeps each message in a file, and what of it makes a session."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.formats.strands.detection import AGENT, DATA, MESSAGE, NAME, SUMMARY, message_in, number_in
from toolpair.source import peek
from toolpair.source.errors import UnreadableFile
from toolpair.source.folders.layout import FolderLayout, read_file
from toolpair.source.record_values import parse
from toolpair.source.rows.layout import Row, Stored, StoredSession, Table, Text

_MESSAGE: Final = Table(MESSAGE, within=("agent",), json=(DATA,))
_AGENT: Final = Table(AGENT, within=("agent",), json=(DATA,))
_ABOUT: Final = "agent.json"
_PREFIX: Final = "session_"
_SEPARATOR: Final = re.escape(os.sep)
_MEANT: Final = re.compile(
    r"/agents/agent_([^/]+)(?:/messages(?:/message_[^/]*\.json)?)?".replace("/", _SEPARATOR) + r"\Z"
)
_MOST_LOOKED_AT: Final = 50
"""Messages from the end in which the user's last words are looked for."""


class StrandsFolder(FolderLayout):
    """`session.json`, and for each agent `agents/agent_ID/agent.json` and `agents/agent_ID/messages/message_N.json`.

    As strands-agents 1.62.0 restores an agent: its messages by number, without as many of the first as its conversation
    manager has removed; before them the summary that it has made of those, which is in the agent's own file.
    """

    writer = "Strands"
    title = "a session folder of Strands"
    tables = (_MESSAGE, _AGENT)
    kin = ("other agent of the session", "other agents of the session")

    def claims(self, folder: str) -> bool:
        return os.path.isfile(os.path.join(folder, "session.json")) and bool(_agents(folder))

    def meant(self, path: str) -> tuple[str, str] | None:
        whole, given = os.path.abspath(path), os.path.normpath(path)
        found = _MEANT.search(whole)
        if found is None:
            return None
        base = given if given.endswith(found[0]) and given != found[0] else whole
        folder = base.removesuffix(found[0])
        return (folder, found[1]) if self.claims(folder) else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        listed = [self._listed(folder, agent) for agent in _agents(folder) if _numbered(folder, agent)]
        return iter(sorted(listed, key=lambda one: (-one.modified, one.id)))

    def _listed(self, folder: str, agent: str) -> StoredSession:
        paths = [os.path.join(_messages(folder, agent), name) for name in _numbered(folder, agent)]
        states = list(map(os.lstat, paths))
        last, size = max(one.st_mtime for one in states), sum(one.st_size for one in states)
        return StoredSession(agent, None, None, last, None, size)

    def files(self, folder: str, session: str) -> Iterator[Row]:
        if session in _agents(folder):
            names, state = _numbered(folder, session), _state(folder, session)
            if state.get(SUMMARY[1]):
                yield Row(_AGENT, {"id": _stored(_ABOUT), "agent": _stored(session)})
            for name in names[_removed(state) :]:
                yield Row(_MESSAGE, {"id": _stored(name), "agent": _stored(session)})

    def words(self, folder: str, session: str) -> str | None:
        for name in reversed(_numbered(folder, session)[-_MOST_LOOKED_AT:]):
            message = message_in({MESSAGE: {DATA: parse(read_file(os.path.join(_messages(folder, session), name)))}})
            if not isinstance(message, dict) or message.get("role") != "user":
                continue
            if words := peek.words_of(message.get("content")):
                return words
        return None

    def beside(self, folder: str, session: str) -> Iterator[str]:
        """Also the first messages, which its conversation manager has removed: it counts them."""
        yield "session.json"
        yield f"agents/agent_{session}/{_ABOUT}"
        removed = _removed(_state(folder, session))
        yield from (f"agents/agent_{session}/messages/{name}" for name in _numbered(folder, session)[:removed])

    def left_out(self, folder: str, session: str) -> Sequence[str]:
        return [agent for agent in _agents(folder) if agent != session]

    def opened_by(self, folder: str) -> str:
        above, name = os.path.split(os.path.abspath(folder))
        if not name.startswith(_PREFIX):
            return f"Strands finds it under a name that begins with {_PREFIX}."
        given = f"session_id={json.dumps(name.removeprefix(_PREFIX))}, storage_dir={json.dumps(above)}"
        return f"Strands opens it with FileSessionManager({given})."

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        stored = (columns.get(key) for key in ("agent", "id"))
        agent, name = (os.fsdecode(one) if isinstance(one, bytes) else "" for one in stored)
        return f"agents/agent_{agent}/{name}" if table == AGENT else f"agents/agent_{agent}/messages/{name}"


def _messages(folder: str, agent: str) -> str:
    return os.path.join(folder, "agents", f"agent_{agent}", "messages")


def _about(folder: str, agent: str) -> str:
    return os.path.join(folder, "agents", f"agent_{agent}", _ABOUT)


def _agents(folder: str) -> list[str]:
    """The agents that Strands restores from here; without its `agent.json` one begins anew."""
    try:
        names = os.listdir(os.path.join(folder, "agents"))
    except OSError:
        return []
    agents = sorted(name.removeprefix("agent_") for name in names if name.startswith("agent_"))
    return [
        agent for agent in agents if os.path.isdir(_messages(folder, agent)) and os.path.isfile(_about(folder, agent))
    ]


def _numbered(folder: str, agent: str) -> list[str]:
    """The names of an agent's messages in their order. Raises Unreadable for one that Strands cannot number."""
    place = _messages(folder, agent)
    found: list[tuple[int, str]] = []
    for name in os.listdir(place):
        if NAME.fullmatch(name) is None:
            continue
        if (number := number_in(name)) is None:
            raise UnreadableFile(
                f"{os.path.join(place, name)} has no number in its name, so Strands cannot load the session; move it "
                "out of the folder."
            )
        found.append((number, name))
    return [name for _, name in sorted(found)]


def _state(folder: str, agent: str) -> dict[str, Any]:
    """What an agent's conversation manager has kept. Raises Unreadable."""
    path = _about(folder, agent)
    known: Any = parse(read_file(path))
    if not isinstance(known, dict):
        raise UnreadableFile(f"{path} is not a JSON object, so Strands cannot load it; look for a backup.")
    state = known.get(SUMMARY[0])
    summary = state.get(SUMMARY[1]) if isinstance(state, dict) else None
    if summary and not (isinstance(summary, dict) and isinstance(summary.get("content"), list)):
        raise UnreadableFile(
            f"{path} holds a summary that is not a message, so Strands cannot send it; look for a backup."
        )
    return state if isinstance(state, dict) else {}


def _removed(state: dict[str, Any]) -> int:
    """How many of the first messages Strands no longer sends."""
    removed = state.get("removed_message_count")
    return removed if isinstance(removed, int) and removed > 0 else 0


def _stored(name: str) -> Text:
    return Text(os.fsencode(name))


STRANDS_FOLDER: Final = StrandsFolder()
