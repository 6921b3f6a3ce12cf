"""Continue's sessions: read, checked, mended and written."""

from __future__ import annotations

import json
import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken_sessions import Planted, Record
from tests.continue_sessions import (
    CANCELLED,
    FOLDER,
    ID,
    NAME,
    begun,
    call,
    corpus,
    document,
    model,
    sound,
    user,
    word,
    written,
)
from tests.each import each
from tests.formats.fixing import (
    Visit,
    assert_settles,
    errors,
    fixed,
    told,
)
from tests.rounds import some, tries
from toolpair.agents import catalog
from toolpair.agents.installed import installed_version
from toolpair.dialects import continue_dev as dialect
from toolpair.formats import get_format
from toolpair.formats.agent import SessionFile
from toolpair.formats.format import Item
from toolpair.session.session import Session, SessionError, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine
from toolpair.transcript.edits import InsertMessage, InsertRecord, MoveRecord, RemoveMessage, RemoveRecord, SetField

UNREADABLE = {"control_character", "nul_in_a_text"}
"""Damage in the middle of a document: toolpair says where, and opens nothing."""
GUESSES = {"ids_differ", "one_of_three_ids_differs", "only_the_states_id_differs"}
BY_HAND = {"byte_order_mark"}
"""What stands in front of the document is reported, not removed."""
PLANTED = {name: found for name, found in corpus().items() if name not in UNREADABLE}


def opened(tmp_path: Path, data: bytes) -> Session:
    path = tmp_path / NAME
    path.write_bytes(data)
    return open_session(path)


def mended(tmp_path: Path, data: bytes) -> bytes:
    return fixed(opened(tmp_path, data))


def becomes(session: Session, rule: str) -> list[tuple[str, str] | None]:
    """For each problem of the rule, what Continue does about it."""
    found = [problem.on_resume for problem in session.problems if problem.rule == rule]
    return [None if one is None else (one.effect, one.text) for one in found]


# --- each way to break one ---------------------------------------------------------------------------------


HELD_BACK = {"call_gone", "call_gone_that_was_calling", "calls_empty", "calls_gone"}
"""Only its state has the input of a lost call."""


@pytest.mark.parametrize(
    ("more", "dropped"),
    [({}, True), ({"output": []}, True), ({"note": "said here alone"}, False), ({"parsedArgs": {"n": "a b"}}, False)],
)
def test_a_copy_of_a_state_is_dropped_where_nothing_else_stands_in_it(
    more: dict[str, Any], dropped: bool, tmp_path: Path
) -> None:
    session = json.loads(PLANTED["state_twice"].data)
    session["history"][2]["toolCallStates"][1].update(more)
    data = json.dumps(session).encode()
    if dropped:
        after = assert_settles(data, partial(opened, tmp_path))
        assert not errors(after) and len(json.loads(after.to_bytes())["history"][2]["toolCallStates"]) == 3
    else:
        Visit(Planted(data, ()), partial(opened, tmp_path)).assert_held_back()
        assert mended(tmp_path, data) == data


@pytest.mark.parametrize("name", some(sorted(PLANTED), 42))
def test_a_broken_session_is_mended_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    if name in HELD_BACK:
        visit.assert_held_back()
    elif name in GUESSES:
        visit.assert_left_as_a_guess()
    elif name not in BY_HAND:
        visit.assert_fixed("continue")
        json.loads(visit.fixed.decode("utf-8", "replace"))


