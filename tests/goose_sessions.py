"""Databases of goose as it writes them, and many ways in which their sessions break. Every output says a word that is
nowhere else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.broken_sessions import made_long_ago, unsynced

SESSION = "20261121_2"
OTHER = "20261121_1"
TIME = 1_795_248_700
PROJECT = "/home/dev/project"
SHOWN = {"userVisible": True, "agentVisible": True}
HIDDEN = {"userVisible": True, "agentVisible": False}
Part = dict[str, Any]
Rows = list["Message"]

SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, accumulated_total_tokens INTEGER,
    accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER,
    accumulated_cache_write_tokens INTEGER, accumulated_cost REAL, schedule_id TEXT, recipe_json TEXT,
    user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT, goose_mode TEXT NOT NULL DEFAULT 'auto',
    archived_at TIMESTAMP, project_id TEXT, parent_session_id TEXT
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT
);
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE TABLE usage_ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    created_timestamp INTEGER NOT NULL, model TEXT, input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT, is_compaction INTEGER DEFAULT 0
);
"""
VERSION = 16
CONFIG = {"model_name": "gpt-4o", "temperature": None, "max_tokens": 16384, "toolshim": False, "toolshim_model": None}


@dataclass
class Message:
    """One row. `raw` stands in for the content's text; `id` and `time` are counted where they are None."""

    role: str
    content: Any
    metadata: Any = None
    raw: bytes | None = None
    id: int | None = None
    time: int | None = None
    session: str = SESSION


def word(name: str) -> str:
    """What the output of the call with this name says."""
    return f"word-{name}-word"


def text(said: str) -> Part:
    return {"type": "text", "text": said}


def call(name: str, id_: str | None = None) -> Part:
    value = {"name": "shell", "arguments": {"command": f"echo {name}"}}
    made = {"type": "toolRequest", "id": id_ or f"call_{name}", "toolCall": {"status": "success", "value": value}}
    return {**made, "_meta": {"goose_extension": "developer"}}


def result(name: str, said: str | None = None, id_: str | None = None) -> Part:
    content = [{"type": "text", "text": word(name) if said is None else said, "annotations": {"priority": 0.0}}]
    value = {"content": content, "structuredContent": {"exit_code": 0}, "isError": False}
    return {"type": "toolResponse", "id": id_ or f"call_{name}", "toolResult": {"status": "success", "value": value}}


def user(*parts: Part) -> Message:
    return Message("user", list(parts))


def says(*parts: Part) -> Message:
    return Message("assistant", list(parts))


def sound() -> Rows:
    """A session of three turns: one call; three at once, written as pairs in a row; one call."""
    return [
        user(text("Begin.")),
        says(text("I look."), call("one")),
        user(result("one")),
        says(text("Now more."), call("two")),
        user(result("two")),
        says(call("three")),
        user(result("three")),
        says(call("four")),
        user(result("four")),
        says(text("That is it.")),
        user(text("Once more.")),
        says(call("five")),
        user(result("five")),
        says(text("Done.")),
    ]


_BEGIN, _ONE_CALL, _ONE, _TWO_CALL, _TWO, _THREE_CALL, _THREE, _FOUR_CALL, _FOUR, _THAT, _ONCE, _FIVE_CALL, _FIVE = (
    range(13)
)


def others() -> Rows:
    """What another session says, in rows between."""
    made = [user(text("Elsewhere.")), says(call("else")), user(result("else")), says(text("There."))]
    for message in made:
        message.session = OTHER
    return made


def database(path: Path, rows: Iterable[Message], *, provider: str | None = "openai", gap: int = 1) -> Path:
    """A database with these rows and those of another session, of which half lie after them. `gap`: between ids."""
    before, *rest = others()
    connection = sqlite3.connect(path)
    unsynced(connection)
    connection.executescript(SCHEMA)
    connection.execute("INSERT INTO schema_version VALUES (?, '2026-11-21 08:00:00')", (VERSION,))
    for id_, name, at in (
        (OTHER, "Another one", "2026-11-21 08:11:40"),
        (SESSION, "The broken one", "2026-11-21 08:20:00"),
    ):
        connection.execute(
            "INSERT INTO sessions (id, name, working_dir, created_at, updated_at, provider_name, model_config_json)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (id_, name, PROJECT, at, at, provider, json.dumps(CONFIG, separators=(",", ":"))),
        )
    number = 0
    for message in (before, *rows, *rest):
        number += gap if message.session == SESSION else 1
        own = message.id if message.id is not None else number
        number = max(number, own)
        metadata = SHOWN if message.metadata is None else message.metadata
        raw = message.raw if message.raw is not None else written(message.content)
        connection.execute(
            "INSERT INTO messages (id, message_id, session_id, role, content_json, created_timestamp, timestamp,"
            " metadata_json) VALUES (?, ?, ?, ?, CAST(? AS TEXT), ?, '2026-11-21 08:12:00', ?)",
            (
                own,
                f"msg_{own:08d}",
                message.session,
                message.role,
                raw,
                TIME if message.time is None else message.time,
                metadata if isinstance(metadata, str) else written(metadata).decode(),
            ),
        )
    connection.commit()
    connection.close()
    return made_long_ago(path)


