"""Kimi CLI's sessions: read, checked, repaired and written."""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken_sessions import Record, lines, word
from tests.each import each
from tests.formats.fixing import Visit, errors, fixed, told
from tests.kimi_sessions import AT, BY_HAND, FOLDER, HASH, ID, NAME, KimiSession, call, corpus, output, sound, think
from tests.rounds import some, tries
from toolpair.agents import catalog
from toolpair.agents.processes import agent_of
from toolpair.dialects.kimi import fault_of
from toolpair.formats import get_agent
from toolpair.formats.agent import SessionFile
from toolpair.session.session import Session, open_session
from toolpair.session.surroundings import how_to_resume, subagent_sessions_of
from toolpair.shell.machine import Machine

PLANTED = corpus()


def opened(tmp_path: Path, data: bytes | list[Record], **how: Any) -> Session:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else lines(data))
    return open_session(path, **how)


def rules(session: Session) -> list[str]:
    return [problem.rule for problem in session.problems]


def records_of(session: Session) -> list[Any]:
    return [json.loads(line) for line in session.to_bytes().splitlines()]


def choose(session: Session, rule: str, fix: str) -> None:
    problem = next(problem for problem in session.problems if problem.rule == rule)
    session.stage(problem, next(found for found in problem.fixes if found.id == fix))


# --- each way to break one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(sorted(PLANTED), 36))
def test_a_broken_session_is_repaired_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    visit = Visit(PLANTED[name], partial(opened, tmp_path))
    if name not in BY_HAND:
        visit.assert_fixed("kimi-cli")
    visit.assert_never_passed_over()
    if name not in ("commas_at_the_ends", "blank_lines_and_windows_ends", "byte_order_mark"):
        assert_few_lines_changed(visit.planted.data, visit.fixed)


def assert_few_lines_changed(data: bytes, fixed: bytes) -> None:
    """The other lines, and all of the agent's notes that can be read, keep their bytes and their order."""
    before, after = data.splitlines(keepends=True), fixed.splitlines(keepends=True)
    changed = [line for line in before if line not in after]
    assert len(changed) <= 3
    assert not any(line.startswith(b'{"role":"_') and b"{" not in line[1:] for line in changed if b"_mode" not in line)
    kept = [line for line in before if line.startswith(b'{"role":"_usage"') and line in after]
    assert [line for line in after if line in kept] == [line for line in before if line in kept]


def test_a_last_line_that_was_cut_off_gets_its_line_feed_too(tmp_path: Path) -> None:
    """Kimi CLI writes its next line right after it."""
    data = PLANTED["last_line_torn"].data
    session = opened(tmp_path, data)
    choose(session, "record.torn", "close")
    assert session.to_bytes().endswith(b'"}]}\n')
    session.undo()
    assert session.to_bytes() == data
    assert fixed(opened(tmp_path, data)).endswith(b"}\n")


def test_a_number_of_many_digits_is_told_and_left(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["a_number_of_many_digits"].data)
    (problem,) = session.problems
    assert (problem.rule, problem.impact, problem.fixes) == ("record.big_number", "stops", ())


# --- what is read ------------------------------------------------------------------------------------------


def test_a_sound_session_stays_as_it_is(tmp_path: Path) -> None:
    data = sound().data()
    session = opened(tmp_path, data)
    assert (session.format.id, session.problems, session.profile.id) == ("kimi-cli", (), "moonshot")
    assert fixed(session) == data
    transcript = session.conversation.transcript
    assert (transcript.agent, transcript.session_id, transcript.folder) == ("Kimi CLI", ID, None)
    assert [message.role for message in transcript.messages[:4]] == ["user", "assistant", "tool", "assistant"]


def test_the_project_is_the_one_that_the_agent_knows_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "kimi.json").write_text(json.dumps({"work_dirs": [{"path": "/elsewhere"}, {"path": FOLDER}, 7]}))
    session = opened(tmp_path, sound().data())
    assert session.conversation.transcript.folder == FOLDER


