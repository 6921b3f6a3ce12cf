"""goose's sessions: read from its database and from its older files, checked, fixed and written."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.formats.fixing import assert_undo, assert_whole, errors, sent_messages, told
from tests.goose_sessions import (
    HIDDEN,
    OTHER,
    SESSION,
    TIME,
    Message,
    Planted,
    call,
    corpus,
    damage_settings,
    database,
    old_file,
    result,
    says,
    sound,
    text,
    user,
    with_a_row_in_the_way,
    word,
    written,
)
from tests.rounds import some, tries
from toolpair.cli.main import main
from toolpair.formats import get_agent, get_format
from toolpair.formats.goose.database import LAYOUT
from toolpair.session.session import Session, open_session
from toolpair.shell.machine import Machine
from toolpair.source.errors import Refused

PLANTED = corpus()
HARMLESS = {"id_used_twice", "result_after_a_response", "result_after_another_pair"}
"""What goose sends as it is, and the API accepts."""
BROKEN = sorted(PLANTED.keys() - HARMLESS)


def opened(path: Path, session: str = SESSION) -> Session:
    return open_session(f"{path}::{session}")


def mended(path: Path) -> Session:
    session = opened(path)
    if session.stage_recommended() is not None:
        session.save()
    return session


Columns = dict[str, Any]


def rows(path: Path, session: str | None = SESSION) -> list[Columns]:
    """The rows of a session as goose reads them, each column's bytes; of every other one when it is None."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = bytes
        where = "session_id = ?" if session is not None else "session_id != ?"
        query = f"SELECT * FROM messages WHERE {where} ORDER BY created_timestamp, id"
        return [dict(row) for row in connection.execute(query, (session or SESSION,))]


