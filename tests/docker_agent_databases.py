"""docker-agent's databases as docker-agent writes them, and many ways in which their sessions break.

Every output says a word that is nowhere else.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tests.broken_sessions import made_long_ago

Json = dict[str, Any]

SAMPLE: Final = Path(__file__).resolve().parent.parent / "sample_sessions" / "docker-agent-late-result.db"
FOLDER: Final = "/home/dev/shop"
_SESSION_19: Final = (
    "id TEXT PRIMARY KEY, messages TEXT, created_at TEXT, tools_approved BOOLEAN DEFAULT 0, "
    "input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, title TEXT DEFAULT '', cost REAL DEFAULT 0, "
    "send_user_message BOOLEAN DEFAULT 1, max_iterations INTEGER DEFAULT 0, working_dir TEXT DEFAULT '', "
    "starred BOOLEAN DEFAULT 0, permissions TEXT DEFAULT '', agent_model_overrides TEXT DEFAULT '{}', "
    "custom_models_used TEXT DEFAULT '[]', thinking BOOLEAN DEFAULT 1, "
    "parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE"
)
_SESSION_29: Final = _SESSION_19.replace("messages TEXT, ", "") + (
    ", instruction_context TEXT DEFAULT '', safety_policy TEXT DEFAULT '', attributes TEXT DEFAULT '{}', "
    "origin TEXT NOT NULL DEFAULT 'run'"
)
_ITEM_19: Final = (
    "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT NULL, "
    "item_type TEXT NOT NULL, agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id TEXT, "
    "summary_text TEXT{}, FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE, "
    "FOREIGN KEY (subsession_id) REFERENCES sessions(id) ON DELETE SET NULL"
)
_ITEM_29: Final = (
    ", first_kept_entry INTEGER DEFAULT 0, cost REAL NOT NULL DEFAULT 0, model TEXT NOT NULL DEFAULT '', "
    "usage_json TEXT NOT NULL DEFAULT ''"
)
_REST: Final = (
    "CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, description TEXT, "
    "applied_at TEXT NOT NULL);"
    "CREATE INDEX idx_sessions_parent_id ON sessions(parent_id);"
    "CREATE INDEX idx_session_items_session ON session_items(session_id, position);"
    "CREATE INDEX idx_session_items_session_type ON session_items(session_id, item_type);"
)
_MEDIA: Final = (
    "CREATE TABLE generated_media_manifest (session_id TEXT NOT NULL, rel_path TEXT NOT NULL, "
    "mime_type TEXT NOT NULL, created_at TEXT NOT NULL, root_kind TEXT NOT NULL DEFAULT 'workspace', "
    "PRIMARY KEY (session_id, rel_path));"
)
SCHEMAS: Final = {
    19: f"CREATE TABLE sessions ({_SESSION_19}); CREATE TABLE session_items ({_ITEM_19.format('')}); {_REST}",
    29: f"CREATE TABLE sessions ({_SESSION_29}); CREATE TABLE session_items ({_ITEM_19.format(_ITEM_29)}); "
    f"{_REST}{_MEDIA}",
}
"""The number of the last migration -> the tables."""


_ESCAPED: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def word(name: str) -> str:
    """What the output of the call with this name says."""
    return f"word-{name}-word"


def go_json(value: Any) -> str:
    """A value as Go's encoding/json writes it."""
    said = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", said)


def call(name: str, tool: str = "shell", **arguments: Any) -> Json:
    made = arguments or {"cmd": f"echo {name}"}
    return {"id": f"toolu_{name}", "type": "function", "function": {"name": tool, "arguments": go_json(made)}}