@pytest.mark.parametrize(
    "notes",
    [
        [{"role": "_system_prompt", "content": "You are Kimi."}],
        [{"role": "_checkpoint", "id": 0}],
        [{"role": "_usage", "token_count": 12}],
    ],
)
def test_one_note_is_enough_to_recognise_it(tmp_path: Path, notes: list[Record]) -> None:
    assert opened(tmp_path, [*notes, {"role": "user", "content": "Hello."}]).format.id == "kimi-cli"


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "_checkpoint"},
        {"role": "_usage", "tokens": 7},
        {"role": "_system_prompt", "content": []},
        {"role": "note", "id": 1},
        {"id": 1, "token_count": 1},
    ],
)
def test_plain_lists_of_chat_messages_stay_plain(tmp_path: Path, odd: Record) -> None:
    said = [record for record in sound().records if not record["role"].startswith("_")]
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines([*said, odd]))
    assert open_session(path).format.id == "openai-chat"
    path.write_text(json.dumps([*said, {"role": "_usage", "token_count": 7}]))
    assert open_session(path).format.id == "openai-chat"


def test_the_rules_are_anthropics_where_the_ids_are(tmp_path: Path) -> None:
    data = sound().data().replace(b'"Shell:', b'"toolu_0')
    assert opened(tmp_path, data).profile.id == "anthropic"


def test_a_summary_and_words_of_the_agents_own_are_marked(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["compacted"].data)
    transcript = session.conversation.transcript
    assert [(found.message, found.record) for found in transcript.boundaries] == [(0, 2)]
    assert transcript.messages[0].note == "summary"
    made = KimiSession()
    for text in ("<system-reminder>\nmind it\n</system-reminder>", "<notification id='a'>x</notification>", "Go on."):
        made.user(text)
    read = opened(tmp_path, made.data()).conversation.transcript
    assert [message.note for message in read.messages] == ["meta", "meta", None]


def test_users_messages_in_a_row_are_sent_as_one_but_for_notifications(tmp_path: Path) -> None:
    made = KimiSession()
    for text in ("One.", "Two.", "<notification id='a'>x</notification>", "Three.", "Four."):
        made.user(text)
    seen = opened(tmp_path, made.data()).conversation.judged.seen
    assert seen is not None
    assert [[part.value for part in message.parts] for message in seen.messages] == [
        ["One.", "Two."],
        ["<notification id='a'>x</notification>"],
        ["Three.", "Four."],
    ]


def test_a_call_in_a_user_message_is_gone_where_it_is_joined(tmp_path: Path) -> None:
    records = sound().records
    records[AT.look]["role"] = "user"
    session = opened(tmp_path, records)
    assert "role.call_in_user" in errors(session)
    seen = session.conversation.judged.seen
    assert seen is not None
    assert [part.value for part in seen.messages[0].parts] == ["Begin.", {"type": "text", "text": "I look."}]
    assert "call one" not in told(session) and "echo one" not in told(session)


TEXT = [{"type": "text", "text": "x"}]
CALL = call("one")