def tables(path: Path) -> dict[str, list[Any]]:
    """Everything but the messages of the session."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        names = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [name for name in names if name not in ("messages", "sqlite_sequence")]
        return {"others": rows(path, None), **{n: connection.execute(f"SELECT * FROM {n}").fetchall() for n in kept}}


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(BROKEN, 26))
def test_every_defect_is_found_fixed_and_saved(name: str, tmp_path: Path) -> None:
    planted: Planted = PLANTED[name]
    path = database(tmp_path / "sessions.db", planted.rows)
    session = opened(path)
    assert errors(session) != []
    assert [p.rule for p in session.problems if p.severity == "error" and p.on_resume is None] == []
    assert_undo(session, session.to_bytes())
    around, before = tables(path), {row["message_id"]: row for row in rows(path)}
    last = max(row["id"] for row in (*before.values(), *rows(path, None)))
    mended(path)
    assert_rows_keep_every_column(name, path, before, last)
    after = opened(path)
    assert_whole(after, planted.words)
    assert tables(path) == around
    bytes_ = path.read_bytes()
    mended(path)
    assert path.read_bytes() == bytes_


def assert_rows_keep_every_column(name: str, path: Path, before: dict[Any, Any], last: int) -> None:
    """A row keeps all but its content, or moves after the last one of the table with all that it says."""
    for row in rows(path):
        old = before.get(row["message_id"])
        if old is None:
            assert row["id"] > last and row["session_id"] == SESSION.encode()
            continue
        changed = {column for column in row if row[column] != old[column]}
        assert changed <= {"id", "content_json", "role", *(("metadata_json",) if name == "metadata_cut_off" else ())}
        assert "id" not in changed or row["id"] > last


def test_a_row_that_goose_leaves_out_does_not_stop_it(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["row_of_an_unknown_role_that_cannot_be_read"].rows)
    session = opened(path)
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is None and word("one") not in told(session)
    assert {problem.impact for problem in session.problems} == {"loses"}
    assert word("one") in told(mended(path))


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_goose_sends_and_the_api_accepts_is_no_error(name: str, tmp_path: Path) -> None:
    session = opened(database(tmp_path / "sessions.db", PLANTED[name].rows))
    assert_undo(session, session.to_bytes())
    assert errors(session) == []
    assert [said for said in PLANTED[name].words if said not in told(session)] == []


@pytest.mark.parametrize(
    ("name", "provider"),
    some(
        [
            (name, provider)
            for name in sorted(set(BROKEN) - {"two_calls_of_one_row_share_an_id"})
            for provider in ("anthropic", "google", "aws_bedrock")
        ],
        13,
    ),
)
def test_sessions_of_other_providers_are_fixed_too(name: str, provider: str, tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED[name].rows, provider=provider)
    mended(path)
    after = opened(path)
    assert errors(after) == []
    assert [said for said in PLANTED[name].words if said not in told(after)] == []


# --- places ------------------------------------------------------------------------------------------------


def test_a_new_row_takes_a_free_id_between(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["result_gone"].rows, gap=3)
    before = [row["id"] for row in rows(path)]
    mended(path)
    after = [row["id"] for row in rows(path)]
    (new,) = set(after) - set(before)
    assert before[1] < new < before[2] and set(before) < set(after)


def test_where_no_id_is_free_the_rows_of_the_same_second_move_after_the_last_one(tmp_path: Path) -> None:
    broken = deepcopy(PLANTED["result_gone"].rows)
    for message in broken[5:]:
        message.time = TIME + 1
    path = database(tmp_path / "sessions.db", broken)
    before, others = rows(path), rows(path, None)
    mended(path)
    after = rows(path)
    assert [row["message_id"] for row in after if row["message_id"] in {b["message_id"] for b in before}] == [
        row["message_id"] for row in before
    ]
    kept = [row["id"] for row in after if row in before]
    assert kept == [before[0]["id"], before[1]["id"], *(row["id"] for row in before[5:])]
    assert rows(path, None) == others
    assert min({row["id"] for row in after} - set(kept)) > max(row["id"] for row in (*before, *others))


def test_a_new_row_in_a_second_of_its_own_moves_nothing(tmp_path: Path) -> None:
    broken = deepcopy(PLANTED["result_gone"].rows)
    for number, message in enumerate(broken):
        message.time = TIME + number
    path = database(tmp_path / "sessions.db", broken)
    before = rows(path)
    mended(path)
    after = rows(path)
    assert [row for row in after if row in before] == before
    (new,) = (row for row in after if row not in before)
    assert after.index(new) == 2 and new["created_timestamp"] == TIME + 1


def test_goose_goes_on_counting_after_the_new_rows(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["result_gone"].rows)
    mended(path)
    last = max(row["id"] for row in (*rows(path), *rows(path, None)))
    with closing(sqlite3.connect(path)) as connection:
        columns = "(session_id, role, content_json, created_timestamp)"
        connection.execute(f"INSERT INTO messages {columns} VALUES (?, 'user', '[]', ?)", (SESSION, TIME))
        assert connection.execute("SELECT max(id) FROM messages").fetchone() == (last + 1,)


def test_ids_of_rows_that_were_deleted_are_not_used_again(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["ends_with_a_call"].rows)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 900 WHERE name = 'messages'")
        connection.commit()
    mended(path)
    assert rows(path)[-1]["id"] == 901


@pytest.mark.parametrize("seed", range(tries(25, 8)))
def test_new_rows_come_where_they_belong(seed: int, tmp_path: Path) -> None:
    """Any rows gone, any gaps between ids, any seconds: what is left keeps its order, and nothing else is touched."""
    chance = random.Random(seed)
    broken = deepcopy(sound())
    for _ in range(chance.randint(1, 4)):
        del broken[chance.randrange(1, len(broken))]
    time = TIME
    for message in broken:
        time += chance.choice((0, 0, 1))
        message.time = time
    path = database(tmp_path / "sessions.db", broken, gap=chance.choice((1, 1, 2, 4)))
    before, around = [row["message_id"] for row in rows(path)], tables(path)
    mended(path)
    after = opened(path)
    assert all(problem.guess for problem in after.left) and tables(path) == around
    left = [row["message_id"] for row in rows(path) if row["message_id"] in set(before)]
    assert left == [name for name in before if name in set(left)]
    assert [row["content_json"] for row in rows(path)] != []


# --- reading -----------------------------------------------------------------------------------------------


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", sound())
    data = path.read_bytes()
    session = opened(path)
    assert (session.format.id, session.problems, session.profile.id) == ("goose", (), "openai-chat")
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.model) == ("goose", SESSION, "gpt-4o")
    assert transcript.folder == "/home/dev/project"
    assert [message.role for message in transcript.messages[:4]] == ["user", "assistant", "user", "assistant"]
    assert session.stage_recommended() is None and path.read_bytes() == data


@pytest.mark.parametrize(
    ("provider", "profile"),
    [
        ("anthropic", "anthropic"),
        ("aws_bedrock", "bedrock-converse"),
        ("google", "gemini"),
        ("groq", "groq"),
        ("openai", "openai-chat"),
        ("databricks", "openai-chat"),
        (None, "openai-chat"),
    ],
)
def test_it_is_checked_against_the_api_of_its_provider(provider: str | None, profile: str, tmp_path: Path) -> None:
    session = opened(database(tmp_path / "sessions.db", sound(), provider=provider))
    assert (session.profile.id, errors(session)) == (profile, [])


def test_rows_are_read_by_second_and_then_by_id(tmp_path: Path) -> None:
    broken = [user(text("one")), says(text("two")), user(text("three"))]
    for message, (number, time) in zip(broken, ((9, 0), (8, 1), (3, 2)), strict=True):
        message.id, message.time = number, TIME + time
    path = database(tmp_path / "sessions.db", broken)
    assert [parts[0]["text"] for _, parts in sent_messages(opened(path))] == ["one", "two", "three"]


OTHERS = [
    [{"role": "user", "content": "hello", "created": TIME}],
    [{"role": "user", "content": [text("hello")]}],
    [{"sessions": {"id": "x"}}, {"session_items": {"id": 1}}],
    [{"messages": [{"role": "user", "content": "x"}]}],
    [{"type": "session", "id": "x", "cwd": "/"}],
    [1, "two", None],
    [],
]


@each("values", OTHERS)
def test_other_lines_are_not_taken_for_it(values: list[Any]) -> None:
    assert get_format("goose").sniff(values) == 0


@pytest.mark.parametrize(
    "found",
    [
        {"schema_version": {"version"}, "sessions": {"id"}, "messages": {"id", "role"}},
        {"sessions": {"id", "working_dir"}, "messages": {"id", "session_id", "role", "content_json"}},
        {"goose_db_version": {"id"}, "sessions": {"id"}, "messages": {"id", "session_id", "role", "parts"}},
    ],
)
def test_other_databases_are_not_taken_for_it(found: dict[str, set[str]]) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        assert not LAYOUT.claims({name: frozenset(columns) for name, columns in found.items()}, db)


def test_what_may_be_secret_is_never_read(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", sound())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE sessions SET extension_data = '{\"key\":\"hunter2\"}', recipe_json = 'hunter2'")
        connection.commit()
    assert b"hunter2" not in opened(path).to_bytes()


# --- what is sent ------------------------------------------------------------------------------------------


def test_words_come_before_results_in_chat_and_stay_where_they_are_elsewhere(tmp_path: Path) -> None:
    for provider, kinds in (("openai", [["text"], ["tool_result"]]), ("anthropic", [["tool_result", "text"]])):
        planted = PLANTED["words_after_a_result_in_its_row"]
        shown = sent_messages(opened(database(tmp_path / f"{provider}.db", planted.rows, provider=provider)))
        assert [[part["type"] for part in parts] for _, parts in shown[2:]][: len(kinds)] == kinds


def test_an_output_for_the_user_alone_is_not_sent(tmp_path: Path) -> None:
    rows_ = sound()
    parts = rows_[2].content[0]["toolResult"]["value"]["content"]
    parts[0]["annotations"] = {"audience": ["user"]}
    assert sent_messages(opened(database(tmp_path / "sessions.db", rows_)))[2][1][0]["content"] == "(empty result)"


def test_what_a_compaction_left_out_is_not_sent(tmp_path: Path) -> None:
    rows_ = sound()
    for message in rows_[:9]:
        message.metadata = HIDDEN
    rows_[9].role = "user"
    session = opened(database(tmp_path / "sessions.db", rows_))
    assert session.problems == () and word("one") not in told(session)
    assert [line.text for line in session.conversation.transcript.boundaries] == ["replaced by a summary (normal)"]


def test_a_call_at_the_end_is_not_said_to_be_running(tmp_path: Path) -> None:
    """goose writes a call when its result is there."""
    (problem,) = opened(database(tmp_path / "sessions.db", PLANTED["ends_with_a_call"].rows)).problems
    assert problem.text == "shell was called at the very end, and no result for it is in this history."
    assert (problem.severity, problem.impact) == ("error", "loses")


def test_an_output_that_is_hidden_is_found(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["result_hidden"].rows)
    assert word("five") not in told(opened(path))
    mended(path)
    assert word("five") in told(opened(path))


# --- what is written ---------------------------------------------------------------------------------------


def test_a_placeholder_is_an_error_in_a_row_of_its_own(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["result_gone"].rows)
    mended(path)
    new = rows(path)[2]
    (part,) = json.loads(new["content_json"])
    assert (part["type"], part["id"], part["toolResult"]["status"]) == ("toolResponse", "call_one", "error")
    assert "No result was recorded" in part["toolResult"]["error"]
    assert (new["role"], json.loads(new["metadata_json"])) == (b"user", {"userVisible": True, "agentVisible": True})
    assert new["message_id"].startswith(b"msg_")


def test_a_result_among_others_gets_a_row_of_its_own(tmp_path: Path) -> None:
    broken = [user(text("Begin.")), says(call("a"), call("b")), user(result("b")), says(text("Done."))]
    path = database(tmp_path / "sessions.db", broken)
    before = rows(path)[2]["content_json"]
    mended(path)
    after = rows(path)
    assert [[part["id"] for part in json.loads(row["content_json"])] for row in after[2:4]] == [["call_a"], ["call_b"]]
    assert after[3]["content_json"] == before


def test_words_beside_a_result_get_a_row_after_it(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["words_before_a_result_in_its_row"].rows)
    mended(path)
    kinds = [[part["type"] for part in json.loads(row["content_json"])] for row in rows(path)[2:4]]
    assert kinds == [["toolResponse"], ["text"]]


def test_a_renamed_id_leaves_all_else_of_its_block(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["ids_differ"].rows)
    before = rows(path)
    mended(path)
    after = rows(path)
    changed = [n for n, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert changed == [2]
    assert after[2]["content_json"] == before[2]["content_json"].replace(b"functions_shell_0", b"functions.shell:0")


@pytest.mark.parametrize("seed", range(tries(40, 10)))
def test_any_damage_opens_and_a_second_fix_changes_nothing(seed: int, tmp_path: Path) -> None:
    """No traceback, whatever a row holds; what is saved once stays."""
    chance = random.Random(seed)
    broken = deepcopy(chance.choice(list(PLANTED.values())).rows)
    for _ in range(chance.randint(1, 3)):
        _damage(chance)(chance.choice(broken))
    path = database(tmp_path / "sessions.db", broken, provider=chance.choice(("openai", "anthropic", "google")))
    around = tables(path)
    if "record.bad_json" in errors(opened(path)):
        with contextlib.suppress(Refused):  # it may stand where a new row is needed, and has no fix of its own
            mended(path)
        assert tables(path) == around
        return
    mended(path)
    assert tables(path) == around
    once = path.read_bytes()
    mended(path)
    assert path.read_bytes() == once


def test_a_row_that_nobody_can_repair_is_not_passed(tmp_path: Path) -> None:
    """Its id cannot change, so no row comes before it in the same second; set aside, it is in nobody's way."""
    broken = deepcopy(sound())
    broken[2].raw = written(broken[2].content).replace(b'}],"structured', b'} ,"structured')
    path = database(tmp_path / "sessions.db", broken)
    before = path.read_bytes()
    session = opened(path)
    missing = next(problem for problem in session.problems if problem.rule == "result.missing")
    assert missing.recommended is None and "where its output may be" in (missing.no_fix or "")
    session.stage(missing, next(fix for fix in missing.fixes if fix.id == "insert-placeholder"))
    with pytest.raises(Refused, match="set it aside, first"):
        session.save()
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    problem = next(problem for problem in session.problems if problem.rule == "record.bad_json")
    session.stage(problem, problem.fixes[0])
    session.save()
    assert errors(opened(path)) == []


