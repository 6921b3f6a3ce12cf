"""Session files as the agents write them, in the agents' own folders."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SESSION = "7c3e1b2a-0d1f-4c57-9f0e-2f9a3a1c7e11"


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def claude_records(
    pairs: int,
    *,
    folder: str = "/home/dev/shop",
    session: str = SESSION,
    missing: int | None = None,
    open_end: bool = False,
) -> Iterator[dict[str, Any]]:
    """A Claude Code session: a question, `pairs` calls with their results (`missing` has none), an answer.

    With `open_end` the last call waits for its result and nothing follows.
    """
    parent: str | None = None
    number = 0

    def record(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        nonlocal parent, number
        number += 1
        uuid = f"{number:08x}-0000-4000-8000-000000000000"
        made = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-11-21T08:{number // 60 % 60:02}:{number % 60:02}.000Z",
            "cwd": folder,
            "sessionId": session,
            "version": "2.1.329",
            "message": message,
            **more,
        }
        parent = uuid
        return made

    yield record("user", {"role": "user", "content": "now run the tests"})
    for n in range(pairs):
        call = {"type": "tool_use", "id": f"toolu_{n:04}", "name": "Bash", "input": {"command": f"make test-{n}"}}
        yield record("assistant", {"id": f"msg_{n}", "role": "assistant", "content": [call]})
        if n == missing:
            yield record("user", {"role": "user", "content": "go on"})
        elif not (open_end and n == pairs - 1):
            result = {"type": "tool_result", "tool_use_id": f"toolu_{n:04}", "content": f"ok {n}"}
            yield record("user", {"role": "user", "content": [result]}, sourceToolAssistantUUID=parent)
    if not open_end:
        yield record(
            "assistant", {"id": "msg_end", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}
        )


def claude_bytes(pairs: int, **settings: Any) -> bytes:
    return b"".join(line(record) for record in claude_records(pairs, **settings))


def claude_session(home: Path, folder: str = "/home/dev/shop", session: str = SESSION, **settings: Any) -> Path:
    """A file below `home`, which is Claude Code's own folder."""
    path = home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", folder) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(claude_bytes(settings.pop("pairs", 3), folder=folder, session=session, **settings))
    return path


def codex_session(home: Path, number: int = 1, folder: str = "/home/dev/shop", words: str = "mend the build") -> Path:
    """A rollout below `home`, which is Codex's own folder."""
    id_ = f"01a1fd17-0000-7000-8000-{number:012}"
    path = home / "sessions" / "2026" / "11" / "21" / f"rollout-2026-11-21T07-52-14-{id_}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}
    records = [
        {"type": "session_meta", "payload": {"id": id_, "cwd": folder, "cli_version": "0.169.0", "text": "x" * 30_000}},
        {"type": "response_item", "payload": told},
        {"type": "response_item", "payload": said},
        {"type": "event_msg", "payload": {"type": "user_message", "message": words}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "I look."}},
    ]
    path.write_bytes(b"".join(line({"timestamp": "2026-11-21T07:52:15.011Z", **record}) for record in records))
    return path


def task_history(words: str, folder: str | None = None) -> bytes:
    """A task's entry in the history of Roo Code, Cline and Kilo Code, one line."""
    told = f"<environment_details>\n# Current Workspace Directory ({folder}) Files\n</environment_details>"
    content = [{"type": "text", "text": f"<task>\n{words}\n</task>"}, {"type": "text", "text": told}]
    messages = [
        {"role": "user", "content": content if folder else content[:1], "ts": 1},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}], "ts": 2},
    ]
    return json.dumps(messages, separators=(",", ":")).encode()


def task(storage: Path, extension: str, id_: str, words: str = "add a button", folder: str | None = None) -> Path:
    """A task of an extension in an editor's global storage."""
    path = storage / extension / "tasks" / id_ / "api_conversation_history.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(task_history(words, folder))
    return path


def cline_cli_session(root: Path, id_: str, words: str = "show me the notes", folder: str = "/home/dev/shop") -> Path:
    path = root / id_ / f"{id_}.messages.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = {"type": "text", "text": f'<user_input mode="act">{words}</user_input>'}
    message = {"id": "msg_abc", "role": "user", "content": [text], "ts": 1_795_248_707_000}
    path.write_text(json.dumps({"version": 1, "sessionId": id_, "messages": [message]}, indent=2))
    (path.parent / f"{id_}.json").write_text(json.dumps({"session_id": id_, "cwd": folder, "prompt": words}, indent=2))
    return path


def set_age(path: Path, seconds: float) -> None:
    """Set the file's modification time to so many seconds after a fixed instant."""
    os.utime(path, (1_790_000_000 + seconds, 1_790_000_000 + seconds))
