"""OpenClaw's sessions in its database: read, checked, fixed and written, with what it derives of its records."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.broken_sessions import word
from tests.formats import stored_rows
from tests.formats.fixing import assert_undo, assert_whole, errors, told
from tests.formats.stored_rows import assert_saved_as_shown, make_odd, places_in
from tests.made_up_edits import random_edit
from tests.openclaw_databases import (
    ID,
    OTHER,
    SECRET,
    Planted,
    begin,
    corpus,
    insert,
    lines_of,
    prepare,
    sound,
)
from tests.rounds import EVERY, some, tries
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.formats.agent import SessionFile
from toolpair.formats.engine.agents.databases import sessions_in, words_of
from toolpair.formats.format import Item, View
from toolpair.recipes import RECIPES
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.rows import transaction
from toolpair.source.saving.holders import Holder
from toolpair.transcript.edits import Remove, RemoveMessage, Rename, ReplaceWithText

PLANTED = corpus()
NAME = "openclaw-agent.sqlite"
Rows = dict[str, list[tuple[Any, ...]]]


def opened(folder: Path, planted: Planted, **how: Any) -> Session:
    return open_session(f"{planted.write(folder / NAME)}::{ID}", **how)


def again(folder: Path) -> Session:
    return open_session(f"{folder / NAME}::{ID}")


def connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    prepare(db)
    return db


def rows(path: Path) -> Rows:
    """All rows of all tables."""
    with closing(connected(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        db.text_factory = bytes
        return {name: sorted(db.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}


def others(found: Rows) -> Rows:
    """The rows of everything but the session."""
    return {name: [row for row in of if ID.encode() not in row] for name, of in found.items()}


def is_sound(path: Path) -> bool:
    with closing(connected(path)) as db:
        return stored_rows.is_sound(db)


def is_in_step(path: Path) -> bool:
    """Whether what OpenClaw derives of its records is there, and right."""
    with closing(connected(path)) as db:
        read = "SELECT e.seq, coalesce(e.event_json, e.event_zstd), a.active_position, a.message_position, i.event_id, "
        read += "i.parent_id, e.event_utf8_bytes FROM transcript_events e "
        read += "LEFT JOIN session_transcript_active_events a ON a.session_id = e.session_id AND a.event_seq = e.seq "
        read += "LEFT JOIN transcript_event_identities i ON i.session_id = e.session_id AND i.seq = e.seq "
        found = db.execute(read + "WHERE e.session_id = ? ORDER BY a.active_position", (ID,)).fetchall()
        state = "SELECT indexed_seq, leaf_event_id, needs_rebuild, active_event_count, active_message_count FROM "
        (counts,) = db.execute(state + "session_transcript_index_state WHERE session_id = ?", (ID,)).fetchall()
    listed = [row for row in found if row[2] is not None]
    records = [json.loads(_text(row[1])) for row in listed]
    links = [record["parentId"] for record in records]
    messages = [row[3] for row in listed if row[3] is not None]
    return (
        [row[2] for row in listed] == [*range(len(listed))]
        and messages == [*range(len(messages))]
        and links[1:] == [row[4] for row in listed][:-1]
        and [row[4] for row in listed] == [record["id"] for record in records]
        and [row[5] for row in listed] == links
        and all(row[6] == len(_text(row[1])) for row in found)
        and counts == (max(row[0] for row in found), records[-1]["id"], 0, len(listed), len(messages))
    )


def _text(stored: Any) -> bytes:
    return stored.encode() if isinstance(stored, str) else zstandard.decompress(stored)


# --- each way to break one ---------------------------------------------------------------------------------


_AS_IT_WAS = (
    "words_damaged",
    "line_damaged",
    "record_that_is_no_object",
    "cycle",
    "hangs_on_itself",
    "parent_unknown",
    "two_records_lost",
)
"""What is kept of these is not what the tables say, and OpenClaw reads it all the same."""


@pytest.mark.parametrize("name", some(sorted(PLANTED), 40))
def test_what_is_fixed_is_valid_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    path = PLANTED[name].write(tmp_path / NAME)
    before = rows(path)
    session = again(tmp_path)
    assert (session.format.id, session.conversation.transcript.agent) == ("openclaw", "OpenClaw")
    rules = [problem.rule for problem in session.problems]
    assert_undo(session, session.to_bytes())
    staged = session.stage_recommended()
    if staged is not None:
        session.save()
    after = again(tmp_path)
    assert_whole(after, PLANTED[name].words)
    assert after.stage_recommended() is None
    assert others(rows(path)) == others(before) and is_sound(path)
    if staged is not None and name not in _AS_IT_WAS and "chain.list_differs" not in rules:
        assert is_in_step(path)
    if staged is None:
        assert rows(path) == before


@pytest.mark.parametrize("name", some(sorted(PLANTED), 24))
def test_what_the_agent_derives_of_its_records_follows_them(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name])
    for problem in session.problems:
        if problem.rule == "chain.list_differs":
            session.stage(problem)
            break
    if session.stage_recommended() is None and not session.staged:
        return
    session.save()
    assert name in _AS_IT_WAS or is_in_step(tmp_path / NAME)


@pytest.mark.parametrize("name", some(sorted(PLANTED), 30))
def test_each_fix_of_each_problem_is_saved_as_it_was_shown(name: str, tmp_path: Path) -> None:
    """By default every fourth of the fixes, of each session others; TOOLPAIR_TEST_ROUNDS of 4 or more: all."""
    turn = sorted(PLANTED).index(name)
    for number, problem in enumerate(opened(tmp_path, PLANTED[name]).problems):
        for fix in problem.fixes:
            turn += 1
            if turn % 4 and not EVERY:
                continue
            session = opened(tmp_path, PLANTED[name])
            same = session.problems[number]
            session.stage(same, next(one for one in same.fixes if one.id == fix.id))
            try:
                assert_saved_as_shown(session, (problem.rule, fix.id))
            except Refused as refused:
                assert "cannot be read is in the way" in str(refused), (problem.rule, fix.id)


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_recipes_leave_a_session_that_is_saved(recipe: str, tmp_path: Path) -> None:
    for name in sorted(PLANTED)[len(recipe) % 20 :: 20]:
        session = opened(tmp_path, PLANTED[name])
        if session.stage_recipe(recipe) is not None:
            assert_saved_as_shown(session, name)


# --- the list of the history -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "impact", "effect"),
    [
        ("row_deleted", "loses", "dropped"),
        ("list_ends_early", "loses", "dropped"),
        ("name_lost", "loses", "dropped"),
        ("rebuild_wanted", "stops", "rejected"),
        ("state_lost", "stops", "rejected"),
        ("list_behind", "stops", "rejected"),
        ("unclassified", "stops", "rejected"),
        ("leaf_before_the_end", "stops", "rejected"),
        ("result_unlinked_in_its_record_alone", "harmless", "kept"),
        ("counts_wrong", "harmless", "kept"),
    ],
)
def test_a_list_that_says_something_else_is_a_problem(name: str, impact: str, effect: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name])
    (problem,) = [problem for problem in session.problems if problem.rule == "chain.list_differs"]
    assert problem.on_resume is not None
    assert (problem.impact, problem.on_resume.effect) == (impact, effect)
    session.stage(problem)
    assert [one for one in session.problems if one.rule.startswith("chain.")] == []
    assert session.conversation.judged.seen is not None and session.conversation.judged.seen.refuses is None


def test_what_is_sent_is_the_list_whatever_the_links_say(tmp_path: Path) -> None:
    unlinked = opened(tmp_path, PLANTED["result_unlinked_in_its_record_alone"])
    assert word("one") in told(unlinked)
    (problem,) = unlinked.problems
    unlinked.stage(problem, next(fix for fix in problem.fixes if fix.id == "follow-links"))
    assert word("one") not in told(unlinked)
    assert word("one") not in told(opened(tmp_path, PLANTED["row_deleted"]))
    assert word("five") in told(opened(tmp_path, PLANTED["row_deleted"]))


def test_a_result_that_is_added_in_the_middle_is_the_last_row_and_in_its_place_in_the_list(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["result_gone"])
    session.stage_recommended()
    session.save()
    with closing(connected(tmp_path / NAME)) as db:
        read = "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position"
        order = [seq for (seq,) in db.execute(read, (ID,))]
    assert order == [1, 2, 3, 4, 16, *range(5, 16)] and is_in_step(tmp_path / NAME)


def test_what_is_not_in_the_history_keeps_its_bytes(tmp_path: Path) -> None:
    path = PLANTED["branch_with_a_result_gone"].write(tmp_path / NAME)
    before = {row[:2]: row for row in rows(path)["transcript_events"]}
    session = again(tmp_path)
    session.stage_recommended()
    session.save()
    after = {row[:2]: row for row in rows(path)["transcript_events"]}
    assert sum(before[key] != after[key] for key in before.keys() & after.keys()) <= 1


def test_an_edit_of_another_branch_leaves_the_list_as_it_is(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["branch"])
    conversation = session.conversation
    other = next(branch for branch in conversation.transcript.tree.branches if not branch.active)
    items = [Item(record.uid, record.value) for record in conversation.document.records]
    transcript = session.format.read(items, View(leaf=other.leaf))
    blocks = [block for message in transcript.messages for block in message.blocks]
    call = [block for block in blocks if block.kind == "call"][-1]
    result = [block for block in blocks if block.kind == "result"][-1]
    before = {item.uid: _place(item) for item in items}
    assert before[call.record] is None
    made = session.format.apply(items, transcript, [Remove(result), Rename(call, "toolu_new")])
    assert len(made) == len(items) - 1
    assert {item.uid: _place(item) for item in made} == {uid: at for uid, at in before.items() if uid != result.record}


def _place(item: Item) -> Any:
    return item.value.get("transcript_events", {}).get("listed_active_position")


# --- packed rows -------------------------------------------------------------------------------------------


def test_packed_rows_are_shown_as_their_text_and_keep_their_bytes(tmp_path: Path) -> None:
    packed, plain = opened(tmp_path, PLANTED["packed_and_a_result_gone"]), None
    path = tmp_path / NAME
    before = rows(path)["transcript_events"]
    packed.stage_recommended()
    shown = packed.to_bytes()
    plain = opened(tmp_path, PLANTED["result_gone"])
    plain.stage_recommended()
    assert shown == plain.to_bytes()
    PLANTED["packed_and_a_result_gone"].write(path)
    packed = again(tmp_path)
    packed.stage_recommended()
    packed.save()
    changed = [row for row in before if row not in rows(path)["transcript_events"]]
    assert len(changed) == 1, "the row that follows the new one has another parent"
    assert is_in_step(path)


def test_a_packed_row_that_changes_is_stored_as_text(tmp_path: Path) -> None:
    planted = PLANTED["packed"]
    session = opened(tmp_path, planted)
    block = next(block for message in session.conversation.transcript.messages for block in message.blocks)
    assert block.kind == "text"
    session.staging.now = (session.conversation.apply([ReplaceWithText(block, "Begin, please.")]),)
    session.save()
    with closing(connected(tmp_path / NAME)) as db:
        read = "SELECT event_json, event_zstd, navigation_json, event_utf8_bytes FROM transcript_events "
        (row,) = db.execute(read + "WHERE session_id = ? AND seq = 3", (ID,))
    assert "Begin, please." in row[0] and row[1:3] == (None, None) and row[3] == len(row[0].encode())
    assert is_sound(tmp_path / NAME)


def test_a_row_that_cannot_be_unpacked_stops_nothing(tmp_path: Path) -> None:
    path = PLANTED["packed"].write(tmp_path / NAME)
    with closing(connected(path)) as db:
        db.execute("UPDATE transcript_events SET event_zstd = x'00' WHERE session_id = ? AND seq = 5", (ID,))
    session = again(tmp_path)
    session.stage_recommended()
    assert session.conversation.judged.seen is not None


# --- edits -------------------------------------------------------------------------------------------------


_WELL_FORMED = ("nothing", "branch", "compacted", "packed", "other_records", "thinking", "result_late", "id_reused")


@pytest.mark.parametrize("seed", range(tries(40, 10)))
def test_any_edits_are_saved_as_they_were_shown(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    session = opened(tmp_path, PLANTED[chance.choice(_WELL_FORMED)])
    before = others(rows(tmp_path / NAME))
    conversation = session.conversation
    for _ in range(chance.randrange(1, 4)):
        messages = [message for message in conversation.transcript.messages if message.blocks]
        if not messages:
            break
        conversation = conversation.apply([random_edit(chance, messages)])
        session.staging.now = (conversation,)
    assert_saved_as_shown(session)
    assert is_sound(tmp_path / NAME) and others(rows(tmp_path / NAME)) == before
    assert is_in_step(tmp_path / NAME)


def test_what_was_removed_is_restored_with_all_that_is_derived_of_it(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["nothing"])
    before = rows(tmp_path / NAME)
    message = session.conversation.transcript.messages[3]
    session.staging.now = (session.conversation.apply([RemoveMessage(message)]),)
    session.save()
    assert len(rows(tmp_path / NAME)["transcript_events"]) < len(before["transcript_events"])
    assert main(["restore", str(tmp_path / NAME), "--backup", "latest"]) == 0
    assert rows(tmp_path / NAME) == before


def test_notes_of_the_cache_call_a_result_what_it_is_called(tmp_path: Path) -> None:
    records = sound()
    result = records[5]["message"]
    key = f"tool:{result['toolCallId']}:{result['timestamp']}"
    note = {"type": "custom", "id": "c0ffee00", "parentId": records[-1]["id"], "timestamp": records[-1]["timestamp"]}
    data = {"prunedToolResults": [], "frozenToolResults": [{"key": key, "sourceHash": "x"}]}
    records.append({**note, "customType": "openclaw.cache-ttl", "data": data})
    session = opened(tmp_path, Planted(lines_of(records), ()))
    call = session.conversation.transcript.messages[1].calls[0]
    session.staging.now = (session.conversation.apply([Rename(call, "toolu_new")]),)
    assert f"tool:toolu_new:{result['timestamp']}" not in session.to_bytes().decode()
    block = session.conversation.transcript.messages[2].blocks[0]
    session.staging.now = (session.conversation.apply([Rename(block, "toolu_new")]),)
    assert f"tool:toolu_new:{result['timestamp']}" in session.to_bytes().decode()


# --- whatever stands in the rows ---------------------------------------------------------------------------

_ODD: list[Any] = [None, 5, -1, "", "x", [], {}, [None], {"type": "toolCall"}, True, 1e300, {"text": 7}]
_COLUMNS = {
    "transcript_events": ("created_at", "event_utf8_bytes"),
    "transcript_event_identities": ("event_type", "parent_id", "message_idempotency_key"),
    "session_transcript_index_state": ("indexed_seq", "leaf_event_id", "needs_rebuild", "active_event_count"),
    "session_transcript_active_events": ("message_position", "context_eligible"),
}


def _break(chance: random.Random, records: list[Any]) -> None:
    number = chance.randrange(len(records))
    if not places_in(records[number]) or chance.random() < 0.1:
        records[number] = deepcopy(chance.choice(_ODD))
    else:
        make_odd(chance, records[number], _ODD)


@pytest.mark.parametrize("seed", range(tries(60, 15)))
def test_no_row_is_too_odd(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    records: list[Any] = sound()
    for _ in range(chance.randrange(4)):
        _break(chance, records)
    path = Planted(lines_of(records), (), packed=chance.random() < 0.3).write(tmp_path / NAME)
    with closing(connected(path)) as db:
        for _ in range(chance.randrange(3)):
            table = chance.choice(sorted(_COLUMNS))
            column, value = chance.choice(_COLUMNS[table]), chance.choice([None, 0, 1, 7, "x", "00abc004"])
            where = "" if "state" in table else f" AND {'event_seq' if 'active' in table else 'seq'} = {seed % 17}"
            try:
                db.execute(f"UPDATE {table} SET {column} = ? WHERE session_id = ?{where}", (value, ID))
            except sqlite3.IntegrityError:
                continue
    before = rows(path)
    session = again(tmp_path)
    if session.stage_recommended() is not None:
        session.save()
    after = again(tmp_path)
    assert after.stage_recommended() is None
    assert others(rows(path)) == others(before)


@pytest.mark.parametrize("seed", range(tries(60, 15)))
def test_no_line_is_too_odd(seed: int, tmp_path: Path) -> None:
    """Rows that were saved as lines, and what somebody made of these."""
    chance = random.Random(seed)
    values = [json.loads(line) for line in opened(tmp_path, PLANTED["branch"]).to_bytes().splitlines()]
    for _ in range(chance.randrange(1, 4)):
        _break(chance, values)
    path = tmp_path / "lines.jsonl"
    path.write_bytes(lines_of(values))
    session = open_session(path, format="openclaw")
    assert session.conversation.judged.seen is not None
    session.stage_recommended()
    path.write_bytes(session.to_bytes())
    assert open_session(path, format="openclaw").stage_recommended() is None


# --- the database and the agent ----------------------------------------------------------------------------


def test_secrets_are_never_read(tmp_path: Path) -> None:
    path = PLANTED["result_gone"].write(tmp_path / NAME)
    session = again(tmp_path)
    session.stage_recommended()
    assert SECRET not in session.to_bytes().decode()
    for copy in ("copy.db", "copy.jsonl"):
        session.save_as(tmp_path / copy)
        assert SECRET.encode() not in (tmp_path / copy).read_bytes()
    assert SECRET.encode() in path.read_bytes()


@pytest.mark.parametrize("name", ["result_gone", "packed_and_a_result_gone", "row_deleted"])
def test_a_copy_of_one_session_opens_again(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name])
    session.stage_recommended()
    for copy in ("copy.db", "copy.jsonl"):
        session.save_as(tmp_path / copy)
        found = open_session(tmp_path / copy)
        assert (found.format.id, errors(found), told(found)) == ("openclaw", [], told(session))
    copied = rows(tmp_path / "copy.db")
    assert not copied["auth_profile_store"] and {row[0] for row in copied["transcript_events"]} == {ID.encode()}


def test_a_column_that_a_copy_needs_may_be_written_in_other_letters(tmp_path: Path) -> None:
    """SQLite's columns have no case."""
    session = opened(tmp_path, PLANTED["result_gone"])
    with closing(sqlite3.connect(tmp_path / NAME)) as db:
        db.execute("ALTER TABLE session_nodes RENAME COLUMN entry_json TO Entry_JSON")
        db.commit()
    session = again(tmp_path)
    session.stage_recommended()
    session.save_as(tmp_path / "copy.db")
    assert told(open_session(tmp_path / "copy.db")) == told(session)