def test_what_is_no_error_is_not_said_to_be_refused(tmp_path: Path) -> None:
    """An id that the API is not known to refuse everywhere."""
    long = deepcopy(sound())
    long[1].content[1]["id"] = long[2].content[0]["id"] = "call_" + "x" * 75
    (problem,) = opened(database(tmp_path / "sessions.db", long)).problems
    assert (problem.rule, problem.severity) == ("id.length", "warning")
    assert problem.on_resume is not None and problem.on_resume.effect == "kept"
    assert problem.on_resume.text == "goose sends it as it is, which the API may refuse."


def test_a_row_in_the_way_is_named_with_what_sets_it_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = with_a_row_in_the_way(tmp_path / "sessions.db")
    before = path.read_bytes()
    assert main(["fix", f"{path}::{SESSION}", "--in-place"]) == 3
    assert "(--choose record.bad_json=set-aside)" in capsys.readouterr().err and path.read_bytes() == before
    assert main(["fix", f"{path}::{SESSION}", "--in-place", "--choose", "record.bad_json=set-aside"]) == 0
    assert errors(opened(path)) == []


@pytest.mark.parametrize("name", ["result_gone", "ids_differ", "id_used_twice"])
def test_damaged_settings_of_the_model_are_all_that_is_damaged(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED[name].rows)
    damage_settings(path)
    around = tables(path)
    (found,) = [problem for problem in opened(path).problems if problem.rule.startswith("record.")]
    assert (found.severity, found.impact) == ("warning", "harmless")
    copy = tmp_path / "copy.db"
    assert main(["fix", f"{path}::{SESSION}", "-o", str(copy)]) == 0
    assert main(["fix", f"{path}::{SESSION}", "--in-place"]) == 0
    assert tables(path) == around
    for after in (opened(path), opened(copy)):
        assert_whole(after, PLANTED[name].words)
    (found,) = [p for p in after.problems if p.rule == found.rule]
    after.stage(found, found.fixes[0])
    assert_whole(after, PLANTED[name].words)


