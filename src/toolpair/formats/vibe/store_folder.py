"""The folder in which Mistral Vibe keeps a session since 2.26: what of its files makes the history.

`CURRENT` names a generation; its manifest names the chunks, by the hash of their content, that hold the messages, and
the journal of what has happened since. What a journal's inputs make of the messages only Vibe's own library says.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.vibe.detection import MESSAGE, SESSION
from toolpair.formats.vibe.format import folder_in, meta_in
from toolpair.source import peek
from toolpair.source.errors import UnreadableFile
from toolpair.source.folders.layout import FolderLayout, read_file
from toolpair.source.rows.layout import Row, Stored, StoredSession, Table, Text

_TABLES: Final = (Table(SESSION, json=("data",)), Table(MESSAGE, json=("data",)))
_CURRENT: Final = "CURRENT"
_STORE: Final = "mistral.vibe.unified-session-store/v1"
_NEWEST: Final = 9
"""The minor number of the store of 3.0.2."""
_NAME: Final = re.compile(r"[0-9]{16}")
_CHUNK: Final = re.compile(r"[0-9a-f]{64}")
_JOURNAL: Final = re.compile(r"journal/[0-9]{16}\.jsonl")
_INPUT: Final = "core_input"
"""A record of which only Vibe's own library knows what it adds to the messages."""
_BESIDE: Final = frozenset({
    "action_intent", "action_result", "callback_registered", "callback_resolved", "command_reserved",
    "process_notification_submitted", "process_operation_dispatched", "process_state_changed", "projection_advanced",
    "projection_delta", "receipt_failed", "receipt_succeeded", "session_relocated",
})  # fmt: skip
"""The other records of its journals, which add no message. As in 3.0.2 (`_PAYLOAD_TYPES`)."""


class VibeFolder(FolderLayout):
    """A session, which is a folder of its own."""

    agent = "vibe-unified"
    title = "the folder of a session of Mistral Vibe"
    tables = _TABLES
    is_copied_whole = True

    def claims(self, folder: str) -> bool:
        named = peek.small_json(os.path.join(folder, _CURRENT)).get("store_format")
        return isinstance(named, str) and named == _STORE

    def meant(self, path: str) -> tuple[str, str] | None:
        whole = Path(os.path.abspath(path))
        is_one = whole.name == _CURRENT and self.claims(str(whole.parent))
        return (os.path.dirname(path) or os.curdir, whole.parent.name) if is_one else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        about = meta_in(Path(folder))
        found = os.stat(os.path.join(folder, _CURRENT))
        size = sum(stat.st_size for one in peek.entries(os.path.join(folder, "chunks")) if (stat := peek.regular(one)))
        title, parent = about.get("title"), about.get("parent_session_id")
        name = os.path.basename(os.path.abspath(folder))
        return iter([StoredSession(name, as_text(title), folder_in(about), found.st_mtime, as_text(parent), size)])

    def words(self, folder: str, session: str) -> str | None:
        for _, element in reversed(list(_messages(folder))):
            message = element.get("message") if isinstance(element, dict) else None
            said = message if isinstance(message, dict) and message.get("role") == "user" else {}
            if words := peek.words_of(said.get("content")):
                return words
        return None

    def files(self, folder: str, session: str) -> Iterator[Row]:
        if session != os.path.basename(os.path.abspath(folder)):
            return
        named = peek.small_json(os.path.join(folder, _CURRENT)).get("session_id")
        about = {"session_id": named, "folder": folder_in(meta_in(Path(folder)))}
        yield Row(_TABLES[0], {"id": Text(_CURRENT.encode()), "data": Text(orjson.dumps(about))})
        for number, (path, element) in enumerate(_messages(folder)):
            columns: dict[str, Stored] = {"id": number, "path": Text(path.encode())}
            yield Row(_TABLES[1], {**columns, "data": Text(orjson.dumps(element))})

    def beside(self, folder: str, session: str) -> Iterator[str]:
        """All of its files, and links to folders, which nothing is read through. Raises OSError where one is closed."""

        def failed(error: OSError) -> None:
            raise error

        for above, folders, names in os.walk(folder, onerror=failed):
            links = (name for name in folders if os.path.islink(os.path.join(above, name)))
            paths = (os.path.relpath(os.path.join(above, name), folder) for name in (*names, *links))
            yield from (path.replace(os.sep, "/") for path in paths)

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        stored = columns.get("path", columns["id"])
        return os.fsdecode(stored) if isinstance(stored, bytes) else ""