class StoredRows:
    """The rows of one session, in order; each is a dictionary of its columns."""

    def __init__(self, id: str, title: str = "", parent: str | None = None, day: int = 21, **columns: Any) -> None:
        self.day = day
        self.columns: Json = {
            "id": id,
            "created_at": self.time(),
            "title": title or f"About {id}",
            "working_dir": FOLDER,
            "parent_id": parent,
            **columns,
        }
        self.items: list[Json] = []

    @property
    def id(self) -> str:
        return str(self.columns["id"])

    def time(self) -> str:
        number = len(getattr(self, "items", ()))
        return f"2026-09-{self.day:02d}T10:{number // 60:02d}:{number % 60:02d}Z"

    def item(self, kind: str, **columns: Any) -> Json:
        self.items.append({"item_type": kind, "agent_name": "root", **columns})
        return self.items[-1]

    def message(self, role: str, content: Any, agent: str = "root", **fields: Any) -> Json:
        value = {"role": role, "content": content, **fields, "created_at": self.time()}
        return self.item("message", agent_name=agent, message_json=go_json(value))

    def user(self, text: str) -> Json:
        return self.message("user", text, agent="")

    def says(self, text: str, *names: str, **fields: Any) -> Json:
        calls = {"tool_calls": [call(name) for name in names]} if names else {}
        return self.message("assistant", text, **calls, **{"model": "anthropic/claude-sonnet-5", **fields})

    def result(self, name: str, text: str | None = None, **fields: Any) -> Json:
        return self.message("tool", word(name) if text is None else text, tool_call_id=f"toolu_{name}", **fields)

    def summary(self, text: str, first_kept: int | None = None) -> Json:
        kept = {} if first_kept is None else {"first_kept_entry": first_kept}
        return self.item("summary", agent_name="", summary_text=text, **kept)

    def subsession(self, id: str | None) -> Json:
        return self.item("subsession", agent_name="", subsession_id=id)


def sound(id: str = "sound", **columns: Any) -> StoredRows:
    """A session of three turns: one call; three at once; none."""
    made = StoredRows(id, **columns)
    made.user(f"Look at <pair> & tell me, {id}.")
    made.says("I look.", f"{id}-one")
    made.result(f"{id}-one")
    made.says("Three more.", *(f"{id}-{name}" for name in ("two", "three", "four")))
    for name in ("two", "three", "four"):
        made.result(f"{id}-{name}")
    made.says("All is well.")
    made.user("Thanks. Go on.")
    made.says("That was all.")
    return made


def message(role: str, content: Any = "", **fields: Any) -> Json:
    """A row with a chat message, without a time."""
    said = go_json({"role": role, "content": content, **fields})
    return {"agent_name": "" if role == "user" else "root", "message_json": said}


def calls(*ids: Any, **fields: Any) -> Json:
    """A row with a response that has a call of `shell` for each id."""
    made = [{**call(str(number), cmd=f"run {number}"), "id": id_} for number, id_ in enumerate(ids)]
    return message("assistant", "", tool_calls=made, **fields)


def gives(id_: Any, output: str, **fields: Any) -> Json:
    """A row with a result."""
    return message("tool", output, tool_call_id=id_, **fields)


Break = Callable[[StoredRows], None]


def _message(row: Json, **changes: Any) -> None:
    value = json.loads(row["message_json"])
    value.update(changes)
    row["message_json"] = go_json({key: one for key, one in value.items() if one is not None})


def _drop(*places: int) -> Break:
    def change(rows: StoredRows) -> None:
        rows.items[:] = [row for place, row in enumerate(rows.items) if place not in places]

    return change


def _moved(place: int, to: int) -> Break:
    return lambda rows: rows.items.insert(to, rows.items.pop(place))


def _twice(place: int, to: int, **changes: Any) -> Break:
    def change(rows: StoredRows) -> None:
        copy = dict(rows.items[place])
        _message(copy, **changes)
        rows.items.insert(to, copy)

    return change


def _with(place: int, **changes: Any) -> Break:
    return lambda rows: _message(rows.items[place], **changes)


def _text(place: int, text: Any) -> Break:
    return lambda rows: rows.items[place].update(message_json=text)


def _inserted(place: int, role: str, content: str) -> Break:
    def change(rows: StoredRows) -> None:
        rows.message(role, content, agent="" if role == "user" else "root")
        rows.items.insert(place, rows.items.pop())

    return change


def _ids_of(*ids: Any) -> Break:
    def change(rows: StoredRows) -> None:
        value = json.loads(rows.items[3]["message_json"])
        for one, id_ in zip(value["tool_calls"], ids, strict=False):
            one["id"] = id_
        rows.items[3]["message_json"] = go_json(value)

    return change


def _summed_up(first_kept: int | None, also: Break | None = None) -> Break:
    def change(rows: StoredRows) -> None:
        if also is not None:
            also(rows)
        rows.summary("They looked at the pairs.", first_kept)
        rows.items.insert(-3, rows.items.pop())

    return change


def _pretty(indent: str | int, ends: str = "\n", also: Break | None = None) -> Break:
    def change(rows: StoredRows) -> None:
        for row in rows.items:
            said = json.dumps(json.loads(row["message_json"]), indent=indent, ensure_ascii=False)
            row["message_json"] = said.replace("\n", ends)
        if also is not None:
            also(rows)

    return change