@each(
    ("value", "fault"),
    [
        ({"role": "user", "content": "x", "uuid": 7}, None),
        ({"role": "user", "content": None}, None),
        ({"role": "user", "content": []}, None),
        ({"role": "user", "content": [{**TEXT[0], "cache_control": {}}]}, None),
        ({"role": "user"}, "stops"),
        ({"role": "_mode"}, "stops"),
        ({"role": "_mode", "content": "x"}, "skipped"),
        ({"role": "user", "content": 7}, "skipped"),
        ({"role": "user", "content": {"type": "text", "text": "x"}}, "skipped"),
        ({"role": "user", "content": ["x"]}, "skipped"),
        ({"role": "user", "content": [{"text": "x"}]}, "skipped"),
        ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, "stops"),
        ({"role": "user", "content": [7, {"type": "input_text", "text": "x"}]}, "stops"),
        ({"role": "user", "content": [{"type": "text", "text": None}]}, "skipped"),
        ({"role": "assistant", "content": [{"type": "think"}]}, "skipped"),
        ({"role": "assistant", "content": [think()]}, None),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x", "id": None}}]}, None),
        ({"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}, "skipped"),
        ({"role": "user", "content": [{"type": "video_url", "video_url": {"url": "x", "id": 7}}]}, "skipped"),
        ({"content": "x"}, "skipped"),
        ({"role": "developer", "content": "x"}, "skipped"),
        ({"role": "function", "content": "x"}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": []}, None),
        ({"role": "assistant", "content": "x", "tool_calls": CALL}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": [CALL, None]}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": [{**CALL, "id": 7}]}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": [{**CALL, "type": "custom"}]}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": [{**CALL, "extras": 7}]}, "skipped"),
        ({"role": "assistant", "content": "x", "tool_calls": [{**CALL, "extras": {}, "index": 0}]}, None),
        ({"role": "assistant", "content": "x", "tool_calls": [{**CALL, "function": {"name": "x"}}]}, "skipped"),
        (
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "x", "arguments": None}}],
            },
            None,
        ),
        ({"role": "tool", "content": "x"}, None),
        ({"role": "tool", "content": "x", "tool_call_id": 7}, "skipped"),
        ({"role": "user", "content": "x", "name": 7}, "skipped"),
        ({"role": "user", "content": "x", "partial": "x"}, "skipped"),
    ],
)
def test_what_the_agent_reads(value: Record, fault: str | None) -> None:
    """As its own reader answered, one line at a time."""
    assert fault_of(value) == fault


# --- what is written ---------------------------------------------------------------------------------------


def test_only_the_bytes_of_an_id_are_changed(tmp_path: Path) -> None:
    odd = b'{ "tool_call_id":"functions_Shell_0" ,"content":"\\u003cx\\ud83d\\ude00 word-one-word","role":"tool","n":1.50e+2}'
    records = deepcopy(sound().records)
    records[AT.look]["tool_calls"][0]["id"] = "functions.Shell:0"
    before = lines(records[: AT.one]) + odd + b"\r\n" + lines(records[AT.one + 1 :])[:-1]
    session = opened(tmp_path, before)
    assert errors(session) == ["result.id_mismatch"]
    assert fixed(session) == before.replace(b"functions_Shell_0", b"functions.Shell:0")


def test_thinking_is_sent_and_stays_where_it_is(tmp_path: Path) -> None:
    records = sound().records
    records[AT.more]["content"].insert(1, {"type": "text", "text": " "})
    records[AT.more]["content"].append(think("And again."))
    records[AT.more]["tool_calls"][0]["id"] = "other"
    session = opened(tmp_path, records)
    message = next(found for found in session.conversation.transcript.messages if len(found.calls) == 3)
    assert message.value["reasoning_content"] == "I should look.And again."
    assert [block.slot for block in message.blocks if block.kind == "text"] == [("content", 1), ("content", 2)]
    session.stage_recommended()
    (guess,) = session.left
    session.stage(guess, guess.without_guessing)
    assert errors(session) == []
    now = records_of(session)[AT.more]["content"]
    assert [part["type"] for part in now if part.get("text") != " "] == ["think", "text", "think"]


@pytest.mark.parametrize("blank", ["", " ", [], [think(), {"type": "text", "text": "\n"}]])
def test_a_blank_text_beside_calls_is_no_problem_since_it_is_not_sent(tmp_path: Path, blank: Any) -> None:
    records = [record for record in sound().records if record["role"] != "_usage"]
    at = next(number for number, record in enumerate(records) if record.get("tool_calls"))
    for record in records:
        if isinstance(record.get("content"), list) and (not blank or isinstance(blank, str)):  # none thinks
            record["content"] = [part for part in record["content"] if part["type"] != "think"]
    records[at]["content"] = blank
    session = opened(tmp_path, records)
    assert rules(session) == []
    seen = session.conversation.judged.seen
    assert seen is not None and [part.value for part in seen.messages[1].parts] == records[at]["tool_calls"]


