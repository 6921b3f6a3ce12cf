"""The folder in which OpenHands keeps a conversation: `base_state.json`, and each event in a file of `events`.

As openhands-sdk 1.58.2 restores one: the events on the way from the first to the one that it was at last, with what
condensations have put in the place of others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from toolpair.source import peek
from toolpair.source.errors import UnreadableFile
from toolpair.source.folders.layout import FolderLayout, read_file
from toolpair.source.record_values import parse
from toolpair.source.rows.layout import Row, Stored, StoredSession, Table, Text

_STATE: Final = "base_state.json"
_EVENTS: Final = "events"
_FILE: Final = Table("event", within=("folder",), json=("data",))
_NAME: Final = re.compile(r"event-(\d{5,})-([0-9a-fA-F-]{8,})\.json")
_ROOT: Final = "__root__"
"""What an event names as its parent that begins a history anew."""
_SENT: Final = frozenset(
    {"SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation"}
)
"""Events that are said to the model."""
_BESIDE: Final = frozenset({"ConversationStateUpdateEvent", "ConversationErrorEvent"})
"""Events that no other one follows."""
_MOST_LOOKED_AT: Final = 50
"""Events from the end in which the user's last words are looked for."""
_LOADS: Final = "so OpenHands cannot load the conversation; look for a backup of it"


class OpenHandsFolder(FolderLayout):
    """A conversation, which is a folder of its own."""

    writer = "OpenHands"
    title = "the folder of a conversation of OpenHands"
    tables = (_FILE,)
    only_read = (
        "an event names the one before it, and its number is in the name of its file; save the list, and hand it on"
    )

    def claims(self, folder: str) -> bool:
        return os.path.isfile(os.path.join(folder, _STATE)) and bool(_names(folder))

    def meant(self, path: str) -> tuple[str, str] | None:
        name = os.path.normpath(path)
        whole = os.path.abspath(name)
        above = 2 if _NAME.fullmatch(os.path.basename(whole)) else 1 if os.path.basename(whole) == _EVENTS else 0
        for _ in range(above):
            name, whole = os.path.dirname(name) or os.curdir, os.path.dirname(whole)
        folder = whole if name == os.curdir else name
        return (folder, os.path.basename(whole)) if above and self.claims(folder) else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        states = [os.lstat(os.path.join(folder, _EVENTS, name)) for name in _names(folder)]
        last, size = max(one.st_mtime for one in states), sum(one.st_size for one in states)
        about = _object_in(os.path.join(folder, _STATE)).get("workspace")
        place = about.get("working_dir") if isinstance(about, dict) else None
        name = os.path.basename(os.path.abspath(folder))
        return iter([StoredSession(name, None, place if isinstance(place, str) else None, last, None, size)])

    def words(self, folder: str, session: str) -> str | None:
        for name in reversed(_names(folder)[-_MOST_LOOKED_AT:]):
            event = parse(read_file(os.path.join(folder, _EVENTS, name)))
            if not isinstance(event, dict) or event.get("source") != "user":
                continue
            message = event.get("llm_message")
            if words := peek.words_of(message.get("content") if isinstance(message, dict) else None):
                return words
        return None

    def files(self, folder: str, session: str) -> Iterator[Row]:
        if session == os.path.basename(os.path.abspath(folder)):
            yield Row(_FILE, {"id": Text(_STATE.encode())})
            yield from (Row(_FILE, {"id": Text(os.fsencode(f"{_EVENTS}/{name}"))}) for name in _names(folder))

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        stored = columns["id"]
        return os.fsdecode(stored) if isinstance(stored, bytes) else ""

    def elements(self, folder: str, session: str) -> Iterator[bytes]:
        state = _object_in(os.path.join(folder, _STATE))
        events: dict[str, dict[str, Any]] = {}
        texts: dict[str, bytes] = {}
        for number, name in enumerate(_names(folder)):
            path = os.path.join(folder, _EVENTS, name)
            if int(name.split("-")[1]) != number:
                raise UnreadableFile(f"{folder} has no event {number}, {_LOADS}.")
            text = read_file(path)
            event = parse(text)
            if not isinstance(event, dict) or not isinstance(event.get("id"), str):
                raise UnreadableFile(f"{path} does not hold an event, {_LOADS}.")
            if event["id"] not in events:  # of two with one id, the first counts
                events[event["id"]], texts[event["id"]] = event, text.strip()
        for id_, made in _view(_branch(folder, state, events)).items():
            yield texts[id_] if made is None else orjson.dumps(made)


def _names(folder: str) -> list[str]:
    """The names of the files of events, in order."""
    try:
        names = os.listdir(os.path.join(folder, _EVENTS))
    except OSError:
        return []
    found = ((int(match[1]), name) for name in names if (match := _NAME.fullmatch(name)) is not None)
    return [name for _, name in sorted(found)]


def _object_in(path: str) -> dict[str, Any]:
    found = parse(read_file(path))
    if not isinstance(found, dict):
        raise UnreadableFile(f"{path} is not a JSON object, {_LOADS}.")
    return found


def _branch(folder: str, state: dict[str, Any], events: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The events on the way to the one that the conversation was at last, the first one first."""
    ids = list(events)
    places = {id_: place for place, id_ in enumerate(ids)}
    usual = next((id_ for id_ in reversed(ids) if events[id_].get("kind") not in _BESIDE), None)
    here: Any = state.get("leaf_event_id") or (None if state.get("head_is_empty") else usual)
    found: list[dict[str, Any]] = []
    while here is not None:
        if not isinstance(here, str) or here not in places or len(found) > len(ids):
            raise UnreadableFile(f"{folder} lacks an event that others follow ({here}), {_LOADS}.")
        found.append(events[here])
        above = events[here].get("parent_id")
        # Events of older versions name none: they follow the one before them.
        here = above if above is not None else ids[places[here] - 1] if places[here] else None
        here = None if here == _ROOT else here
    return found[::-1]


def _view(events: list[dict[str, Any]]) -> dict[str, dict[str, Any] | None]:
    """What is said to the model, by the id of its event: None for one that is as in its file."""
    made: dict[str, dict[str, Any] | None] = {}
    for event in events:
        if event.get("kind") in _SENT:
            made[event["id"]] = None
        elif event.get("kind") == "Condensation":
            gone = event.get("forgotten_event_ids")
            forgotten = {id_ for id_ in gone if isinstance(id_, str)} if isinstance(gone, list) else set()
            left = [(id_, one) for id_, one in made.items() if id_ not in forgotten]
            at = event.get("summary_offset")
            if isinstance(event.get("summary"), str) and isinstance(at, int):
                left.insert(at, (f"{event['id']}-summary", _summary(event)))
            made = dict(left)
    return made


def _summary(event: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"{event['id']}-summary",
        "timestamp": event.get("timestamp"),
        "source": "environment",
        "summary": event["summary"],
        "kind": "CondensationSummaryEvent",
    }


OPENHANDS_FOLDER: Final = OpenHandsFolder()