BREAKS: Final[dict[str, Break]] = {
    "missing": _drop(2),
    "missing in the middle of a group": _drop(5),
    "missing at the end of a group": _drop(6),
    "all of a group missing": _drop(4, 5, 6),
    "call missing": _drop(1),
    "call of a group missing": _drop(3),
    "late": _moved(2, 3),
    "late after the user": _moved(6, 8),
    "early": _moved(2, 1),
    "user between": _inserted(2, "user", "Hurry up."),
    "assistant between": _inserted(5, "assistant", "Wait."),
    "another order": _moved(4, 6),
    "twice": _twice(2, 3),
    "twice with another output": _twice(2, 3, content="something else"),
    "twice, late": _twice(2, 8, content="something else"),
    "another id": _with(2, tool_call_id="toolu_elsewhere"),
    "sanitised id": _with(2, tool_call_id="toolu_sound_one"),
    "empty id": _with(2, tool_call_id=""),
    "no id": _with(2, tool_call_id=None),
    "id is a number": _with(2, tool_call_id=5),
    "ids alike": _ids_of("toolu_same", "toolu_same"),
    "ids empty": _ids_of("", "", ""),
    "id too long": _ids_of("toolu_" + "x" * 90),
    "id with odd characters": _ids_of("functions.shell:0"),
    "trailing call": _drop(4, 5, 6, 7, 8, 9),
    "not JSON": _text(2, '{"role":"tool","content":"word'),
    "not JSON, glued": lambda rows: rows.items[2].update(message_json=rows.items[2]["message_json"] * 2),
    "ends its row": _text(2, "1}}"),
    "a list": _text(2, "[]"),
    "a string": _text(2, '"word"'),
    "empty": _text(2, ""),
    "null": _text(2, None),
    "null as text": _text(2, "null"),
    "lone surrogate": lambda rows: _text(2, rows.items[2]["message_json"].replace("word-", "\\ud83dword-", 1))(rows),
    "bad UTF-8": lambda rows: _text(2, rows.items[2]["message_json"].encode().replace(b"word-", b"\xff\xfeword-"))(
        rows
    ),
    "unknown role": _with(7, role="critic"),
    "summary": _summed_up(None),
    "summary that kept": _summed_up(3),
    "summary that kept and a missing result": _summed_up(3, _drop(5)),
    "summary that kept a result alone": _summed_up(4),
    "defect before a summary": _summed_up(None, _drop(2)),
    "sub-session": lambda rows: rows.items.insert(3, StoredRows("x").subsession("child")),
    "sub-session that is gone": lambda rows: (rows.items.insert(1, StoredRows("x").subsession("gone")), _drop(6)(rows))[
        1
    ],
    "sub-session of nothing": lambda rows: rows.items.insert(3, StoredRows("x").subsession(None)),
    "an item of another kind": lambda rows: rows.items.insert(3, {"item_type": "error", "summary_text": "It failed."}),
    "pretty": _pretty(2, also=_drop(5)),
    "pretty with tabs": _pretty("\t", also=_drop(5)),
    "pretty with CRLF": _pretty(2, "\r\n", also=_drop(5)),
    "several": lambda rows: (_drop(5)(rows), _twice(2, 3)(rows), _with(2, tool_call_id="toolu_elsewhere")(rows))[0],
    "positions with gaps": lambda rows: (
        [row.update(position=10 * place) for place, row in enumerate(rows.items)],
        _drop(5)(rows),
    )[1],
    "positions alike": lambda rows: ([row.update(position=0) for row in rows.items], _drop(5)(rows))[1],
    "positions below zero": lambda rows: (
        [row.update(position=place - 5) for place, row in enumerate(rows.items)],
        _drop(5)(rows),
    )[1],
}
"""The ways to break `sound`."""


def broken(how: str, id: str = "sound", **columns: Any) -> StoredRows:
    made = sound(id, **columns)
    BREAKS[how](made)
    return made


