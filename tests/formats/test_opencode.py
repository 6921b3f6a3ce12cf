"""opencode's and Kilo's sessions in their databases: read, checked, fixed and written."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.formats import stored_rows
from tests.formats.fixing import assert_whole, errors, seen_of, sent_rows, told
from tests.formats.stored_rows import assert_saved_as_shown, make_odd, places_in
from tests.made_up_edits import batches, ending, random_edit
from tests.opencode_sessions import (
    FOLDER,
    ID,
    OTHER,
    PROJECT,
    SECRET,
    Planted,
    another,
    corpus,
    done,
    plain,
    word,
    written,
)
from tests.rounds import ROUNDS, some, tries
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.formats.agent import SessionFile
from toolpair.formats.engine.agents.databases import sessions_in, words_of
from toolpair.formats.format import Item
from toolpair.recipes import RECIPES
from toolpair.rules.problem import Problem
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine
from toolpair.source.errors import UnreadableFile
from toolpair.transcript.edits import Edit, InsertMessage, RemoveMessage, Rename, Reorder, ReplaceWithText

PLANTED = corpus()
Rows = dict[str, list[tuple[Any, ...]]]


def opened(folder: Path, planted: Planted, **how: Any) -> Session:
    return open_session(f"{planted.write(folder / 'opencode.db')}::{ID}", **how)


def again(folder: Path) -> Session:
    return open_session(f"{folder / 'opencode.db'}::{ID}")


def rows(path: Path) -> Rows:
    """All rows of all tables."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        names = [name.decode() for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names}


def others(found: Rows) -> Rows:
    """The rows of everything but the session."""
    mine = {row[0] for row in found["message"] if row[1] == ID.encode()}
    gone = {"message": lambda row: row[1] == ID.encode(), "part": lambda row: row[2] == ID.encode() or row[1] in mine}
    return {name: [row for row in of if not gone.get(name, lambda _: False)(row)] for name, of in found.items()}


def sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        return stored_rows.is_sound(db)


def _effect(problem: Problem) -> str:
    assert problem.on_resume is not None
    return problem.on_resume.effect


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 40))
def test_what_is_fixed_is_valid_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    planted = PLANTED[name]
    kilo = len(name) % 3 == 0
    path = planted.write(tmp_path / "opencode.db", kilo)
    before = rows(path)
    session = again(tmp_path)
    assert session.conversation.transcript.agent == ("Kilo CLI" if kilo else "opencode")
    lines = session.to_bytes()
    staged = session.stage_recommended()
    if name == "message_that_is_no_json":  # its text stands nowhere else, and a message that is written again has none
        assert staged is None and any("would be gone from the file" in held.text for held in session.staging.held_back)
        return
    if staged is not None:
        session.undo()
        assert session.to_bytes() == lines
        session.redo()
        session.save()
    assert_only_what_rows_say_changes(before, rows(path))
    after = again(tmp_path)
    assert_whole(after, planted.words)
    assert after.stage_recommended() is None
    assert others(rows(path)) == others(before) and sound(path)
    if staged is None:
        assert rows(path) == before


def assert_only_what_rows_say_changes(before: Rows, after: Rows) -> None:
    assert after["session"] == before["session"]
    for table in ("message", "part"):
        old, new = ({row[0]: row for row in found[table]} for found in (before, after))
        for key in old.keys() & new.keys():
            assert old[key][:-1] == new[key][:-1]


@pytest.mark.parametrize("name", some(sorted(PLANTED), 40))
def test_each_fix_of_each_problem_is_saved_as_it_was_shown(name: str, tmp_path: Path) -> None:
    """By default every fifth of the fixes, of each session others."""
    turn = sorted(PLANTED).index(name)
    for number, problem in enumerate(opened(tmp_path, PLANTED[name]).problems):
        for fix in problem.fixes:
            turn += 1
            if turn % 5 and not ROUNDS:
                continue
            session = opened(tmp_path, PLANTED[name])
            same = session.problems[number]
            session.stage(same, next(one for one in same.fixes if one.id == fix.id))
            assert_saved_as_shown(session, (problem.rule, fix.id))


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_recipes_leave_a_session_that_is_saved(recipe: str, tmp_path: Path) -> None:
    for name in sorted(PLANTED)[len(recipe) % 7 :: 7]:
        session = opened(tmp_path, PLANTED[name])
        if session.stage_recipe(recipe) is not None:
            assert_saved_as_shown(session, name)


