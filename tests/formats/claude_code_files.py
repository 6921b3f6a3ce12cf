"""Small sessions in Claude Code's format, built record by record, with checks shared by tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from toolpair.dialects.block_texts import result_text
from toolpair.formats.claude_code import FORMAT
from toolpair.formats.format import Item
from toolpair.transcript.model import Block, Transcript

SESSION = "0d3f3a52-6c0a-4a57-9f0e-2f9a3a1c7e11"


class Log:
    """A session file that grows. Each record is linked to the last one unless `parent` says otherwise."""

    def __init__(self, step: float = 1.0) -> None:
        self.values: list[Any] = []
        self.last: str | None = None
        self.clock = 0.0
        self.step = step

    def record(self, type_: str, uuid: str, parent: Any = "last", **fields: Any) -> dict[str, Any]:
        self.clock += self.step
        minutes, seconds = divmod(self.clock, 60)
        value = {
            "parentUuid": self.last if parent == "last" else parent,
            "isSidechain": False,
            "type": type_,
            "uuid": uuid,
            "timestamp": f"2026-11-21T08:{int(minutes):02d}:{seconds:06.3f}Z",
            "userType": "external",
            "cwd": "/home/dev/my project",
            "sessionId": SESSION,
            "version": "2.1.329",
            "gitBranch": "main",
            **fields,
        }
        self.values.append(value)
        self.last = uuid
        return value

    def user(self, uuid: str, text: str, parent: Any = "last", **fields: Any) -> dict[str, Any]:
        return self.record("user", uuid, parent, message={"role": "user", "content": text}, **fields)

    def says(self, uuid: str, message_id: str, *blocks: Any, parent: Any = "last", **fields: Any) -> dict[str, Any]:
        message = {"id": message_id, "type": "message", "role": "assistant", "model": "m", "content": list(blocks)}
        return self.record("assistant", uuid, parent, message=message, **fields)

    def result(
        self, uuid: str, source: str, id_: str, content: Any, parent: Any = None, **fields: Any
    ) -> dict[str, Any]:
        block = {"tool_use_id": id_, "type": "tool_result", "content": content}
        return self.record(
            "user",
            uuid,
            parent or source,
            message={"role": "user", "content": [block]},
            sourceToolAssistantUUID=source,
            **fields,
        )

    def note(self, type_: str, **fields: Any) -> None:
        self.values.append({"type": type_, "sessionId": SESSION, **fields})

    @property
    def items(self) -> list[Item]:
        return items_of(self.values)


def call(id_: str, name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {"command": f"echo {id_}"}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def items_of(values: Iterable[Any]) -> list[Item]:
    return [Item(uid, value) for uid, value in enumerate(values)]


def again(items: Sequence[Item]) -> list[Item]:
    """The items as read from the saved file: renumbered, equal values."""
    return items_of(deepcopy([item.value for item in items]))


def session() -> Log:
    """One turn with three parallel calls whose results came back out of order, then one with a single call."""
    log = Log()
    log.user("u1", "do three things", promptId="p1")
    log.record("attachment", "t1", attachment={"type": "environment"})
    log.says("a1", "msg_1", text("Three at once."))
    log.says("a2", "msg_1", call("toolu_A"))
    log.says("a3", "msg_1", call("toolu_B"))
    log.says("a4", "msg_1", call("toolu_C"))
    log.note("last-prompt", lastPrompt="do three things", leafUuid="a4")
    log.result("r2", "a3", "toolu_B", "output B", promptId="p1")
    log.result("r1", "a2", "toolu_A", "output A", promptId="p1")
    log.result("r3", "a4", "toolu_C", "output C", promptId="p1")
    log.record("attachment", "t2", attachment={"type": "total_tokens_reminder"})
    log.says("a5", "msg_2", text("One more."))
    log.says("a6", "msg_2", call("toolu_D"))
    log.record("attachment", "t3", "a6", attachment={"type": "hook_success", "toolUseID": "toolu_D"})
    log.result("r4", "a6", "toolu_D", "output D", promptId="p1")
    log.says("a7", "msg_3", text("Done."))
    log.note("last-prompt", lastPrompt="do three things", leafUuid="a7")
    return log


def without(log: Log, *uuids: str, relink: bool = True) -> list[Item]:
    """The session without some records; their children are linked to their parents, or to nothing."""
    values = deepcopy(log.values)
    for uuid in uuids:
        gone = next(value for value in values if value.get("uuid") == uuid)
        values = [value for value in values if value is not gone]
        for value in values:
            if relink and value.get("parentUuid") == uuid:
                value["parentUuid"] = gone["parentUuid"]
    return items_of(values)


def changed(log: Log, uuid: str, **fields: Any) -> list[Item]:
    values = deepcopy(log.values)
    next(value for value in values if value.get("uuid") == uuid).update(fields)
    return items_of(values)


def shape(transcript: Transcript) -> list[tuple[Any, list[Any]]]:
    """Role and content of each message: ids of calls and results, words of text."""
    return [(message.role, [_said(block) for block in message.blocks]) for message in transcript.messages]


def _said(block: Block) -> Any:
    if block.kind in ("call", "result"):
        return f"{block.kind} {block.id}"
    return block.value if isinstance(block.value, str) else block.value.get("text")


def block(transcript: Transcript, kind: str, id_: Any) -> Block:
    return next(b for message in transcript.messages for b in message.blocks if b.kind == kind and b.id == id_)


def broken(transcript: Transcript) -> list[str]:
    """The simplest pairing check: each call has one result in the next message, and results come first."""
    found = []
    messages = transcript.messages
    for number, message in enumerate(messages):
        kinds = [b.kind for b in message.blocks]
        if message.role == "user" and "result" in kinds and kinds.index("result") != 0:
            found.append("not first")
        after = [b.id for b in messages[number + 1].results] if number + 1 < len(messages) else []
        found.extend(f"call {b.id}" for b in message.calls if after.count(b.id) != 1)
        before = [b.id for b in messages[number - 1].calls] if number else []
        found.extend(f"result {b.id}" for b in message.results if before.count(b.id) != 1)
    return found


def outputs(transcript: Transcript) -> list[str]:
    return [result_text(b) for message in transcript.messages for b in message.results]


def check_records(before: Sequence[Item], after: Sequence[Item]) -> None:
    """Untouched records are the same objects, uids differ, no new parent is lost, and a second reading agrees."""
    old = {item.uid: item for item in before}
    assert len({item.uid for item in after}) == len(after)
    for item in after:
        if item.uid in old and item.value == old[item.uid].value:
            assert item is old[item.uid]
        if item.uid not in old:
            assert item.uid < 0
    assert lost_parents(after) <= lost_parents(before)
    direct, saved = FORMAT.read(after), FORMAT.read(again(after))
    assert shape(direct) == shape(saved)


def lost_parents(items: Sequence[Item]) -> set[str]:
    values = [item.value for item in items if isinstance(item.value, dict)]
    uuids = {value.get("uuid") for value in values}
    return {value["parentUuid"] for value in values if value.get("parentUuid")} - uuids


def looping(beside: bool = False) -> bytes:
    """A cycle of links from which the agent continues; the fix for it would cut off the user's first words.

    With `beside` there is a second call whose result has another id.
    """
    log = Log()
    log.user("u0", "<user-0>", parent="c1")
    log.says("t0", "m0", text("words"))
    log.says("c1", "m0", call("toolu_1"))
    log.result("r1", "c1", "toolu_1", "output 1")
    log.values[3]["parentUuid"] = None
    lines = [log.values[number] for number in (1, 0, 3, 2)]
    if beside:
        log.last = "c1"
        log.says("c9", "m9", call("toolu.9"))
        log.result("r9", "c9", "toolu_9", "output 9")
        lines += log.values[4:]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
