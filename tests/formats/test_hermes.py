"""Hermes Agent's sessions: read from its database, checked, fixed, written back, and what it would send."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.broken_sessions import Planted, lines, word
from tests.formats.fixing import Visit, errors, outcome_of, seen_of, sent_rows, told
from tests.formats.stored_rows import is_sound
from tests.hermes_sessions import COLUMNS, ID, Made, call, corpus, database, sound, together
from tests.history.opening import judged_by
from tests.rounds import some
from toolpair.cli.file_report import describe
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine
from toolpair.source.errors import Refused

GUESSES = {"id_elsewhere", "calls_torn"}
"""Who answers whom is a guess, and left to a person."""
UNSENT = {"thinking_alone", "review"}


def opened(folder: Path, data: bytes) -> Session:
    if data.startswith(b'{"facts"'):
        path = folder / "rows.jsonl"
        path.write_bytes(data)
        return open_session(path)
    return open_session(f"{database(folder / 'state.db', data)}::{ID}")


def rows_of(path: Path, session: str = ID) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        assert is_sound(db)
        indexed = db.execute("SELECT rowid FROM messages_fts ORDER BY rowid").fetchall()
        assert indexed == db.execute("SELECT id FROM messages ORDER BY id").fetchall(), "search finds every row"
        query = f"SELECT {', '.join(COLUMNS)} FROM messages WHERE session_id = ? ORDER BY id"
        return db.execute(query, (session,)).fetchall()


@pytest.mark.parametrize("name", some(corpus(), 30))
def test_a_broken_session_is_fixed_whole_and_saved(name: str, tmp_path: Path) -> None:
    planted = corpus()[name]
    other = Made("another", first=100)
    other.user("I am somewhere else.")
    path = database(tmp_path / "state.db", planted.data, other)
    session = open_session(f"{path}::{ID}")
    assert (session.format.id, session.profile.id) == ("hermes", "openai-chat")
    before, said = rows_of(path, "another"), told(session)
    lines = session.to_bytes()
    session.stage_recommended()
    shown = session.to_bytes()
    if session.changed:
        session.save()
    while session.staged:
        session.undo()
    after = open_session(f"{path}::{ID}")
    assert rows_of(path, "another") == before
    assert after.stage_recommended() is None, "a second run finds nothing"
    if name in GUESSES:
        assert [one for one in planted.words if one not in shown.decode()] == []
        return
    assert errors(after) == []
    assert [one for one in planted.words if one not in told(after)] == []
    assert [one for one in planted.words if one in said and one not in told(after)] == []
    if not after.problems and shown == lines:
        assert rows_of(path) == rows_of(database(tmp_path / "again.db", planted.data, other))


def test_rows_as_lines_are_the_same_session(tmp_path: Path) -> None:
    session = opened(tmp_path, corpus()["call_of_three_gone"].data)
    visit = Visit(
        Planted(session.to_bytes(), tuple(map(word, ("one", "two", "four")))), lambda data: opened(tmp_path, data)
    )
    visit.assert_fixed("hermes")


def test_only_what_is_fixed_changes_in_a_row(tmp_path: Path) -> None:
    """Another id, on both sides, wherever the row says it; a new row has its place and nothing else of its neighbour."""
    path = database(tmp_path / "state.db", corpus()["id_used_again"].data)
    before = rows_of(path)
    session = open_session(f"{path}::{ID}")
    session.stage_recommended()
    session.save()
    changed = [
        (COLUMNS[place], new[place])
        for old, new in zip(before, rows_of(path), strict=True)
        for place in range(len(COLUMNS))
        if old[place] != new[place]
    ]
    (calls, result) = changed
    assert (calls[0], result[0]) == ("tool_calls", "tool_call_id")
    (new_call,) = json.loads(calls[1])
    assert new_call["id"] == new_call["call_id"] == result[1] != "terminal:0"
    assert new_call["response_item_id"] == "fc_five"
    path = database(tmp_path / "state.db", corpus()["result_gone"].data)
    session = open_session(f"{path}::{ID}")
    session.stage_recommended()
    session.save()
    (new,) = [row for row in rows_of(path) if "toolpair" in str(row) or "No result was recorded" in str(row)]
    has = {name: value for name, value in zip(COLUMNS, new, strict=True) if value is not None}
    assert has.keys() == {
        *("id", "session_id", "role", "content", "tool_call_id", "timestamp", "observed", "active", "compacted")
    }
    assert has["role"] == "tool" and has["tool_call_id"] == "call_one" and has["active"] == 1


def test_a_column_that_may_not_be_null_gets_what_the_table_has_for_it(tmp_path: Path) -> None:
    """As a later Hermes may add one; where the table has nothing for it, that is said, and nothing is written."""
    path = database(tmp_path / "state.db", corpus()["result_gone"].data)
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE messages ADD COLUMN extra INTEGER NOT NULL DEFAULT 7")
    session = open_session(f"{path}::{ID}")
    session.stage_recommended()
    session.save()
    assert errors(open_session(f"{path}::{ID}")) == []
    path = database(tmp_path / "again.db", corpus()["result_gone"].data)
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE messages ADD COLUMN extra INTEGER NOT NULL DEFAULT 7")
        db.execute("UPDATE messages SET extra = 8")
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, 'DEFAULT 7', '') WHERE name = 'messages'")
        db.commit()
    before = path.read_bytes()
    session = open_session(f"{path}::{ID}")
    session.stage_recommended()
    with pytest.raises(Refused, match=r"must have a value in messages\.extra"):
        session.save()
    assert path.read_bytes() == before


def test_what_hermes_sends_of_a_row_goes_with_what_the_row_said(tmp_path: Path) -> None:
    """Hermes keeps some words as they were sent, and sends these again: they are not those of the fix."""
    made = Made()
    made.user("Begin.")
    made.row("assistant", "I look.", tool_calls=[call("one")], finish_reason="tool_calls", api_content="I look. ")
    made.user("So?")
    path = database(tmp_path / "state.db", b"", made)
    session = open_session(f"{path}::{ID}")
    (problem,) = session.problems
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "call-as-text"))
    session.save()
    (row,) = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(path) if row[2] == "assistant"]
    assert "echo one" in row["content"] and row["tool_calls"] is None and row["api_content"] is None
    assert "echo one" in str(sent_rows(open_session(f"{path}::{ID}")))


def test_a_fast_reading_sees_by_which_id_a_call_is_paired(tmp_path: Path) -> None:
    made = sound()
    made.records[2]["messages"]["tool_calls"][0]["call_id"] = "call_other"
    address = f"{database(tmp_path / 'state.db', b'', made)}::{ID}"
    with judged_by(1):
        found = open_session(address, reporting=True)
        assert len(found.conversation.windows) > 1
        assert describe(found, "s").entry == describe(open_session(address), "s").entry
        assert errors(found)


@pytest.mark.parametrize(
    ("name", "rule", "outcome"),
    [
        ("id_used_again", "call.reused_id", ("dropped", "the result, 14 bytes", "loses")),
        ("result_gone", "result.missing", ("placeholder", None, "harmless")),
        ("response_gone", "result.orphan", ("dropped", "the result, 13 bytes", "loses")),
        ("user_between", "result.not_adjacent", ("dropped", "the result, 13 bytes", "loses")),
        ("result_as_list", "result.type_not_allowed", ("healed", None, "harmless")),
        ("calls_torn", "record.torn", ("dropped", "its output", "loses")),
    ],
)
def test_what_becomes_of_a_problem(name: str, rule: str, outcome: Any, tmp_path: Path) -> None:
    assert outcome_of(opened(tmp_path, corpus()[name].data), rule) == outcome


def test_what_is_sent_of_rows_that_hermes_mends(tmp_path: Path) -> None:
    def sent(name: str) -> list[tuple[str, str, str]]:
        return sent_rows(opened(tmp_path, corpus()[name].data))

    assert ("user", "", "And another thing.") in sent("users_in_a_row")
    assert not [row for row in sent("role_unknown") if row[0] == "critic"]
    assert "sea" not in str(sent("memory_in_words")) and "sea" in str(sent("memory"))
    assert "skill library" not in str(sent("review"))
    assert "have been dropped" in str(sent("arguments_torn"))
    assert [row[0] for row in sent("compacted")][:2] == ["user", "user"] and "word-one" not in str(sent("compacted"))
    assert opened(tmp_path, corpus()["compacted"].data).conversation.transcript.boundaries


def test_numbers_that_python_reads_take_no_call_away(tmp_path: Path) -> None:
    data = corpus()["nothing"].data.replace(b'"type":"function"', b'"extra":NaN,"type":"function"')
    session = opened(tmp_path, data)
    assert not errors(session) and word("one") in told(session)


def test_an_id_that_is_no_text_stops_it(tmp_path: Path) -> None:
    made = Made()
    made.user("Begin.")
    made.row("assistant", "", tool_calls=[{"id": 5, "type": "function", "function": {"name": "x", "arguments": "{}"}}])
    data = b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in made.records)
    assert seen_of(opened(tmp_path, data)).refuses is not None


def test_a_profile_of_its_own_is_found_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    folder = tmp_path / ".hermes" / "profiles" / "coder"
    folder.mkdir(parents=True)
    child = Made("child", first=100)
    child.records[0]["sessions"] |= {"parent_session_id": ID, "model_config": '{"_delegate_from": "x"}'}
    path = database(folder / "state.db", corpus()["nothing"].data, child)
    agent = get_agent("hermes")
    (found,) = agent.sessions(Machine.here())
    assert (found.session_id, found.folder) == (ID, "/home/dev/shop")
    assert agent.describe(found)[1] == "Thanks."
    command = open_session(f"{path}::{ID}").resume_command()
    assert command is not None and command.endswith(f"HERMES_HOME={folder} hermes --resume {ID}")
    assert main(["check", f"{path}::{ID}"]) == 0


def test_over_anthropics_api_only_what_stands_side_by_side_is_sent(tmp_path: Path) -> None:
    def over(name: str) -> Session:
        path = database(tmp_path / "state.db", corpus()[name].data, provider="anthropic")
        return open_session(f"{path}::{ID}")

    session = over("result_after_the_user")
    assert session.profile.id == "anthropic"
    assert outcome_of(session, "result.not_adjacent")[::2] == ("dropped", "loses")
    assert word("four") not in told(session)
    sent = seen_of(over("id_used_again")).messages
    assert [part.value["tool_use_id"] for one in sent for part in one.parts if part.value["type"] == "tool_result"] == [
        *("terminal_0", "call_two", "call_three", "call_four")
    ]
    session.stage_recommended()
    assert errors(session) == [] and word("four") in told(session)


def test_a_call_with_two_ids_is_told_and_given_one_when_asked(tmp_path: Path) -> None:
    session = opened(tmp_path, corpus()["id_of_item"].data)
    (problem,) = session.problems
    assert (problem.rule, problem.severity) == ("result.id_mismatch", "warning")
    session.stage(problem, problem.fixes[0])
    assert session.problems == () and '"id": "fc_one"' not in told(session)


@pytest.mark.parametrize(
    ("columns", "goes_on"),
    [
        ({"end_reason": "compression"}, True),
        ({"end_reason": "compression", "child": {"_branched_from": ID}}, False),
        ({}, True),
        ({"child": {"_delegate_from": ID}}, False),
        ({"child": {"_branched_from": None, "_delegate_from": None}}, True),
        ({"child": {"tools": ["_branched_from"], "last": {"_delegate_from": ID}}}, True),
        ({"child": "not JSON"}, False),
        ({"end_reason": "compression", "child": "not JSON"}, False),
    ],
)
def test_a_session_that_goes_on_in_another_is_not_the_one_that_is_resumed(
    columns: dict[str, Any], goes_on: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a compression: what was before it is still there, and judged by itself."""
    path = database(tmp_path / "state.db", corpus()["result_gone"].data, Made("another", 100))
    with closing(sqlite3.connect(path)) as connection:
        said = ("another", "user", "So far.", 1.0)
        connection.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", said)
        config = child if isinstance(child := columns.get("child", {}), str) else json.dumps(child)
        connection.execute(
            "UPDATE sessions SET parent_session_id = ?, model_config = ? WHERE id = 'another'", (ID, config)
        )
        connection.execute("UPDATE sessions SET end_reason = ? WHERE id = ?", (columns.get("end_reason"), ID))
        connection.commit()
    session = open_session(f"{path}::{ID}")
    assert errors(session) == ["result.missing"] and session.conversation.transcript.tree.elsewhere == goes_on
    assert ("The agent resumes session another in its place." in session.conversation.verdict.sentence) == goes_on
    assert open_session(f"{path}::another").conversation.transcript.tree.elsewhere is False