@pytest.mark.parametrize("name", some(sorted(PLANTED), 28))
def test_every_fix_alone_leaves_a_session_that_can_be_read(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    for number, problem in enumerate(session.problems):
        for fix in problem.fixes:
            session = opened(tmp_path, PLANTED[name].data)
            session.stage(session.problems[number], next(f for f in session.problems[number].fixes if f.id == fix.id))
            again = open_session(NAME, data=session.to_bytes())
            assert again.format.id == "continue", (name, fix.id)


@pytest.mark.parametrize("name", some(sorted(PLANTED), 28))
def test_only_what_a_fix_names_is_changed(name: str, tmp_path: Path) -> None:
    """An entry that is still there has its fields as they were, but for its message and the states of its calls."""
    session = opened(tmp_path, PLANTED[name].data)
    before = {record.uid: (record.body, record.value) for record in session.conversation.document.records}
    session.stage_recommended()
    for record in session.conversation.document.records:
        body, value = before.get(record.uid, (record.body, None))
        if isinstance(value, dict) and bytes(record.body) != bytes(body):
            now: Any = record.value
            changed = {key for key in value.keys() | now.keys() if value.get(key) != now.get(key)}
            assert changed <= {"message", "toolCallStates", *(["contextItems"] if "attached" in name else [])}, name


def test_an_entry_gets_its_list_of_what_was_attached(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["what_was_attached_is_null"].data)
    assert [problem.rule for problem in session.problems] == ["rollout.envelope"] * 2
    session.stage_recommended()
    lists = [entry["contextItems"] for entry in json.loads(session.to_bytes())["history"]]
    assert lists[3] == [] and [one["name"] for one in lists[4]] == ["notes.txt"]


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = written(sound())
    session = opened(tmp_path, data)
    assert (session.format.id, session.problems, session.profile.id) == ("continue", (), "openai-chat")
    assert session.to_bytes() == data
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.folder) == ("Continue", ID, FOLDER)
    assert transcript.model == "mock-model"
    assert [found for found in map(word, range(1, 8)) if found not in told(session)] == []


# --- what Continue does -------------------------------------------------------------------------------------


def test_a_call_that_did_not_end_is_told_to_be_cancelled(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["still_calling"].data)
    assert [effect for effect, _ in filter(None, becomes(session, "result.missing"))] == ["placeholder"]
    assert told(session).count(CANCELLED) == 1
    without = opened(tmp_path, PLANTED["state_gone"].data)
    assert [effect for effect, _ in filter(None, becomes(without, "result.missing"))] == ["rejected"]
    assert CANCELLED not in told(without)


def test_the_state_of_an_unanswered_call_is_filled_not_doubled(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["still_calling"].data)
    session.stage_recommended()
    assert len(session.staged) == 1
    states = json.loads(session.to_bytes())["history"][2]["toolCallStates"]
    assert [(one["toolCallId"], one["status"]) for one in states] == [
        ("call_0002", "done"), ("call_0003", "errored"), ("call_0004", "done"),
    ]  # fmt: skip
    assert states[1]["parsedArgs"] == {"command": "echo 3"}


def test_a_new_state_has_all_that_continue_writes(tmp_path: Path) -> None:
    data = mended(tmp_path, PLANTED["only_state_gone"].data)
    made = json.loads(data)["history"][1]["toolCallStates"]
    assert len(made) == 1 and made[0].keys() == {"toolCallId", "toolCall", "parsedArgs", "status", "output"}
    assert made[0]["toolCall"] == call(1) and made[0]["parsedArgs"] == {"command": "echo 1"}


@pytest.mark.parametrize("fix", ["rename-result", "rename-call", "rename-both"])
def test_both_ids_of_a_state_are_changed(fix: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["ids_differ"].data)
    problem = session.problems[0]
    session.stage(problem, next(one for one in problem.fixes if one.id == fix))
    entry = json.loads(session.to_bytes())["history"][1]
    ids = {entry["message"]["toolCalls"][0]["id"], entry["toolCallStates"][0]["toolCallId"]}
    assert ids == {entry["toolCallStates"][0]["toolCall"]["id"]} and len(entry["toolCallStates"]) == 1
    assert word(1) in entry["toolCallStates"][0]["output"][0]["content"]
    assert errors(session) == []


def test_a_call_that_is_removed_takes_its_empty_state_along(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["still_calling"].data)
    problem = session.problems[0]
    session.stage(problem, next(fix for fix in problem.fixes if fix.id == "remove-call"))
    entry = json.loads(session.to_bytes())["history"][2]
    assert [one["id"] for one in entry["message"]["toolCalls"]] == ["call_0002", "call_0004"]
    assert [one["toolCallId"] for one in entry["toolCallStates"]] == ["call_0002", "call_0004"]
    assert errors(session) == []


