"""Sessions of the OpenAI Agents SDK: read from its database, checked, fixed, and written back in the order of ids."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.formats.fixing import errors, errors_but_guesses, sent_messages
from tests.listed import listed
from toolpair.agents.catalog import described
from toolpair.cli.main import main
from toolpair.formats import all_agents, written_by
from toolpair.session.session import Session, SessionError, open_session

Json = dict[str, Any]
TABLES = (
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, "
    "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, "
    "message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, "
    "FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id) ON DELETE CASCADE);"
    "CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);"
)


def asked(words: str = "go on") -> Json:
    return {"role": "user", "content": words}


def said(words: str = "done") -> Json:
    text = {"type": "output_text", "text": words, "annotations": []}
    return {"type": "message", "role": "assistant", "status": "completed", "content": [text]}


def call(id_: str) -> Json:
    return {"arguments": '{"name": "<ä>"}', "call_id": id_, "name": "look", "type": "function_call"}


def gives(id_: str, output: str) -> Json:
    return {"call_id": id_, "output": output, "type": "function_call_output"}


OTHER = [asked("other"), call("a"), gives("a", "OUT-other")]
SOUND = [asked("begin"), call("a"), call("b"), gives("a", "OUT-a"), gives("b", "OUT-b"), said()]
BROKEN: dict[str, list[Json]] = {
    "missing": [asked(), call("a"), asked(), said()],
    "one of two missing": [asked(), call("a"), call("b"), gives("b", "OUT-b"), said()],
    "missing at the end": [asked(), call("a")],
    "orphan": [asked(), said(), gives("x", "OUT-x"), said()],
    "orphan at the start": [gives("x", "OUT-x"), asked(), said()],
    "twice, different": [asked(), call("a"), gives("a", "OUT-a"), gives("a", "OUT-b"), said()],
    "before its call": [asked(), gives("a", "OUT-a"), call("a"), said()],
    "sanitised on one side": [asked(), call("look_1"), gives("look.1", "OUT-a"), said()],
    "id used again": [asked(), call("a"), gives("a", "OUT-a"), call("a"), asked(), said()],
    "twice in one session": [asked(), call("a"), asked(), call("b"), asked(), said()],
}


def database(path: Path, *others: str, **sessions: list[Any]) -> Path:
    """As `SQLiteSession` writes it; the rows of the sessions alternate. A text is a row's data as it stands."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript(TABLES + "".join(others))
        for id_ in sessions:
            made.execute("INSERT INTO agent_sessions (session_id) VALUES (?)", (id_,))
        for number in range(max(map(len, sessions.values()))):
            for id_, items in sessions.items():
                for item in items[number : number + 1]:
                    data = item if isinstance(item, str) else json.dumps(item)
                    made.execute("INSERT INTO agent_messages (session_id, message_data) VALUES (?, ?)", (id_, data))
        made.commit()
    return path


def rows(path: Path, session: str) -> list[tuple[int, str, str]]:
    query = "SELECT id, message_data, created_at FROM agent_messages WHERE session_id = ? ORDER BY id"
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute(query, (session,)).fetchall()


def items(path: Path, session: str = "it") -> list[Any]:
    """What the SDK reads: it skips what is not JSON."""
    found = []
    for _, data, _ in rows(path, session):
        try:
            found.append(json.loads(data))
        except ValueError:
            continue
    return found


def opened(path: Path) -> Session:
    return open_session(f"{path}::it")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_sound_session_has_no_problem_and_stays_as_it_is(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=SOUND, other=OTHER)
    before = path.read_bytes()
    session = opened(path)
    assert not session.problems and session.format.id == "agents-sdk" and session.profile.id == "openai-responses"
    assert session.conversation.transcript.session_id == "it"
    assert session.stage_recommended() is None
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", BROKEN)
def test_every_defect_is_found_fixed_and_saved(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN[name], other=OTHER)
    others, old = rows(path, "other"), rows(path, "it")
    session = opened(path)
    assert errors(session)
    session.stage_recommended()
    assert not errors(session)
    wanted = [json.loads(line)["agent_messages"]["message_data"] for line in session.to_bytes().splitlines()[1:]]
    session.save()
    assert items(path) == wanted, "in this order"
    text = str(wanted)
    assert all(item["output"] in text for item in BROKEN[name] if "output" in item)
    assert rows(path, "other") == others
    kept = {data for _, data, _ in old} & {data for _, data, _ in rows(path, "it")}
    assert len(kept) >= len(old) - 2, "byte for byte"
    after = opened(path)
    assert not errors_but_guesses(after) and after.stage_recommended() is None


