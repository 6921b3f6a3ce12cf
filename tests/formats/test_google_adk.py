"""Sessions of Google's ADK: read from the databases of its two services, checked, fixed, and written back in time."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import errors, sent_messages
from tests.formats.stored_rows import is_sound
from tests.listed import listed
from toolpair.cli.main import main
from toolpair.recipes import RECIPES
from toolpair.session.recipe_trial import try_recipe
from toolpair.session.session import Session, SessionError, open_session

Json = dict[str, Any]
KEYS = (
    "PRIMARY KEY (app_name, user_id, session_id, id), FOREIGN KEY (app_name, user_id, session_id) REFERENCES sessions"
)
SESSIONS = (
    "CREATE TABLE sessions (app_name TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, "
    "create_time {time} NOT NULL, update_time {time} NOT NULL, PRIMARY KEY (app_name, user_id, id));"
)
COLUMNS = (
    "id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL, invocation_id TEXT, "
)
TABLES = {
    "sqlite": SESSIONS.format(time="REAL")
    + f"CREATE TABLE events ({COLUMNS} timestamp REAL, event_data TEXT, {KEYS});",
    "database": SESSIONS.format(time="DATETIME")
    + f"CREATE TABLE events ({COLUMNS} timestamp DATETIME, event_data TEXT, {KEYS});"
    + "CREATE TABLE adk_internal_metadata (key TEXT PRIMARY KEY, value TEXT);"
    + "INSERT INTO adk_internal_metadata VALUES ('schema_version', '1');",
    "older": SESSIONS.format(time="DATETIME")
    + f"CREATE TABLE events ({COLUMNS} author TEXT, actions BLOB NOT NULL, long_running_tool_ids_json TEXT, "
    + f"timestamp DATETIME, content TEXT, {KEYS});",
}


def event(role: str, *parts: Json) -> Json:
    return {"content": {"parts": list(parts), "role": role}, "author": "user" if role == "user" else "helper"}


def said(words: str = "go on", role: str = "user") -> Json:
    return event(role, {"text": words})


def call(*ids: str) -> Json:
    return event("model", *({"function_call": {"id": id_, "args": {"of": "<ä>"}, "name": "look"}} for id_ in ids))


def gives(id_: str, output: str) -> Json:
    part = {"function_response": {"id": id_, "name": "look", "response": {"result": output}}}
    return {**event("user", part), "author": "helper"}


OTHER = [said("other"), call("a"), gives("a", "OUT-other")]
SOUND = [said("begin"), call("a"), gives("a", "OUT-a"), said("done", "model")]
BROKEN: dict[str, list[Json]] = {
    "missing": [said(), call("a"), said(), said("done", "model")],
    "missing twice": [said(), call("a"), said(), call("b"), said(), said("done", "model")],
    "orphan": [said(), said("done", "model"), gives("x", "OUT-x"), said("done", "model")],
    "before its call": [said(), gives("a", "OUT-a"), call("a"), said("done", "model")],
    "late": [said(), call("a"), said("more"), said("done", "model"), gives("a", "OUT-a"), said("end", "model")],
    "sanitised on one side": [said(), call("look_1"), gives("look.1", "OUT-a"), said("done", "model")],
}


def database(path: Path, kind: str = "sqlite", *, app: str = "app", tick: int = 1, **sessions: list[Any]) -> Path:
    """As ADK writes it, an event each `tick` seconds. A text is a row's data as it stands."""
    is_new = not path.exists()
    with closing(sqlite3.connect(path)) as made:
        if is_new:
            made.executescript(TABLES[kind])
        time: Any = (lambda n: 1700000000.0 + n * tick) if kind == "sqlite" else "2023-11-14 22:13:{:02}.000000".format
        for id_, events in sessions.items():
            made.execute("INSERT INTO sessions VALUES (?, 'u', ?, '{}', ?, ?)", (app, id_, time(0), time(len(events))))
            for number, one in enumerate(events):
                own = f"e{number}", app, "u", id_, "i", time(number * tick if kind != "sqlite" else number)
                data = (
                    one if isinstance(one, str) else json.dumps({**one, "id": own[0], "timestamp": 1.5 + number * tick})
                )
                if kind == "older":
                    columns = "id, app_name, user_id, session_id, invocation_id, timestamp, author, actions, content"
                    values = (*own, one["author"], b"\x80\x04N.", json.dumps(one["content"]))
                else:
                    columns, values = (
                        "id, app_name, user_id, session_id, invocation_id, timestamp, event_data",
                        (*own, data),
                    )
                marks = ", ".join("?" * len(values))
                made.execute(f"INSERT INTO events ({columns}) VALUES ({marks})", values)
        made.commit()
    return path