@pytest.mark.parametrize("column", ["codex_message_items", "codex_reasoning_items", ""])
def test_a_session_of_the_responses_api_is_judged_by_its_rules(column: str, tmp_path: Path) -> None:
    made = sound()
    if column:
        made.records[2]["messages"][column] = json.dumps([{"type": "message", "role": "assistant", "content": []}])
    path = database(tmp_path / "state.db", lines(made.records), provider=None if column else "openai-codex")
    assert open_session(f"{path}::{ID}").profile.id == "openai-responses"


def damaged(folder: Path, *changes: str) -> Path:
    """A database without a result, after these changes."""
    path = database(folder / "state.db", corpus()["result_gone"].data)
    with closing(sqlite3.connect(path)) as connection:
        for change in changes:
            connection.execute(f"UPDATE messages SET {change}")
        connection.commit()
    return path


_LEAST = "id = -9223372036854775808 WHERE id = 1"
_MOST = "id = 9223372036854775807 WHERE id = (SELECT max(id) FROM messages)"


@pytest.mark.parametrize("change", [_LEAST, _MOST])
@pytest.mark.parametrize("name", ["", "copy.db"])
def test_a_row_with_the_least_or_the_largest_id_is_in_nobodys_way(change: str, name: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, change)
    target = tmp_path / name if name else path
    assert main(["fix", str(path), *(["-o", str(target)] if name else ["--in-place"])]) == (0 if name else 4)
    session = open_session(f"{target}::{ID}")
    assert errors(session) == [] and len(session.conversation.transcript.messages) == 14