@pytest.mark.parametrize("name", BROKEN)
def test_each_fix_of_each_problem_applies_and_is_undone(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN[name], other=OTHER)
    session = opened(path)
    before = session.to_bytes()
    for problem in session.problems:
        for fix in problem.fixes:
            session.stage(problem, fix)
            assert session.changed
            session.undo()
            assert session.to_bytes() == before


def test_the_program_goes_on_behind_what_was_written(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["missing"], other=OTHER)
    session = opened(path)
    session.stage_recommended()
    session.save()
    with closing(sqlite3.connect(path)) as database_:
        add = "INSERT INTO agent_messages (session_id, message_data) VALUES ('it', ?)"
        database_.execute(add, (json.dumps(asked("more")),))
        database_.commit()
    assert [item.get("type", item.get("content")) for item in items(path)] == [
        "go on",
        "function_call",
        "function_call_output",
        "go on",
        "message",
        "more",
    ]


def test_rows_before_a_new_one_keep_their_ids(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["one of two missing"])
    session = opened(path)
    session.stage_recommended()
    session.save()
    ids = [id_ for id_, _, _ in rows(path, "it")]
    assert ids[:3] == [1, 2, 3] and min(ids[3:]) > 5


def test_a_new_row_near_the_start_changes_few_others(tmp_path: Path) -> None:
    items_ = [asked(), call("a"), asked(), *SOUND[1:], said(), asked(), call("c"), asked()]
    path = database(tmp_path / "some.db", it=items_)
    session = opened(path)
    session.stage_recommended()
    session.save()
    assert [id_ for id_, _, _ in rows(path, "it")] == [-2, -1, 0, *range(3, 12), 13, 14]
    assert not errors(opened(path))


def test_a_program_may_name_its_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["missing"], other=OTHER)
    with closing(sqlite3.connect(path)) as made:
        made.executescript(
            "ALTER TABLE agent_sessions RENAME TO talks; ALTER TABLE agent_messages RENAME TO 'my items';"
        )
    before = path.read_bytes()
    assert main(["check", str(tmp_path)]) == 1
    assert main(["fix", f"{path}::it", "-o", str(tmp_path / "copy.db")]) == 0
    assert errors(open_session(tmp_path / "copy.db")) == [] and path.read_bytes() == before
    session = opened(path)
    session.stage_recommended()
    session.save()
    assert errors(opened(path)) == [] and errors(open_session(f"{path}::other")) == []
    assert main(["restore", f"{path}::it", "--backup", "latest"]) == 0
    assert errors(opened(path)) == ["result.missing"]
    with closing(sqlite3.connect(path)) as made:
        made.executescript("CREATE TABLE two AS SELECT * FROM talks; " + TABLES.replace("agent_", "third_"))
    with pytest.raises(SessionError, match="several tables of items"):
        opened(path)


def test_removed_rows_do_not_give_their_ids_away(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=[asked(), call("a"), said(), asked()])
    with closing(sqlite3.connect(path)) as made:
        made.execute("DELETE FROM agent_messages WHERE id > 2")
        made.commit()
    session = opened(path)
    session.stage_recommended()
    session.save()
    assert [id_ for id_, _, _ in rows(path, "it")] == [1, 2, 5]


def test_a_row_that_is_not_json_is_skipped_by_the_sdk(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=[*SOUND[:4], json.dumps(SOUND[4])[:-9], SOUND[5]])
    session = opened(path)
    torn = next(problem for problem in session.problems if problem.rule == "record.torn")
    assert torn.severity == "error" and torn.impact == "loses"
    assert torn.text.endswith("so the Agents SDK skips it without telling you.")


@pytest.mark.parametrize("data", ["7", "null", "[]", "{}", '"words"', json.dumps([gives("b", "OUT-b")])])
def test_a_row_without_an_item_is_named(data: str, tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=[*SOUND, data, asked(), said()])
    session = opened(path)
    (problem,) = session.problems
    assert problem.rule == "record.bad_json" and problem.impact == "stops"
    session.stage_recommended()
    assert bool(session.problems) == (len(data) > 4), "what says something is only set aside by hand"


def test_sessions_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path / "some.db", it=SOUND, other=OTHER)
    found = list(described(listed(path)[0]))
    assert {(one.session_id, one.words, one.agent) for one in found} == {
        ("it", "begin", None),
        ("other", "other", None),
    }
    assert main(["sessions", str(path), "--output-format", "json"]) == 0
    assert {one["id"] for one in json.loads(capsys.readouterr().out)["sessions"]} == {"it", "other"}
    assert main(["sessions", str(path), "--agent", "goose"]) == 1
    assert main(["sessions", str(path), "--folder", str(tmp_path)]) == 1