def test_what_named_a_deleted_row_is_brought_back(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["row_deleted_by_hand"])
    before = rows(tmp_path / NAME)
    session.stage_recommended()
    session.save()
    assert is_sound(tmp_path / NAME)
    assert main(["restore", f"{tmp_path / NAME}::{ID}", "--backup", "latest"]) == 0
    assert rows(tmp_path / NAME) == before


def test_the_list_says_title_folder_and_age(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with closing(connected(path)) as db:
        begin(db)
        insert(db, ID, lines_of(sound()), number=3, label="Empty carts")
        insert(db, OTHER, lines_of(sound()), parent_session_key=f"agent:main:explicit:{ID}", packed=True)
    found = sessions_in(str(path), str(path))
    assert found.layout.title == "OpenClaw's database of sessions"
    first, second = found.sessions
    assert (first.id, first.title, first.folder, first.parent) == (ID, "Empty carts", "/", None)
    assert (second.id, second.parent, second.modified) == (OTHER, ID, first.modified - 3)
    assert words_of(str(path), ID, OTHER) == ["Thanks.", "Thanks."]


def test_the_agent_finds_its_own_and_says_how_to_resume(tmp_path: Path) -> None:
    agent = get_agent("openclaw")
    machine = Machine("linux", {"OPENCLAW_STATE_DIR": str(tmp_path)}, tmp_path)
    for name in ("main", "work"):
        (tmp_path / "agents" / name / "agent").mkdir(parents=True)
        PLANTED["nothing"].write(tmp_path / "agents" / name / "agent" / NAME)
    left = tmp_path / "agents/main/sessions/left.jsonl"
    left.parent.mkdir()
    left.write_bytes(lines_of(sound()))
    paths = [tmp_path / "agents" / name / "agent" / NAME for name in ("main", "work")]
    assert [one.path for one in agent.sessions(machine)] == [f"{path}::{id_}" for path in paths for id_ in (OTHER, ID)]
    said = how_to_resume(agent, SessionFile(paths[0], paths[0], ID, "/"), machine)
    assert said is not None and said.startswith("OpenClaw resumes only sessions of its own databases")


def test_its_gateway_is_named_and_how_to_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(tmp_path, PLANTED["result_gone"])
    session.stage_recommended()
    monkeypatch.setattr(transaction, "_holders", lambda path: [Holder(7, "openclaw-gateway")])
    with pytest.raises(Refused, match=r"openclaw-gateway, process 7; run `openclaw gateway stop`, or close it, first"):
        session.save()


@pytest.mark.parametrize(
    "tables",
    [
        "CREATE TABLE transcript_events (session_id, seq, event_json);",
        "CREATE TABLE session_windows (session_id, session_key); CREATE TABLE transcript_events (id);",
        "",
    ],
)
def test_other_databases_are_not_taken_for_one(tables: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / NAME)) as db:
        db.executescript(tables + "CREATE TABLE other (id);")
    with pytest.raises(UnreadableFile):
        sessions_in(str(tmp_path / NAME), NAME)