@pytest.mark.parametrize("name", [name for name in sorted(PLANTED) if name.startswith("cut_off")])
def test_what_is_no_json_is_replaced_by_an_empty_session(name: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    assert becomes(session, "record.torn") == [
        ("dropped", "Continue begins an empty session in its place. Lost without telling you: the whole history.")
    ]
    assert told(session) == "[]"


def test_a_byte_order_mark_costs_the_whole_history(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["byte_order_mark"].data)
    assert errors(session) == ["record.bom"] and session.problems[0].impact == "loses"
    assert told(session) == "[]"


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_damage_in_the_middle_is_pointed_at(name: str, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"line 138, column 26: the JSON is invalid there"):
        opened(tmp_path, corpus()[name].data)


@pytest.mark.parametrize(
    "name", ["content_null", "content_gone", "entry_null", "entry_without_message", "role_unknown"]
)
def test_an_entry_that_cannot_be_sent_stops_the_start(name: str, tmp_path: Path) -> None:
    seen = opened(tmp_path, PLANTED[name].data).conversation.judged.seen
    assert seen is not None and seen.refuses is not None


def test_what_is_attached_goes_out_with_the_message(tmp_path: Path) -> None:
    seen = opened(tmp_path, PLANTED["something_attached"].data).conversation.judged.seen
    assert seen is not None
    said = '<context name="notes.txt">\nfirst line\n</context>\n\nLook at everything.'
    assert seen.messages[0].parts[0].value == said


def test_a_summary_cuts_nothing_off(tmp_path: Path) -> None:
    assert [
        found
        for found in map(word, range(1, 8))
        if found not in told(opened(tmp_path, PLANTED["compaction_between"].data))
    ] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"message": {"role": "assistant", "content": [{"type": "audio"}]}},
        {"message": {"role": "assistant", "content": "x", "toolCalls": [None]}},
        {"message": {"role": "user", "content": "x"}, "toolCallStates": {"a": 1}},
        {"message": {"role": "user", "content": "x"}, "toolCallStates": [None]},
        {"message": {"role": "user", "content": "x"}, "toolCallStates": [{"output": "text"}]},
        {"message": {"role": "user", "content": "x"}, "toolCallStates": [{"output": [None]}]},
        {"message": {"role": "user", "content": [{"type": "imageUrl"}]}},
        {"message": "text"},
        7,
    ],
)
def test_odd_entries_stop_the_start(entry: Any, tmp_path: Path) -> None:
    session = opened(tmp_path, written([*sound(), {"contextItems": [], **entry} if isinstance(entry, dict) else entry]))
    assert session.format.id == "continue"
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is not None


# --- written -----------------------------------------------------------------------------------------------


def edited(history: list[Any], *edits: Any) -> list[Any]:
    items = [Item(number, value) for number, value in enumerate(history)]
    form = get_format("continue")
    return [item.value for item in form.apply(items, form.read(items), edits)]


def test_new_messages_are_entries() -> None:
    history = sound()
    form = get_format("continue")
    items = [Item(number, value) for number, value in enumerate(history)]
    transcript = form.read(items)
    edits = [
        InsertMessage(transcript.messages[-1], "user", "Go on."),
        RemoveMessage(transcript.messages[0]),
        SetField(transcript.messages[1], "content", "Changed."),
    ]
    after = form.apply(items, transcript, edits)
    assert after[0].value["message"] == {**history[1]["message"], "content": "Changed."}
    assert after[0].value["toolCallStates"] is history[1]["toolCallStates"]
    assert after[-1].value == user("Go on.")
    assert [item.uid for item in after[:-1]] == list(range(1, 8)) and after[-1].uid < 0
    assert all(item is items[item.uid] for item in after[1:-1])


def test_whole_records_are_moved_with_their_states() -> None:
    history = sound()
    assert edited(history, RemoveRecord(2)) == [*history[:2], *history[3:]]
    assert edited(history, MoveRecord(1, 2)) == [history[0], history[2], history[1], *history[3:]]
    new = {"message": {"role": "tool", "content": "x", "toolCallId": "y"}, "contextItems": []}
    assert edited(history, InsertRecord(new, 3)) == [*history[:3], new, *history[3:]]