def test_an_empty_thinking_is_written_as_the_agent_has_it(tmp_path: Path) -> None:
    records = sound().records
    records[AT.calls]["content"] = "Well."
    session = opened(tmp_path, records)
    assert rules(session) == ["reasoning.missing_before_call"]
    choose(session, "reasoning.missing_before_call", "empty-thinking")
    assert session.problems == ()
    expected = [{"type": "think", "think": " "}, {"type": "text", "text": "Well."}]
    assert records_of(session)[AT.calls]["content"] == expected


def test_a_message_of_which_only_thinking_is_left_goes_with_its_call(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["ends_at_a_call"].data)
    choose(session, "turn.trailing_call", "remove-call") if any(
        fix.id == "remove-call" for problem in session.problems for fix in problem.fixes
    ) else session.stage_recommended()
    assert errors(opened(tmp_path, session.to_bytes())) == []


def test_a_result_is_written_after_its_call_and_before_the_agents_note(tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED["result_gone"].data)
    session.stage_recommended()
    now = records_of(session)
    assert now[AT.look + 1]["role"] == "tool" and now[AT.look + 1]["tool_call_id"] == "Shell:0"
    assert now[AT.look + 2]["role"] == "_usage"


CHANGES = ("drop", "twice", "swap", "rename", "role", "content", "part", "arguments", "call", "tear", "glue", "nul")


def _changed(records: list[Record], how: str, at: int, other: int) -> None:
    number, second = at % len(records), other % len(records)
    record = records[number]
    match how:
        case "drop":
            del records[number]
        case "twice":
            records.insert(second, deepcopy(record))
        case "swap":
            records[number], records[second] = records[second], records[number]
        case "rename" if "tool_call_id" in record:
            record["tool_call_id"] = ("Shell:0", "", "other", "Shell_0", 7, None)[other % 6]
        case "role" if not record["role"].startswith("_"):
            record["role"] = ("user", "assistant", "tool", "developer", "function", "system")[other % 6]
        case "content" if not record["role"].startswith("_"):
            record["content"] = ("", None, [], 7, {"output": "x"}, ["x"], [{"type": "text"}])[other % 7]
        case "part" if isinstance(record.get("content"), list):
            parts: tuple[Any, ...] = ("Well.", None, {}, think(), {"type": "input_text", "text": "x"}, {"type": "text"})
            record["content"].insert(other % 2, deepcopy(parts[other % 6]))
        case "arguments" if record.get("tool_calls"):
            record["tool_calls"][0]["function"]["arguments"] = ({}, None, 7, "no")[other % 4]
        case "call" if isinstance(record.get("tool_calls"), list):
            record["tool_calls"].insert(other % 2, (None, 7, deepcopy(CALL), {"id": "x"})[other % 4])


@settings(max_examples=tries(120))
@given(
    st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=4),
)
def test_whatever_is_broken_is_repaired_and_stays_so(changes: list[tuple[str, int, int]]) -> None:
    records = deepcopy(sound().records)
    for how, at, other in changes:
        if records:
            _changed(records, how, at, other)
    data = lines(records)
    for how, at, _ in changes:
        ends = [n for n, byte in enumerate(data) if byte == 10]
        end = ends[at % len(ends)] if ends else 0
        if how == "glue" and ends:
            data = data[:end] + data[end + 1 :]
        elif how == "tear" and ends:
            data = data[: max(0, end - at - 1)] + data[end:]
        elif how == "nul":
            data = data[:end] + b"\0" * 7 + data[end:]
    with tempfile.TemporaryDirectory() as folder:
        session = opened(Path(folder), data)
        if session.format.id != "kimi-cli":
            return
        sent = {said for said in map(word, ("one", "two", "three", "four", "five")) if said in told(session)}
        session.stage_recommended()
        after = session.to_bytes()
        again = opened(Path(folder), after)
        assert sent <= {said for said in sent if said in told(again)}
        left = [problem for problem in again.problems if problem.severity == "error"]
        assert not [problem.rule for problem in left if problem.recommended]
        assert not [problem.rule for problem in left if not problem.no_fix and not problem.fixes]
        assert fixed(again) == after
        while session.staged:
            session.undo()
        assert session.to_bytes() == data


