"""opencode's sessions as it wrote them before 1.2: a folder with a file for each session, message and part."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from tests.broken_sessions import made_long_ago
from tests.opencode_sessions import FOLDER, START, OpencodeSession, Planted, another, word

PROJECT = "global"
VERSION = "1.1.65"
NOT_BEFORE = {
    "message_gone": "bc",
    "reverted": "b",
    "compacted_with_a_tail": "bc",
    "compaction_failed": "abc",
}
"""Name of a planted session -> the calls whose words were not sent before 1.2, although they are today."""


def sent_before(name: str, planted: Planted) -> list[str]:
    """The words that the model was to see before 1.2, once it is fixed."""
    gone = [word(call) for call in NOT_BEFORE.get(name, "")]
    return [said for said in planted.words if said not in gone]


def written(folder: Path, *sessions: OpencodeSession) -> Path:
    """A folder of sessions at `folder`/opencode/storage."""
    storage = folder / "opencode" / "storage"
    _put(storage / "project" / f"{PROJECT}.json", {"id": PROJECT, "worktree": "/", "time": {"created": START}})
    _put(storage / "migration", 2)
    for session in sessions:
        write(storage, session)
    return storage


def planted_in(folder: Path, planted: Planted) -> Path:
    """A folder with this session and another one."""
    return written(folder, planted.session, another())


def write(storage: Path, session: OpencodeSession, project: str = PROJECT) -> None:
    last = max([START, *(row["time"] for row in (*session.messages, *session.parts))])
    info: dict[str, Any] = {"id": session.id, "slug": "calm-river", "version": VERSION, "projectID": project}
    info |= {"directory": FOLDER, "title": session.title, "time": {"created": START, "updated": last}}
    if session.parent is not None:
        info["parentID"] = session.parent
    if session.revert is not None:
        info["revert"] = json.loads(session.revert)
    _put(storage / "session" / project / f"{session.id}.json", info)
    _put(storage / "session_diff" / f"{session.id}.json", [])
    for row in session.messages:
        ids = {"id": row["id"], "sessionID": session.id}
        _put(storage / "message" / session.id / f"{row['id']}.json", row["data"], ids)
    for row in session.parts:
        ids = {"id": row["id"], "sessionID": session.id, "messageID": row["message"]}
        _put(storage / "part" / row["message"] / f"{row['id']}.json", row["data"], ids)


def _put(path: Path, data: Any, ids: dict[str, str] | None = None) -> None:
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True)
    if ids is not None and isinstance(data, str):
        path.write_text(_with_ids(data, ids), encoding="utf-8")
        made_long_ago(path)
        return
    text = json.dumps(
        {**ids, **data} if ids is not None and isinstance(data, dict) else data, indent=2, ensure_ascii=False
    )
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    made_long_ago(path)


def _with_ids(text: str, ids: dict[str, str]) -> str:
    """A text that is put down as it is, with the ids in front where it begins as an object does."""
    if not text.startswith('{"'):
        return text
    return "{" + json.dumps(ids)[1:-1] + "," + text[1:]


def files(storage: Path) -> dict[str, bytes]:
    """All files, by their names in the folder."""
    return {str(path.relative_to(storage)): path.read_bytes() for path in storage.rglob("*") if path.is_file()}


def packed(storage: Path) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.add(storage, "storage")
    return out.getvalue()