def rows(path: Path, session: str, kind: str = "sqlite", of: str = "id, timestamp, {data}") -> list[Any]:
    """In the order in which the service reads them."""
    data, second = "content" if kind == "older" else "event_data", "rowid" if kind == "sqlite" else "id"
    query = f"SELECT {of.format(data=data)} FROM events WHERE session_id = ? ORDER BY timestamp, {second}"
    with closing(sqlite3.connect(path)) as opened:
        assert is_sound(opened)
        return opened.execute(query, (session,)).fetchall()


def contents(path: Path, kind: str) -> list[Any]:
    found = [json.loads(data) for (data,) in rows(path, "it", kind, "{data}")]
    return found if kind == "older" else [one["content"] for one in found]


def opened(path: Path) -> Session:
    return open_session(f"{path}::it")


@pytest.mark.parametrize("tick", [1, 0])
@pytest.mark.parametrize("kind", TABLES)
def test_every_defect_is_found_fixed_saved_in_order_and_put_back(kind: str, tick: int, tmp_path: Path) -> None:
    """With all events at one time, too, whose order is what else the service sorts by."""
    for name, events in BROKEN.items():
        path = database(tmp_path / f"{name}.db", kind, tick=tick, it=events, other=OTHER)
        others, old = rows(path, "other", kind), rows(path, "it", kind)
        session = opened(path)
        assert session.format.id == "google-adk-database" and session.profile.id == "gemini"
        assert errors(session), name
        session.stage_recommended()
        assert not errors(session), name
        lines = [json.loads(line)["events"] for line in session.to_bytes().splitlines()[1:]]
        session.save()
        column = "content" if kind == "older" else "event_data"
        wanted = [one[column] for one in lines]
        assert contents(path, kind) == ([one["content"] for one in wanted] if kind != "older" else wanted), name
        assert rows(path, "other", kind) == others
        assert len(set(old) & set(rows(path, "it", kind))) >= len(old) * tick - 3, "byte for byte"
        if kind != "older":
            assert [json.loads(data)["id"] for _, _, data in rows(path, "it", kind)] == [
                id_ for id_, _, _ in rows(path, "it", kind)
            ]
        again = opened(path)
        assert again.stage_recommended() is None and not errors(again)
        assert main(["restore", f"{path}::it", "--backup", "latest"]) == 0
        assert rows(path, "it", kind) == old


def test_a_new_event_has_an_id_of_its_own_in_each_repair(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["missing"])
    for _ in range(2):
        session = opened(path)
        session.stage_recommended()
        session.save()
        with closing(sqlite3.connect(path)) as made:
            more = json.dumps({**call("c"), "id": "later", "timestamp": 1800000000.0})
            made.execute(
                "INSERT OR IGNORE INTO events VALUES ('later', 'app', 'u', 'it', 'i', 1800000000.0, ?)", (more,)
            )
            made.execute(
                "INSERT OR IGNORE INTO events VALUES ('last', 'app', 'u', 'it', 'i', 1800000001.0, ?)",
                (json.dumps(said()),),
            )
            made.commit()
    assert len(rows(path, "it")) == 7 and not errors(opened(path))


