"""opencode's and Kilo's sessions as they write them, and many ways in which they break.

Every output says a word that is nowhere else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.broken_sessions import made_long_ago, unsynced

ID = "ses_dfd36768fffe6r8ixk98Ar5DTd"
OTHER = "ses_dfd36768ffff6r8ixk98Ar5DTd"
FOLDER = "/"
"""Where it took place: a folder that is everywhere."""
START = 1795343093000
MODEL = {"providerID": "mock", "modelID": "mock-model"}
PROJECT = """
CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL, `vcs` text, `name` text,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `sandboxes` text NOT NULL);
"""
TABLES = """
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `workspace_id` text, `parent_id` text,
  `slug` text NOT NULL, `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `share_url` text,
  `summary_diffs` text, `revert` text, `permission` text, `agent` text, `model` text,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL,
  CONSTRAINT `fk_session` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL, `data` text NOT NULL,
  CONSTRAINT `fk_message` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL,
  CONSTRAINT `fk_part` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE);
CREATE TABLE `credential` (`id` text PRIMARY KEY, `value` text NOT NULL);
CREATE TABLE `event` (`id` text PRIMARY KEY, `data` text NOT NULL);
CREATE TABLE `migration` (`id` text PRIMARY KEY);
"""
KILO_TABLES = """
CREATE TABLE `kilo_board_message` (`id` text PRIMARY KEY, `data` text);
CREATE INDEX `part_step` ON `part` (`session_id`) WHERE json_valid("part"."data");
"""
SECRET = "sk-this-is-the-secret-of-nobody"
Data = dict[str, Any]


def word(name: str) -> str:
    """What the output of the call with this name says."""
    return f"word-{name}-word"


@dataclass
class OpencodeSession:
    """The rows of one session, as the agent writes them. `data` is the text of each."""

    id: str = ID
    messages: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    revert: str | None = None
    parent: str | None = None
    title: str = "A session"
    tick: int = 0
    prefix: str = "2c98"

    def _id(self, kind: str) -> str:
        self.tick += 1
        return f"{kind}_20{self.prefix}{self.tick:06x}001Kx7Qm2Vb9Ld3Rw"

    def _message(self, data: Data) -> str:
        id_, time = self._id("msg"), START + self.tick * 1000
        data = {**data, "time": {"created": time, **data.get("time", {})}}
        self.messages.append({"id": id_, "time": time, "data": data})
        return id_

    def part(self, message: str, data: Any) -> str:
        id_ = self._id("prt")
        self.parts.append({"id": id_, "message": message, "time": START + self.tick * 1000, "data": data})
        return id_

    def user(self, *parts: Any) -> str:
        id_ = self._message({"role": "user", "agent": "build", "model": MODEL})
        for part in parts:
            self.part(id_, {"type": "text", "text": part} if isinstance(part, str) else part)
        return id_

    def assistant(self, *parts: Any, **fields: Any) -> str:
        asked = next((m["id"] for m in reversed(self.messages) if m["data"].get("role") == "user"), None)
        told = {"parentID": asked, "role": "assistant", "mode": "build", "agent": "build", **MODEL, "cost": 0}
        tokens = {"input": 1000, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        path = {"cwd": FOLDER, "root": FOLDER}
        calls = any(isinstance(part, dict) and part.get("type") == "tool" for part in parts)
        ends = {"finish": "tool-calls" if calls else "stop", "time": {"completed": START + self.tick * 1000 + 5000}}
        id_ = self._message({**told, "path": path, "tokens": tokens, **ends, **fields})
        self.part(id_, {"type": "step-start"})
        for part in parts:
            time = {"start": START, "end": START + 1}
            self.part(id_, {"type": "text", "text": part, "time": time} if isinstance(part, str) else part)
        self.part(id_, {"reason": "stop", "type": "step-finish", "tokens": tokens, "cost": 0})
        return id_

    # --- finding rows ------------------------------------------------------------------------------------

    def named(self, call: str) -> dict[str, Any]:
        """The row of a call."""
        return next(p for p in self.parts if isinstance(p["data"], dict) and p["data"].get("callID") == f"call_{call}")

    def data(self, call: str) -> Data:
        found: Data = self.named(call)["data"]
        return found

    def state(self, call: str) -> Data:
        found: Data = self.data(call)["state"]
        return found

    def message_of(self, call: str) -> dict[str, Any]:
        of = self.named(call)["message"]
        return next(message for message in self.messages if message["id"] == of)

    # --- into a database ---------------------------------------------------------------------------------

    def insert(
        self, db: sqlite3.Connection, project: str = "global", folder: str = FOLDER, version: str = "1.18.33"
    ) -> None:
        last = max([START, *(row["time"] for row in (*self.messages, *self.parts))])
        db.execute(
            "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, revert, time_created, "
            "time_updated) VALUES (?, ?, ?, 'calm-river', ?, ?, ?, ?, ?, ?)",
            (self.id, project, self.parent, folder, self.title, version, self.revert, START, last),
        )
        for row in self.messages:
            values = (row["id"], self.id, row["time"], row["time"], text_of(row["data"]))
            db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", values)
        for row in self.parts:
            values = (row["id"], row["message"], self.id, row["time"], row["time"], text_of(row["data"]))
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", values)


def text_of(data: Any) -> str:
    if isinstance(data, str):
        return data
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text if text.isprintable() else json.dumps(data, separators=(",", ":"))


def tool(name: str, state: Data, tool: str = "bash") -> Data:
    return {"type": "tool", "tool": tool, "callID": f"call_{name}", "state": state}


def done(name: str, **more: Any) -> Data:
    output = word(name)
    time = {"start": START, "end": START + 7}
    state = {"status": "completed", "input": {"command": f"run {name}"}, "output": output, "metadata": {"exit": 0}}
    return tool(name, {**state, "title": f"run {name}", "time": time, **more})


def running(name: str, output: str = "") -> Data:
    state = {"metadata": {"output": output}, "status": "running", "input": {"command": f"run {name}"}}
    return tool(name, {**state, "time": {"start": START}})


def plain() -> OpencodeSession:
    session = OpencodeSession()
    session.user("Do the tests pass?")
    session.assistant("I look.", done("a"))
    session.assistant(done("b"), done("c"))
    session.assistant("They pass.")
    session.user("Once more.")
    session.assistant("Again.", done("d"))
    session.assistant("They still do.")
    return session


def another() -> OpencodeSession:
    """A session beside it, broken too, that nothing may touch."""
    session = OpencodeSession(OTHER, title="Another session", prefix="2d00")
    session.user("Something else?")
    session.assistant(running("z"))
    return session


@dataclass(frozen=True)
class Planted:
    session: OpencodeSession
    words: tuple[str, ...]
    """What the model is to see once it is fixed."""
    loose: bool = False
    """Rows of it refer to one that is gone."""

    def write(self, path: Path, kilo: bool = False) -> Path:
        """A database with this session and another one."""
        return written(path, self.session, another(), kilo=kilo)


def written(path: Path, *sessions: OpencodeSession, kilo: bool = False) -> Path:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        unsynced(db)
        db.executescript(PROJECT + TABLES + (KILO_TABLES if kilo else ""))
        db.execute("BEGIN")
        db.execute("INSERT INTO project VALUES ('global', '/', NULL, NULL, ?, ?, '[]')", (START, START))
        db.execute("INSERT INTO credential VALUES ('cred_1', ?)", (SECRET,))
        for session in sessions:
            session.insert(db, version="7.7.7" if kilo else "1.18.33")
        db.execute("COMMIT")
    return made_long_ago(path)


_WAYS: dict[str, tuple[Callable[[OpencodeSession], None], str, bool]] = {}
"""Name -> what breaks it, the calls whose words are in none of its rows, and whether rows refer to one that is gone."""


def _way(gone: str = "", loose: bool = False) -> Callable[[Callable[[OpencodeSession], None]], Callable[..., None]]:
    def keep(change: Callable[[OpencodeSession], None]) -> Callable[..., None]:
        _WAYS[change.__name__.strip("_")] = change, gone, loose
        return change

    return keep


def _run(session: OpencodeSession, call: str, output: str = "") -> None:
    session.data(call)["state"] = running(call, output)["state"]


def corpus() -> dict[str, Planted]:
    """Every way in which a session is broken, by name."""
    found: dict[str, Planted] = {}
    for name, (change, gone, loose) in _WAYS.items():
        session = plain()
        change(session)
        found[name] = Planted(session, tuple(word(call) for call in "abcd" if call not in gone), loose)
    return found


@_way()
def _as_it_is(s: OpencodeSession) -> None: ...


def _end_with_the_last_call(s: OpencodeSession) -> None:
    at = s.message_of("d")
    del s.messages[s.messages.index(at) + 1 :]
    s.parts = [part for part in s.parts if part["message"] <= at["id"] and part["id"] <= s.named("d")["id"]]
    del at["data"]["finish"]


@_way("d")
def _killed(s: OpencodeSession) -> None:
    _end_with_the_last_call(s)
    _run(s, "d")


@_way("b")
def _running_in_the_middle(s: OpencodeSession) -> None:
    _run(s, "b")


@_way("bc")
def _both_running(s: OpencodeSession) -> None:
    _run(s, "b")
    _run(s, "c")


@_way()
def _running_with_its_output(s: OpencodeSession) -> None:
    _run(s, "b", word("b"))


@_way()
def _running_with_the_output_in_its_state(s: OpencodeSession) -> None:
    _run(s, "b")
    s.state("b")["output"] = word("b")


@_way()
def _one_id_in_two_turns_and_the_first_running_with_its_output(s: OpencodeSession) -> None:
    _run(s, "b", word("b"))
    s.data("d")["callID"] = "call_b"


@_way()
def _one_id_in_two_turns_and_the_last_running_with_its_output(s: OpencodeSession) -> None:
    s.state("d")["status"] = "running"
    s.data("d")["callID"] = "call_b"


@_way()
def _two_calls_of_one_id_and_the_last_running_with_its_output(s: OpencodeSession) -> None:
    s.state("c")["status"] = "running"
    s.data("c")["callID"] = "call_b"


@_way()
def _output_beside_the_state(s: OpencodeSession) -> None:
    s.state("b")["metadata"] = {"output": s.state("b").pop("output")}


@_way()
def _output_as_the_text_of_an_error(s: OpencodeSession) -> None:
    s.state("b")["error"] = s.state("b").pop("output")


@_way()
def _running_with_the_text_of_an_error(s: OpencodeSession) -> None:
    _run(s, "b")
    s.state("b")["error"] = word("b")


@_way()
def _no_tool_and_the_text_of_an_error(s: OpencodeSession) -> None:
    _running_with_the_text_of_an_error(s)
    del s.data("b")["tool"]


@_way()
def _running_with_an_object_as_output(s: OpencodeSession) -> None:
    _run(s, "b")
    s.state("b")["output"] = {"text": word("b")}


@_way("b")
def _pending(s: OpencodeSession) -> None:
    s.data("b")["state"] = {"status": "pending", "input": {}, "raw": ""}


@_way("b")
def _error(s: OpencodeSession) -> None:
    time = {"start": START, "end": START + 1}
    s.data("b")["state"] = {"status": "error", "input": {}, "error": "File not found", "time": time}


@_way("b")
def _aborted(s: OpencodeSession) -> None:
    time = {"start": START, "end": START + 1}
    s.data("b")["state"] = {"status": "error", "input": {}, "error": "Tool execution aborted", "time": time}


@_way()
def _aborted_with_its_output(s: OpencodeSession) -> None:
    state = {"status": "error", "input": {}, "error": "Tool execution aborted", "metadata": {"output": word("b")}}
    s.data("b")["state"] = {**state, "time": {"start": START, "end": START + 1}}


@_way()
def _interrupted_with_its_output(s: OpencodeSession) -> None:
    metadata = {"interrupted": True, "output": word("b")}
    time = {"start": START, "end": START + 1}
    state = {"status": "error", "input": {}, "error": "Tool execution aborted", "metadata": metadata, "time": time}
    s.data("b")["state"] = state


@_way("b")
def _error_without_words(s: OpencodeSession) -> None:
    s.data("b")["state"] = {"status": "error", "input": {}, "time": {"start": START, "end": START + 1}}


@_way("b")
def _error_that_is_an_object(s: OpencodeSession) -> None:
    time = {"start": START, "end": START + 1}
    s.data("b")["state"] = {"status": "error", "input": {}, "error": {"name": "E"}, "time": time}


@_way("b")
def _no_output(s: OpencodeSession) -> None:
    del s.state("b")["output"]


@_way("b")
def _output_null(s: OpencodeSession) -> None:
    s.state("b")["output"] = None


@_way("d")
def _ends_with_a_call_without_its_output(s: OpencodeSession) -> None:
    _end_with_the_last_call(s)
    s.state("d")["output"] = None


@_way("d")
def _ends_with_a_call_without_its_state(s: OpencodeSession) -> None:
    _end_with_the_last_call(s)
    del s.data("d")["state"]


@_way("b")
def _output_number(s: OpencodeSession) -> None:
    s.state("b")["output"] = 5


@_way()
def _output_object(s: OpencodeSession) -> None:
    s.state("b")["output"] = {"text": word("b")}


@_way()
def _no_title(s: OpencodeSession) -> None:
    del s.state("b")["title"]


@_way()
def _no_metadata(s: OpencodeSession) -> None:
    del s.state("b")["metadata"]


@_way()
def _no_time(s: OpencodeSession) -> None:
    del s.state("b")["time"]


@_way()
def _no_end(s: OpencodeSession) -> None:
    del s.state("b")["time"]["end"]


@_way("b")
def _no_state(s: OpencodeSession) -> None:
    del s.data("b")["state"]


@_way()
def _no_input(s: OpencodeSession) -> None:
    del s.state("b")["input"]


@_way("b")
def _no_input_running(s: OpencodeSession) -> None:
    _run(s, "b")
    del s.state("b")["input"]


@_way()
def _input_is_a_text(s: OpencodeSession) -> None:
    s.state("b")["input"] = "run b"


@_way("b")
def _odd_status(s: OpencodeSession) -> None:
    s.state("b")["status"] = "done"
    del s.state("b")["output"]


@_way()
def _odd_status_with_output(s: OpencodeSession) -> None:
    s.state("b")["status"] = "done"


@_way()
def _no_call_id(s: OpencodeSession) -> None:
    del s.data("b")["callID"]


@_way()
def _empty_call_id(s: OpencodeSession) -> None:
    s.data("b")["callID"] = ""


@_way()
def _number_as_call_id(s: OpencodeSession) -> None:
    s.data("b")["callID"] = 7


@_way()
def _long_call_id(s: OpencodeSession) -> None:
    s.data("b")["callID"] = "call_" + "x" * 90


@_way()
def _two_calls_of_one_id(s: OpencodeSession) -> None:
    s.data("c")["callID"] = "call_b"


@_way("b")
def _two_calls_of_one_id_and_the_first_pending(s: OpencodeSession) -> None:
    _pending(s)
    s.data("c")["callID"] = "call_b"


@_way()
def _one_id_in_two_turns(s: OpencodeSession) -> None:
    s.data("d")["callID"] = "call_a"


@_way()
def _kimis_id(s: OpencodeSession) -> None:
    s.data("b")["callID"] = "functions.read:0"


@_way()
def _no_tool(s: OpencodeSession) -> None:
    del s.data("b")["tool"]


@_way("b")
def _cleared(s: OpencodeSession) -> None:
    s.state("b")["time"]["compacted"] = START + 9


@_way()
def _message_failed(s: OpencodeSession) -> None:
    s.message_of("b")["data"]["error"] = {"name": "APIError", "data": {"message": "Overloaded", "isRetryable": True}}


@_way()
def _message_aborted(s: OpencodeSession) -> None:
    s.message_of("b")["data"]["error"] = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}


@_way("cd")
def _reverted(s: OpencodeSession) -> None:
    s.revert = json.dumps({"messageID": s.message_of("c")["id"], "partID": s.named("c")["id"]})


@_way("d")
def _reverted_from_a_message_on(s: OpencodeSession) -> None:
    asked = next(m["id"] for m in reversed(s.messages) if m["data"]["role"] == "user")
    s.revert = json.dumps({"messageID": asked})


@_way()
def _reverted_to_nowhere(s: OpencodeSession) -> None:
    s.revert = json.dumps({"messageID": "msg_nowhere"})


def _compacted_at(s: OpencodeSession, **part: Any) -> None:
    """What comes after the first turn is written again after a compaction."""
    old = [m for m in s.messages if m["id"] >= s.message_of("d")["id"]]
    asked = s.messages[s.messages.index(old[0]) - 1]
    gone = {asked["id"], *(m["id"] for m in old)}
    s.messages = [m for m in s.messages if m["id"] not in gone]
    s.parts = [p for p in s.parts if p["message"] not in gone]
    s.user({"type": "compaction", "auto": True, **part})
    s.assistant("## Summary", summary=True, mode="compaction", agent="compaction")
    s.user("Once more.")
    s.assistant("Again.", done("d"))
    s.assistant("They still do.")


@_way("abc")
def _compacted(s: OpencodeSession) -> None:
    _compacted_at(s)


@_way("a")
def _compacted_with_a_tail(s: OpencodeSession) -> None:
    _compacted_at(s, tail_start_id=s.message_of("b")["id"])


@_way()
def _compaction_failed(s: OpencodeSession) -> None:
    _compacted_at(s)
    s.messages[-4]["data"]["error"] = {"name": "APIError", "data": {"message": "Overloaded"}}


@_way("abc")
def _damaged_before_a_compaction(s: OpencodeSession) -> None:
    _compacted_at(s)
    s.named("b")["data"] = "{nothing"


@_way("b")
def _part_that_is_no_json(s: OpencodeSession) -> None:
    s.named("b")["data"] = "nothing at all"


@_way("b")
def _part_cut_off(s: OpencodeSession) -> None:
    whole = text_of(s.data("b"))
    s.named("b")["data"] = whole[: whole.index('"output"') + 4]


@_way("b")
def _part_that_is_null(s: OpencodeSession) -> None:
    s.named("b")["data"] = "null"


@_way("b")
def _part_that_is_a_list(s: OpencodeSession) -> None:
    s.named("b")["data"] = "[]"


@_way()
def _message_that_is_no_json(s: OpencodeSession) -> None:
    s.message_of("b")["data"] = "nothing at all"


@_way()
def _question_that_is_no_json(s: OpencodeSession) -> None:
    s.messages[-3]["data"] = '{"role":"user","time":{"cre'


@_way()
def _message_that_is_null(s: OpencodeSession) -> None:
    s.message_of("b")["data"] = "null"


@_way()
def _message_that_is_empty(s: OpencodeSession) -> None:
    s.message_of("b")["data"] = {}


@_way()
def _message_without_role(s: OpencodeSession) -> None:
    del s.message_of("b")["data"]["role"]


@_way()
def _message_without_time(s: OpencodeSession) -> None:
    del s.message_of("b")["data"]["time"]


@_way()
def _odd_role(s: OpencodeSession) -> None:
    s.message_of("b")["data"]["role"] = "model"


@_way(loose=True)
def _message_gone(s: OpencodeSession) -> None:
    s.messages.remove(s.message_of("b"))


@_way(loose=True)
def _question_gone(s: OpencodeSession) -> None:
    del s.messages[-3]


@_way()
def _text_without_text(s: OpencodeSession) -> None:
    del next(p for p in s.parts if p["data"].get("text") == "I look.")["data"]["text"]


@_way()
def _empty_texts(s: OpencodeSession) -> None:
    for part in s.parts:
        if part["data"].get("text") in ("I look.", "Again."):
            part["data"]["text"] = ""


@_way()
def _ignored_text(s: OpencodeSession) -> None:
    for part in s.parts:
        if part["data"].get("text") in ("Again.", "Once more."):
            part["data"]["ignored"] = True


@_way()
def _odd_part(s: OpencodeSession) -> None:
    s.part(s.message_of("c")["id"], {"type": "weather", "rain": True})


@_way()
def _two_steps_in_a_message(s: OpencodeSession) -> None:
    s.named("c")["id"] += "1"
    s.parts.append({**s.named("b"), "id": s.named("b")["id"] + "0", "data": {"type": "step-start"}})


@_way()
def _text_after_a_call(s: OpencodeSession) -> None:
    s.part(s.message_of("c")["id"], {"type": "text", "text": "That was it."})


@_way()
def _reasoning(s: OpencodeSession) -> None:
    id_ = s.named("a")["id"][:-1] + "!"
    s.parts.append(
        {**s.named("a"), "id": id_, "data": {"type": "reasoning", "text": "Let me see.", "time": {"start": 1}}}
    )


@_way()
def _reasoning_of_another_model(s: OpencodeSession) -> None:
    _reasoning(s)
    s.message_of("a")["data"]["modelID"] = "another"


@_way()
def _image_as_result(s: OpencodeSession) -> None:
    file = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,iVBORw0KGgo="}
    s.state("b")["attachments"] = [file]


@_way()
def _message_without_parts(s: OpencodeSession) -> None:
    s.assistant("x")
    s.parts = [part for part in s.parts if part["message"] != s.messages[-1]["id"]]


@_way()
def _half_a_character(s: OpencodeSession) -> None:
    text = text_of(s.data("b")).replace(word("b"), word("b") + " \\ud83d")
    s.named("b")["data"] = text