def test_images_are_written_as_continue_does() -> None:
    image = {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    raw = {"role": "user", "content": [{"type": "text", "text": "See."}, image]}
    read = dialect.as_chat(raw)
    assert read["content"][1] == {"type": "image_url", "image_url": image["imageUrl"]}
    now = {**read, "content": [*read["content"], "more"]}
    made = dialect.from_chat(now, raw, read)["content"]
    assert made[:2] == raw["content"] and made[1] is image and made[2] == {"type": "text", "text": "more"}


# --- recognised --------------------------------------------------------------------------------------------


@each(
    "record",
    [
        {"message": {"role": "user", "content": "x"}, "type": "user", "contextItems": []},
        {"message": {"role": "user", "content": "x"}},
        {"message": "x", "contextItems": []},
        {"role": "user", "content": "x", "contextItems": []},
        {"message": {"author": {"role": "user"}}, "contextItems": []},
    ],
)
def test_other_records_are_not_taken_for_it(record: Record) -> None:
    assert get_format("continue").sniff([record]) == 0


def test_the_editors_folder_is_an_address(tmp_path: Path) -> None:
    data = json.dumps(document(sound(), workspaceDirectory="file:///home/dev/my%20project")).encode()
    assert opened(tmp_path, data).conversation.transcript.folder == "/home/dev/my project"


def test_it_is_found_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / ".continue" / "sessions" / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(written(sound()))
    (path.parent / "sessions.json").write_text("[]")
    machine = Machine("linux", {}, tmp_path)
    found = catalog.index(machine, FOLDER)
    assert [(one.agent, one.session_id, one.here) for one in found] == [("continue", ID, True)]
    assert catalog.describe(found[0]).words == "And the rest?"
    session = open_session(path)
    transcript = session.conversation.transcript
    agent = catalog.agents_of_file("continue", transcript, path)[0]
    file = SessionFile(path, path, transcript.session_id or "", transcript.folder)
    assert how_to_resume(agent, file, machine).endswith("cn --resume")
    moved = Machine("linux", {"CONTINUE_GLOBAL_DIR": str(tmp_path / "else")}, tmp_path)
    assert catalog.index(moved) == []


def test_the_installed_version_is_asked_for(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "node_modules" / "@continuedev" / "cli"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@continuedev/cli", "version": "1.5.40"}')
    (package / "dist" / "cn.js").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cn").symlink_to(package / "dist" / "cn.js")
    (package / "dist" / "cn.js").chmod(0o755)
    assert installed_version("continue", {"PATH": str(tmp_path / "bin")}, tmp_path) == "1.5.40"


# --- anything at all ---------------------------------------------------------------------------------------


def spoilt(rng: random.Random) -> list[Any]:
    """A sound history after a few changes at random."""
    history: list[Any] = sound()
    odd = (None, 1, "", [], {}, "x", True, [1], {"a": 1}, -1, "call_0002", CANCELLED, "\ud800", "assistant", "tool")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(history))
        match rng.randrange(6):
            case 0:
                del history[at]
                history = history or sound()
            case 1:
                history.insert(at, json.loads(json.dumps(rng.choice(history))))
            case 2:
                other = rng.randrange(len(history))
                history[at], history[other] = history[other], history[at]
            case 3:
                history.insert(at, model("More.", call(rng.randint(1, 9)), states=[begun(call(rng.randint(1, 9)))]))
            case _:
                places = [path for path in _paths(history[at]) if path]
                if places:
                    path = rng.choice(places)
                    inner = history[at]
                    for step in path[:-1]:
                        inner = inner[step]
                    if rng.random() < 0.4:
                        del inner[path[-1]]
                    else:
                        inner[path[-1]] = rng.choice(odd)
    return history


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in _paths(part, (*path, key)))]


def fuzzed(seed: int) -> None:
    rng = random.Random(seed)
    data = json.dumps(document(spoilt(rng)), indent=2).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        path.write_bytes(data)
        try:
            session = open_session(path, format="continue")
        except SessionError:
            return
        assert session.to_bytes() == data
        before = {record.uid: bytes(record.body) for record in session.conversation.document.records}
        values = {record.uid: record.value for record in session.conversation.document.records}
        session.stage_recommended()
        for record in session.conversation.document.records:
            if record.uid in values and record.value == values[record.uid]:
                assert bytes(record.body) == before[record.uid]
        out = session.to_bytes()
        path.write_bytes(out)
        again = open_session(path, format="continue")
        again.stage_recommended()
        assert again.to_bytes() == out


@settings(max_examples=tries(60), deadline=None)
@given(st.integers(0, 2**32))
def test_a_second_fix_changes_nothing(seed: int) -> None:
    fuzzed(seed)