# --- edits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(tries(40, 10)))
def test_any_edits_are_saved_as_they_were_shown(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    name = chance.choice(sorted(PLANTED))
    session = opened(tmp_path, PLANTED[name])
    conversation = session.conversation
    for _ in range(chance.randrange(1, 4)):
        if not conversation.transcript.messages:
            break
        edit = random_edit(chance, conversation.transcript.messages)
        conversation = conversation.apply([edit])
        session.staging.now = (conversation,)
    assert_saved_as_shown(session)
    assert sound(tmp_path / "opencode.db") or PLANTED[name].loose


@pytest.mark.parametrize("name", ["image_as_result", "text_without_text", "two_calls_of_one_id"])
def test_calls_that_are_put_last_keep_their_results(name: str, tmp_path: Path) -> None:
    """Whose a result is, is known by the call's row, whichever message of the draft the call stands in by now."""
    conversation = opened(tmp_path, PLANTED[name]).conversation
    items, transcript = conversation.judged.items, conversation.transcript
    for message in (message for message in transcript.messages if len(message.calls) > 1):
        after = conversation.format.apply(items, transcript, [Reorder(message, "calls_last")])
        assert _outputs(after) == _outputs(items)


def _outputs(items: Sequence[Item]) -> dict[str, Any]:
    data = [value["data"] for item in items if isinstance(value := item.value.get("part"), dict)]
    calls = [one for one in data if isinstance(one, dict) and isinstance(one.get("state"), dict)]
    return {str(one.get("callID")) + str(one.get("state").get("input")): one["state"].get("output") for one in calls}


@pytest.mark.parametrize("name", ["two_steps_in_a_message", "compacted", "error", "two_calls_of_one_id"])
def test_any_batch_of_edits_ends_and_doubles_nothing(name: str, tmp_path: Path) -> None:
    planted = PLANTED[name]
    session = opened(tmp_path, planted)
    items, transcript = session.conversation.judged.items, session.conversation.transcript
    before = str([item.value for item in items])

    @settings(max_examples=tries(40), deadline=None)
    @given(edits=batches(transcript))
    def ends(edits: list[Edit]) -> None:
        with ending():
            after = session.format.apply(items, transcript, edits)
        assert len({item.uid for item in after}) == len(after)
        if all(isinstance(edit, (InsertMessage, Rename, Reorder)) for edit in edits):
            said = str([item.value for item in after])
            assert [said.count(one) for one in planted.words] == [before.count(one) for one in planted.words]

    ends()


# --- whatever stands in the rows ---------------------------------------------------------------------------

_ODD: list[Any] = [None, 5, -1, "", "x", [], {}, [None], {"type": "tool"}, True, 1e300, "\ud83d", {"text": 7}]


def _break(chance: random.Random, row: dict[str, Any]) -> None:
    """Change something in what a row says."""
    if isinstance(row["data"], str) or not places_in(row["data"]) or chance.random() < 0.1:
        text = row["data"] if isinstance(row["data"], str) else json.dumps(row["data"])
        row["data"] = chance.choice([text[: chance.randrange(len(text) + 1)], "null", "[]", "7", text + "}", ""])
    else:
        make_odd(chance, row["data"], _ODD)


def _broken(seed: int) -> Planted:
    chance = random.Random(seed)
    session = deepcopy(PLANTED[chance.choice(sorted(PLANTED))].session)
    for _ in range(chance.randrange(1, 4)):
        _break(chance, chance.choice([*session.parts, *session.messages]))
    if chance.random() < 0.2:
        session.revert = chance.choice(["{", "[]", '{"messageID":7}', '{"messageID":null,"partID":"x"}'])
    return Planted(session, ())


@pytest.mark.parametrize("seed", range(tries(60, 15)))
def test_no_row_is_too_odd(seed: int, tmp_path: Path) -> None:
    path = _broken(seed).write(tmp_path / "opencode.db")
    before = rows(path)
    session = again(tmp_path)
    if session.stage_recommended() is not None:
        session.save()
    after = again(tmp_path)
    assert after.stage_recommended() is None
    assert others(rows(path)) == others(before)


# --- the database and the agent ----------------------------------------------------------------------------


def test_secrets_are_never_read(tmp_path: Path) -> None:
    path = PLANTED["killed"].write(tmp_path / "opencode.db")
    session = again(tmp_path)
    session.stage(session.problems[0])
    assert SECRET not in session.to_bytes().decode()
    session.save_as(tmp_path / "copy.db")
    session.save_as(tmp_path / "copy.jsonl")
    for copy in ("copy.db", "copy.jsonl"):
        assert SECRET.encode() not in (tmp_path / copy).read_bytes()
    assert SECRET.encode() in path.read_bytes()


def test_a_copy_of_one_session_opens_again(tmp_path: Path) -> None:
    PLANTED["running_in_the_middle"].write(tmp_path / "opencode.db")
    session = again(tmp_path)
    session.stage_recommended()
    for name in ("copy.db", "copy.jsonl"):
        session.save_as(tmp_path / name)
        copy = open_session(tmp_path / name)
        assert errors(copy) == [] and sent_rows(copy) == sent_rows(session)
    assert not rows(tmp_path / "copy.db")["event"] and sound(tmp_path / "copy.db")


def test_a_copy_of_one_session_has_no_other_project(tmp_path: Path) -> None:
    path = PLANTED["killed"].write(tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as made:
        made.execute("INSERT INTO project VALUES ('other', '/home/dev/somewhere-else', NULL, NULL, 1, 1, '[]')")
        made.commit()
    again(tmp_path).save_as(tmp_path / "copy.db")
    assert b"somewhere-else" not in (tmp_path / "copy.db").read_bytes()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT id FROM project").fetchall() == [("global",)]


@pytest.mark.parametrize("kilo", [False, True])
def test_the_list_says_title_folder_and_age(kilo: bool, tmp_path: Path) -> None:
    child = another()
    child.parent = ID
    path = written(tmp_path / "kilo.db", plain(), child, kilo=kilo)
    listed = sessions_in(str(path), str(path))
    layout, found = listed.layout, listed.sessions
    assert layout.title == ("Kilo's" if kilo else "opencode's") + " database of sessions"
    first = next(one for one in found if one.id == ID)
    assert (first.title, first.folder, first.parent) == ("A session", FOLDER, None)
    assert next(one for one in found if one.id == OTHER).parent == ID
    with closing(sqlite3.connect(path)) as db:
        ((time,),) = db.execute("SELECT time_updated FROM session WHERE id = ?", (ID,))
        assert first.modified == time / 1000
    assert words_of(str(path), ID) == ["Once more."]


@pytest.mark.parametrize("kilo", [False, True])
def test_the_agent_finds_its_own_and_says_how_to_resume(kilo: bool, tmp_path: Path) -> None:
    agent = get_agent("kilo-cli" if kilo else "opencode")
    name = "kilo" if kilo else "opencode"
    machine = Machine("linux", {"XDG_DATA_HOME": str(tmp_path)}, tmp_path)
    (tmp_path / name).mkdir()
    path = written(tmp_path / name / f"{name}.db", plain(), kilo=kilo)
    (found,) = agent.sessions(machine)
    assert (found.path, found.session_id, found.name) == (f"{path}::{ID}", ID, "A session")
    file = SessionFile(path, path, ID, FOLDER)
    assert f"{name} -s {ID}" in (how_to_resume(agent, file, machine) or "")
    named = Machine("linux", {f"{name.upper()}_DB": str(path)}, tmp_path)
    assert [one.session_id for one in agent.sessions(named)] == [ID]


@pytest.mark.parametrize("tables", [PROJECT, "CREATE TABLE session (id, data); CREATE TABLE message (id, data);", ""])
def test_other_databases_are_not_taken_for_one(tables: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as db:
        db.executescript(tables + "CREATE TABLE part (id, data); CREATE TABLE other (id);")
    with pytest.raises(UnreadableFile):
        sessions_in(str(tmp_path / "opencode.db"), "opencode.db")


@pytest.mark.parametrize(
    "provider, profile",
    [("anthropic", "anthropic"), ("google", "gemini"), ("amazon-bedrock", "bedrock-converse"), ("x", "openai-chat")],
)
def test_the_profile_is_of_the_provider_that_was_asked_last(provider: str, profile: str, tmp_path: Path) -> None:
    found = plain()
    for message in found.messages:
        if "model" in message["data"]:
            message["data"]["model"] = {"providerID": provider, "modelID": "m"}
    session = open_session(f"{written(tmp_path / 'opencode.db', found)}::{ID}")
    assert session.profile.id == profile


# --- what is sent ------------------------------------------------------------------------------------------


def test_a_call_that_was_interrupted_is_sent_with_a_placeholder(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["both_running"])
    told_of = [row for row in sent_rows(session) if row[1] in ("call_b", "call_c")]
    assert [row[2] for row in told_of if row[0] == "user"] == ["[Tool execution was interrupted]"] * 2
    assert all(_effect(problem) == "placeholder" for problem in session.problems)


def test_an_output_that_was_written_while_it_ran_is_used(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["running_with_its_output"])
    (problem,) = session.problems
    fix = problem.fixes[0]
    assert (fix.id, fix.title) == ("use-copy", "use the real output found in what its own row keeps of it")
    session.stage(problem)
    assert ("user", "call_b", word("b")) in sent_rows(session)


def test_the_output_in_a_row_is_its_own_whatever_the_id(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["one_id_in_two_turns_and_the_first_running_with_its_output"])
    session.stage_recommended()
    assert [row[2] for row in sent_rows(session) if row[:2] == ("user", "call_b")] == [word("b"), word("d")]


def test_of_two_texts_in_a_row_none_is_lost(tmp_path: Path) -> None:
    found = deepcopy(PLANTED["running_with_the_output_in_its_state"].session)
    found.state("b")["error"] = "It failed."
    session = open_session(f"{written(tmp_path / 'opencode.db', found)}::{ID}")
    session.stage_recommended()
    assert word("b") in told(session) and b"It failed." in session.to_bytes()


def test_an_error_that_no_result_says_is_the_result(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["output_as_the_text_of_an_error"])
    session.stage_recommended()
    pair = next(one for one in session.conversation.pairs if one.call is not None and one.call.id == "call_b")
    assert pair.result is not None and pair.result.is_error and pair.result.text == word("b")


@pytest.mark.parametrize("name", ["no_input", "no_input_running"])
def test_a_call_without_arguments_is_sent_without_them(name: str, tmp_path: Path) -> None:
    seen = seen_of(opened(tmp_path, PLANTED[name]))
    parts = [part.value for message in seen.messages for part in message.parts if isinstance(part.value, dict)]
    (call,) = [one for one in parts if one.get("type") == "tool_use" and one.get("id") == "call_b"]
    assert "input" not in call


def test_a_completed_call_without_its_output_stops_everything(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["no_output"])
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None
    assert [problem.impact for problem in session.problems] == ["stops"]


@pytest.mark.parametrize("name", ["ends_with_a_call_without_its_output", "ends_with_a_call_without_its_state"])
def test_so_does_one_at_the_end(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name])
    (problem,) = session.problems
    assert (problem.rule, problem.severity, problem.impact) == ("turn.trailing_call", "error", "stops")
    session.stage(problem)
    assert errors(session) == [] and seen_of(session).refuses is None


def test_of_two_calls_with_one_id_the_row_says_whose_result_it_is(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["two_calls_of_one_id_and_the_first_pending"])
    pairs = [pair for pair in session.conversation.pairs if pair.call is not None and pair.call.id == "call_b"]
    assert [pair.call.value["input"] for pair in pairs if pair.call is not None and pair.results] == [
        {"command": "run c"}
    ]
    session.stage_recommended()
    assert word("c") in told(session) and errors(session) == []


def test_ids_are_sent_as_the_model_takes_them(tmp_path: Path) -> None:
    found = deepcopy(PLANTED["kimis_id"].session)
    for message in found.messages:
        if "model" in message["data"]:
            message["data"]["model"] = {"providerID": "anthropic", "modelID": "claude-opus-5"}
    session = open_session(f"{written(tmp_path / 'opencode.db', found)}::{ID}")
    ids = [row[1] for row in sent_rows(session)]
    assert ids.count("functions_read_0") == 2 and "functions.read:0" not in ids
    (problem,) = [problem for problem in session.problems if problem.rule == "id.pattern"]
    assert _effect(problem) == "healed"


def test_a_response_that_failed_is_left_out_until_it_is_fixed(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["message_failed"])
    assert word("b") not in told(session)
    (problem,) = session.problems
    assert (problem.rule, problem.impact) == ("record.failed", "loses")
    session.stage(problem)
    assert word("b") in told(session) and word("c") in told(session)
    assert session.staged[0].loses == "the note of the error"
    assert session.staging.losses.text == "1 other text (10 bytes)"


def test_what_was_undone_is_inactive(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["reverted"])
    assert word("b") in told(session) and word("d") not in told(session)
    transcript = session.conversation.transcript
    assert [boundary.text for boundary in transcript.boundaries] == ["undone in the session (normal)"]
    assert "inactive" in transcript.scopes.values()


def test_kilo_sends_no_text_that_it_only_shows(tmp_path: Path) -> None:
    path = PLANTED["ignored_text"].write(tmp_path / "opencode.db", kilo=True)
    assert "Again." not in told(open_session(f"{path}::{ID}"))
    path = PLANTED["ignored_text"].write(tmp_path / "opencode.db")
    assert "Again." in told(open_session(f"{path}::{ID}"))


def test_damage_before_a_compaction_stops_too(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["damaged_before_a_compaction"])
    assert [(problem.rule, problem.impact) for problem in session.problems] == [("record.bad_json", "stops")]


def test_a_new_part_stands_between_its_neighbours(tmp_path: Path) -> None:
    session = opened(tmp_path, Planted(_with_calls("a", "b"), ()))
    call = session.conversation.transcript.messages[1].calls[0]
    conversation = session.conversation.apply([ReplaceWithText(call, "what it was")])
    session.staging.now = (conversation,)
    session.save()
    texts = [(row[0], row[2]) for row in sent_rows(again(tmp_path))]
    assert texts[1:3] == [("assistant", "I look."), ("assistant", "what it was")]
    assert texts[3][0] == "user" and texts[3][1].endswith(word("a"))


def _with_calls(*names: str) -> Any:
    session = deepcopy(plain())
    session.assistant(*map(done, names))
    return session


def test_a_message_that_was_removed_is_restored_with_its_parts(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["as_it_is"])
    path = tmp_path / "opencode.db"
    before = rows(path)
    message = session.conversation.transcript.messages[0]
    session.staging.now = (session.conversation.apply([RemoveMessage(message)]),)
    session.save()
    assert len(rows(path)["message"]) == len(before["message"]) - 1 and sound(path)
    assert main(["restore", str(path), "--backup", "latest"]) == 0
    assert rows(path) == before


def test_a_part_is_of_the_session_of_its_message(tmp_path: Path) -> None:
    """Whatever session it names: an agent reads parts by message alone."""
    path = written(tmp_path / "opencode.db", plain(), another())
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "UPDATE part SET session_id = ? WHERE id = (SELECT min(id) FROM part WHERE session_id = ?)", (ID, OTHER)
        )
        db.commit()
    one, other = (open_session(f"{path}::{id_}") for id_ in (ID, OTHER))
    assert not one.problems and b"Something else?" not in one.to_bytes()
    assert other.conversation.transcript.messages[0].blocks[0].text == "Something else?"