def test_a_message_that_is_added_says_its_words(tmp_path: Path) -> None:
    path = database(tmp_path / "sessions.db", PLANTED["begins_with_a_response"].rows)
    mended(path)
    first = rows(path)[0]
    assert json.loads(first["content_json"]) == [text("(conversation resumed)")]
    assert first["created_timestamp"] == TIME - 1


def _damage(chance: random.Random) -> Callable[[Message], None]:
    def cut(message: Message) -> None:
        message.raw = written(message.content)[: chance.randrange(200)]

    def flip(message: Message) -> None:
        raw = bytearray(written(message.content))
        if raw:
            raw[chance.randrange(len(raw))] = chance.choice(b'[]{}",:\\x0 ')
        message.raw = bytes(raw)

    def odd(message: Message) -> None:
        values = (None, 5, "x", [], {}, [[]], {"type": "text"}, [{"type": []}], [{"type": "toolRequest", "id": 1}])
        message.content = chance.choice(values)

    def role(message: Message) -> None:
        message.role = chance.choice(("user", "assistant", "system", ""))

    def double(message: Message) -> None:
        if isinstance(message.content, list):
            message.content = message.content * 2

    return chance.choice((cut, flip, odd, role, double))


# --- its older files ---------------------------------------------------------------------------------------


