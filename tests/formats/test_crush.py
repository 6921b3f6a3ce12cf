"""Crush's sessions: read from its database, checked and exported, never written; what it would send, by its source."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.broken_sessions import made_long_ago, word
from tests.formats.fixing import outcome_of, seen_of, sent_results, told
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine

ID = "8f4c1a52-3b7d-4f60-9a9e-2d1c5b7e0f31"
SCHEMA = """
CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER, is_applied INTEGER, tstamp TIMESTAMP);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0.0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT,
    todos TEXT
);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT,
    is_summary_message INTEGER DEFAULT 0 NOT NULL, FOREIGN KEY (session_id) REFERENCES sessions (id)
);
"""
TIME = 1_795_248_700
Message = tuple[str, Any]


def part(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def user(text: str) -> Message:
    return "user", [part("text", text=text), part("finish", reason="stop", time=0)]


def says(text: str, *names: str) -> Message:
    calls = [call(name) for name in names]
    return "assistant", [
        *([part("text", text=text)] if text else []),
        *calls,
        part("finish", reason="tool_use", time=1),
    ]


def call(name: str, id_: str | None = None) -> dict[str, Any]:
    given = json.dumps({"command": f"echo {name}"})
    return part("tool_call", id=id_ or f"call_{name}", name="bash", input=given, provider_executed=False, finished=True)


def result(*names: str, id_: str | None = None) -> Message:
    made = [
        part("tool_result", tool_call_id=id_ or f"call_{name}", name="bash", content=word(name), is_error=False)
        for name in names
    ]
    return "tool", [*made, part("finish", reason="stop", time=0)]


SOUND: Sequence[Message] = (
    user("Begin."),
    says("I look.", "one"),
    result("one"),
    says("Two more.", "two", "three"),
    result("two", "three"),
    says("Done."),
)


def database(path: Path, messages: Sequence[Message], *, wal: bool = False, **session: Any) -> Path:
    copies: dict[str, bytes] = {}
    with closing(sqlite3.connect(path)) as db:
        if wal:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA wal_autocheckpoint = 0")
        db.executescript(SCHEMA)
        columns = {"id": ID, "title": "A look", "updated_at": TIME, "created_at": TIME, **session}
        db.execute(
            f"INSERT INTO sessions ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", [*columns.values()]
        )
        for number, (role, parts) in enumerate(messages):
            said = parts if isinstance(parts, str) else json.dumps(parts, separators=(",", ":"))
            db.execute(
                "INSERT INTO messages (id, session_id, role, parts, model, provider, created_at, updated_at) VALUES "
                "(?, ?, ?, ?, 'gpt-5', 'openrouter', ?, ?)",
                (f"m{number}", ID, role, said, TIME + number // 3, TIME),
            )
        db.commit()
        if wal:  # what a killed Crush leaves: nearly all is in the log beside the database
            copies = {ending: Path(f"{path}{ending}").read_bytes() for ending in ("", "-wal")}
    for ending, data in copies.items():
        Path(f"{path}{ending}").write_bytes(data)
    return made_long_ago(path)


def opened(folder: Path, *messages: Message, **session: Any) -> Session:
    return open_session(f"{database(folder / 'crush.db', messages, **session)}::{ID}")


def test_a_sound_session_has_no_problem_and_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = opened(tmp_path, *SOUND)
    assert (session.format.id, session.profile.id, session.problems) == ("crush", "openai-chat", ())
    assert sent_results(session) == [(f"call_{name}", word(name)) for name in ("one", "two", "three")]
    assert main(["export", str(session.file.address), "--to", "anthropic", "-o", str(tmp_path / "out.json")]) == 0
    assert word("three") in (tmp_path / "out.json").read_text()


def test_what_is_only_in_the_log_beside_the_database_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", SOUND, wal=True)
    assert path.with_name("crush.db-wal").stat().st_size > path.stat().st_size
    session = open_session(f"{path}::{ID}")
    assert len(session.conversation.pairs) == 3 and not session.problems


@pytest.mark.parametrize(
    ("messages", "rule", "outcome"),
    [
        ((user("Begin."), says("", "one"), user("Go on.")), "result.missing", ("placeholder", None, "harmless")),
        ((user("Begin."), result("one"), says("Done.")), "result.orphan", ("dropped", "the result, 13 bytes", "loses")),
        (
            (user("Begin."), says("", "one"), user("Hurry."), result("one"), says("Done.")),
            "result.not_adjacent",
            ("rejected", None, "stops"),
        ),
    ],
)
def test_problems_are_told_and_never_fixed(
    messages: Sequence[Message], rule: str, outcome: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = opened(tmp_path, *messages)
    assert outcome_of(session, rule) == outcome
    assert session.stage_recommended() is None and all(not one.fixes and one.no_fix for one in session.problems)
    before = (tmp_path / "crush.db").read_bytes()
    assert main(["fix", "--in-place", str(session.file.address)]) != 0
    assert (tmp_path / "crush.db").read_bytes() == before


def test_an_id_used_again_is_answered_by_any_result_with_it(tmp_path: Path) -> None:
    again = ("assistant", [call("two", "bash_0")])
    session = opened(
        tmp_path, user("Begin."), ("assistant", [call("one", "bash_0")]), result("one", id_="bash_0"), again
    )
    assert sent_results(session) == [("bash_0", word("one"))], "no result is put in for the second"


def test_from_a_summary_on_the_history_begins_anew(tmp_path: Path) -> None:
    session = opened(tmp_path, *SOUND, says("They looked."), user("Go on."), summary_message_id=f"m{len(SOUND)}")
    assert [message.role for message in seen_of(session).messages] == ["user", "user"]
    assert "They looked." in told(session) and word("one") not in told(session)


def test_a_row_that_is_not_json_stops_it(tmp_path: Path) -> None:
    session = opened(tmp_path, *SOUND[:3], ("tool", '[{"type":"tool_result","da'))
    found = next(one for one in session.problems if one.rule.startswith("record."))
    assert (found.severity, found.impact) == ("error", "stops")


def test_projects_are_found_by_the_list_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "shop"
    (project / ".crush").mkdir(parents=True)
    path = database(project / ".crush" / "crush.db", SOUND)
    home = tmp_path / ".local" / "share" / "crush"
    home.mkdir(parents=True)
    known = {"projects": [{"path": str(project), "data_dir": str(project / ".crush")}, {"path": 5}, None]}
    (home / "projects.json").write_text(json.dumps(known))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "CRUSH_GLOBAL_DATA"):
        monkeypatch.delenv(name, raising=False)
    agent = get_agent("crush")
    (found,) = agent.sessions(Machine.here())
    assert (found.session_id, found.folder, agent.describe(found)[1]) == (ID, str(project), "Begin.")
    command = open_session(f"{path}::{ID}").resume_command()
    assert command is not None and command.endswith(f"crush --session {ID}")