def database(
    path: Path,
    *sessions: StoredRows,
    version: int = 29,
    wal: bool = False,
    page_size: int = 4096,
    more: str = "",
    interleaved: bool = True,
) -> Path:
    """A database with these sessions, whose rows were written in turn. `more` is SQL to run at the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute(f"PRAGMA page_size = {page_size}")
        made.execute("PRAGMA synchronous = OFF")
        if wal:
            made.execute("PRAGMA journal_mode = WAL")
        made.execute("BEGIN")
        for statement in filter(str.strip, SCHEMAS[version].split(";")):
            made.execute(statement)
        for number in range(1, version + 1):
            made.execute(
                "INSERT INTO migrations VALUES (?, ?, '', '2026-09-01T10:00:00Z')",
                (number, f"{number:03d}_add_something"),
            )
        for rows in sessions:
            _insert(made, "sessions", rows.columns)
        waiting = [(rows, place) for rows in sessions for place in range(len(rows.items))]
        for rows, place in sorted(waiting, key=lambda one: one[1]) if interleaved else waiting:
            columns = {"session_id": rows.id, "position": place, "item_type": "message", **rows.items[place]}
            if isinstance(columns.get("message_json"), bytes):
                columns["message_json"] = columns["message_json"].decode("utf-8", "surrogateescape")
            _insert(made, "session_items", columns)
        made.execute("COMMIT")
        if more:
            made.executescript(more)
    return made_long_ago(path)


def database_of(path: Path, **sessions: Iterable[Json]) -> Path:
    """A database with sessions of these rows."""
    made = [StoredRows(name) for name in sessions]
    for rows in made:
        rows.items = list(sessions[rows.id])
    return database(path, *made)


def copies_of_sample(path: Path, *names: str) -> Path:
    """A database in which each session has all rows of the sample's; the first name is the newest."""
    query = "SELECT item_type, agent_name, message_json FROM session_items ORDER BY position"
    with closing(sqlite3.connect(SAMPLE)) as sample:
        found = sample.execute(query).fetchall()
    made = [StoredRows(name) for name in names]
    for age, rows in enumerate(made):
        for kind, agent, said in found:
            rows.item(kind, agent_name=agent, message_json=said.replace("2026-11-21", f"2026-11-{20 - age}"))
    return database(path, *made)


def _insert(made: sqlite3.Connection, table: str, columns: Json) -> None:
    values = [
        value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value for value in columns.values()
    ]
    marks = ", ".join("CAST(? AS TEXT)" if isinstance(value, bytes) else "?" for value in values)
    made.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)


def child(parent: str = "sound") -> StoredRows:
    """What a sub-agent did for `parent`."""
    made = StoredRows("child", parent=parent, day=20)
    made.user("Look into the cellar.")
    made.says("I go.", "child-one")
    made.result("child-one")
    return made


def several(path: Path, how: str = "several", **options: Any) -> Path:
    """A database with a broken session, `sound`, among others: `newest`, `child` and `oldest`."""
    return database(path, sound("newest", day=23), broken(how), child(), broken("missing", "oldest", day=3), **options)


def rows_of(path: Path, session: str | None = None) -> list[tuple[Any, ...]]:
    """The rows of a session, its own first; of all sessions without a name. Texts are bytes."""
    with closing(sqlite3.connect(path)) as opened:
        opened.text_factory = bytes
        own = opened.execute("SELECT * FROM sessions WHERE ? IN (id, '') ORDER BY id", (session or "",)).fetchall()
        query = "SELECT * FROM session_items WHERE ? IN (session_id, '') ORDER BY session_id, position, id"
        return own + opened.execute(query, (session or "",)).fetchall()


def items_of(path: Path, session: str | None = None) -> list[tuple[Any, ...]]:
    """The rows of a session's messages, in order; of all sessions without a name. Texts are strings."""
    with closing(sqlite3.connect(path)) as opened:
        query = "SELECT * FROM session_items WHERE ? IN (session_id, '') ORDER BY session_id, position, id"
        return opened.execute(query, (session or "",)).fetchall()


def dump(path: Path, *without: str) -> dict[str, Any]:
    """All that a database holds, but rows of these sessions and `sqlite_sequence`."""
    with closing(sqlite3.connect(path)) as opened:
        opened.text_factory = bytes
        found: dict[str, Any] = {
            name: opened.execute(f"PRAGMA {name}").fetchall()
            for name in ("user_version", "application_id", "journal_mode", "page_size", "encoding", "auto_vacuum")
        }
        found["schema"] = opened.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
        for (raw,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            name = raw.decode()
            if name == "sqlite_sequence":
                continue
            cursor = opened.execute(f'SELECT rowid, * FROM "{name}" ORDER BY rowid')
            place = next(
                (n for n, one in enumerate(cursor.description) if one[0] == {"sessions": "id"}.get(name, "session_id")),
                0,
            )
            found[name] = [row for row in cursor if row[place] not in [one.encode() for one in without]]
        return found