def _messages(folder: str) -> Iterator[tuple[str, Any]]:
    """The messages of the last checkpoint, each with the path of its file. Raises Unreadable where Vibe would not load
    the session, or where what it would make of it is not known.
    """
    current = peek.small_json(os.path.join(folder, _CURRENT))
    minor, generation = current.get("store_format_minor"), current.get("generation")
    if isinstance(minor, int) and minor > _NEWEST:
        raise UnreadableFile(f"{folder} is in a newer form of Mistral Vibe's store than is known.")
    if not (isinstance(generation, str) and _NAME.fullmatch(generation)):
        raise _broken(folder, _CURRENT)
    above = f"generations/{generation}"
    manifest = _object(folder, f"{above}/manifest.json", current.get("manifest_sha256"))
    checkpoint = _part(manifest, "checkpoint")
    held = _object(folder, f"{above}/checkpoint.json", checkpoint.get("sha256"))
    journal = _part(manifest, "recovery_journal_segment").get("path")
    if not (isinstance(journal, str) and _JOURNAL.fullmatch(journal)):
        raise _broken(folder, f"{above}/manifest.json")
    kinds = {_kind(line) for line in _bytes(folder, journal).splitlines() if line.strip()}
    if _INPUT in kinds:
        raise UnreadableFile(
            f"The last turn of {folder} has not ended, or Mistral Vibe was killed in it: what it makes of what is in "
            f"{journal} is not known. Let Vibe resume it, end it there, and open it again."
        )
    if not kinds <= _BESIDE:
        raise UnreadableFile(
            f"{journal} of {folder} has records of a kind that is not known, so what Mistral Vibe makes of them is not "
            "known either. Let Vibe resume the session, end it there, and open it again."
        )
    chunks = checkpoint.get("chunks")
    if chunks is None:
        context = held.get("context")
        listed = context.get("messages") if isinstance(context, dict) else None
        yield from ((f"{above}/checkpoint.json", one) for one in _list(folder, f"{above}/checkpoint.json", listed))
        return
    for name in _list(folder, f"{above}/manifest.json", chunks):
        path = f"chunks/{name}.json"
        data = _bytes(folder, path) if isinstance(name, str) and _CHUNK.fullmatch(name) else b""
        if not _is_of(data, name):
            raise _broken(folder, path)
        yield from ((path, one) for one in _list(folder, path, peek.parse(data)))


def _kind(line: bytes) -> str | None:
    record = peek.parse(line)
    return as_text(record.get("type")) if isinstance(record, dict) else None


def _object(folder: str, path: str, digest: Any) -> dict[str, Any]:
    data = _bytes(folder, path)
    found = peek.parse(data) if _is_of(data, digest) else None
    if not isinstance(found, dict):
        raise _broken(folder, path)
    return found


def _is_of(data: bytes, digest: Any) -> bool:
    """Whether the hash is that of the content without its line end."""
    return isinstance(digest, str) and hashlib.sha256(data.removesuffix(b"\n")).hexdigest() == digest


def _part(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    found = manifest.get(name)
    return found if isinstance(found, dict) else {}


def _list(folder: str, path: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _broken(folder, path)
    return value


def _bytes(folder: str, path: str) -> bytes:
    try:
        return read_file(os.path.join(folder, *path.split("/")))
    except FileNotFoundError:
        raise _broken(folder, path) from None


def _broken(folder: str, path: str) -> UnreadableFile:
    return UnreadableFile(
        f"{path} of {folder} is gone, or not as the hash of it says that Mistral Vibe has kept: Vibe does not load the "
        "session. Look for a backup of yours."
    )


VIBE_FOLDER: Final = VibeFolder()
