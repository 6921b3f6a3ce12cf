"""Gemini CLI's sessions: read, checked, mended and written."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken_sessions import Record, lines, word
from tests.each import each
from tests.formats.fixing import Visit, errors, fixed, seen_of, told
from tests.gemini_sessions import (
    ID,
    NAME,
    at,
    call_of,
    corpus,
    header,
    messages_of,
    response,
    resumed,
    sound,
    tool_call,
)
from tests.rounds import some, tries
from toolpair.agents import catalog
from toolpair.formats import get_format
from toolpair.formats.agent import SessionFile
from toolpair.formats.format import Item
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume
from toolpair.shell.machine import Machine
from toolpair.transcript.edits import InsertMessage, RemoveMessage

PLANTED = corpus()


def opened(tmp_path: Path, data: bytes, name: str = NAME) -> Session:
    path = tmp_path / name
    path.write_bytes(data)
    return open_session(path)


def mended(tmp_path: Path, data: bytes, name: str = NAME) -> bytes:
    return fixed(opened(tmp_path, data, name))


def counted(session: Session) -> list[tuple[int, int]]:
    """Calls and responses of each message that would be sent."""
    seen = seen_of(session)
    values = [[part.value for part in message.parts] for message in seen.messages]
    return [(sum("functionCall" in v for v in one), sum("functionResponse" in v for v in one)) for one in values]


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 36))
def test_a_broken_session_is_mended_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    visit.assert_fixed("gemini-cli")
    numbers = counted(visit.after)
    assert not numbers or not numbers[-1][0]
    for before, following in pairwise(numbers):
        assert before[0] == following[1]


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    for made in (sound(), resumed()):
        session = opened(tmp_path, made.data())
        assert (session.format.id, session.problems, session.profile.id) == ("gemini-cli", (), "gemini")
        assert mended(tmp_path, made.data()) == made.data()
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.model) == ("Gemini CLI", ID, "gemini-2.5-pro")


def test_a_second_copy_of_each_result_is_dropped_whole(tmp_path: Path) -> None:
    data = sound(copies=True).data()
    session = opened(tmp_path, data)
    assert session.problems[0].cause is not None and session.problems[0].cause.id == "duplicate.on_resume"
    made = mended(tmp_path, data)
    kept = [line for line in data.splitlines() if b'"type":"user","content":[{"functionResponse"' not in line]
    assert made.splitlines() == kept


def test_a_missing_result_is_written_into_its_call(tmp_path: Path) -> None:
    data = PLANTED["parallel_result_gone"].data
    made = mended(tmp_path, data)
    old, new = ([json.loads(line) for line in found.splitlines()] for found in (data, made))
    changed = [number for number, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert changed == [at(old, "three")]
    call = call_of(new, "three")
    answer = call["result"][0]["functionResponse"]
    assert call["status"] == "cancelled"
    assert (answer["id"], answer["name"]) == (call["id"], call["name"])
    assert list(answer["response"]) == ["error"]
    assert {key: field for key, field in call.items() if key not in ("result", "status")} == {
        key: field for key, field in call_of(old, "three").items() if key != "status"
    }


def test_a_late_result_goes_into_its_call(tmp_path: Path) -> None:
    made = mended(tmp_path, PLANTED["parallel_result_late"].data)
    records = [json.loads(line) for line in made.splitlines()]
    assert call_of(records, "three")["result"] == [response("three")]
    assert "new" not in [record.get("id") for record in records]


def test_in_a_list_of_messages_a_missing_result_is_a_message(tmp_path: Path) -> None:
    data = PLANTED["result_gone_in_the_list"].data
    made = mended(tmp_path, data)
    assert made.count(b"\n") == data.count(b"\n")
    parts = [
        part
        for message in messages_of([json.loads(line) for line in made.splitlines()])
        for part in message["content"]
        if "functionResponse" in part
    ]
    assert [list(part["functionResponse"]["response"]) for part in parts] == [["error"], *[["output"]] * 3]


_ODD = '{"id": "odd",\t"timestamp":"x","type":"gemini","extra":1.50e+2,"content":"a\\u00e9\\/"%s}'


def test_bytes_outside_a_changed_value_are_kept(tmp_path: Path) -> None:
    records = sound().records
    call = json.dumps([tool_call("six", answered=False)])
    data = lines(records) + (_ODD % f', "toolCalls" : {call}').encode() + b"\r\n"
    data += lines([{**records[2], "id": "after"}])
    made = mended(tmp_path, data)
    assert made.startswith(lines(records))
    start, end = (_ODD % '|"').encode().split(b"|")[0], b"}\r\n"
    line = made[len(lines(records)) :].partition(b"\n")[0] + b"\n"
    assert line.startswith(start[: start.rindex(b"a\\u00e9")]) and line.endswith(end)
    assert b"1.50e+2" in line and b"toolpair" in line


def test_a_message_that_is_taken_out_is_gone_with_its_earlier_writes() -> None:
    gemini = get_format("gemini-cli")
    items = [Item(number, record) for number, record in enumerate(sound().records)]
    transcript = gemini.read(items)
    said = [message.records for message in transcript.messages]
    made = gemini.apply(
        items, transcript, [RemoveMessage(transcript.messages[1]), RemoveMessage(transcript.messages[2])]
    )
    after = [message.records for message in gemini.read(made).messages]
    assert after[1:] == said[3:]
    gone = {item.value["id"] for item in items if item not in made}
    assert len(gone) == 1 and all(item.value.get("id") not in gone for item in made)


@pytest.mark.parametrize("of", [sound, resumed])
def test_new_words_stand_where_they_are_said(of: Callable[[], Any]) -> None:
    gemini = get_format("gemini-cli")
    items = [Item(number, record) for number, record in enumerate(of().records)]
    transcript = gemini.read(items)
    for after in (None, *transcript.messages):
        role = "user" if after is None or after.role == "assistant" else "assistant"
        made = gemini.apply(items, transcript, [InsertMessage(after, role, "Mind this.")])
        read = gemini.read(made).messages
        number = 0 if after is None else list(transcript.messages).index(after) + 1
        texts = [block.text for message in read[max(0, number - 1) : number + 2] for block in message.blocks]
        assert "Mind this." in texts
        assert sum(len(message.blocks) for message in read) == 1 + sum(len(m.blocks) for m in transcript.messages)


# --- what the agent does ------------------------------------------------------------------------------------


def _resumed(session: Session, rule: str) -> tuple[str, str | None]:
    found = next(problem.on_resume for problem in session.problems if problem.rule == rule)
    assert found is not None
    return found.effect, found.loses


@pytest.mark.parametrize(
    ("name", "rule", "expected"),
    [
        ("every_result_twice", "result.duplicate", ("rejected", None)),
        ("result_gone", "result.missing", ("rejected", None)),
        ("call_gone", "result.orphan", ("rejected", None)),
        ("parallel_result_late", "result.not_adjacent", ("rejected", None)),
        ("ids_differ", "result.id_mismatch", ("kept", None)),
        ("ids_empty", "id.empty", ("healed", None)),
        ("parallel_results_swapped", "result.order", ("kept", None)),
        ("first_line_torn", "record.torn", ("dropped", "history")),
        ("mark_in_front", "record.bom", ("dropped", "history")),
        ("glued", "record.glued", ("dropped", "its output")),
    ],
)
def test_what_the_agent_does(name: str, rule: str, expected: tuple[str, str | None], tmp_path: Path) -> None:
    assert _resumed(opened(tmp_path, PLANTED[name].data), rule) == expected


def test_each_copy_of_a_result_is_sent(tmp_path: Path) -> None:
    assert (1, 0) in counted(opened(tmp_path, sound(copies=True).data()))
    assert (0, 2) in counted(opened(tmp_path, sound(copies=True).data()))


def test_words_that_begin_like_a_command_are_a_loss_and_are_sent_after_the_fix(tmp_path: Path) -> None:
    data = PLANTED["path_in_between"].data
    session = opened(tmp_path, data)
    assert "has a bug" not in told(session)
    assert session.conversation.verdict.badge == "LOSES 1 MESSAGE"
    assert [(problem.rule, problem.impact) for problem in session.problems] == [("record.left_out", "loses")]
    made = mended(tmp_path, data)
    assert made == data.replace(b'[{"text":"/home', b'[{"text":"[The user wrote:]"},{"text":"/home')
    assert opened(tmp_path, made).conversation.verdict.badge == "READY TO RESUME"


@pytest.mark.parametrize(
    ("content", "is_reported"),
    [
        ("/help", False),
        ("/stats model", False),
        ("/setup-github", False),
        ("/docs/readme.md is wrong", True),
        ("/unknown command", True),
        ("?", False),
        ("  ?why", True),
        ("//", False),
        ("", False),
        ("<session_context>the agent's own</session_context>", False),
        ("<hook_context>never closed", False),
        ("<hook_context>a</hook_context>\n<session_context>b</session_context> and mine", True),
        ([{"text": "/a"}, {"inlineData": {"mimeType": "image/png", "data": ""}}], True),
        ({"text": "/home/dev"}, True),
        (["/home", "/dev"], True),
        ([{"inlineData": {}}, {"text": "/home/dev"}], False),
        ("why /home?", False),
    ],
)
def test_which_messages_hold_words_that_are_left_out(content: Any, is_reported: bool, tmp_path: Path) -> None:
    made = sound()
    made.add("user", content)
    session = opened(tmp_path, made.data())
    assert ("record.left_out" in errors(session)) == is_reported
    after = opened(tmp_path, mended(tmp_path, made.data()))
    assert errors(after) == []
    kept = made.records[-1]["content"]
    words = json.dumps(kept if isinstance(kept, str) else kept[0] if isinstance(kept, list) else kept)
    assert not is_reported or words.strip('"') in told(after)


def test_each_left_out_message_can_be_fixed_alone_and_in_any_order(tmp_path: Path) -> None:
    for name in ("paths_in_the_list", "left_out_by_an_earlier_resume"):
        expected = mended(tmp_path, PLANTED[name].data)
        for last_first in (False, True):
            session = opened(tmp_path, PLANTED[name].data)
            while found := [problem for problem in session.problems if problem.severity == "error"]:
                problem = found[-1 if last_first else 0]
                session.stage(problem)
            assert session.to_bytes() == expected


def test_words_before_a_compaction_or_taken_back_are_not_missed(tmp_path: Path) -> None:
    path = {"id": "path", "timestamp": "x", "type": "user", "content": [{"text": "/home/dev has a bug"}]}
    summary = {**path, "id": "summary", "content": [{"text": "A summary."}]}
    context = messages_of(sound().records)[0]
    for last in ({"$set": {"messages": [context, summary]}}, {"$set": {"messages": [summary]}}, {"$rewindTo": "path"}):
        made = sound()
        made.records += [path, last]
        assert errors(opened(tmp_path, made.data())) == []


def test_the_last_list_of_messages_counts(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["compacted"].data)
    assert word("one") not in told(session) and word("five") in told(session)
    scopes = session.conversation.transcript.scopes
    assert "inactive" in scopes.values()


def test_an_id_is_sent_without_its_function(tmp_path: Path) -> None:
    assert '"run_shell_command_one"' in told(opened(tmp_path, sound().data()))


def test_a_later_session_line_is_enough(tmp_path: Path) -> None:
    torn = PLANTED["first_line_torn"].data
    session = opened(tmp_path, torn + lines([header()]))
    seen = session.conversation.judged.seen
    assert seen is not None and seen.refuses is None


# --- old files ----------------------------------------------------------------------------------------------


def old_chat(records: list[Record]) -> bytes:
    messages = [record for record in records if "type" in record and "$set" not in record]
    last = {record["id"]: record for record in messages}
    return json.dumps({**header(), "messages": list(last.values())}, indent=2).encode()


@pytest.mark.parametrize("name", ["nothing", "every_result_twice", "result_gone", "result_late", "call_gone"])
def test_a_chat_in_one_document(name: str, tmp_path: Path) -> None:
    records = [json.loads(line) for line in PLANTED[name].data.splitlines()]
    data = old_chat(records)
    session = opened(tmp_path, data, "session-2025-01-01T00-00-1d1598d1.json")
    assert session.format.id == "gemini-cli"
    made = mended(tmp_path, data, "session-2025-01-01T00-00-1d1598d1.json")
    after = opened(tmp_path, made, "session-2025-01-01T00-00-1d1598d1.json")
    assert errors(after) == []
    assert [said for said in PLANTED[name].words if said not in told(after)] == []
    assert json.loads(made)["sessionId"] == ID


# --- a property ---------------------------------------------------------------------------------------------

_CHANGES = ("drop", "twice", "swap", "rename", "no result", "no calls", "double id", "take back", "copy")


def _changed(records: list[Record], how: str, number: int, other: int) -> None:
    number, other = 1 + number % (len(records) - 1), 1 + other % (len(records) - 1)
    record = records[number]
    calls = record.get("toolCalls") or [{}]
    match how:
        case "drop" if len(records) > 3:
            del records[number]
        case "twice":
            records.insert(other, {**deepcopy(record), **({"id": f"n{number}"} if "id" in record else {})})
        case "swap":
            records[number], records[other] = records[other], records[number]
        case "rename" if calls[0].get("result"):
            calls[0]["result"][0]["functionResponse"]["id"] = ("", "other", word("x"), None)[other % 4]
        case "no result" if calls[0]:
            calls[other % len(calls)].pop("result", None)
        case "no calls":
            record.pop("toolCalls", None)
        case "double id" if "id" in record and "id" in records[other]:
            record["id"] = records[other]["id"]
        case "take back" if "id" in record:
            records.insert(other, {"$rewindTo": record["id"]})
        case "copy" if calls[0].get("result"):
            made = {"id": f"c{number}", "timestamp": "x", "type": "user", "content": deepcopy(calls[0]["result"])}
            records.insert(other, made)


@settings(max_examples=tries(300), deadline=None)
@given(
    st.booleans(), st.lists(st.tuples(st.sampled_from(_CHANGES), st.integers(0, 30), st.integers(0, 30)), max_size=4)
)
def test_whatever_broke_is_mended_and_a_second_run_changes_nothing(
    again: bool, changes: list[tuple[str, int, int]]
) -> None:
    records: list[Record] = deepcopy(resumed().records if again else sound().records)
    for how, number, other in changes:
        _changed(records, how, number, other)
    with tempfile.TemporaryDirectory() as folder:
        data = lines(records)
        made = mended(Path(folder), data)
        after = opened(Path(folder), made)
        assert errors(after) == []
        assert mended(Path(folder), made) == made
        before = opened(Path(folder), data)
        assert [w for n in ("one", "two", "three", "four", "five") if (w := word(n)) in told(before)] == [
            w for n in ("one", "two", "three", "four", "five") if (w := word(n)) in told(before) and w in told(after)
        ]


# --- whose file it is ---------------------------------------------------------------------------------------


@each(
    "values",
    [
        [{"type": "user", "content": "hi"}],
        [{"type": "user", "id": "a", "timestamp": "x", "content": "hi"}],
        [{"type": "user", "message": {"role": "user", "parts": []}, "sessionId": "s", "uuid": "u"}],
        [{"$set": {"lastUpdated": "x"}}],
        [{"$set": {"messages": [{"role": "user"}]}}],
        [{"$set": {"messages": []}}],
        [{"sessionId": "s"}],
        [{"type": "gemini", "content": "x"}],
        [{"type": ["gemini"], "content": "x"}],
        [7, "x", None, []],
    ],
)
def test_what_only_looks_like_it_is_not_claimed(values: list[Any]) -> None:
    assert get_format("gemini-cli").sniff(values) == 0


def test_odd_records_are_read_all_the_same() -> None:
    values: list[Any] = [
        header(),
        7,
        "x",
        [],
        {"id": "a", "type": "user"},
        {"id": "b", "type": "user", "content": [None, 7, [], {"text": 7}, {"functionResponse": {"id": []}}]},
        {"id": "c", "type": "gemini", "content": {}, "toolCalls": [None, {}, {"result": [7]}], "thoughts": 7},
        {"id": "d", "type": ["gemini"], "content": "x"},
        {"$set": {"messages": [7, {"id": 7}]}},
        {"$set": None},
        {"$rewindTo": 7},
    ]
    gemini = get_format("gemini-cli")
    for count in range(len(values) + 1):
        items = [Item(number, value) for number, value in enumerate(values[:count])]
        transcript = gemini.read(items)
        assert gemini.sees(items, transcript) is not None
        assert gemini.apply(items, transcript, []) == items


# --- the agent ----------------------------------------------------------------------------------------------


def _stored(tmp_path: Path, home: str = ".gemini") -> Path:
    chats = tmp_path / home / "tmp/project/chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text("/home/dev/project")
    (chats / NAME).write_bytes(sound().data())
    (chats / ID).mkdir()
    (chats / ID / "sub.jsonl").write_bytes(sound().data())
    return chats / NAME


def test_sessions_are_found_and_resumed(tmp_path: Path) -> None:
    path = _stored(tmp_path)
    machine = Machine("linux", {}, tmp_path)
    found = catalog.index(machine, "/home/dev/project")
    assert [(one.agent, one.session_id, one.here) for one in found] == [("gemini-cli", ID, True)]
    described = catalog.describe(found[0])
    assert (described.folder, described.words) == ("/home/dev/project", "Once more.")
    session = open_session(path)
    agent = catalog.agents_of_file("gemini-cli", session.conversation.transcript, path)[0]
    file = SessionFile(path, None, ID, "/home/dev/project")
    assert session.resume_command() == f"cd /home/dev/project && gemini --session-file {path}"
    assert how_to_resume(agent, file, machine) == f"cd /home/dev/project && gemini --session-file {path}"


def test_a_variable_leads_to_the_sessions(tmp_path: Path) -> None:
    path = _stored(tmp_path, "elsewhere/.gemini")
    found = catalog.index(Machine("linux", {"GEMINI_CLI_HOME": str(tmp_path / "elsewhere")}, tmp_path))
    assert [one.path for one in found] == [str(path)]