def test_a_session_without_a_row_of_its_own_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=SOUND)
    with closing(sqlite3.connect(path)) as made:
        made.execute("DELETE FROM agent_sessions")
        made.commit()
    assert [one.session_id for one in listed(path)[0]] == ["it"]
    assert not opened(path).problems


def test_no_program_is_named_that_resumes_it(home: Path) -> None:
    path = database(home / "some.db", it=BROKEN["missing"])
    assert opened(path).resume_command() is None
    assert "agents-sdk" not in written_by() and not [one for one in all_agents() if "SDK" in one.title]


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
SENT: dict[str, tuple[list[Json], list[int]]] = {
    "a call without a result, and the thought before it": ([asked(), said(), THOUGHT, call("a"), asked()], [0, 1, 4]),
    "a thought before a call that is answered": ([asked(), THOUGHT, call("a"), gives("a", "x")], [0, 1, 2, 3]),
    "a result without a call": ([asked(), gives("a", "x"), said()], [0, 1, 2]),
    "a result before its call": ([asked(), gives("a", "x"), call("a"), said()], [0, 1, 2, 3]),
    "the last of two results": ([asked(), call("a"), gives("a", "x"), said(), gives("a", "y")], [0, 1, 3, 4]),
    "the last of two calls, in the place of the first": (
        [asked(), call("a"), gives("a", "x"), said(), {**call("a"), "name": "other"}, gives("a", "y")],
        [0, 4, 3, 5],
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_sent(name: str, tmp_path: Path) -> None:
    """As openai-agents 0.24.0 prepares these items."""
    given, places = SENT[name]
    session = opened(database(tmp_path / "some.db", it=given))
    sent = [value for _, values in sent_messages(session) for value in values]
    wanted = [given[place] for place in places]
    assert [one for one in sent if "call_id" in one or "summary" in one] == [
        one for one in wanted if "call_id" in one or "summary" in one
    ]
    assert len(sent) == len(wanted)


def test_what_becomes_of_a_problem_is_said(tmp_path: Path) -> None:
    def said_of(items: list[Json]) -> str:
        (problem,) = opened(database(tmp_path / f"{len(list(tmp_path.iterdir()))}.db", it=items)).problems
        assert problem.on_resume is not None and problem.on_resume.version == "0.24.0"
        return f"{problem.impact}: {problem.on_resume.text}"

    assert said_of(BROKEN["missing at the end"]).startswith("loses: OpenAI Agents SDK leaves this call out")
    assert said_of(BROKEN["orphan"]).startswith("stops: OpenAI Agents SDK sends it as it is")


def test_a_copy_is_a_database_or_lines(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["missing"], other=OTHER)
    before = path.read_bytes()
    for name in ("copy.db", "copy.jsonl"):
        assert main(["fix", f"{path}::it", "-o", str(tmp_path / name)]) == 0
        assert main(["check", str(tmp_path / name)]) == 0
    assert [item for item in items(tmp_path / "copy.db") if item in BROKEN["missing"]] == BROKEN["missing"]
    assert path.read_bytes() == before


def test_a_redacted_excerpt_has_the_same_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["one of two missing"])
    assert main(["excerpt", str(path)]) == 0
    copy = tmp_path / "excerpt.jsonl"
    copy.write_text(capsys.readouterr().out)
    assert errors(open_session(copy)) == ["result.missing"]


def test_what_a_save_changed_is_put_back(tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", it=BROKEN["missing"], other=OTHER)
    before = rows(path, "it")
    assert main(["fix", f"{path}::it", "--in-place"]) == 0
    assert rows(path, "it") != before
    assert main(["restore", f"{path}::it", "--backup", "latest"]) == 0
    assert rows(path, "it") == before


ENCRYPTED = {"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "x"}


def test_what_other_sessions_of_the_sdk_write_is_refused(tmp_path: Path) -> None:
    branches = "CREATE TABLE message_structure (session_id TEXT, message_id INTEGER);"
    path = database(tmp_path / "branches.db", branches, it=SOUND)
    with pytest.raises(SessionError, match="AdvancedSQLiteSession"):
        opened(path)
    with pytest.raises(SessionError, match="encrypted"):
        opened(database(tmp_path / "encrypted.db", it=[ENCRYPTED]))
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as made:
        made.executescript(TABLES.replace(" AUTOINCREMENT", ""))
    with pytest.raises(SessionError, match="SQLAlchemySession"):
        opened(other)