# --- the files beside it -----------------------------------------------------------------------------------


def shown(name: str, text: str, id_: str | None = None) -> bytes:
    """What `wire.jsonl` has of a call and its result."""
    made = {**call(name), **({"id": id_} if id_ is not None else {})}
    said = {"is_error": False, "output": f"{text}\n", "message": "Command executed successfully.", "display": []}
    events = [("ToolCall", made), ("ToolResult", {"tool_call_id": made["id"], "return_value": said})]
    return b"".join(
        json.dumps({"timestamp": 1.5, "message": {"type": kind, "payload": payload}}).encode() + b"\n"
        for kind, payload in events
    )


def test_an_output_that_was_shown_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.with_name("wire.jsonl").write_bytes(b'{"type": "metadata"}\nnull\n{\n' + shown("one", word("one")))
    session = opened(tmp_path, PLANTED["result_gone"].data)
    session.stage_recommended()
    assert errors(session) == []
    assert records_of(session)[AT.look + 1]["content"] == output("one")["content"]


def started(name: str) -> bytes:
    """What `wire.jsonl` has of a call alone."""
    return shown(name, "").splitlines(keepends=True)[0]


@pytest.mark.parametrize("events", [started("one") * 2, b"", started("one").replace(b'"Shell"', b'"Glob"')])
def test_an_output_that_may_be_another_calls_is_a_guess(tmp_path: Path, events: bytes) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.with_name("wire.jsonl").write_bytes(events + shown("one", word("one")).splitlines(keepends=True)[1])
    session = opened(tmp_path, PLANTED["result_gone"].data)
    (problem,) = session.problems
    assert [fix.certain for fix in problem.fixes if fix.id.startswith("use-copy")] == [False]
    session.stage_recommended()
    assert word("one") not in told(session)