@pytest.mark.parametrize(
    ("api", "profile"),
    [
        ("anthropic-messages", "anthropic"),
        ("openai-completions", "openai-chat"),
        ("openai-responses", "openai-responses"),
    ],
)
def test_the_profile_is_of_the_api_that_was_asked_last(api: str, profile: str, tmp_path: Path) -> None:
    data = lines_of(sound()).replace(b'"api":"anthropic-messages"', b'"api":"%s"' % api.encode())
    assert opened(tmp_path, Planted(data, ())).profile.id == profile


@pytest.mark.parametrize(
    ("api", "is_sent"), [("anthropic-messages", False), ("openai-completions", True), ("openai-responses", True)]
)
def test_a_call_without_a_result_is_left_out_for_some_apis(api: str, is_sent: bool, tmp_path: Path) -> None:
    data = PLANTED["result_gone"].data.replace(b'"api":"anthropic-messages"', b'"api":"%s"' % api.encode())
    session = opened(tmp_path, Planted(data, ()))
    assert ("tooluone" in told(session)) is is_sent
    (problem,) = [problem for problem in session.problems if problem.rule == "result.missing"]
    assert problem.on_resume is not None
    assert problem.on_resume.effect == ("placeholder" if is_sent else "dropped")


def test_an_id_that_goes_out_as_it_is_is_refused(tmp_path: Path) -> None:
    """It writes all others of letters and digits; Kimi's it never changes."""
    session = opened(tmp_path, PLANTED["id_with_odd_characters"])
    (problem,) = session.problems
    seen = session.conversation.judged.seen
    assert seen is not None and problem.call is not None and problem.on_resume is not None
    assert problem.call.id in [part.value.get("id") for message in seen.messages for part in message.parts]
    assert (problem.rule, problem.impact, problem.on_resume.effect) == ("id.pattern", "stops", "rejected")