SENT: dict[str, tuple[list[Json], list[list[int]]]] = {
    "a call without a response": ([said(), call("a"), said()], [[0], [2]]),
    "one of two": ([said(), call("a", "b"), gives("b", "OUT-b"), said()], [[0], [1], [2], [3]]),
    "a response without a call": ([said(), gives("a", "x"), said()], [[0], [2]]),
    "a late response, behind its call": ([said(), call("a"), said(), gives("a", "x")], [[0], [1], [3], [2]]),
    "responses to two calls, as one": (
        [said(), call("a", "b"), gives("a", "x"), said(), gives("b", "y")],
        [[0], [1], [2, 4], [3]],
    ),
    "the last of two responses": ([said(), call("a"), gives("a", "x"), said(), gives("a", "y")], [[0], [1], [4], [3]]),
    "an empty text": ([said(), said("", "model"), said()], [[0], [2]]),
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_sent(name: str, tmp_path: Path) -> None:
    """As google-adk 2.13.0 makes a request of these events."""
    given, places = SENT[name]
    sent = [list(map(_words, values)) for _, values in sent_messages(opened(database(tmp_path / "some.db", it=given)))]
    wanted = [[_words(part) for place in of for part in given[place]["content"]["parts"]] for of in places]
    if name == "one of two":  # the other one of which is left out
        wanted[1].pop()
    assert sent == wanted


def _words(part: Json) -> Any:
    """What distinguishes a part, as ADK or as toolpair has it."""
    if "function_response" in part:
        return part["function_response"]["response"]["result"]
    return part.get("text", part.get("content", part.get("name", part.get("function_call", {}).get("name"))))


@pytest.mark.parametrize("actions", [{"compaction": {"x": 1}}, {"rewind_before_invocation_id": "i"}])
def test_what_depends_on_more_than_the_events_is_not_guessed_at(actions: Json, tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=[*SOUND, {**said(), "actions": actions}])
    assert opened(path).conversation.judged.seen is None


def test_parts_that_are_no_list_are_written_over(tmp_path: Path) -> None:
    odd = gives("a", "OUT-a")
    odd["content"]["parts"] = 7
    session = opened(database(tmp_path / "adk.db", it=[said(), call("a", "b"), odd, said("done", "model")]))
    for recipe in RECIPES:
        assert try_recipe(session.conversation, recipe).losses is not None


@pytest.mark.parametrize("data", ["7", "null", "{}", '"words"', '{"content": {"role": "user", "par'])
def test_a_row_that_adk_cannot_read_stops_the_session(data: str, tmp_path: Path) -> None:
    session = opened(database(tmp_path / "some.db", it=[*SOUND, data, said("more")]))
    (problem,) = [one for one in session.problems if one.severity == "error"]
    assert problem.rule in ("record.bad_json", "record.torn") and problem.impact == "stops"


def test_sessions_of_the_same_id_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path / "some.db", it=SOUND, other=OTHER)
    database(path, app="two", it=BROKEN["missing"])
    assert {one.session_id for one in listed(path)[0]} == {"app/u/it", "two/u/it", "other"}
    assert not errors(open_session(f"{path}::app/u/it")) and errors(open_session(f"{path}::two/u/it"))
    with pytest.raises(SessionError, match="no session 'it'"):
        opened(path)
    assert main(["sessions", str(path), "--output-format", "json"]) == 0
    assert "begin" in capsys.readouterr().out


def test_a_copy_is_a_database_or_lines_and_an_excerpt_has_the_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = database(tmp_path / "some.db", "database", it=BROKEN["missing"], other=OTHER)
    before = path.read_bytes()
    for name in ("copy.db", "copy.jsonl"):
        assert main(["fix", f"{path}::it", "-o", str(tmp_path / name)]) == 0
        assert main(["check", str(tmp_path / name)]) == 0
    assert path.read_bytes() == before
    capsys.readouterr()
    assert main(["excerpt", f"{path}::it"]) == 0
    copy = tmp_path / "excerpt.jsonl"
    copy.write_text(capsys.readouterr().out)
    assert errors(open_session(copy)) == ["result.missing"]
