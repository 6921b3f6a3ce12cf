"""opencode's database: rows for messages and for their parts; a call and its result are one part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import orjson

from benchmarks.sessions.rows import START_MS, RowWriter
from benchmarks.sessions.story import Call, Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, plain_content

_ID = "ses_0000000000000000000000000"
_MODEL = {"providerID": "anthropic", "modelID": "claude-sonnet-5"}
_TOKENS = {"input": 1000, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
_FOLDER = {"cwd": "/home/dev/shop", "root": "/"}


class Opencode(RowWriter):
    OVERHEAD: ClassVar[int] = 1500
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, sandboxes text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
  directory text NOT NULL, title text NOT NULL, version text NOT NULL, share_url text, summary_diffs text, revert text,
  permission text, time_created integer NOT NULL, time_updated integer NOT NULL,
  FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
  FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE INDEX session_project_idx ON session (project_id);
CREATE INDEX session_parent_idx ON session (parent_id);
INSERT INTO project VALUES ('global', '/', 0, 0, '[]');
"""
    MESSAGE = ("part", "data")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "session": {"id": "printf('ses_%025d', :n)", "title": "'About ' || :n"},
        "message": {"id": "id || printf('%05d', :n)", "session_id": "printf('ses_%025d', :n)"},
        "part": {
            "id": "id || printf('%05d', :n)",
            "message_id": "message_id || printf('%05d', :n)",
            "session_id": "printf('ses_%025d', :n)",
        },
    }
    LOOP = (
        f"SELECT m.data, p.data FROM message m JOIN part p ON p.message_id = m.id WHERE m.session_id = '{_ID}' "
        "ORDER BY m.time_created, m.id, p.id"
    )

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._number = 0
        self._asked = ""

    def begin(self) -> Iterator[Json]:
        named = {"id": _ID, "project_id": "global", "slug": "calm-river", "directory": "/home/dev/shop"}
        times = {"time_created": START_MS, "time_updated": START_MS}
        yield {"session": {**named, "title": "About shops", "version": "1.18.33", **times}}

    def _named(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_20{self._number:010x}"

    def _message(self, data: Json) -> Json:
        self.time()
        id_ = self._named("msg")
        data = {**data, "time": {"created": self.epoch, **data.get("time", {})}}
        times = {"time_created": self.epoch, "time_updated": self.epoch}
        return {"message": {"id": id_, "session_id": _ID, **times, "data": data}}

    def _part(self, message: str, data: Json) -> Json:
        times = {"time_created": self.epoch, "time_updated": self.epoch}
        named = {"id": self._named("prt"), "message_id": message, "session_id": _ID}
        return {"part": {**named, **times, "data": data}}

    def _response(self, parts: list[Json], finish: str) -> Iterator[Json]:
        told = {"parentID": self._asked, "role": "assistant", "mode": "build", "agent": "build", **_MODEL, "cost": 0}
        ends = {"path": _FOLDER, "tokens": _TOKENS, "finish": finish, "time": {"completed": self.epoch + 5}}
        message = self._message({**told, **ends})
        yield message
        id_ = message["message"]["id"]
        for part in [{"type": "step-start"}, *parts]:
            yield self._part(id_, part)
        yield self._part(id_, {"reason": finish, "type": "step-finish", "tokens": _TOKENS, "cost": 0})

    def _prompt(self, text: str) -> Iterator[Json]:
        message = self._message({"role": "user", "agent": "build", "model": _MODEL})
        self._asked = message["message"]["id"]
        yield message
        yield self._part(self._asked, {"type": "text", "text": text})

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            yield from self._prompt(step.text)
        elif not isinstance(step, Exchange):
            yield from self._response([{"type": "text", "text": step.text}], "stop")
        else:
            said = [{"type": "text", "text": step.said}] if step.said is not None else []
            answers = {answer.id: answer for answer in step.answers if not isinstance(answer, Words)}
            calls = [self._call(call, answers.get(call.id)) for call in step.calls]
            yield from self._response([*said, *calls], "tool-calls")

    def _call(self, call: Call, answer: Result | None) -> Json:
        state: dict[str, Any] = {"status": "running", "input": call.arguments, "metadata": {"output": ""}}
        state["time"] = {"start": self.epoch}
        if answer is not None:
            state = {"status": "completed", "input": call.arguments, "output": plain_content(answer)}
            state |= {"metadata": {"exit": 0}, "title": call.name, "time": {"start": self.epoch, "end": self.epoch + 7}}
        return {"type": "tool", "tool": call.name.lower(), "callID": call.id, "state": state}


def fill_folder(records: Iterable[Json], storage: Path) -> None:
    """Write the rows as the files that they were before opencode 1.2."""
    for record in records:
        for table, row in record.items():
            above = {"session": "project_id", "message": "session_id", "part": "message_id"}[table]
            data = row.get("data") or {
                **{key: row[key] for key in ("id", "slug", "directory", "title")},
                "version": "1.1.65",
                "projectID": row["project_id"],
                "time": {"created": START_MS, "updated": START_MS},
            }
            ids = {"id": row["id"], "sessionID": _ID} if table != "session" else {}
            if table == "part":
                ids["messageID"] = row["message_id"]
            folder = storage / table / row[above]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['id']}.json").write_bytes(orjson.dumps({**ids, **data}, option=orjson.OPT_INDENT_2))