def test_an_older_file_is_read_fixed_and_written(tmp_path: Path) -> None:
    path = tmp_path / "20250601_101010.jsonl"
    data = old_file(PLANTED["result_gone"].rows)
    path.write_bytes(data)
    session = open_session(path)
    transcript = session.conversation.transcript
    assert (session.format.id, transcript.session_id, errors(session)) == (
        "goose",
        "20250601_101010",
        ["result.missing"],
    )
    session.stage_recommended()
    lines = session.to_bytes().splitlines()
    new = [line for line in lines if line not in data.splitlines()]
    assert [line for line in lines if line not in new] == data.splitlines()
    (value,) = map(json.loads, new)
    assert list(value) == ["role", "created", "content"] and value["created"] == TIME + 1


@pytest.mark.parametrize(
    "name",
    some(
        [
            name
            for name in BROKEN
            if name not in ("hidden_row_cannot_be_read", "metadata_cut_off", "call_hidden", "result_hidden")
        ],
        16,
    ),
)
def test_every_defect_of_an_older_file_is_fixed(name: str, tmp_path: Path) -> None:
    path = tmp_path / "20250601_101010.jsonl"
    rows_ = deepcopy(PLANTED[name].rows)
    for message in rows_:
        if message.raw is not None:
            message.raw = b'{"role":"user","created":1,"content":' + message.raw
    path.write_bytes(old_file(rows_))
    session = open_session(path)
    assert session.format.id == "goose"
    session.stage_recommended()
    path.write_bytes(session.to_bytes())
    after = open_session(path)
    assert errors(after) == []
    lost = [said for said in PLANTED[name].words if said not in told(after)]
    assert lost == []


