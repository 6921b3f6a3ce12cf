"""Sessions of Hermes Agent as rows of its database, and many ways in which they break.

Every output says a word that is nowhere else. A row is a line here, as toolpair shows it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from tests.broken_sessions import Breaks, Planted, Record, lines, made_long_ago, tell, unsynced, word

ID: Final = "20261121_101010_5a1f3c"
TIME: Final = 1_795_248_700.25
FOLDER: Final = "/home/dev/shop"
IMAGE: Final = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SCHEMA: Final = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0, cwd TEXT, billing_provider TEXT, title TEXT, rewind_count INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT, timestamp REAL NOT NULL,
    token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
    codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT
);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, coalesce(new.content, '') || ' ' ||
        coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, ''));
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, coalesce(new.content, '') || ' ' ||
        coalesce(new.tool_name, '') || ' ' || coalesce(new.tool_calls, ''));
END;
"""
"""As version 22 has it, without what no session needs."""
COLUMNS: Final = (
    "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "effect_disposition", "timestamp",
    "token_count", "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
    "codex_message_items", "platform_message_id", "observed", "active", "compacted", "api_content",
)  # fmt: skip


def call(name: str, **changes: Any) -> Record:
    id_ = f"call_{name}"
    function = {"name": "terminal", "arguments": json.dumps({"command": f"echo {name}"})}
    return {
        "id": id_,
        "call_id": id_,
        "response_item_id": f"fc_{name}",
        "type": "function",
        "function": function,
    } | changes


class Made:
    """The rows of one session."""

    def __init__(self, id_: str = ID, first: int = 1) -> None:
        self._first = first
        self._id = id_
        session = {"id": id_, "source": "cli", "model": "gpt-4o", "started_at": TIME, "cwd": FOLDER, "title": None}
        self.records: list[Record] = [{"sessions": session}]

    def row(self, role: str, content: Any, **columns: Any) -> None:
        number = len(self.records) - 1
        usual = {"id": self._first + number, "session_id": self._id, "role": role, "content": content}
        usual |= {"timestamp": TIME + number, "observed": 0, "active": 1, "compacted": 0, **columns}
        calls = usual.pop("tool_calls", None)
        row = {name: usual.get(name) for name in COLUMNS if name != "tool_calls"}
        self.records.append({"messages": {**row, "tool_calls": calls}})

    def user(self, text: str) -> None:
        self.row("user", text)

    def says(self, text: str, *names: str) -> None:
        calls = [call(name) for name in names] or None
        self.row("assistant", text, tool_calls=calls, finish_reason="tool_calls" if calls else "stop")

    def result(self, name: str) -> None:
        self.row("tool", word(name), tool_call_id=f"call_{name}", tool_name="terminal")


def sound() -> Made:
    made = Made()
    tell(made)
    return made


broken = Breaks(sound)
_BEGIN, _ONE_CALL, _ONE, _THREE_CALLS, _TWO, _THREE, _FOUR, _THAT, _ONCE, _FIVE_CALL, _FIVE, _DONE = range(1, 13)


def _row(records: list[Any], place: int) -> Record:
    found: Record = records[place]["messages"]
    return found


def _with(place: int, **columns: Any) -> Callable[[list[Any]], None]:
    return lambda records: _row(records, place).update(columns)


def _call(place: int, number: int = 0, **changes: Any) -> Callable[[list[Any]], None]:
    return lambda records: _row(records, place)["tool_calls"][number].update(changes)


def _gone(*places: int) -> Callable[[list[Any]], None]:
    def change(records: list[Any]) -> None:
        records[:] = [one for place, one in enumerate(records) if place not in places]

    return change


def _moved(place: int, to: int) -> Callable[[list[Any]], None]:
    def change(records: list[Any]) -> None:
        records.insert(to, records.pop(place))
        _count(records)

    return change


def _put(to: int, role: str, content: Any, **columns: Any) -> Callable[[list[Any]], None]:
    def change(records: list[Any]) -> None:
        made = Made()
        made.row(role, content, **columns)
        records.insert(to, made.records[-1])
        _count(records)

    return change


def _count(records: list[Any]) -> None:
    for number, one in enumerate(records[1:], 1):
        one["messages"]["id"] = number


def _both(*changes: Callable[[list[Any]], None]) -> Callable[[list[Any]], None]:
    def change(records: list[Any]) -> None:
        for one in changes:
            one(records)

    return change


def _same_id(*places: int) -> Callable[[list[Any]], None]:
    """Calls and results in these rows have the same id."""

    def change(records: list[Any]) -> None:
        for place in places:
            row = _row(records, place)
            if row["role"] == "tool":
                row["tool_call_id"] = "terminal:0"
            else:
                row["tool_calls"][0] |= {"id": "terminal:0", "call_id": "terminal:0"}

    return change