@pytest.mark.parametrize("more", [shown("one", "another"), shown("two", word("two"), "Shell:0")])
def test_an_id_that_came_again_makes_it_a_guess(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.with_name("wire.jsonl").write_bytes(shown("one", word("one")) + more)
    session = opened(tmp_path, PLANTED["result_gone"].data)
    (problem,) = session.problems
    assert [fix.certain for fix in problem.fixes if fix.id.startswith("use-copy")] == [False, False]
    session.stage_recommended()
    assert word("one") not in told(session)


def test_sub_agents_have_sessions_of_their_own(tmp_path: Path) -> None:
    made = sound()
    made.records[AT.one]["content"] = "agent_id: a1b2c3d4\nresumed: false\n\n[summary]\nfound"
    root = (tmp_path / NAME).parent
    for name in ("a1b2c3d4", "b"):
        folder = root / "subagents" / name
        folder.mkdir(parents=True)
        (folder / "context.jsonl").write_bytes(sound().data())
    about = {"agent_id": "a1b2c3d4", "subagent_type": "coder", "description": "look for it"}
    (root / "subagents/a1b2c3d4/meta.json").write_text(json.dumps(about))
    (root / "subagents/empty").mkdir()
    session = opened(tmp_path, made.data())
    found = subagent_sessions_of(session.conversation, session.reader.view.beside)
    assert [(one.label, one.kind, one.call) for one in found] == [
        ("look for it", "coder", "Shell:0"),
        ("b", None, None),
    ]
    of_it = open_session(found[0].path)
    assert (of_it.format.id, of_it.problems) == ("kimi-cli", ())
    assert of_it.conversation.transcript.agent == "a sub-agent of Kimi CLI"
    assert not get_agent("kimi-cli").in_place(found[0].path, "a1b2c3d4")


def test_sessions_are_found_described_and_resumed(tmp_path: Path) -> None:
    home = tmp_path / ".kimi"
    path = home / NAME
    path.parent.mkdir(parents=True)
    made = sound()
    made.user("<system-reminder>mind it</system-reminder>")
    path.write_bytes(made.data())
    (path.parent.parent / "empty").mkdir()
    (path.parent.parent / "empty/context.jsonl").touch()
    (home / "kimi.json").write_text(json.dumps({"work_dirs": [{"path": FOLDER, "kaos": "local"}]}))
    machine = Machine("linux", {}, tmp_path)
    (found,) = catalog.index(machine, FOLDER)
    described = catalog.describe(found)
    assert (found.agent, found.session_id, found.here, found.understood) == ("kimi-cli", ID, True, True)
    assert (described.folder, described.words) == (FOLDER, "Thanks.")
    assert catalog.resolve(ID[:8], machine) == str(path)
    agent = get_agent("kimi-cli")
    file = SessionFile(path, path, ID, FOLDER)
    assert how_to_resume(agent, file, machine) == f"cd {FOLDER} && kimi --session {ID}"
    elsewhere = Machine("linux", {"KIMI_SHARE_DIR": "/srv/kimi"}, tmp_path)
    assert how_to_resume(agent, file, elsewhere) == f"cd {FOLDER} && KIMI_SHARE_DIR={home} kimi --session {ID}"
    copy = SessionFile(tmp_path / "copy.jsonl", None, ID, FOLDER)
    target = home / "sessions" / HASH / ID / "context.jsonl"
    expected = f"put this file at {target}, then run `cd {FOLDER} && kimi --session {ID}`."
    assert how_to_resume(agent, copy, machine) == expected


def test_its_process_is_known_by_the_name_that_it_gives_itself() -> None:
    assert agent_of("Kimi Code", ["Kimi Code", "", ""]) == "kimi-cli"
    assert agent_of("kimi-desktop", ["kimi-desktop"]) is None


# --- on resume ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule", "effect", "impact"),
    [
        ("result_gone", "result.missing", "rejected", "stops"),
        ("ends_at_a_call", "turn.trailing_call", "rejected", "stops"),
        ("result_late", "result.not_adjacent", "rejected", "stops"),
        ("arguments_as_an_object", "args.unparseable", "rejected", "stops"),
        ("result_that_is_an_object", "rollout.not_loaded", "rejected", "stops"),
        ("another_apis_role", "role.unknown", "dropped", "loses"),
        ("no_content", "rollout.not_loaded", "rejected", "stops"),
        ("a_note_of_another_version", "rollout.not_loaded", "rejected", "stops"),
        ("line_damaged", "record.torn", "dropped", "loses"),
        ("lines_glued", "record.glued", "dropped", "loses"),
        ("byte_order_mark", "record.bom", "dropped", "harmless"),
        ("lone_surrogate", "record.lone_surrogate", "rejected", "stops"),
        ("invalid_utf8", "record.bad_utf8", "healed", "harmless"),
        ("bytes_that_are_no_text_and_no_system_prompt", "record.bad_utf8", "rejected", "stops"),
        ("control_characters", "record.bad_json", "healed", "harmless"),
        ("commas_at_the_ends", "record.trailing_comma", "dropped", "loses"),
        ("no_type", "field.missing", "healed", "harmless"),
    ],
)
def test_what_becomes_of_it(name: str, rule: str, effect: str, impact: str, tmp_path: Path) -> None:
    session = opened(tmp_path, PLANTED[name].data)
    problem = next((found for found in session.problems if found.rule == rule), None)
    if problem is None:
        assert (name, rule) == ("no_type", "field.missing")  # Kimi's rules do not ask for it
        return
    assert problem.on_resume is not None
    assert (problem.on_resume.effect, problem.impact) == (effect, impact)


@pytest.mark.parametrize(
    "name",
    [
        "an_id_that_is_a_number",
        "a_bare_text_among_parts",
        "arguments_as_an_object",
        "no_name",
        "role_of_another_on_a_result",
    ],
)
def test_one_fault_is_one_problem(name: str, tmp_path: Path) -> None:
    assert len(opened(tmp_path, PLANTED[name].data).problems) == 1