def test_rows_as_lines_are_opened_as_the_same_session(tmp_path: Path) -> None:
    session = opened(database(tmp_path / "sessions.db", PLANTED["result_gone"].rows))
    path = tmp_path / "rows.jsonl"
    path.write_bytes(session.to_bytes())
    again = open_session(path)
    assert (again.format.id, errors(again)) == ("goose", ["result.missing"])
    again.stage_recommended()
    session.stage_recommended()
    assert again.to_bytes() == session.to_bytes()


@pytest.mark.parametrize(
    "first",
    [
        {"facts": 5, "sessions": {"id": [], "working_dir": 5, "schedule_id": {}, "provider_name": []}},
        {"facts": {"next_id": "x", "free_ids": 7}, "sessions": {"working_dir": "/", "schedule_id": None}},
        {"facts": {"free_ids": [[1, "b"], [], None]}, "sessions": [1]},
        {"working_dir": None, "description": 5},
    ],
)
def test_a_first_line_may_say_anything(first: dict[str, Any], tmp_path: Path) -> None:
    broken = opened(database(tmp_path / "sessions.db", PLANTED["result_gone"].rows)).to_bytes().splitlines()
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([written(first), *broken[1:], b""]))
    session = open_session(path, format="goose")
    assert errors(session) == ["result.missing"]
    session.stage_recommended()
    assert errors(session) == []


# --- the agent ---------------------------------------------------------------------------------------------


def test_its_sessions_are_listed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = home / ".local" / "share" / "goose" / "sessions"
    folder.mkdir(parents=True)
    path = database(folder / "sessions.db", sound())
    agent = get_agent("goose")
    machine = Machine("linux", {}, home)
    found = list(agent.sessions(machine))
    assert [(one.session_id, one.name, one.folder) for one in found] == [
        (SESSION, "The broken one", "/home/dev/project"),
        (OTHER, "Another one", "/home/dev/project"),
    ]
    assert found[0].path == f"{path}::{SESSION}" and found[0].size > 1000
    assert agent.describe(found[0]) == ("/home/dev/project", "Once more.")


def test_before_there_is_a_database_its_files_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "goose" / "sessions"
    folder.mkdir(parents=True)
    (folder / "20250601_101010.jsonl").write_bytes(old_file(sound()))
    agent = get_agent("goose")
    (found,) = agent.sessions(Machine("linux", {"XDG_DATA_HOME": str(tmp_path)}, tmp_path))
    assert (found.session_id, found.folder) == ("20250601_101010", "/home/dev/project")
    assert agent.describe(found) == ("/home/dev/project", "Once more.")


@pytest.mark.parametrize(
    ("platform", "environ", "where"),
    [
        ("linux", {}, "~/.local/share/goose/sessions"),
        ("darwin", {}, "~/.local/share/goose/sessions"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/goose/sessions"),
        ("linux", {"GOOSE_PATH_ROOT": "/g", "XDG_DATA_HOME": "/data"}, "/g/data/sessions"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/Block/goose/data/sessions"),
    ],
)
def test_where_its_database_is(platform: str, environ: dict[str, str], where: str, tmp_path: Path) -> None:
    roots = get_agent("goose").roots(Machine(platform, environ, tmp_path))
    assert roots == (Path(where.replace("~", str(tmp_path))),)


def _all_rows() -> Iterator[str]:
    yield from PLANTED


def test_there_are_at_least_28_ways_to_break_a_pair() -> None:
    assert len(list(_all_rows())) >= 28