def _torn(records: list[Any]) -> bytes:
    whole = lines(records).split(b"\n")
    whole[_FIVE_CALL] = whole[_FIVE_CALL][:-60]
    return b"\n".join(whole)


def _compacted(*more: int) -> Callable[[list[Any]], None]:
    """All that is before the last rounds, and these rows, were compacted."""

    def change(records: list[Any]) -> None:
        for place in (*range(1, _ONCE), *more):
            _row(records, place).update(active=0, compacted=1)
        _put(_ONCE, "user", "[CONTEXT SUMMARY]: they looked.")(records)

    return change


_BEFORE: Final = ("one", "two", "three", "four")
DEFECTS: Final[dict[str, tuple[Callable[[list[Any]], Any], tuple[str, ...]]]] = {
    "nothing": (lambda records: None, ()),
    "result_gone": (_gone(_ONE), ("one",)),
    "result_of_three_gone": (_gone(_THREE), ("three",)),
    "all_results_gone": (_gone(_TWO, _THREE, _FOUR), ("two", "three", "four")),
    "response_gone": (_gone(_ONE_CALL), ()),
    "response_of_three_gone": (_gone(_THREE_CALLS), ()),
    "call_of_three_gone": (lambda records: _row(records, _THREE_CALLS)["tool_calls"].__delitem__(1), ()),
    "result_early": (_moved(_ONE, _ONE_CALL), ()),
    "result_after_the_next_response": (_moved(_ONE, _THREE_CALLS), ()),
    "result_after_the_user": (_moved(_FOUR, _ONCE), ()),
    "user_between": (_put(_ONE, "user", "Hurry up."), ()),
    "words_between": (_put(_THREE, "assistant", "Wait."), ()),
    "system_between": (_put(_THREE, "system", "Mind the gap."), ()),
    "order_changed": (_moved(_TWO, _FOUR), ()),
    "result_twice": (_put(_THREE_CALLS, "tool", word("one"), tool_call_id="call_one"), ()),
    "another_result": (_put(_THREE_CALLS, "tool", "something else", tool_call_id="call_one"), ()),
    "another_result_late": (_put(_ONCE, "tool", "something else", tool_call_id="call_two"), ()),
    "placeholder_first": (
        _put(_ONE, "tool", "[Result unavailable — see context summary above]", tool_call_id="call_one"),
        (),
    ),
    "id_sanitised": (_both(_call(_ONE_CALL, id="call.one", call_id="call.one")), ()),
    "id_elsewhere": (_with(_ONE, tool_call_id="call_elsewhere"), ()),
    "id_empty": (_with(_ONE, tool_call_id=""), ()),
    "id_missing": (_with(_ONE, tool_call_id=None), ()),
    "id_used_again": (_same_id(_ONE_CALL, _ONE, _FIVE_CALL, _FIVE), ()),
    "id_used_again_unanswered": (_both(_same_id(_ONE_CALL, _ONE, _FIVE_CALL, _FIVE), _gone(_FIVE)), ("five",)),
    "id_used_again_first_unanswered": (_both(_same_id(_ONE_CALL, _ONE, _FIVE_CALL, _FIVE), _gone(_ONE)), ("one",)),
    "id_used_three_times": (_same_id(_ONE_CALL, _ONE, _THREE_CALLS, _TWO, _FIVE_CALL, _FIVE), ()),
    "ids_alike_in_one": (
        _both(_same_id(_THREE_CALLS, _TWO, _THREE), _call(_THREE_CALLS, 1, id="terminal:0", call_id="terminal:0")),
        (),
    ),
    "ids_of_calls_empty": (_both(_call(_ONE_CALL, id="", call_id=""), _with(_ONE, tool_call_id="")), ()),
    "id_of_item": (_call(_ONE_CALL, id="fc_one"), ()),
    "id_with_spaces": (_both(_call(_ONE_CALL, id=" call_one", call_id=" call_one")), ()),
    "id_long": (
        _both(_call(_ONE_CALL, id="x" * 90, call_id="x" * 90), _with(_ONE, tool_call_id="x" * 90)),
        (),
    ),
    "arguments_torn": (_call(_ONE_CALL, function={"name": "terminal", "arguments": '{"command": "ec'}), ()),
    "arguments_torn_alone": (
        _both(_call(_ONE_CALL, function={"name": "terminal", "arguments": '{"command": "ec'}), _gone(_ONE)),
        ("one",),
    ),
    "arguments_empty": (_call(_ONE_CALL, function={"name": "terminal", "arguments": ""}), ()),
    "name_empty": (_call(_ONE_CALL, function={"name": " ", "arguments": "{}"}), ()),
    "calls_empty": (_with(_THAT, tool_calls=[]), ()),
    "calls_torn": (_torn, ()),
    "killed": (_gone(_FIVE, _DONE, 13, 14), ("five",)),
    "killed_half_way": (_gone(_FOUR, *range(_THAT, 15)), ("four", "five")),
    "compacted": (_compacted(), _BEFORE),
    "compacted_call": (_compacted(_FIVE_CALL), _BEFORE),
    "compacted_result": (_compacted(_FIVE), (*_BEFORE, "five")),
    "taken_back": (_both(*(_with(place, active=0) for place in range(_ONCE, 15))), ("five",)),
    "role_unknown": (_put(_ONCE, "critic", "Not good."), ()),
    "note": (_put(_ONCE, "session_meta", "{}"), ()),
    "users_in_a_row": (_put(_ONCE, "user", "And another thing."), ()),
    "words_empty": (_with(_THAT, content=""), ()),
    "result_empty": (_with(_ONE, content=""), ("one",)),
    "result_null": (_with(_ONE, content=None), ("one",)),
    "image": (
        _with(_BEGIN, content="\0json:" + json.dumps([{"type": "text", "text": "Look."}, IMAGE])),
        (),
    ),
    "image_and_words": (
        _both(
            _put(_ONCE, "user", "\0json:" + json.dumps([{"type": "text", "text": "Look."}, IMAGE])),
        ),
        (),
    ),
    "result_as_list": (
        _with(_ONE, content="\0json:" + json.dumps([{"type": "text", "text": word("one")}, IMAGE])),
        (),
    ),
    "memory": (_with(_BEGIN, content="Begin.", api_content="Begin. <memory-context>sea</memory-context>"), ()),
    "memory_in_words": (_with(_THAT, content="That <memory-context>sea</memory-context> is it."), ()),
    "sent_otherwise_and_joined": (_both(_with(_THAT, api_content="That is it. "), _gone(_ONCE)), ()),
    "thinking_alone": (_with(_THAT, content="", reasoning="Hm.", reasoning_content="Hm."), ()),
    "candidate": (_both(_with(_THAT, finish_reason="verification_required"), _gone(_ONCE)), ()),
    "review": (
        _put(_ONCE, "user", "Review the conversation above and update the skill library now."),
        (),
    ),
}
"""Name -> what breaks the rows, and the outputs that are then nowhere in the active history."""
for _name, (_break, _lost) in DEFECTS.items():
    broken.add(_name, _break, *_lost)