def with_a_row_in_the_way(path: Path) -> Path:
    """A database whose session has a damaged row, which nobody can repair, among those that a fix moves."""
    broken = sound()
    broken[_TWO].raw = written(broken[_TWO].content).replace(b'}],"structured', b'} ,"structured')
    del broken[_ONE]
    return database(path, broken)


def damage_settings(path: Path) -> None:
    """Cut off what the session's own row says of the model."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sessions SET model_config_json = substr(model_config_json, 1, 30)")


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def old_file(rows: Iterable[Message], **fields: Any) -> bytes:
    """The same as goose wrote it before it had a database."""
    head = {"working_dir": PROJECT, "description": "Old one", "schedule_id": None, "message_count": 4, **fields}
    lines = [written(head)]
    for number, message in enumerate(rows):
        made = {"role": message.role, "created": TIME + number, "content": message.content}
        lines.append(message.raw if message.raw is not None else written(made))
    return b"\n".join([*lines, b""])


# --- ways to break one -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planted:
    rows: Rows
    words: tuple[str, ...]
    """The outputs that a repaired session must still send."""


_ALL = ("one", "two", "three", "four", "five")
_Break = Callable[[Rows], None]
_BREAKS: dict[str, tuple[_Break, tuple[str, ...]]] = {}


def _breaks(*lost: str) -> Callable[[_Break], None]:
    """Register a way to break the rows; `lost` are the outputs that are then nowhere in the database."""

    def register(break_: _Break) -> None:
        kept = tuple(word(name) for name in _ALL if name not in lost)
        _BREAKS[break_.__name__.strip("_")] = (break_, kept)

    return register


def corpus() -> Mapping[str, Planted]:
    """Every broken session, by what was done to it."""
    made = {}
    for name, (break_, kept) in _BREAKS.items():
        rows = sound()
        break_(rows)
        made[name] = Planted(rows, kept)
    return made


# Results that are not there, or there too often.


@_breaks("one")
def result_gone(rows: Rows) -> None:
    del rows[_ONE]


@_breaks("three")
def middle_of_three_gone(rows: Rows) -> None:
    del rows[_THREE]


@_breaks("five")
def result_gone_before_words(rows: Rows) -> None:
    rows[_FIVE] = user(text("What happened?"))


@_breaks("five")
def ends_with_a_call(rows: Rows) -> None:
    del rows[_FIVE:]


@_breaks()
def call_gone(rows: Rows) -> None:
    del rows[_ONE_CALL]


@_breaks()
def call_gone_from_a_row(rows: Rows) -> None:
    del rows[_TWO_CALL].content[1]


@_breaks()
def all_calls_gone(rows: Rows) -> None:
    rows[:] = [row for row in rows if not any(part["type"] == "toolRequest" for part in row.content)]


@_breaks()
def result_twice(rows: Rows) -> None:
    rows.insert(_TWO, deepcopy(rows[_TWO]))


@_breaks()
def two_results_that_differ(rows: Rows) -> None:
    rows.insert(_THREE_CALL, user(result("two", "word-second-word")))


@_breaks()
def result_twice_in_a_row(rows: Rows) -> None:
    rows[_ONE].content.append(result("one", "word-more-word"))


# Ids that do not fit.


@_breaks()
def ids_differ(rows: Rows) -> None:
    rows[_ONE_CALL].content[1]["id"] = "functions.shell:0"
    rows[_ONE].content[0]["id"] = "functions_shell_0"


@_breaks()
def ids_of_two_swapped(rows: Rows) -> None:
    rows[_TWO].content[0]["id"], rows[_THREE].content[0]["id"] = "call_three", "call_two"


@_breaks()
def id_used_twice(rows: Rows) -> None:
    rows[_FIVE_CALL].content[0]["id"] = rows[_FIVE].content[0]["id"] = "call_one"


@_breaks("one")
def id_used_twice_first_unanswered(rows: Rows) -> None:
    rows[_FIVE_CALL].content[0]["id"] = rows[_FIVE].content[0]["id"] = "call_one"
    rows[_ONE] = user(text("Go on."))


@_breaks("five")
def id_used_twice_second_unanswered(rows: Rows) -> None:
    rows[_FIVE_CALL].content[0]["id"] = "call_one"
    rows[_FIVE] = user(text("Go on."))


@_breaks()
def two_calls_of_one_row_share_an_id(rows: Rows) -> None:
    rows[_TWO_CALL].content.append(call("three", "call_two"))
    rows[_TWO].content.append(result("three", id_="call_two"))
    del rows[_THREE_CALL : _THREE + 1]


@_breaks()
def ids_empty(rows: Rows) -> None:
    rows[_ONE_CALL].content[1]["id"] = rows[_ONE].content[0]["id"] = ""


# Results in the wrong place.


@_breaks()
def result_after_words(rows: Rows) -> None:
    rows.insert(_ONE, user(text("hm")))


@_breaks()
def result_after_a_response(rows: Rows) -> None:
    rows.insert(_ONE, says(text("hm")))


@_breaks()
def result_after_another_pair(rows: Rows) -> None:
    rows.insert(_THREE, rows.pop(_TWO))


@_breaks()
def result_at_the_end(rows: Rows) -> None:
    rows.append(rows.pop(_ONE))


@_breaks()
def result_before_its_call(rows: Rows) -> None:
    rows[_FIVE_CALL], rows[_FIVE] = rows[_FIVE], rows[_FIVE_CALL]


@_breaks()
def words_before_a_result_in_its_row(rows: Rows) -> None:
    rows[_ONE].content.insert(0, text("Look at this."))


@_breaks()
def words_after_a_result_in_its_row(rows: Rows) -> None:
    rows[_ONE].content.append(text("Look at this."))


@_breaks()
def words_between_parallel_results(rows: Rows) -> None:
    rows[_TWO_CALL].content.append(call("three"))
    del rows[_THREE_CALL]
    rows.insert(_THREE_CALL, user(text("and")))


@_breaks()
def result_in_an_assistant_row(rows: Rows) -> None:
    rows[_ONE].role = "assistant"


@_breaks()
def call_in_a_user_row(rows: Rows) -> None:
    rows[_FIVE_CALL].role = "user"


@_breaks()
def row_of_an_unknown_role(rows: Rows) -> None:
    rows[_ONE].role = "tool"


@_breaks()
def row_of_an_unknown_role_that_cannot_be_read(rows: Rows) -> None:
    rows[_ONE].role = "tool"
    rows[_ONE].content[0]["toolResult"]["value"] = word("one")


# What the model is shown.


@_breaks()
def call_hidden(rows: Rows) -> None:
    rows[_ONE_CALL].metadata = HIDDEN


@_breaks()
def result_hidden(rows: Rows) -> None:
    rows[_FIVE].metadata = HIDDEN


@_breaks()
def begins_with_a_response(rows: Rows) -> None:
    del rows[_BEGIN]


# Rows that goose crashes at.


@_breaks("one")
def result_cut_off(rows: Rows) -> None:
    rows[_ONE].raw = written(rows[_ONE].content)[:60]


@_breaks()
def end_of_a_row_cut_off(rows: Rows) -> None:
    rows[_ONE].raw = written(rows[_ONE].content)[:-1]


@_breaks()
def words_cut_off(rows: Rows) -> None:
    rows[_THAT].raw = b'[{"type":"text","text":"That'


@_breaks()
def row_is_empty(rows: Rows) -> None:
    rows[_THAT].raw = b""


@_breaks()
def rows_glued(rows: Rows) -> None:
    rows[_THAT].raw = written(rows[_THAT].content) + written(rows[_THAT].content)


@_breaks()
def half_a_character(rows: Rows) -> None:
    rows[_THAT].raw = b'[{"type":"text","text":"half \\ud83d of one"}]'


@_breaks()
def comma_at_the_end(rows: Rows) -> None:
    rows[_THAT].raw = written(rows[_THAT].content)[:-1] + b",]"


@_breaks()
def key_twice(rows: Rows) -> None:
    rows[_THAT].raw = b'[{"type":"text","text":"one","text":"two"}]'


@_breaks()
def unknown_block(rows: Rows) -> None:
    rows[_THAT].content.append({"type": "hologram", "light": "green"})


@_breaks()
def notice_of_an_older_version(rows: Rows) -> None:
    rows.insert(_ONCE, says({"type": "contextLengthExceeded", "msg": "too long"}))


@_breaks()
def call_of_an_older_version(rows: Rows) -> None:
    rows[_FIVE_CALL].content[0]["type"] = "frontendToolRequest"


@_breaks()
def output_that_says_that_it_is_a_call(rows: Rows) -> None:
    rows[_FIVE].content[0]["type"] = "frontendToolRequest"


@_breaks()
def block_without_type(rows: Rows) -> None:
    del rows[_THAT].content[0]["type"]


@_breaks()
def null_among_blocks(rows: Rows) -> None:
    rows[_THAT].content.append(None)


@_breaks()
def content_is_text(rows: Rows) -> None:
    rows[_ONCE].content = "Once more."


@_breaks()
def content_is_null(rows: Rows) -> None:
    rows[_THAT].content = None


@_breaks()
def output_is_text(rows: Rows) -> None:
    rows[_ONE].content[0]["toolResult"]["value"] = word("one")


@_breaks()
def unknown_part_in_an_output(rows: Rows) -> None:
    rows[_ONE].content[0]["toolResult"]["value"]["content"].append({"type": "hologram"})


@_breaks()
def call_without_name(rows: Rows) -> None:
    del rows[_FIVE_CALL].content[0]["toolCall"]["value"]["name"]


@_breaks()
def thinking_without_signature(rows: Rows) -> None:
    rows[_THAT].content.insert(0, {"type": "thinking", "thinking": "hm"})


@_breaks()
def hidden_row_cannot_be_read(rows: Rows) -> None:
    rows[_THAT].metadata = HIDDEN
    rows[_THAT].content.append({"type": "hologram"})


@_breaks()
def metadata_cut_off(rows: Rows) -> None:
    rows[_THAT].metadata = '{"userVis'