@pytest.mark.parametrize("name", ["", "copy.db"])
def test_where_no_id_is_left_nothing_is_saved_and_it_is_said(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(tmp_path, _LEAST, _MOST)
    before = path.read_bytes()
    assert main(["fix", str(path), *(["-o", str(tmp_path / name)] if name else ["--in-place"])]) == 3
    assert "a fix needs an id that is larger or smaller than the database can hold" in capsys.readouterr().err
    assert path.read_bytes() == before and not (tmp_path / "copy.db").exists()


def test_an_infinite_number_in_a_row_with_bytes_that_are_no_text_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON has none: no fix is offered that a database could not hold, and none is said to have changed it."""
    path = damaged(tmp_path, "timestamp = 9e999, content = CAST(x'68ff69' AS TEXT) WHERE id = 2")
    session = open_session(f"{path}::{ID}")
    assert {problem.rule for problem in session.problems} == {"record.bad_utf8", "result.missing"}
    assert main(["fix", str(path), "--in-place", "--select", "record"]) == 4
    assert "messages.timestamp" not in capsys.readouterr().err
    with closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("SELECT timestamp FROM messages WHERE id = 2").fetchone()
    assert found == float("inf")


def test_a_copy_whose_database_lacks_a_needed_value_is_refused_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(tmp_path, "timestamp = 9e999")
    assert main(["fix", str(path), "-o", str(tmp_path / "copy.db")]) == 3
    said = capsys.readouterr().err
    assert "alone cannot be made (NOT NULL constraint failed: messages.timestamp)" in said and "copy named" in said
    assert not (tmp_path / "copy.db").exists()


def test_late_results_are_brought_back_over_the_responses_api_too(tmp_path: Path) -> None:
    """The API would take them where they are; Hermes leaves them out."""
    data = together()["late: one, three, five"].data
    path = database(tmp_path / "state.db", data, provider="openai-codex")
    session = open_session(f"{path}::{ID}")
    assert session.profile.id == "openai-responses" and errors(session) == ["result.not_adjacent"] * 3
    session.stage_recommended()
    sent = str([part.value for message in seen_of(session).messages for part in message.parts])
    assert errors(session) == [] and all(word(name) in sent for name in ("one", "three", "five"))