def corpus() -> dict[str, Planted]:
    return broken.corpus()


def together() -> dict[str, Planted]:
    """Two and three results lost, late or renamed at once."""
    ways = ("one", "three", "five")
    made: dict[str, Planted] = {}
    for some in (*combinations(ways, 2), ways):
        for way in ("lost", "late", "renamed", "twice"):
            records = sound().records
            for name in some:
                row = next(one for one in records[1:] if one["messages"]["tool_call_id"] == f"call_{name}")
                if way == "renamed":
                    row["messages"]["tool_call_id"] = f"call.{name}"
                    continue
                if way != "twice":
                    records.remove(row)
                if way != "lost":
                    records.append(json.loads(json.dumps(row)))
            _count(records)
            kept = tuple(word(name) for name in (*_BEFORE, "five") if way != "lost" or name not in some)
            made[f"{way}: {', '.join(some)}"] = Planted(lines(records), kept)
    return made


def database(path: Path, data: bytes, *others: Made, provider: str | None = None) -> Path:
    """A database with the session of these lines, and with others; `provider`: who was paid for it."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made:
        unsynced(made)
        made.executescript(SCHEMA)
        made.execute("INSERT INTO schema_version VALUES (22)")
        for line in (*data.splitlines(), *(one for other in others for one in lines(other.records).splitlines())):
            if line:
                _insert(made, line)
        made.execute("UPDATE sessions SET billing_provider = ?", (provider,))
        made.commit()
    return made_long_ago(path)


def _insert(made: sqlite3.Connection, line: bytes) -> None:
    head, has_calls, calls = line.partition(b',"tool_calls":')
    row = json.loads(head + b"}}" if has_calls else line)
    ((table, columns),) = row.items()
    if has_calls and calls != b"null}}":
        columns["tool_calls"] = calls.removesuffix(b"}}").decode()
    names = ", ".join(columns)
    made.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})", list(columns.values()))
